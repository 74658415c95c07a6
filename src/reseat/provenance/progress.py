"""How far a run is: one line a job on the console, and the time that is left."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Progress", "TimeLeft"]

#: Seconds after which what has been measured is believed.
ENOUGH = 20.0
#: What Snakemake says each time it looks for jobs.
SELECTING = "Select jobs to execute..."
#: Its events of which one line is made.
EVENTS = ("job_info", "job_started", "job_finished", "progress")


@dataclass
class TimeLeft:
    """Seconds until all jobs of a run have ended.

    Parameters
    ----------
    jobs : dict of int to (str, str)
        Rule and name of each job that is to run, by its number.
    known : mapping of str to float
        Seconds that jobs took in another run of the same scale, by their names.
    cores : int
        How many jobs of one thread can run at once.
    """

    jobs: dict[int, tuple[str, str]]
    known: Mapping[str, float]
    cores: int
    _started: dict[int, float] = field(default_factory=dict)
    _took: dict[int, float] = field(default_factory=dict)

    def start(self, job: int, now: float) -> None:
        """A job has begun."""
        self._started[job] = now

    def end(self, job: int, now: float) -> float:
        """A job has ended; how long it took."""
        self._took[job] = now - self._started.get(job, now)
        return self._took[job]

    def seconds(self, now: float) -> tuple[float, int]:
        """An estimate, and how many jobs it leaves out because nothing is known of them.

        Other jobs of a rule take as long as those that have ended.
        """
        pace = self._pace()
        of_rule: dict[str, list[float]] = {}
        for job, took in self._took.items():
            of_rule.setdefault(self._job(job)[0], []).append(took)
        left, unknown = 0.0, 0
        for job, (rule, name) in self.jobs.items():
            if job in self._took:
                continue
            if name in self.known:
                expected = self.known[name] * pace
            elif own := of_rule.get(rule):
                expected = sum(own) / len(own)
            else:
                unknown += 1
                continue
            ran = now - self._started[job] if job in self._started else 0.0
            left += max(expected - ran, 0.0)
        return left / self._at_once(now), unknown

    def _job(self, job: int) -> tuple[str, str]:
        return self.jobs.get(job, ("", ""))

    def _pace(self) -> float:
        """How much longer jobs take here than they did in the other run."""
        both = [
            (took, self.known[name])
            for job, took in self._took.items()
            if (name := self._job(job)[1]) in self.known
        ]
        there = sum(known for _, known in both)
        return sum(took for took, _ in both) / there if there > ENOUGH else 1.0

    def _at_once(self, now: float) -> float:
        """How many jobs ran side by side so far."""
        running = self._started.keys() - self._took.keys()
        busy = sum(self._took.values()) + sum(now - self._started[job] for job in running)
        passed = now - min(self._started.values(), default=now)
        return min(max(busy / passed, 1.0), self.cores) if passed > ENOUGH else self.cores


class Progress(logging.Filter):
    """Says in one line that a job has ended, instead of Snakemake's several.

    Parameters
    ----------
    logger : logging.Logger
        Of Snakemake, whose events tell of the jobs.
    time_left : callable
        Gives the `TimeLeft` of the run when its jobs are known; None if they are not to run.
    quietness : object
        Of what the line takes the place of: what users have asked to be spared.
    clock : callable, optional
        Seconds.

    Notes
    -----
    What it takes the place of is still in Snakemake's log, and on the console for users who do not
    ask for quietness about the host, as the project's profiles do.
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
        """Let every message pass, and some of them not to the console."""
        event, now = getattr(record, "event", None), self._clock()
        if event not in EVENTS and record.msg != SELECTING:
            return True
        if self._time_left is None:
            self._time_left = self._make()
            if self._time_left is None:
                return True
        known = self._time_left
        if event == "job_info":
            known.start(record.jobid, now)
        elif event == "job_finished":
            rule, name = known.jobs.get(record.job_id, ("", ""))
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
            rest += f", and {unknown} job{'s' * (unknown > 1)} of unknown length"
        for number, ended in enumerate(self._ended, start=done - len(self._ended) + 1):
            last = number == done and done < total
            more = f"; {rest}" if last else ""
            self._logger.info(f"[{number:>{len(str(total))}}/{total}] {ended}{more}")
        self._ended = []


def _clock_time(seconds: float) -> str:
    """Minutes and seconds, or hours, minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
