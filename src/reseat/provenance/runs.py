"""Runs of the workflow: their names, the paths of their files, and the packages that matter."""

import os
import platform
from collections.abc import Mapping
from functools import cache
from glob import escape
from pathlib import Path
from typing import Any

#: Format of the records of jobs; with a new number, all jobs run again.
RECORD_FORMAT = 2

#: The seed that the name of a run omits. It is not read from ``config/config.yaml``, because a run
#: with a seed that a user sets there would then overwrite the results of the default seed.
DEFAULT_SEED = 2008


def run_name(config: Mapping[str, Any]) -> str:
    """Return the name of a run, which is also that of its folders, such as ``standard-seed7``."""
    if config.get("run"):
        return config["run"]
    seed = config["seed"]
    return config["scale"] if seed == DEFAULT_SEED else f"{config['scale']}-seed{seed}"


def record_path(log: str | os.PathLike) -> Path:
    """Return the record of a job: ``logs/RUN/a/b.log`` has ``results/RUN/provenance/a/b.json``."""
    _, run, *rest = Path(log).parts
    return Path("results", run, "provenance", *rest).with_suffix(".json")


def benchmark_path(log: str | os.PathLike) -> Path:
    """Return the path of Snakemake's benchmark file of the job with a given log."""
    return Path("results", Path(log).parts[1], "benchmarks", f"{job_name(log)}.tsv")


def job_name(log: str | os.PathLike) -> str:
    """Return the name of a job: ``report/page`` if its log is ``logs/demo/report/page.log``."""
    return Path(*Path(log).parts[2:]).with_suffix("").as_posix()


def records_of(root: str | os.PathLike, run: str = "") -> list[Path]:
    """Return the paths of the records of a run, or of all runs, in alphabetical order."""
    return sorted(Path(root, "results").glob(f"{escape(run) or '*'}/provenance/**/*.json"))


#: Packages whose version can affect a number or a figure: the name under which each is imported,
#: mapped to the name under which it is installed.
PACKAGES = {
    "numpy": "numpy",
    "scipy": "scipy",
    "pandas": "pandas",
    "sklearn": "scikit-learn",
    "xarray": "xarray",
    "h5py": "h5py",
    "h5netcdf": "h5netcdf",
    "parasail": "parasail",
    "rapidfuzz": "rapidfuzz",
    "matplotlib": "matplotlib",
}


@cache
def installed_versions() -> dict[str, str]:
    """Return the versions of Python and of installed :data:`PACKAGES`, without an import."""
    from importlib import metadata  # takes longer than all else that a job imports from here

    versions = {"Python": platform.python_version()}
    for name, distribution in PACKAGES.items():
        try:
            versions[name] = metadata.version(distribution)
        except metadata.PackageNotFoundError:
            continue
    return versions
