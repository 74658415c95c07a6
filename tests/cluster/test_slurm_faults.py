"""Faults on a cluster: jobs that are cancelled, killed, preempted, or orphaned by Snakemake."""

import os
import re
import signal

import pytest
from disturbances import CHAINS, PART, Run, at_length, wait_until

pytestmark = [pytest.mark.workflow, pytest.mark.kill, at_length]


@pytest.fixture
def run(options, tmp_path):
    """Yield a run on SLURM that has not begun."""
    run = Run(tmp_path / "run", PART, options)
    yield run
    run.end()


@pytest.fixture
def chains(run):
    """Start the run until a job with chains stops itself.

    It gives the process of the run, that of the job, and the number of the job in SLURM.
    """
    process, number = run.start_and_hold(CHAINS)
    with open(f"/proc/{number}/environ", "rb") as file:
        job = re.search(rb"\0SLURM_JOB_ID=(\d+)\0", file.read())[1].decode()
    return process, number, job


def state(slurm, number):
    return next(job["state"] for job in slurm.jobs() if job["number"] == number)


def test_a_job_is_cancelled(slurm, run, chains, settle):
    process, _, job = chains
    slurm.ask("scancel", job)
    assert process.wait() == 0, process.said()  # tried again at once
    assert state(slurm, job) == "CANCELLED"
    settle(run, "SLURM: job cancelled", "1 time")


def test_a_job_is_killed_for_memory(slurm, run, settle):
    process = run.start("--set-resources", "documents_chains:mem_mb=40")
    assert process.wait() != 0
    said = process.said()
    killed = [job for job in slurm.jobs() if job["memory"] == "40M"]
    assert killed and {job["state"] for job in killed} <= {"OUT_OF_MEMORY", "FAILED"}, said
    settle(run, "SLURM: job killed for memory", f"{len(killed)} times")


def test_a_job_runs_out_of_time(slurm, run, chains, settle):
    process, _, job = chains
    slurm.ask("scontrol", "update", f"JobId={job}", "TimeLimit=1")
    assert process.wait() == 0, process.said()
    assert state(slurm, job) == "TIMEOUT"
    settle(run, "SLURM: job out of time", "1 time")


def test_a_job_is_preempted(slurm, run, chains, settle):
    process, _, job = chains
    slurm.ask("sbatch", "--partition=urgent", "--exclusive", "--mem=10", "--output=/dev/null",
              "--wrap=sleep 5")  # fmt: skip
    wait_until(lambda: restarts(slurm, job), process)
    assert process.wait() == 0, process.said()
    assert state(slurm, job) == "COMPLETED"
    settle(run, "SLURM: job preempted", f"{restarts(slurm, job)} time")


def test_snakemake_is_killed_and_its_jobs_run_on(slurm, run, chains, settle):
    process, number, _ = chains
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    os.kill(number, signal.SIGCONT)
    settle(run, "SLURM: Snakemake killed, its jobs not", "1 time")


def restarts(slurm, job):
    """Return how often a job was put back into the queue."""
    return int(re.search(r"Restarts=(\d+)", slurm.ask("scontrol", "show", "job", job))[1])
