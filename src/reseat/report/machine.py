"""Versions of the software and facts about the machine, without names of persons or hosts."""

from __future__ import annotations

import os
import platform
from importlib import metadata

import reseat
from reseat.packages import PACKAGES


def environment():
    """Return the software and hardware with which the report was made.

    No host, user or path is included.
    """
    facts = {
        "reseat": reseat.__version__,
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": str(_cores()),
    }
    for name in (*PACKAGES.values(), "snakemake"):
        try:
            facts[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return {key: value for key, value in facts.items() if value}


def _cores():
    # A container or a batch job may use fewer cores than the machine has.
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor()
