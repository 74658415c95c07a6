"""A SLURM for the tests of this folder, and Snakemake on it."""

import subprocess
import sys

import pytest
from disturbances import PROFILES
from slurm_node import CannotStart, SlurmNode
from workflow_runs import ROOT


@pytest.fixture(scope="module")
def slurm():
    """A node of SLURM that runs as long as a file of tests; skipped where it cannot start."""
    node = SlurmNode()
    try:
        node.__enter__()
    except CannotStart as reason:
        pytest.skip(str(reason))
    try:
        yield node
    finally:
        node.__exit__()


@pytest.fixture(scope="module")
def options(slurm):
    """Of Snakemake: the profile of the project, for a SLURM without accounts and for short jobs."""
    return (
        *("--workflow-profile", PROFILES / "slurm", "--latency-wait", "10"),
        *("--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "2"),
    )


@pytest.fixture(scope="module")
def on_slurm(options):
    """Run Snakemake with the profile of the project, in a folder."""

    def run(*arguments, snakefile=ROOT / "Snakefile", folder, check=True):
        done = subprocess.run(
            [sys.executable, "-m", "snakemake", "--snakefile", snakefile, "--directory", folder,
             *options, *map(str, arguments)],
            capture_output=True,
            text=True,
        )  # fmt: skip
        if check:
            assert done.returncode == 0, done.stdout + done.stderr
        return done

    return run
