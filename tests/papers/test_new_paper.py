"""A sixth paper, added by its tool to a copy of the project and run there."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from workflow_runs import ROOT, copy_workflow, snakemake

import reseat

pytestmark = pytest.mark.workflow

#: The most files that the tool may add, and the most that it may change (lists of the papers).
MOST_MADE, MOST_CHANGED = 16, 5


SPECIFICATION = importlib.util.spec_from_file_location("new_paper", ROOT / "tools/new_paper.py")
TOOL = importlib.util.module_from_spec(SPECIFICATION)
SPECIFICATION.loader.exec_module(TOOL)


def files_of(folder):
    """Return the content of each source and configuration file, by its path below the folder."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in paths
        if path.suffix in {".py", ".smk", ".yaml", ".csv", ".sh"} or path.name == "Snakefile"
    }


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Return a folder with a copy of the library and the workflow."""
    folder = tmp_path_factory.mktemp("project")
    copy_workflow(folder)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(reseat.__file__).parent, folder / "src" / "reseat", ignore=ignored)
    return folder


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("documents", "The family 'documents' already exists"),
        ("starts", "src/reseat/models/starts.py already exists and would be overwritten"),
        ("startup", "workflow/rules/startup.smk already exists and would be overwritten"),
        ("customers", "config/datasets.yaml already has a data set demo_customers"),
        ("class", "no keyword of Python"),
        *(
            (name, "is the name of a rule, of a folder or of a key")
            for name in ("claims", "chains", "seed", "all", "sequences", "logs", "report")
        ),
        ("Topics", "use lower-case letters only"),
    ],
)
def test_a_name_that_is_taken_changes_nothing(project, name, words):
    before = files_of(project)
    with pytest.raises(SystemExit, match=words):
        TOOL.add_paper(name, project)
    assert files_of(project) == before


def test_a_paper_is_made_by_its_tool_and_runs(project, tmp_path):
    before = files_of(project)
    made, changed = TOOL.add_paper("topics", project)
    after = files_of(project)
    assert after.keys() - before.keys() == set(made) and len(made) <= MOST_MADE
    assert {name for name in before if after[name] != before[name]} == set(changed)
    assert len(changed) <= MOST_CHANGED
    assert not [name for name in made if b"sixth" in after[name].lower() or "sixth" in name]

    environment = {"PYTHONPATH": str(project / "src")}
    where = {"folder": tmp_path, "snakefile": project / "Snakefile", "environment": environment}
    snakemake("topics", "--config", "scale=demo", **where)
    table = pd.read_csv(tmp_path / "reports/demo/tables/topics_table1.csv")
    scores = pd.read_csv(tmp_path / "results/demo/topics/demo_topics/scores.csv")
    assert set(table["metric"]) == {"F", "NVI"} and set(table["n_chains"]) == {2}
    measured = scores.loc[scores["metric"] == "pair_f", "value"].mean()
    assert np.isclose(table.set_index("metric").loc["F", "mean"], measured)
    claims = pd.read_csv(tmp_path / "results/demo/topics/claims.csv")
    assert list(claims["claim"].str.partition(":")[0]) == ["TOPICS-1"]

    planned = snakemake("all", "--config", "scale=demo", "--dry-run", **where).stdout
    (page,) = (part for part in planned.split("\n\n") if "rule page:" in part)
    for name in ("tables/topics_table1.csv", "topics-2000.html"):
        assert f"reports/demo/{name}" in page
    own = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
         "tests/papers/test_topics.py"],
        cwd=project, capture_output=True, text=True, env=os.environ | environment,
    )  # fmt: skip
    assert own.returncode == 0 and "3 passed" in own.stdout, own.stdout + own.stderr
