"""Run times of jobs, and the machine they ran on."""

import os
import platform
import re
from contextlib import suppress
from importlib import metadata
from pathlib import Path

import pandas as pd

import reseat
from reseat.provenance.runs import PACKAGES, benchmark_path, job_name

#: Columns of Snakemake's files, and what they are called here.
MEASURED = {"s": "seconds", "cpu_time": "cpu_seconds", "max_rss": "memory_mb"}


def read_benchmarks(logs, root="."):
    """Read the benchmarks of jobs, one row per repeat; NaN where nothing was measured."""
    rows = []
    for log in sorted(map(str, logs)):
        try:
            path = Path(root, benchmark_path(log))
            frame = pd.read_csv(path, sep="\t", na_values=["-", "NA"])
        except (OSError, pd.errors.EmptyDataError):
            continue
        measured = frame.reindex(columns=list(MEASURED)) if "s" in frame else frame[:0]
        rows += [(job_name(log), *row) for row in measured.itertuples(index=False)]
    frame = pd.DataFrame(rows, columns=["job", *MEASURED.values()])
    return frame.dropna(subset=["seconds"]).astype(dict.fromkeys(MEASURED.values(), float))


def summarise_benchmarks(benchmarks):
    """Sum the seconds of jobs that differ only in a number, such as the blocks of chains."""
    if len(benchmarks) == 0:
        return pd.DataFrame(columns=["job", "jobs", "seconds", "longest", "memory_mb"])
    names = benchmarks["job"].str.replace(r"(?<=[-_/])\d+(?=$|/)", "*", regex=True)
    summary = benchmarks.groupby(names, sort=True).agg(
        jobs=("seconds", "size"),
        seconds=("seconds", "sum"),
        longest=("seconds", "max"),
        memory_mb=("memory_mb", "max"),
    )
    summary = summary.rename_axis("job").reset_index()
    return summary.sort_values("seconds", ascending=False, kind="stable", ignore_index=True)


def environment():
    """Return the software and hardware of the report, but no host, user or path."""
    cores = os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):  # a container or a batch job may use fewer of them
        cores = len(os.sched_getaffinity(0))
    facts = {
        "reseat": reseat.__version__,
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": str(cores),
    }
    for name in (*PACKAGES.values(), "snakemake"):
        try:
            facts[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return {key: value for key, value in facts.items() if value}


def _processor():
    with suppress(OSError):
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        if found := re.search(r"^model name[^:\n]*:(.*)", text, re.M):
            return found[1].strip()
    return platform.processor()
