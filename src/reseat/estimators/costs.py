"""What a fit will take in memory and time, before it takes them."""

from __future__ import annotations

import os
import resource
import sys
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from reseat.chains import Schedule
from reseat.chains.progress import duration
from reseat.errors import ConfigError

__all__ = ["MOST_CHAINS", "Forecast", "check_matrix_fits", "check_memory", "memory_of"]

#: More chains than anybody can read; a slip of the keyboard rather than a wish.
MOST_CHAINS = 10_000
#: Scalars that a chain keeps of each sweep: log joint, items moved, clusters, hyperparameters.
N_TRACES = 12
#: Bytes of a label in a draw: as it is stored by the chain, and as all chains are handed over.
LABEL_BYTES = 8
#: Matrices of the size of the distances that are in memory at the same time.
MATRIX_COPIES = 3
#: Seconds and sweeps of each thread from which the time of all is told.
MEASURED_SECONDS, MEASURED_SWEEPS = 2.0, 3
#: Seconds from which a user may want to do something about it.
LONG = 600.0


def memory_of(n_chains: int, schedule: Schedule, n_items: int) -> int:
    """Bytes of traces and draws of all chains."""
    traces = 2 * 8 * N_TRACES * schedule.n_sweeps
    return n_chains * (traces + LABEL_BYTES * schedule.n_draws * n_items)


def check_memory(n_chains: int, schedule: Schedule, n_items: int = 1) -> None:
    """Raise a ConfigError if what the chains keep does not fit into the machine."""
    wanted, there = memory_of(n_chains, schedule, n_items), _installed()
    if wanted > there:
        several, many = n_chains > 1, n_items > 1  # the items may not be known yet
        raise ConfigError(
            f"{n_chains:,} chain{'s' * several} of {schedule.n_sweeps:,} sweeps, of which "
            f"{schedule.n_draws:,} draws{f' of {n_items:,} items' * many} are kept, "
            f"take{'s' * (not several)} about {wanted / 2**30:,.0f} GiB, and this machine has "
            f"{there / 2**30:,.0f}; lower n_samples{' or n_chains' * several}, or raise thin."
        )


def check_matrix_fits(n_items: int) -> None:
    """Raise a ConfigError if the distances of all pairs of objects do not fit into the machine."""
    wanted, there = MATRIX_COPIES * 8 * n_items**2, _installed()
    if wanted > there:
        raise ConfigError(
            f"The distances of {n_items:,} objects take about {wanted / 2**30:,.0f} GiB, and this "
            f"machine has {there / 2**30:,.0f}; set landmarks=1000, so that "
            "only the distances to a thousand of them are used."
        )


class Forecast:
    """Progress that tells, after the first sweeps, what all of them will take.

    The time is that of the first sweeps, in which nothing is done that would not be done anyway;
    of the memory, data and models are there by then, and what is still to be kept is counted.
    A user who has to wait longer than `LONG`, or has too little memory free, is warned.

    Parameters
    ----------
    progress : reseat.chains.progress.Progress
        That of the sweeps, which is told of all steps.
    n_chains : int
    schedule : Schedule
    n_threads : int
        Chains side by side.
    say : callable, optional
        Called with the sentence.

    Attributes
    ----------
    n_items : int
        Labels of a draw; whoever builds the models sets it.
    """

    def __init__(
        self,
        progress,
        n_chains: int,
        schedule: Schedule,
        n_threads: int = 1,
        say: Callable[[str], None] | None = None,
    ):
        self._progress, self._say = progress, say
        self._n_chains, self._schedule, self.n_items = n_chains, schedule, 1
        self._left = n_chains * schedule.n_sweeps
        self._wanted = MEASURED_SWEEPS * min(n_threads, n_chains)
        self._measured, self._start, self._told = 0, None, False
        self._lock = threading.Lock()

    def skip(self, n: int) -> None:
        """Count `n` sweeps that an earlier run made."""
        with self._lock:
            self._left -= n
        self._progress.skip(n)

    def step(self) -> None:
        """Count one sweep."""
        self._progress.step()
        with self._lock:
            self._left -= 1
            now = time.monotonic()
            if self._start is None:  # models have been built before it
                self._start = now
                return
            self._measured += 1
            elapsed = now - self._start
            due = self._measured >= self._wanted and elapsed >= MEASURED_SECONDS
            if self._told or not due:
                return
            self._told = True
            left = self._left * elapsed / self._measured
        kept = memory_of(self._n_chains, self._schedule, self.n_items)
        self._tell(elapsed + left, _resident() + kept)

    def close(self) -> None:
        """End the progress."""
        self._progress.close()

    def _tell(self, seconds: float, size: int) -> None:
        if self._say is not None:
            self._say(f"The chains will take about {duration(seconds)} and {_gigabytes(size)}.")
        if seconds > LONG:
            warnings.warn(
                f"the chains will take about {duration(seconds)}; use fewer samples, a shorter "
                "burn-in or a part of the data to reduce this. If results are written to a "
                "folder, an interrupted call or command resumes when it is re-run.",
                stacklevel=2,
            )
        free = _free() + _resident()
        if size > free:
            warnings.warn(
                f"the chains will take about {_gigabytes(size)} of memory, and {_gigabytes(free)} "
                "are free; keep fewer draws (a larger thin, fewer samples), run fewer chains, or "
                "use a part of the data.",
                stacklevel=2,
            )


def _gigabytes(size: float) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e8 else f"{max(size, 1e6) / 1e6:.0f} MB"


def _resident() -> int:
    """Bytes of memory that this process holds, or has held where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _free() -> float:
    """Bytes that a process could still take, without limit where the system does not tell."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * float(line.split()[1])
    except OSError:
        pass
    return float("inf")


def _installed() -> int:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):  # unknown to this system
        return 2**63
