"""The profile for other schedulers, with the commands of SLURM in the place of theirs."""

import subprocess
import sys
from pathlib import Path

import pytest
from workflow_runs import ROOT

pytestmark = pytest.mark.workflow

SUBMIT = (
    "sbatch --parsable --cpus-per-task {threads} --mem {resources.mem_mb}"
    " --time {resources.runtime} --comment generic --output /dev/null"
)
STATUS = """\
#!/bin/sh
case $(squeue --states=all --noheader --format=%T --jobs="$1") in
    COMPLETED) echo success ;;
    PENDING | CONFIGURING | RUNNING | COMPLETING) echo running ;;
    *) echo failed ;;
esac
"""


def test_a_job_is_submitted_watched_killed_for_memory_and_tried_again(slurm, tmp_path):
    status = tmp_path / "status.sh"
    status.write_text(STATUS)
    status.chmod(0o755)
    profile = ROOT / "workflow" / "profiles" / "cluster-generic"
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "memory.txt",
         "--snakefile", Path(__file__).with_name("retries.smk"),
         "--workflow-profile", profile, "--directory", tmp_path, "--latency-wait", "10",
         "--cluster-generic-submit-cmd", SUBMIT, "--cluster-generic-status-cmd", status,
         "--cluster-generic-cancel-cmd", "scancel"],
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    jobs = [job for job in slurm.jobs() if job["comment"] == "generic"]
    jobs.sort(key=lambda job: int(job["number"]))
    assert [job["state"] for job in jobs] == ["OUT_OF_MEMORY", "COMPLETED"]
    assert [job["memory"] for job in jobs] == ["600M", "1200M"]
    assert (tmp_path / "memory.txt").read_text() == "1200\n"
