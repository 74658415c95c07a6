"""Jobs on machines that share no disk: each in a folder of its own, with the files of a storage.

`make cluster-test` runs two figures, which takes three minutes; otherwise one job is run.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from run_results import differing, results
from workflow_runs import copy_workflow, snakemake

from reseat.provenance.changes import find_changes
from reseat.provenance.records import History

pytestmark = [
    pytest.mark.workflow,
    pytest.mark.skipif(not shutil.which("rsync"), reason="needs rsync"),
]

TARGETS = ("firm_fig1", "tiwd_fig3")

#: Starts a job in a new folder, as another machine would, and prints its number.
SUBMIT = """#!/bin/sh
node=$(mktemp -d {nodes}/XXXXXX)
cp "$1" "$node/job.sh"
(cd "$node" && sh job.sh > log 2>&1; echo $? > "$node/code") > /dev/null 2>&1 &
echo "$node"
"""
STATUS = """#!/bin/sh
case $(cat "$1/code" 2> /dev/null) in
"") echo running ;;
0) echo success ;;
*) echo failed ;;
esac
"""


def stored_in(place):
    return "--default-storage-provider", "fs", "--default-storage-prefix", place


def test_a_job_has_its_files_in_the_storage_alone(tmp_path):
    place = tmp_path / "storage"
    only = ("--until", "relational_data", "--", "firm_fig1")
    snakemake(*stored_in(place), "--config", "scale=demo", *only, folder=tmp_path)
    made = {path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file()}
    assert made >= {
        "data/processed/demo/relational/toy_blocks.npz",
        "logs/demo/relational/data/toy_blocks.log",
        "results/demo/provenance/relational/data/toy_blocks.json",
    }
    kept = {path.name for path in tmp_path.iterdir() if any(map(Path.is_file, path.rglob("*")))}
    assert kept <= {".snakemake", "storage"}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Return a project folder whose targets were made by such jobs, and the storage."""
    place = tmp_path_factory.mktemp("apart")
    for name in ("project", "storage", "nodes"):
        (place / name).mkdir()
    copy_workflow(place / "project")
    # Snakemake sends what git knows of.
    for words in (("init", "-q"), ("add", "-A")):
        subprocess.run(["git", *words], cwd=place / "project", check=True)
    for name, text in (("submit", SUBMIT), ("status", STATUS)):
        (place / name).write_text(text.format(nodes=place / "nodes"))
        (place / name).chmod(0o755)
    snakemake(
        *("--executor", "cluster-generic", "--jobs", 2, "--seconds-between-status-checks", 1),
        *("--cluster-generic-submit-cmd", place / "submit"),
        *("--cluster-generic-status-cmd", place / "status"),
        *stored_in(place / "storage"),
        *("--shared-fs-usage", "none", "--job-deploy-sources"),
        *("--config", "scale=demo", "--", *TARGETS),
        folder=place / "project",
        snakefile=place / "project" / "Snakefile",
    )
    return place / "project", place / "storage"


@pytest.mark.skipif(
    os.environ.get("RESEAT_CLUSTER") != "whole", reason="only make cluster-test runs it"
)
def test_what_is_stored_goes_on_as_a_run_in_the_project_folder(project, tmp_path):
    folder, storage = project
    assert not [path for path in folder.glob("re*/**/*") if path.is_file()]
    shutil.copytree(storage, folder, dirs_exist_ok=True)
    arguments = ("--config", "scale=demo", "--", *TARGETS)
    done = snakemake("--dry-run", *arguments, folder=folder, snakefile=folder / "Snakefile")
    assert "Nothing to be done" in done.stdout + done.stderr
    history = History(folder)
    steps = history.steps(f"reports/demo/tables/{name}.csv" for name in TARGETS)
    assert {step.rule for step in steps} >= {*TARGETS, "distances_chains", "relational_toy"}
    states, changes = find_changes(history, steps)
    assert not changes and set(states.values()) == {"unchanged"} and len(states) > 8
    snakemake(*arguments, folder=tmp_path)  # where everything shares a disk
    assert not differing(results(folder), results(tmp_path))
