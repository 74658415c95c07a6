"""Run times of jobs, and the machine they ran on."""

import os
import platform
from importlib import metadata
from pathlib import Path

import pandas as pd

import reseat
from reseat.provenance.runs import PACKAGES, benchmark_path, job_name

# ---- Times and memory from the benchmark files that Snakemake writes -------------------------


def read_benchmarks(logs, root="."):
    """Read the benchmarks of jobs, one row per repeat; NaN where nothing was measured."""
    rows = []
    for log in sorted(map(str, logs)):
        try:
            path = Path(root, benchmark_path(log))
            frame = pd.read_csv(path, sep="\t", na_values=["-", "NA"])
        except (OSError, pd.errors.EmptyDataError):
            continue
        if "s" not in frame:
            continue
        for row in frame.to_dict("records"):
            rows.append(
                {
                    "job": job_name(log),
                    "seconds": row["s"],
                    "cpu_seconds": row.get("cpu_time", float("nan")),
                    "memory_mb": row.get("max_rss", float("nan")),
                }
            )
    frame = pd.DataFrame(rows, columns=["job", "seconds", "cpu_seconds", "memory_mb"])
    return frame.dropna(subset=["seconds"]).astype(
        {"seconds": float, "cpu_seconds": float, "memory_mb": float}
    )


def summarise_benchmarks(benchmarks):
    """Sum the seconds of jobs that differ only in a number, such as the blocks of chains."""
    if len(benchmarks) == 0:
        return pd.DataFrame(columns=["job", "jobs", "seconds", "longest", "memory_mb"])
    names = benchmarks["job"].str.replace(r"(?<=[-_/])\d+(?=$|/)", "*", regex=True)
    grouped = benchmarks.groupby(names, sort=True)
    summary = pd.DataFrame(
        {
            "jobs": grouped.size(),
            "seconds": grouped["seconds"].sum(),
            "longest": grouped["seconds"].max(),
            "memory_mb": grouped["memory_mb"].max(),
        }
    )
    summary = summary.rename_axis("job").reset_index()
    return summary.sort_values("seconds", ascending=False, kind="stable", ignore_index=True)


# ---- Versions of the software and facts about the machine, without names of persons or hosts ----


def environment():
    """Return the software and hardware of the report, but no host, user or path."""
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
