"""Peak memory of this process."""

from __future__ import annotations

import resource
import sys

__all__ = ["peak"]


def peak() -> float:
    """Return the peak resident memory in millions of bytes.

    On Linux, a child inherits the largest size that `getrusage` gives, hence the high-water mark.
    """
    try:
        with open("/proc/self/status", encoding="utf-8") as file:
            line = next(line for line in file if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024 / 1e6
    except (OSError, StopIteration):
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
