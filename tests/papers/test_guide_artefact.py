"""The figure of the guide for contributors, added to a copy of the library and made there."""

import filecmp
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from guide import example
from workflow_runs import ChangedLibrary, snakemake

import reseat
from reseat.provenance.runs import records_of

pytestmark = pytest.mark.workflow

NAME = "micro_clusters"
DECLARATION, PLOT = "papers/records/paper.py", "papers/records/figures.py"


def changed_files(comparison, below=""):
    """Return the Python files in which two folders differ."""
    found = {below + name for name in comparison.diff_files + comparison.right_only}
    found |= {below + name for name in comparison.left_only}
    for name, inner in comparison.subdirs.items():
        found |= changed_files(inner, f"{below}{name}/")
    return {name for name in found if name.endswith(".py")}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """Return a copy of the library with the figure of the guide."""
    library = ChangedLibrary(tmp_path_factory.mktemp("library"))
    for name in (DECLARATION, PLOT):
        library.add_code(name, example(f"src/reseat/{name}"))
    return library


def test_a_figure_touches_three_files_with_its_test(library):
    own = filecmp.dircmp(Path(reseat.__file__).parent, library.place)
    assert changed_files(own) == {DECLARATION, PLOT}


def test_a_study_touches_two_files(tmp_path):
    library = ChangedLibrary(tmp_path)
    for name, marker in (
        ("papers/records/studies.py", "src/reseat/papers/records/studies.py"),
        (DECLARATION, f"below the other jobs in src/reseat/{DECLARATION}"),
    ):
        library.add_code(name, example(marker))
    folder = tmp_path / "run"
    folder.mkdir()
    snakemake("records_block_sizes", "--config", "scale=demo", folder=folder,
              environment=library.environment)  # fmt: skip
    sizes = pd.read_csv(folder / "results/demo/records/priors/block_sizes.csv")
    assert sizes.groupby("system")["size"].sum().eq(200).all() and sizes["system"].nunique() == 4
    (record,) = (json.loads(path.read_text()) for path in records_of(folder))
    assert record["rule"] == "records_block_sizes" and record["beyond"] == []


def test_snakemake_makes_it_lists_it_and_reports_it(library, tmp_path):
    def run(*arguments):
        done = snakemake(*arguments, "--config", "scale=demo", folder=tmp_path,
                         environment=library.environment)  # fmt: skip
        return done.stdout + done.stderr

    said = run(NAME, "list")
    shown = "Mean number of clusters of draws from four priors"
    (listed,) = [line for line in said.splitlines() if shown in line]
    assert NAME in listed
    reports = tmp_path / "reports" / "demo"
    table = pd.read_csv(reports / "tables" / f"{NAME}.csv")
    draws = pd.read_csv(tmp_path / "results/demo/records/priors/growth.csv")
    row = table[table["system"].eq("DP")].sort_values("n_items").iloc[-1]
    mine = draws[draws["system"].eq("DP") & draws["n_items"].eq(row["n_items"])]
    assert np.isclose(row["mean"], mine["n_clusters"].mean())
    for ending in ("pdf", "svg", "png"):
        assert (reports / "figures" / f"{NAME}.{ending}").stat().st_size > 1000
    records = [json.loads(path.read_text()) for path in records_of(tmp_path)]
    (record,) = (found for found in records if found["rule"] == NAME)
    assert record["beyond"] == [] and {DECLARATION, PLOT} <= record["modules"].keys()
    # The report includes it as it is.
    planned = run("page", "--dry-run")
    assert f"rule {NAME}:" not in planned
    (page,) = (part for part in planned.split("\n\n") if "rule page:" in part)
    assert f"reports/demo/tables/{NAME}.csv" in page
