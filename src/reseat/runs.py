"""Runs of the workflow: their names, and where each keeps its files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from glob import escape
from pathlib import Path, PurePosixPath
from typing import Any

__all__ = [
    "RECORD_FORMAT",
    *("benchmark_path", "job_name", "record_path", "records_of", "run_name", "run_of"),
]

#: Form of the records of jobs; changed when old ones can no longer be read, and all jobs are due.
RECORD_FORMAT = 2

#: The seed that the name of a run does not mention. Not that of ``config/config.yaml``, which a
#: user may change: the results of this one would be overwritten.
DEFAULT_SEED = 2008


def run_name(config: Mapping[str, Any]) -> str:
    """Name of a run, and of its folders.

    Parameters
    ----------
    config : mapping
        Of the workflow: `scale`, `seed` and perhaps `run`, the name that the user gives.

    Returns
    -------
    str

    Examples
    --------
    >>> run_name({"scale": "standard", "seed": 7})
    'standard-seed7'
    """
    if config.get("run"):
        return config["run"]
    seed = config["seed"]
    return config["scale"] if seed == DEFAULT_SEED else f"{config['scale']}-seed{seed}"


def run_of(path: str | os.PathLike) -> str:
    """The run that a file belongs to; empty if it belongs to none.

    Parameters
    ----------
    path : path-like
        Relative to the folder of the project, such as ``reports/RUN/claims.csv``.
    """
    parts = PurePosixPath(Path(path).as_posix()).parts
    if parts[:2] == ("data", "processed"):
        parts = parts[1:]
    inside = len(parts) > 2 and parts[0] in {"logs", "processed", "reports", "results"}
    return parts[1] if inside else ""


def record_path(log: str | os.PathLike) -> Path:
    """Where the record of the job with a log lies, below the folder of the project.

    Every job has a log of its own: ``logs/RUN/a/b.log`` belongs to
    ``results/RUN/provenance/a/b.json``.
    """
    _, run, *rest = Path(log).parts
    return Path("results", run, "provenance", *rest).with_suffix(".json")


def benchmark_path(log: str | os.PathLike) -> Path:
    """Where Snakemake leaves the times of the job with a log, in the same way."""
    return Path("results", Path(log).parts[1], "benchmarks", f"{job_name(log)}.tsv")


def job_name(log: str | os.PathLike) -> str:
    """Name of a job of a run: the path of its log below ``logs/RUN``, without its ending.

    Examples
    --------
    >>> job_name("logs/demo/report/page.log")
    'report/page'
    """
    return Path(*Path(log).parts[2:]).with_suffix("").as_posix()


def records_of(root: str | os.PathLike, run: str = "") -> list[Path]:
    """Records of the jobs of a run, or of all runs, in the order of their names."""
    return sorted(Path(root, "results").glob(f"{escape(run) or '*'}/provenance/**/*.json"))
