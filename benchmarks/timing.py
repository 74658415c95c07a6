"""Measurement of the CPU seconds of the calling thread, and the table of the results."""

from __future__ import annotations

import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

__all__ = ["Row", "Timing", "compare", "machine", "measure", "ratio", "say", "table"]


@dataclass(frozen=True)
class Timing:
    """Repeated measurements of the same work, in seconds."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    def __str__(self) -> str:
        unit, scale = ("s", 1.0) if self.median >= 1 else ("ms", 1e3)
        low, high = min(self.seconds) * scale, max(self.seconds) * scale
        return f"{self.median * scale:.3g} {unit} ({low:.3g}..{high:.3g})"


@dataclass(frozen=True)
class Row:
    """One line of the table, as text."""

    what: str
    ours: str
    peer: str = ""
    theirs: str = ""
    ratio: str = ""
    note: str = ""


def measure(function: Callable[[], object], repeats: int, warmup: int = 1) -> Timing:
    """Time `function` `repeats` times, after `warmup` calls that do not count."""
    for _ in range(warmup):
        function()
    return Timing(tuple(_once(function) for _ in range(repeats)))


def compare(
    ours: Callable[[], object], theirs: Callable[[], object], repeats: int, warmup: int = 1
) -> tuple[Timing, Timing]:
    """Time two functions in turn, so that a change in the machine's speed affects both."""
    for _ in range(warmup):
        ours()
        theirs()
    pairs = [(_once(ours), _once(theirs)) for _ in range(repeats)]
    return Timing(tuple(a for a, _ in pairs)), Timing(tuple(b for _, b in pairs))


def _once(function: Callable[[], object]) -> float:
    begin = time.thread_time()
    function()
    return time.thread_time() - begin


def ratio(ours: Timing, theirs: Timing) -> str:
    """Return how many times as long as reseat the peer took, by medians."""
    return f"{theirs.median / ours.median:.3g}x"


def table(rows: Sequence[Row]) -> str:
    """Return a text with the rows under a heading, and their numbered notes below."""
    heading = ("", "reseat", "peer", "peer's time", "peer / reseat")
    body, notes = [], []
    for row in rows:
        what = row.what
        if row.note:
            notes.append(f"[{len(notes) + 1}] {row.note}")
            what = f"{what} [{len(notes)}]"
        body.append((what, row.ours, row.peer, row.theirs, row.ratio))
    widths = [max(len(line[i]) for line in [heading, *body]) for i in range(len(heading))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in [heading, tuple("-" * width for width in widths), *body]
    ]
    return "\n".join([*lines, "", *notes]).rstrip()


def machine() -> str:
    """Return the processor and the versions of the software, without the machine's name."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            models = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    except OSError:
        models = []
    processor = models[0] if models else platform.processor() or platform.machine()
    return (
        f"{processor}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}, numpy {np.__version__}, scipy {scipy.__version__}"
    )


def say(text: str) -> None:
    """Print a progress message to the error stream, apart from the results."""
    print(text, file=sys.stderr, flush=True)
