"""Times and memory from the benchmark files that Snakemake writes."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

from reseat.runs import benchmark_path, job_name


def read_benchmarks(logs, root="."):
    """Read the benchmark files of some jobs into one frame.

    Each row of a benchmark file is one repeat of its job. Jobs without a file, or whose file
    contains no time, are skipped; numbers are NaN where Snakemake could not measure.
    """
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
    """Combine all jobs that differ only in a number, such as the blocks of chains, into one row.

    Seconds are summed, memory is that of the largest, and the largest sum comes first.
    """
    if len(benchmarks) == 0:
        return pd.DataFrame(columns=["job", "jobs", "seconds", "longest", "memory_mb"])
    names = benchmarks["job"].map(_without_number)
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


def _without_number(job):
    return re.sub(r"(?<=[-_/])\d+(?=$|/)", "*", job)
