"""The demo on a real SLURM with the profile of the project, compared with a run without SLURM.

The suite makes one figure; `make cluster-test` runs the whole demo.
"""

import json
import os
import re
import sys
from collections import Counter
from pathlib import Path

import pytest
from disturbances import FIGURE, SETTINGS
from run_results import TIMED, differing, results
from workflow_runs import ARTEFACTS, ROOT, snakemake

from reseat.provenance.runs import records_of

sys.path.append(str(ROOT / "tools"))

from resources import rules

pytestmark = pytest.mark.workflow

WHOLE = os.environ.get("RESEAT_CLUSTER") == "whole"
TARGETS = ("all",) if WHOLE else (FIGURE,)


@pytest.fixture(scope="module")
def run(slurm, on_slurm, tmp_path_factory):
    """Return the folder of the run on SLURM, and its jobs."""
    folder = tmp_path_factory.mktemp("slurm")
    before = {job["number"] for job in slurm.jobs()}
    on_slurm(*TARGETS, "--config", *SETTINGS, folder=folder)
    return folder, [job for job in slurm.jobs() if job["number"] not in before]


def test_every_job_ended_well_and_is_still_known(run):
    """Without accounting, the plugin has nothing else to go by; hence MinJobAge in the profile."""
    _, jobs = run
    assert {job["state"] for job in jobs} == {"COMPLETED"}


def test_small_rules_share_jobs_and_long_ones_are_alone_and_run_once(run):
    folder, jobs = run
    group = rules().set_index("rule")["group"].dropna().to_dict()
    ruled = [json.loads(path.read_text())["rule"] for path in records_of(folder)]
    alone = Counter(rule for rule in ruled if rule not in group)
    shared = Counter(group[rule] for rule in ruled if rule in group)
    ran = Counter(named(job["comment"], {*alone, *shared}) for job in jobs)
    assert {name: ran[name] for name in alone} == alone
    # In the part that the suite runs, each group has one rule.
    assert all(1 <= ran[name] <= max(n - 1, 1) for name, n in shared.items())


def named(comment, names):
    """Return the rule or group that a comment names, which is followed by more."""
    return max((name for name in names if comment.startswith(f"rule_{name}")), key=len)


def test_jobs_get_the_memory_and_time_that_their_rules_ask_for(run):
    _, jobs = run
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
    assert {Path(name).stem for name in here} >= set(ARTEFACTS if WHOLE else TARGETS) - TIMED
    assert not differing(here, there)


def test_nothing_is_left_to_do(run):
    done = snakemake(*TARGETS, "--config", *SETTINGS, "--dry-run", folder=run[0])
    assert "Nothing to be done" in done.stdout + done.stderr
