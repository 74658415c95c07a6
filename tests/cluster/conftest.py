"""A SLURM node for the tests of this folder, and Snakemake running on it."""

import subprocess
import sys

import pytest
from disturbances import PROFILES
from slurm_node import CannotStart, SlurmNode
from workflow_runs import ROOT


@pytest.fixture(scope="module")
def slurm():
    """Yield a SLURM node that runs as long as a test module; skip the tests if it cannot start."""
    try:
        with SlurmNode() as node:
            yield node
    except CannotStart as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="module")
def options(slurm):
    """Return Snakemake's options: the project's profile, without accounting and for short jobs."""
    return (
        *("--workflow-profile", PROFILES / "slurm", "--latency-wait", "10"),
        *("--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "2"),
    )


@pytest.fixture(scope="module")
def on_slurm(options):
    """Return a function that runs Snakemake in a folder with the profile of the project."""

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
