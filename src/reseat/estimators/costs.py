"""Forecasts of the memory and time that a fit will take."""

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

#: Largest number of chains; a larger one is a typing error rather than intended.
MOST_CHAINS = 10_000
#: Scalars that a chain keeps for each sweep: log joint, items moved, clusters, hyperparameters.
N_TRACES = 12
#: Bytes for each label of a draw: in the chain's own store, and in the result of all chains.
LABEL_BYTES = 8
#: Number of matrices as large as the distances that are in memory at the same time.
MATRIX_COPIES = 3
#: Seconds, and sweeps of each thread, that are measured before the total time is forecast.
MEASURED_SECONDS, MEASURED_SWEEPS = 2.0, 3
#: Forecast in seconds above which the user is warned.
LONG = 600.0


def memory_of(n_chains: int, schedule: Schedule, n_items: int) -> int:
    """Return the number of bytes of the traces and draws of all chains."""
    traces = 2 * 8 * N_TRACES * schedule.n_sweeps
    return n_chains * (traces + LABEL_BYTES * schedule.n_draws * n_items)


def check_memory(n_chains: int, schedule: Schedule, n_items: int = 1) -> None:
    """Raise a ConfigError if what the chains keep does not fit into the machine's memory."""
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
    """Raise a ConfigError if the distances of all pairs of objects do not fit into memory."""
    wanted, there = MATRIX_COPIES * 8 * n_items**2, _installed()
    if wanted > there:
        raise ConfigError(
            f"The distances of {n_items:,} objects take about {wanted / 2**30:,.0f} GiB, and this "
            f"machine has {there / 2**30:,.0f}; set landmarks=1000, so that "
            "only the distances to a thousand of them are used."
        )


class Forecast:
    """Progress that reports, after the first sweeps, the time and memory that all will take.

    The time is extrapolated from the first sweeps, which are part of the run and cost nothing
    extra. The memory is what the process holds by then, including data and models, plus the traces
    and draws that the chains will keep. The user is warned if the chains will take longer than
    `LONG`, or more memory than is free. `n_items`, the number of labels in a draw, is set by the
    code that builds the models.
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
            if self._start is None:  # the models have been built before this sweep
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
    """Return the bytes of memory that this process holds, or its peak if that is unknown."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _free() -> float:
    """Return the bytes that a process could still take, or infinity if that is unknown."""
    try:
        for line in Path("/proc/meminfo").read_text(encoding="utf-8").splitlines():
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
