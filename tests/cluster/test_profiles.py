"""What the profiles for clusters ask for, which can be tested without a cluster."""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter

import pandas as pd
import pytest
import yaml
from workflow_runs import CATALOGUE, ROOT, snakemake

sys.path.append(str(ROOT / "tools"))

from resources import compare, rules

PROFILES = ROOT / "workflow" / "profiles"
# Long rules, which run alone.
ALONE = {
    *(f"{family}_chains" for family in CATALOGUE.families),
    *("relational_fits", "relational_gibbs", "relational_predictive", "relational_aspect"),
    *("records_enumeration", "distances_enumeration", "supervised_enumeration", "relational_exact"),
    *("records_growth", "records_moves", "distances_scaling", "supervised_baselines"),
    *("supervised_draws", "documents_posterior", "records_unsettled"),
    *("supervised_full", "supervised_chosen", "supervised_worlds"),
    *("documents_em_starts", "relational_joint"),
}


def read(name):
    return yaml.safe_load((PROFILES / name / "config.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def asked():
    return rules().set_index("rule")


def test_every_rule_is_in_a_group_or_long_enough_to_be_alone(asked):
    grouped = asked["group"].dropna()
    assert set(grouped.index).isdisjoint(ALONE)
    assert set(asked.index) - set(grouped.index) <= ALONE
    for name, made in CATALOGUE.products.items():
        assert name not in grouped or grouped[name] == f"{made.family}_artefacts"
    sizes = dict(entry.split("=") for entry in read("slurm")["group-components"])
    assert sizes.keys() <= set(grouped)
    # `page` needs the output of `claims`, so the two are one job in any case.
    assert set(grouped) - sizes.keys() == {"report"}
    # A rule made from another has a group of its own family.
    for name, group in grouped.items():
        family = name.partition("_")[0]
        if family in CATALOGUE.families:
            assert group.startswith(f"{family}_"), name


def test_every_rule_that_is_measured_is_compared_with_what_it_asks_for(asked):
    measured = asked.dropna(subset="pattern")
    copied = {"documents_corpus", "records_data", "distances_points", "supervised_mentions"}
    assert copied | {"distances_embedding", "relational_toy"} <= set(measured.index)
    assert measured[["mem_mb", "runtime"]].notna().all(axis=None)
    # Rules that take only seconds are not measured: artefacts, and what joins those of all papers.
    assert set(asked.index) - set(measured.index) - CATALOGUE.products.keys() == {
        *("claims", "page", "crate")
    }
    files = pd.DataFrame({"file": ["records/data/italy.tsv", "other/a.tsv"], "seconds": 30.0})
    files["mb"] = [1500.0, 9.0]
    found = compare(asked.reset_index(), files).set_index("rule")
    assert found["jobs"].sum() == found.loc["records_data", "jobs"] == 1
    assert found.loc["records_data", "peak MB"] > found.loc["records_data", "asked MB"]


def test_both_profiles_group_alike():
    slurm, generic = read("slurm"), read("cluster-generic")
    shared = slurm.keys() & generic.keys()
    assert {"group-components", "default-resources", "retries"} <= shared
    for key in shared - {"executor"}:
        assert slurm[key] == generic[key], key
    # The rules name their groups, so that a new rule cannot be forgotten in a profile.
    assert "groups" not in slurm.keys() | generic.keys()
    # They name no site.
    assert set(slurm["default-resources"]) == {"mem_mb", "runtime", "slots"}
    assert "attempt" in str(slurm["default-resources"]["mem_mb"])
    # Snakemake reads them in the encoding of the locale.
    assert all(path.read_bytes().isascii() for path in PROFILES.glob("*/*.yaml"))


@pytest.mark.workflow
def test_the_paper_scale_is_a_few_hundred_jobs(tmp_path):
    without_data = tmp_path / "changes.yaml"
    data = {"missing": "standin", "mirrors": [], "download": False}
    without_data.write_text(yaml.safe_dump({"scale": "paper", "data": data}))
    profile = ("--workflow-profile", PROFILES / "slurm")
    done = snakemake(*profile, "--configfile", without_data, "--dry-run", folder=tmp_path)
    said = done.stdout + done.stderr
    ungrouped = re.findall(r"^(?:rule|checkpoint) (\w+):$", said, re.M)
    groups = Counter(re.findall(r"Group job (\w+) ", said))
    n_rules = int(re.search(r"^total +(\d+)$", said, re.M)[1])
    assert set(ungrouped) <= ALONE | {"all"}
    assert len(ungrouped) + groups.total() < min(600, n_rules / 1.5)
    assert groups["documents_artefacts"] == 1 and groups["report"] == 1


def test_a_group_runs_its_members_one_after_another(tmp_path):
    """The process that runs a group on a node is not told so by the one that submits it."""
    corpus = "data/processed/demo/documents/demo_newsgroups.npz"
    on_node = ("--mode", "remote", "--cores", "1", "--nolock", "--config", "scale=demo")
    done = snakemake(*on_node, "--", corpus, folder=tmp_path)
    assert re.search(r"^Provided resources: .*slots.*\b1\b", done.stdout + done.stderr, re.M)


SAID = {
    ("bjobs", "echo RUN"): "running",
    ("bjobs", "echo PEND"): "running",
    ("bjobs", "echo DONE"): "success",
    ("bjobs", "echo EXIT"): "failed",
    ("qacct", "exit 1"): "running",
    ("qacct", "printf 'failed       0\\nexit_status  0\\n'"): "success",
    ("qacct", "printf 'failed       0\\nexit_status  1\\n'"): "failed",
    ("qacct", "printf 'failed       100 : assumedly after job\\nexit_status  137\\n'"): "failed",
    ("qacct", "case $0 in *qstat) echo 'error reason    1: can not chdir' ;; esac"): "failed",
    ("qstat", "exit 1"): "running",
    ("qstat", "printf 'Job Id: 7\\n    job_state = C\\n    exit_status = 0\\n'"): "success",
    ("qstat", "printf 'Job Id: 7\\n    job_state = C\\n    exit_status = 1\\n'"): "failed",
    ("qstat", "printf 'Job Id: 7\\n    job_state = R\\n'"): "running",
    ("qstat", "printf 'Job Id: 7\\n    job_state = F\\n    Exit_status = 0\\n'"): "success",
    ("qstat", "printf 'Job Id: 7\\n    job_state = F\\n    Exit_status = -29\\n'"): "failed",
}


@pytest.mark.parametrize(("command", "says"), SAID)
def test_the_state_of_a_job_is_read_from_what_schedulers_say(command, says, tmp_path):
    """Stubs take the place of the schedulers' commands, and print what the manuals say."""
    stub = tmp_path / command
    stub.write_text(f"#!/bin/sh\n{says}\n")
    stub.chmod(0o755)
    if "*qstat)" in says:  # both commands of Grid Engine
        shutil.copy(stub, tmp_path / "qstat")
    path = {"PATH": f"{tmp_path}:{os.defpath}"}
    script = PROFILES / "cluster-generic" / "status.sh"
    done = subprocess.run([script, "7"], env=os.environ | path, capture_output=True, check=True)
    assert done.stdout.decode() == SAID[command, says] + "\n"
