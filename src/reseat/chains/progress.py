"""Progress of a set of chains: how far they are, their rate and the time left."""

from __future__ import annotations

import sys
import threading
import time

__all__ = ["Progress", "Silence", "duration"]


class Progress:
    """A counter of the sweeps of many chains that prints a line now and then.

    One line every `every` seconds, so that a log file stays readable and a
    terminal shows life.  Safe to use from many threads.
    """

    def __init__(
        self, total: int, label: str, every: float = 10.0, stream=None, unit: str = "sweeps"
    ):
        self.total = total
        self.label = label
        self.unit = unit
        self.every = every
        self.stream = sys.stderr if stream is None else stream
        self.done = 0
        self._measured = 0
        self._closed = False
        self._start = self._last = time.monotonic()
        self._lock = threading.Lock()

    def skip(self, n: int) -> None:
        """Count `n` sweeps that an earlier run made."""
        with self._lock:
            self.done += n

    def step(self) -> None:
        """Count one sweep."""
        with self._lock:
            self.done += 1
            self._measured += 1
            now = time.monotonic()
            if now - self._last >= self.every:
                self._last = now
                self._print(now)

    def close(self) -> None:
        """Print the last line, once."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._print(time.monotonic())

    def _print(self, now: float) -> None:
        elapsed = max(now - self._start, 1e-9)
        rate = self._measured / elapsed
        left = (self.total - self.done) / rate if rate else float("inf")
        print(
            f"{self.label}: {self.done}/{self.total} {self.unit}, {rate:.1f} {self.unit}/s, "
            f"{duration(left)} left",
            file=self.stream,
            flush=True,
        )


class Silence(Progress):
    """Progress that is counted but not printed."""

    def __init__(self, total: int = 0):
        super().__init__(total, "")

    def _print(self, now: float) -> None:
        pass


def duration(seconds: float) -> str:
    """Return a duration in words, such as ``1 min 30 s``."""
    if seconds == float("inf"):
        return "unknown time"
    minutes, seconds = divmod(int(seconds + 0.5), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {seconds:02d} s" if minutes else f"{seconds} s"
