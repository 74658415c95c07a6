"""A parameter of jobs by which Snakemake notices that their code has changed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from reseat.errors import DataError
from reseat.provenance.changes import made_by_other_code, made_with_other_packages
from reseat.provenance.closure import fingerprint, library
from reseat.provenance.history import History

__all__ = ["CodeParameter", "history_of", "other_code", "other_packages"]


#: A wildcard of Snakemake, optionally with the regular expression that it must match.
_WILDCARD = re.compile(r"\{(\w+)(?:,[^{}]*)?\}")


class CodeParameter:
    """Fingerprint of the code that a rule can reach.

    `reaches`: modules that the script imports by names in its parameters, or a function of the
        wildcards that returns them.
    `outputs`: patterns of the outputs of the rule, with wildcards in braces.
    `keep`: name of the run whose results are kept even if the code has changed.
    """

    def __init__(
        self,
        script: str | os.PathLike,
        reaches: Iterable[str] | Callable[[Any], Iterable[str]] = (),
        outputs: Iterable[str] = (),
        keep: str | None = None,
    ):
        self._script, self._reaches = script, reaches
        self._outputs, self._keep = tuple(outputs), keep
        if not callable(reaches):
            self._now()  # fills the cache of sources, to be saved before any job starts

    # Takes only the wildcards, and builds the paths of outputs from them, because Snakemake ignores
    # changes of parameters that are derived from `output`.
    def of_job(self, wildcards: Any) -> str:
        """Return the fingerprint of a job's code, or the recorded one if its results are kept."""
        if self._keep:
            for pattern in self._outputs:
                path = _WILDCARD.sub(lambda found: wildcards.get(found[1]), pattern)
                record = _maker(self._keep, path)
                if record is not None:
                    return record["params"]["code"]
        return self._now(wildcards)

    def _now(self, wildcards: Any = None) -> str:
        reaches = self._reaches(wildcards) if callable(self._reaches) else self._reaches
        return _fingerprint(str(self._script), tuple(reaches))


@cache
def _fingerprint(script: str, reaches: tuple[str, ...]) -> str:
    return fingerprint(library().closure(script, reaches))


@cache
def history_of(run: str) -> History | None:
    """Return the records of a run in the working directory, or None if it has none."""
    try:
        return History(run=run)
    except DataError:
        return None


def _maker(run: str, path: str) -> dict[str, Any] | None:
    history = history_of(run)
    return history.maker(path) if history and os.path.exists(path) else None


def other_code(run: str, leave_out: Iterable[str] = ()) -> dict[str, list[str]]:
    """Return the result of `made_by_other_code`, empty for a run without records."""
    history = history_of(run)
    return made_by_other_code(history, tuple(leave_out)) if history else {}


def other_packages(run: str, leave_out: Iterable[str] = ()) -> dict[str, list[str]]:
    """Return the result of `made_with_other_packages`, empty for a run without records."""
    history = history_of(run)
    return made_with_other_packages(history, tuple(leave_out)) if history else {}
