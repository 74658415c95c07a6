"""What the console shows of a run: its progress, the time left, and the forecast of a dry run."""

import logging
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from reseat.provenance.changes import changed_sources, first_of, history_of
from reseat.provenance.records import History, plain

#: Seconds of measurements from which they are trusted.
ENOUGH = 20.0
#: Rule and name of a job that is not known.
NO_JOB = "", ""
#: Message of Snakemake each time it selects jobs.
SELECTING = "Select jobs to execute..."
#: Events of Snakemake that are replaced by one line.
EVENTS = ("job_info", "job_started", "job_finished", "progress")


@dataclass
class TimeLeft:
    """Estimate of the seconds until all jobs have ended, from those `known` of another run."""

    #: Rule and name of each job that is to run, by its number.
    jobs: dict[int, tuple[str, str]]
    #: Seconds that jobs took in another run of the same scale, by name.
    known: Mapping[str, float]
    cores: int
    _started: dict[int, float] = field(default_factory=dict)
    _took: dict[int, float] = field(default_factory=dict)

    def start(self, job: int, now: float) -> None:
        """Record that a job has started."""
        self._started[job] = now

    def end(self, job: int, now: float) -> float:
        """Record that a job has ended, and return how long it took."""
        self._took[job] = now - self._started.get(job, now)
        return self._took[job]

    def seconds(self, now: float) -> tuple[float, int]:
        """Return an estimate, and the number of jobs of unknown length, which it omits."""
        pace = self._pace()
        of_rule: dict[str, list[float]] = {}
        for job, took in self._took.items():
            of_rule.setdefault(self.jobs.get(job, NO_JOB)[0], []).append(took)
        left, unknown = 0.0, 0
        for job, (rule, name) in self.jobs.items():
            if job in self._took:
                continue
            if name in self.known:
                expected = self.known[name] * pace
            elif own := of_rule.get(rule):  # as long as those of its rule that have ended
                expected = sum(own) / len(own)
            else:
                unknown += 1
                continue
            ran = now - self._started[job] if job in self._started else 0.0
            left += max(expected - ran, 0.0)
        return left / self._at_once(now), unknown

    def _pace(self) -> float:
        """Return how many times as long jobs take here as in the other run."""
        here = there = 0.0
        for job, took in self._took.items():
            name = self.jobs.get(job, NO_JOB)[1]
            if name in self.known:
                here, there = here + took, there + self.known[name]
        return here / there if there > ENOUGH else 1.0

    def _at_once(self, now: float) -> float:
        """Return the average number of jobs that have run at once so far."""
        running = self._started.keys() - self._took.keys()
        busy = sum(self._took.values()) + sum(now - self._started[job] for job in running)
        passed = now - min(self._started.values(), default=now)
        return min(max(busy / passed, 1.0), self.cores) if passed > ENOUGH else self.cores


class Progress(logging.Filter):
    """Log filter that reports finished jobs in one line each, instead of Snakemake's several.

    `time_left` returns None if the jobs are not to run; what is replaced has the `quietness`.
    """

    def __init__(
        self,
        logger: logging.Logger,
        time_left: Callable[[], TimeLeft | None],
        quietness: Any,
        clock: Callable[[], float] = time.monotonic,
    ):
        super().__init__()
        self._logger, self._make, self._clock = logger, time_left, clock
        self._quietness = quietness
        self._time_left: TimeLeft | None = None
        self._ended: list[str] = []

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every message pass, but mark those that the console should not show."""
        event, now = getattr(record, "event", None), self._clock()
        if event not in EVENTS and record.msg != SELECTING:
            return True
        known = self._time_left = self._time_left or self._make()
        if known is None:
            return True
        if event == "job_info":
            known.start(record.jobid, now)
        elif event == "job_finished":
            name = known.jobs.get(record.job_id, NO_JOB)[1]
            took = _clock_time(known.end(record.job_id, now))
            if name:
                self._ended.append(f"{name}  {took}")
        elif event == "progress":
            self._say(record.done, record.total, *known.seconds(now))
        record.quietness = self._quietness
        return True

    def _say(self, done: int, total: int, left: float, unknown: int) -> None:
        rest = f"about {_clock_time(left)} left"
        if unknown:
            jobs = "1 job" if unknown == 1 else f"{unknown} jobs"
            rest += f", and {jobs} of unknown length"
        for number, ended in enumerate(self._ended, start=done - len(self._ended) + 1):
            more = f"; {rest}" if number == done < total else ""
            self._logger.info(f"[{number:>{len(str(total))}}/{total}] {ended}{more}")
        self._ended = []


def _clock_time(seconds: float) -> str:
    """Format seconds as minutes and seconds, or as hours, minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


#: Reasons in Snakemake's words, mapped to the words used here.
REASONS = {
    "incomplete output": "was interrupted",
    "input files updated by another job": "its inputs are re-made",
    "updated input files": "its inputs have changed",
    "set of input files has changed": "its set of inputs has changed",
    "forced execution": "forced",
    "code has changed": "the rule has changed",
}


def forecast(jobs: Iterable[Mapping[str, Any]], history: History | None) -> list[str]:
    """Return one line per rule with outputs on what would be made and why."""
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
    if "missing output files" in given:
        yield "does not exist yet"
        return
    found = [words for start, words in REASONS.items() if start in given]
    if "params have changed" in given:
        found = [*_parameters(job, history), *found]
    yield from found or [re.split(r"[:;]", job["reason"])[0].strip() or "asked for"]


def _parameters(job: Mapping[str, Any], history: History | None) -> Iterator[str]:
    """Yield what has changed since the job that made the output, according to its record."""
    record = None
    if history:
        paths = (os.path.relpath(path, history.root) for path in job["output"])
        record = next(filter(None, map(history.maker, paths)), None)
    if record is None:
        yield "settings have changed"
        return
    now, then = job["params"], record["params"]
    keys = {key for key in now.keys() | then.keys() if now.get(key) != then.get(key)}
    keys -= {*job.get("ignored", ())}
    if changed := changed_sources(history, record):
        yield f"code has changed: {first_of(changed)}"
    elif keys <= {"code"} or "code" in keys:
        yield "code has changed"  # in files whose names are not on record
    if "own" in keys:
        yield "own data have changed"
    settings = sorted(keys - {"code", "own"})
    if settings:
        yield f"settings have changed: {', '.join(settings)}"


class Forecast(logging.Filter):
    """Log filter that collects the jobs of a dry run, and explains them at its end."""

    def __init__(self, logger: logging.Logger, run: str, parameters: Callable, root: str):
        super().__init__()
        self._logger, self._parameters = logger, parameters
        self._run, self._root = run, root
        self._jobs: list[dict[str, Any]] = []

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every message pass, and log the forecast before the last message of a dry run."""
        if hasattr(record, "rule_name") and hasattr(record, "reason"):
            self._jobs.append(
                {key: getattr(record, key) for key in ("jobid", "rule_name", "reason", "output")}
            )
        elif self._jobs and str(record.msg).startswith("This was a dry-run"):
            parameters = self._parameters()
            jobs, self._jobs = self._jobs, []
            for job in jobs:
                params, job["ignored"] = parameters[job["jobid"]]  # some are not compared
                job["params"] = plain(params)
            lines = forecast(jobs, history_of(self._run, self._root))
            self._logger.info("What would be made, and why:\n    " + "\n    ".join(lines))
        return True
