"""The parameter by which Snakemake notices that the code of a job has changed."""

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


#: A wildcard of Snakemake, perhaps with the pattern that it must match.
_WILDCARD = re.compile(r"\{(\w+)(?:,[^{}]*)?\}")


class CodeParameter:
    """The fingerprint of the code that a rule can reach.

    Parameters
    ----------
    script : path-like
        Of the rule.
    reaches : iterable of str, or callable
        Modules that the script finds by names in its parameters, or the function of the wildcards
        that gives them.
    outputs : iterable of str
        Patterns of the outputs of the rule, with the names of wildcards in braces.
    keep : str, optional
        Name of the run whose results are to be kept although the code has changed.
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
            self._now()  # so that what was read can be saved before any job starts

    # Snakemake does not heed changes of parameters that are made from the paths of outputs.
    def of_job(self, wildcards: Any) -> str:
        """The parameter of a job: its code as it is, or as it was if its results are kept."""
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
    """The records of a run in the working directory; None if it has none."""
    try:
        return History(run=run)
    except DataError:
        return None


def _maker(run: str, path: str) -> dict[str, Any] | None:
    history = history_of(run)
    return history.maker(path) if history and os.path.exists(path) else None


def other_code(run: str, leave_out: Iterable[str] = ()) -> dict[str, list[str]]:
    """From `made_by_other_code`; empty for a run without records."""
    history = history_of(run)
    return made_by_other_code(history, tuple(leave_out)) if history else {}


def other_packages(run: str, leave_out: Iterable[str] = ()) -> dict[str, list[str]]:
    """From `made_with_other_packages`; empty for a run without records."""
    history = history_of(run)
    return made_with_other_packages(history, tuple(leave_out)) if history else {}
