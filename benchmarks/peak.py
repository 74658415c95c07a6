"""The most memory that this process has ever held."""

from __future__ import annotations

import resource
import sys

__all__ = ["peak"]


def peak() -> float:
    """In millions of bytes.

    Linux hands the largest size to the processes one starts, hence the high-water mark instead.
    """
    try:
        with open("/proc/self/status") as file:
            line = next(line for line in file if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024 / 1e6
    except (OSError, StopIteration):
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
