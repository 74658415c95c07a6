"""The records of a run, and the path back from a file to everything from which it was made."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from reseat.configuration import did_you_mean
from reseat.errors import ConfigError, DataError
from reseat.provenance.record import read_records

__all__ = ["History", "Step", "named_run"]


def named_run(name: str) -> str:
    """Return the name of a run as the user gave it, without a slash added by shell completion.

    A path is refused.
    """
    found = name.rstrip("/")
    if name and (not found or found != Path(found).name or found == ".."):
        raise ConfigError(
            f"{name!r} is no name of a run; give the name of its folder below reports/ alone, such "
            "as standard."
        )
    return found


@dataclass(frozen=True)
class Step:
    """A job that led to some files."""

    #: Record that `JobRecord` wrote.
    record: dict[str, Any] = field(repr=False)
    #: Those of its outputs that led to the files.
    used: tuple[str, ...] = ()

    @property
    def rule(self) -> str:
        """Name of the rule."""
        return self.record["rule"]

    def output(self, path: str) -> dict[str, Any]:
        """Return the entry of one output."""
        return next(entry for entry in self.record["outputs"] if entry["path"] == path)


class History:
    """All records of a run, or of all runs."""

    def __init__(self, root: str | os.PathLike = ".", run: str = ""):
        self.root, run = Path(root), named_run(run)
        self.records = list(read_records(self.root, run))
        if not self.records:
            known = sorted({record["run"] for record in read_records(self.root)}) if run else ()
            raise DataError(
                f"Run {run!r} not found in {self.root / 'results'}"
                f"{did_you_mean(run, known) or '; the runs are ' + ', '.join(known) + '.'}"
                if known
                else f"{self.root / 'results'} contains no job records; run the workflow first, or "
                "specify the folder of the project with --directory."
            )

    @cached_property
    def runs(self) -> list[str]:
        """Names of the runs, beginning with the one whose last job ended most recently."""
        ended: dict[str, str] = {}
        for record in self.records:
            ended[record["run"]] = max(record["ended"], ended.get(record["run"], ""))
        return sorted(ended, key=ended.get, reverse=True)

    @cached_property
    def _makers(self) -> dict[str, dict[str, Any]]:
        """Output to the record of the last job that made it."""
        makers = {}
        for record in sorted(self.records, key=lambda record: record["ended"]):
            for entry in record["outputs"]:
                makers[entry["path"]] = record
        return makers

    def output_of(self, path: str) -> str | None:
        """Return the output of a job that `path` is or lies in, or None if no job made it."""
        for candidate in (path, *map(Path.as_posix, Path(path).parents)):
            if candidate in self._makers:
                return candidate
        return None

    def maker(self, path: str) -> dict[str, Any] | None:
        """Return the record of the job that made an output, or None if no job did."""
        return self._makers.get(path)

    def steps(self, paths: Iterable[str]) -> list[Step]:
        """Return the jobs that led to some outputs, the most recent first.

        Each job comes once, and those from which it took inputs come after it.
        """
        used, queue = {}, deque(paths)
        records = {}
        while queue:
            path = queue.popleft()
            record = self._makers.get(path)
            if record is None:
                continue
            known = used.setdefault(record["log"], [])
            if path in known:
                continue
            known.append(path)
            if record["log"] not in records:
                records[record["log"]] = record
                queue.extend(entry["path"] for entry in record["inputs"])
        ordered = sorted(records.values(), key=lambda record: record["ended"], reverse=True)
        return [Step(record, tuple(used[record["log"]])) for record in ordered]

    def sources(self, steps: Iterable[Step]) -> list[dict[str, Any]]:
        """Return the inputs that no job made, such as tables of published numbers.

        A path occurs once for each content that a job found there.
        """
        found = {}
        for step in steps:
            for entry in step.record["inputs"]:
                if entry["path"] not in self._makers:
                    found.setdefault((entry["path"], entry["sha256"]), entry)
        return list(found.values())
