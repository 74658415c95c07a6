"""A SLURM for the tests of this folder, and Snakemake on it."""

import subprocess
import sys
from pathlib import Path

import pytest
from slurm_node import CannotStart, SlurmNode

ROOT = Path(__file__).resolve().parents[2]


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
def on_slurm(slurm):
    """Run Snakemake with the profile of the project, in a folder."""

    def run(*arguments, snakefile=ROOT / "Snakefile", folder, check=True):
        profile = ROOT / "workflow" / "profiles" / "slurm"
        done = subprocess.run(
            [sys.executable, "-m", "snakemake", "--snakefile", snakefile, "--directory", folder,
             "--workflow-profile", profile, "--latency-wait", "10",
             # this SLURM keeps no accounts, and its jobs are short
             "--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "2",
             *map(str, arguments)],
            capture_output=True,
            text=True,
        )  # fmt: skip
        if check:
            assert done.returncode == 0, done.stdout + done.stderr
        return done

    return run
