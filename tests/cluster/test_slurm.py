"""The demo on a real SLURM with the profile of the project, compared with a run without SLURM.

The suite runs a part of two families; `make cluster-test` runs the whole demo.
"""

import os
import re
from pathlib import Path

import pytest
from disturbances import PART
from run_results import TIMED, differing, results
from workflow_runs import ARTEFACTS, ROOT, snakemake

pytestmark = pytest.mark.workflow

TARGETS = ("all",) if os.environ.get("RESEAT_CLUSTER") == "whole" else PART


@pytest.fixture(scope="module")
def run(slurm, on_slurm, tmp_path_factory):
    """Return the folder, the output and the jobs of the run on SLURM."""
    folder = tmp_path_factory.mktemp("slurm")
    before = {job["number"] for job in slurm.jobs()}
    done = on_slurm(*TARGETS, "--config", "scale=demo", folder=folder)
    jobs = [job for job in slurm.jobs() if job["number"] not in before]
    return folder, done.stdout + done.stderr, jobs


def test_every_job_ran_in_slurm_once_and_is_still_known(run):
    """Without accounting, the plugin has nothing else to go by; hence MinJobAge in the profile."""
    _, said, jobs = run
    submitted = re.findall(r"has been submitted with SLURM jobid (\d+)", said)
    assert len(submitted) >= 8
    assert sorted(submitted) == sorted(job["number"] for job in jobs)
    assert {job["state"] for job in jobs} == {"COMPLETED"}


def test_small_rules_share_jobs_and_chains_are_alone(run):
    _, said, jobs = run
    n_rules = int(re.findall(r"of (\d+) steps", said)[-1])
    assert len(jobs) < n_rules
    comments = [job["comment"] for job in jobs]
    assert any(text.startswith("rule_documents_artefacts_") for text in comments)
    assert any(text.startswith("rule_documents_chains") for text in comments)


def test_jobs_get_the_memory_and_time_that_their_rules_ask_for(run):
    _, _, jobs = run
    text = (ROOT / "workflow" / "rules" / "documents.smk").read_text()
    body = re.search(r"^rule documents_chains:\n(.*?)^\S", text, re.M | re.S)[1]
    memory, minutes = (
        int(re.search(rf"{key}=per_attempt\((\d+)\)", body)[1]) for key in ("mem_mb", "runtime")
    )
    chains = [job for job in jobs if job["comment"].startswith("rule_documents_chains")]
    assert {job["memory"] for job in chains} == {f"{memory}M"}
    hours, rest = divmod(minutes, 60)
    wanted = f"{hours}:{rest:02}:00" if hours else f"{rest}:00"
    assert {job["limit"] for job in chains} == {wanted}


def test_results_are_those_of_the_local_run(run, calm):
    here, there = calm(TARGETS).results(), results(run[0])
    assert {Path(name).stem for name in here} >= set(PART if TARGETS == PART else ARTEFACTS) - TIMED
    assert not differing(here, there)


def test_nothing_is_left_to_do(run):
    done = snakemake(*TARGETS, "--config", "scale=demo", "--dry-run", folder=run[0])
    assert "Nothing to be done" in done.stdout + done.stderr
