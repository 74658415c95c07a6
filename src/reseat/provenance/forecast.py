"""Summary of a dry run: what would be made again and why, in one line per rule."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from reseat.provenance.changes import changed_code
from reseat.provenance.history import History
from reseat.provenance.record import plain
from reseat.provenance.reruns import history_of

__all__ = ["Forecast", "forecast"]

#: Reasons in Snakemake's words, mapped to the words used here.
MISSING = "missing output files"
REASONS = {
    "incomplete output": "was interrupted",
    "input files updated by another job": "its inputs are re-made",
    "updated input files": "its inputs have changed",
    "set of input files has changed": "its set of inputs has changed",
    "forced execution": "forced",
    "code has changed": "the rule has changed",
}
#: Number of files that are named if several have changed.
NAMED = 3


def forecast(jobs: Iterable[Mapping[str, Any]], history: History | None) -> list[str]:
    """Return one line per rule on what would be made and why.

    Rules without outputs are left out.

    `jobs`: `rule_name`, `output` (paths), `params` (as in records), `ignored` (names of parameters
        that Snakemake does not compare) and `reason` (in Snakemake's words) of each job.
    """
    rules: dict[str, list[Mapping[str, Any]]] = {}
    for job in jobs:
        if job["output"]:  # rules such as `all` only collect the outputs of others
            rules.setdefault(job["rule_name"], []).append(job)
    width = max(map(len, rules), default=0)
    lines = []
    for rule, own in rules.items():
        why = dict.fromkeys(reason for job in own for reason in _reasons(job, history))
        number = f"{len(own)} job{'s' if len(own) > 1 else ''}"
        lines.append(f"{rule:<{width}}  {number:>8}  {'; '.join(why)}")
    return lines


def _reasons(job: Mapping[str, Any], history: History | None) -> Iterator[str]:
    given = job["reason"].lower()
    if MISSING in given:
        yield "does not exist yet"
        return
    found = [words for start, words in REASONS.items() if start in given]
    if "params have changed" in given:
        found = [*_parameters(job, history), *found]
    yield from found or [re.split(r"[:;]", job["reason"])[0].strip() or "asked for"]


def _parameters(job: Mapping[str, Any], history: History | None) -> Iterator[str]:
    """Yield what has changed since the job that made the output, according to its record."""
    makers = (history.maker(path) for path in job["output"]) if history else ()
    record = next(filter(None, makers), None)
    if record is None:
        yield "settings have changed"
        return
    now, then = job["params"], record["params"]
    keys = {key for key in now.keys() | then.keys() if now.get(key) != then.get(key)}
    keys -= {*job.get("ignored", ())}
    changed = [path for _, path in changed_code(history, record)]
    if changed:
        more = f" and {len(changed) - NAMED} more" if len(changed) > NAMED else ""
        yield f"code has changed: {', '.join(changed[:NAMED])}{more}"
    elif keys <= {"code"} or "code" in keys:
        yield "code has changed"  # in files whose names are not on record
    if "own" in keys:
        yield "own data have changed"
    settings = sorted(keys - {"code", "own"})
    if settings:
        yield f"settings have changed: {', '.join(settings)}"


class Forecast(logging.Filter):
    """Log filter that collects the jobs of a dry run, and explains them at its end.

    `parameters` returns, when the dry run ends, the parameters of all jobs by their numbers, and
    the names of those that Snakemake does not compare.
    """

    def __init__(
        self, logger: logging.Logger, run: str, parameters: Callable[[], Mapping[int, Any]]
    ):
        super().__init__()
        self._logger, self._run, self._parameters = logger, run, parameters
        self._jobs: list[dict[str, Any]] = []

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every message pass, and log the forecast before the last message of a dry run."""
        if hasattr(record, "rule_name") and hasattr(record, "reason"):
            self._jobs.append(
                {key: getattr(record, key) for key in ("jobid", "rule_name", "reason", "output")}
            )
        elif self._jobs and str(record.msg).startswith("This was a dry-run"):
            parameters = self._parameters()
            jobs = []
            for job in self._jobs:
                params, ignored = parameters[job["jobid"]]
                jobs.append(job | {"params": plain(params), "ignored": ignored})
            self._jobs = []
            lines = forecast(jobs, history_of(self._run))
            self._logger.info("What would be made, and why:\n    " + "\n    ".join(lines))
        return True
