"""A job that SLURM kills for memory or time is tried again, with twice as much of both."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.workflow


@pytest.fixture(scope="module")
def attempts(slurm, on_slurm, tmp_path_factory):
    """The folder of two rules that ask for too little, and their jobs in SLURM by rule."""
    folder = tmp_path_factory.mktemp("retries")
    before = {job["number"] for job in slurm.jobs()}
    on_slurm(snakefile=Path(__file__).with_name("retries.smk"), folder=folder)
    jobs = [job for job in slurm.jobs() if job["number"] not in before]
    jobs.sort(key=lambda job: int(job["number"]))
    named = {name: [job for job in jobs if name in job["comment"]] for name in ("memory", "time")}
    return folder, named


def test_a_job_killed_for_memory_gets_twice_as_much(attempts):
    folder, jobs = attempts
    assert [job["state"] for job in jobs["memory"]] == ["OUT_OF_MEMORY", "COMPLETED"]
    assert [job["memory"] for job in jobs["memory"]] == ["600M", "1200M"]
    assert [job["limit"] for job in jobs["memory"]] == ["5:00", "10:00"]
    assert (folder / "memory.txt").read_text() == "1200\n"


def test_a_job_killed_for_time_gets_twice_as_much(attempts):
    folder, jobs = attempts
    assert [job["state"] for job in jobs["time"]] == ["TIMEOUT", "COMPLETED"]
    assert [job["limit"] for job in jobs["time"]] == ["1:00", "2:00"]
    assert [job["memory"] for job in jobs["time"]] == ["600M", "1200M"]
    assert (folder / "time.txt").read_text() == "2\n"
