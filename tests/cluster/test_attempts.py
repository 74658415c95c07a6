"""What happens to jobs that SLURM kills."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from workflow_runs import ROOT

pytestmark = pytest.mark.workflow

WHOLE = os.environ.get("RESEAT_CLUSTER") == "whole"

RULES = Path(__file__).with_name("retries.smk")


def attempts(slurm, text):
    """Return the jobs whose comment contains a text, in order: two, or three on a busy machine."""
    jobs = [job for job in slurm.jobs() if text in job["comment"]]
    return sorted(jobs, key=lambda job: int(job["number"]))


def killed_for_memory(job):
    """Return whether a job was killed for memory.

    SLURM kills the step first, so the job may end by itself before it is killed too.
    """
    return job["state"] in {"OUT_OF_MEMORY", "FAILED"}


@pytest.fixture(scope="module")
def folder(on_slurm, tmp_path_factory):
    """Return a folder in which rules have run that ask for too little memory or time."""
    folder = tmp_path_factory.mktemp("retries")
    on_slurm(*([] if WHOLE else ["memory.txt"]), snakefile=RULES, folder=folder)
    return folder


def test_a_job_killed_for_memory_gets_twice_as_much(slurm, folder):
    jobs = attempts(slurm, "rule_memory")
    assert killed_for_memory(jobs[0]) and jobs[1]["state"] == "COMPLETED"
    logs = list((folder / ".snakemake" / "slurm_logs" / "rule_memory").glob("*.log"))
    assert len(logs) == 1 and "exceeded memory limit" in logs[0].read_text()
    assert [job["memory"] for job in jobs] == ["600M", "1200M"]
    assert [job["limit"] for job in jobs] == ["5:00", "10:00"]
    assert (folder / "memory.txt").read_text() == "1200\n"


@pytest.mark.skipif(not WHOLE, reason="it takes two minutes; `make cluster-test` does it")
def test_a_job_killed_for_time_gets_twice_as_much(slurm, folder):
    *killed, last = jobs = attempts(slurm, "rule_time")
    assert killed and {job["state"] for job in killed} == {"TIMEOUT"}
    assert last["state"] == "COMPLETED"
    assert [job["limit"] for job in jobs] == ["1:00", "2:00", "4:00"][: len(jobs)]
    assert [job["memory"] for job in jobs] == ["600M", "1200M", "2400M"][: len(jobs)]
    assert (folder / "time.txt").read_text() == f"{2 ** len(killed)}\n"


# SLURM's commands take the place of those of other schedulers.
SUBMIT = (
    "sbatch --parsable --cpus-per-task {threads} --mem {resources.mem_mb}"
    " --time {resources.runtime} --comment generic --output %j.log"
)
STATUS = """\
#!/bin/sh
case $(squeue --states=all --noheader --format=%T --jobs="$1") in
    COMPLETED) echo success ;;
    PENDING | CONFIGURING | RUNNING | COMPLETING) echo running ;;
    *) echo failed ;;
esac
"""


def test_the_generic_profile_submits_watches_and_tries_again(slurm, tmp_path):
    status = tmp_path / "status.sh"
    status.write_text(STATUS)
    status.chmod(0o755)
    profile = ROOT / "workflow" / "profiles" / "cluster-generic"
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "memory.txt", "--snakefile", RULES,
         "--workflow-profile", profile, "--directory", tmp_path, "--latency-wait", "10",
         "--cluster-generic-submit-cmd", SUBMIT, "--cluster-generic-status-cmd", status,
         "--cluster-generic-cancel-cmd", "scancel", "--seconds-between-status-checks", "2"],
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    jobs = attempts(slurm, "generic")
    assert killed_for_memory(jobs[0]) and jobs[1]["state"] == "COMPLETED"
    assert "exceeded memory limit" in (tmp_path / f"{jobs[0]['number']}.log").read_text()
    assert [job["memory"] for job in jobs] == ["600M", "1200M"]
    assert (tmp_path / "memory.txt").read_text() == "1200\n"
