"""The whole demo, and the results that it leaves."""

import gzip
import json
import os
import re
import shutil
import socket
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import table_digests
import yaml
from digest_files import read, remedy
from workflow_runs import ARTEFACTS, ROOT, ChangedLibrary, snakemake

from reseat.chains import open_chain
from reseat.command.main import main
from reseat.command.stored import write_stored
from reseat.papers.catalogue import CATALOGUE
from reseat.provenance.runs import records_of

pytestmark = pytest.mark.workflow


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """Return a working folder in which the whole demo has run."""
    folder = tmp_path_factory.mktemp("demo")
    snakemake("all", "--config", "scale=demo", folder=folder)
    return folder


def test_every_figure_and_page_is_there(demo):
    """Tables, claims, comparison and diagnostics are in the digests below."""
    reports = demo / "reports" / "demo"
    for name in (name for name, artefact in ARTEFACTS.items() if artefact.kind == "figure"):
        for ending in ("pdf", "svg", "png"):
            assert (reports / "figures" / f"{name}.{ending}").stat().st_size > 1000
    claims = pd.read_csv(reports / "claims.csv")
    assert {*claims["claim"].str.extract(r"^([A-Z]+-\d+[a-z]?)\b")[0]} == {*CATALOGUE.claims()}
    pages = "".join(page.read_text() for page in reports.glob("*.html"))
    assert all(f'id="{name}"' in pages for name in ARTEFACTS)
    assert "Not made in this run." not in pages
    comparison = pd.read_csv(reports / "comparison.csv")
    # Figure 1 of Zanella et al. is of a law, not of data.
    of_data = comparison["status"].eq("generated") & comparison["artefact"].ne("micro_fig1")
    assert comparison.loc[of_data, "verdict"].ne("agree").all()


def test_pages_and_figures_are_whole_in_a_browser(demo, browser):
    reports = demo / "reports"
    paths = [*reports.glob("*.html"), *reports.glob("demo/*.html"), *reports.glob("demo/*/*.svg")]
    found = {path.relative_to(reports): browser.faults(path) for path in paths}
    assert {path: faults for path, faults in found.items() if faults} == {} and len(found) > 20


def test_every_table_is_what_it_was(demo):
    """Measured times and the last digits do not count."""
    stored = read(table_digests.DIGESTS)
    changed = table_digests.differing(stored, table_digests.digests(demo))
    assert not changed, remedy(changed, table_digests.DIGESTS, "--tables FOLDER")


def test_every_chain_names_its_data_and_what_they_are(demo):
    chains = [*demo.glob("results/demo/documents/*/gibbs/chains/block-0/chain-0000.nc")]
    chains += [*demo.glob("results/demo/records/demo_italy_d02/chains/block-0/nbd-draw-1-*0.nc")]
    assert len(chains) > 1
    for path in chains:
        identity = open_chain(path).attrs["configuration"]["data"]
        assert identity["status"] == "generated" and identity["sha256"]
    assert identity["name"] == "demo_italy_d02_1"


@pytest.mark.parametrize(
    ("family", "dataset", "stored"),
    [
        ("documents", "demo_enron", "documents/demo_enron.npz"),
        ("records", "demo_customers", "records/demo_customers"),
        ("supervised", "demo_names", "references/demo_names.npz"),
        ("relational", "demo_pairs", "relational/demo_pairs.npz"),
    ],
)
def test_chains_on_own_data_give_labels_and_pages(
    demo, tmp_path, no_pictures, family, dataset, stored
):
    """Generated data are in the place of a user's; those of distances are in another test."""
    base = demo / "results" / "demo" / family / dataset
    folders = [*base.glob("**/block-*"), *base.glob("fits")]
    write_stored(family, dataset, demo / "data/processed/demo" / stored, folders, tmp_path / "own")
    found = [pd.read_csv(path) for path in (tmp_path / "own").glob("*/*labels.csv")]
    assert len(found) > 1
    for labels in found:
        clusters = labels["cluster"]
        assert labels["item"].is_unique and {*clusters} == {*range(1, clusters.max() + 1)}
    pages = [path.read_text() for path in (tmp_path / "own").glob("*/index.html")]
    assert all(f"Clusters of {dataset} by" in page for page in pages)
    assert len(pages) == (0 if family == "relational" else len(found))


def test_every_column_of_the_results_is_described(demo):
    text = (ROOT / "docs" / "reference" / "outputs.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([^`]+)`", text))
    for path in (demo / "results" / "demo").rglob("*.csv"):
        for column in pd.read_csv(path, nrows=0):
            # There is one such column for each type of entity in the data.
            column = re.sub("^n_clusters_(?!mean$|sd$).*", "n_clusters_TYPE", column)
            assert column in named, f"{path}: {column}"


def test_nothing_is_left_to_do_and_nothing_unfinished_lies_about(demo):
    assert due(demo, {}) == {}
    # If checkpoints are to be written more often, only the file that states the configuration is
    # out of date.
    found = due(demo, {}, "chains={checkpoint_seconds: 7}")
    assert found == {"crate": "settings have changed: configuration"}
    left = re.compile(r"unfinished(_\w+)?|.+\.lock|\..+\.[0-9a-f]{16}(\..+)?")
    for place in ("results", "reports", "data", "logs"):
        found = [path for path in (demo / place).rglob("*") if left.fullmatch(path.name)]
        assert not found, place


def test_other_words_for_tables_make_no_chain_again(demo):
    found = due(
        demo,
        {},
        "supervised={models: {scdp1_pyp: {variant: two parameters}}}",
        "records={models: {nbd_two_scans: {variant: two scans}}, "
        "recipes: {demo_syria2000: {role: italy}}}",
        "distances={points: {demo_separated: {role: overlapping}}}",
        "relational={sets: {demo_pairs: {role: english}}}",
        "documents={datasets: {demo_reuters: {role: newsgroups}}}",
    )
    scored = {f"{name}_scores" for name in ("supervised", "records", "distances", "relational")}
    assert scored <= found.keys()
    drawn = ("_chains", "_fits", "_em", "relational_gibbs")
    assert not [name for name in found if name.endswith(drawn)]


def test_the_run_is_published_and_verified(demo, capsys):
    """What is published has no paths and no host, and a changed number is found."""
    where = ["--directory", str(demo)]
    assert main(["publish", "demo", *where]) == 0
    folder = demo / "reports" / "published"
    try:
        first = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        assert {f"{name}.csv" for name in ARTEFACTS} <= {path.name for path in first}
        chains = pd.read_csv(folder / "chains.csv")
        assert len(chains) == len(list(demo.glob("results/demo/*/**/*.nc")))
        for path, content in first.items():
            if path.suffix != ".png":
                text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
                assert not re.search(rf"\b{re.escape(socket.gethostname())}\b", text), path
                assert str(demo) not in text, path
        assert main(["verify", "--run", "demo", *where]) == 0
        said = capsys.readouterr().out
        assert "No number differs" in said and " agrees" not in said and "docs_table2" in said
        table = folder / "tables" / "docs_table2.csv"
        changed = pd.read_csv(table)
        changed.loc[0, "mean"] += 1.0
        changed.to_csv(table, index=False)
        assert main(["verify", "docs_table2", "--run", "demo", *where]) == 1
        assert main(["verify", "docs_table1", "--run", "demo", *where]) == 0
    finally:
        shutil.rmtree(folder)


def test_one_chain_made_again_alone_has_the_same_draws(demo, tmp_path):
    """Its stream depends neither on the other chains nor on the number of threads."""
    block = "results/demo/documents/demo_enron/gibbs/chains/block-0"
    path = tmp_path / "one.yaml"
    scales = {"demo": {"n_chains": {"gibbs": 1, "em_from_gibbs": 1}}}
    changes = {"scale": "demo", "chains": {"threads": 1}, "documents": {"scales": scales}}
    path.write_text(yaml.safe_dump(changes))
    snakemake(block, "--configfile", path, folder=tmp_path)
    chains = [open_chain(folder / block / "chain-0000.nc") for folder in (tmp_path, demo)]
    alone, among = (chain["partition"]["labels"].values for chain in chains)
    assert np.array_equal(alone, among)


def test_code_out_of_the_closure_is_imported_by_no_job(demo):
    records = [json.loads(path.read_text()) for path in records_of(demo)]
    assert len(records) > 150
    assert {record["rule"]: record["beyond"] for record in records if record["beyond"]} == {}


def due(demo, environment, *settings):
    """Return what a dry run would make: the reasons by rule."""
    done = snakemake("all", "--config", "scale=demo", *settings, "--dry-run", folder=demo,
                     environment=environment)  # fmt: skip
    text = done.stdout + done.stderr
    if "Nothing to be done" in text:
        return {}
    lines = text.partition("What would be made, and why:\n")[2].splitlines()
    rows = (re.match(r"    (\w+) +\d+ jobs?  (.+)", line) for line in lines)
    return {row[1]: row[2] for row in rows if row}


REPORT = {"page", "crate"}


def test_a_change_of_the_library_makes_again_what_it_concerns(demo, tmp_path):
    changed = ChangedLibrary(tmp_path / "library")
    # Other comments and docstrings concern nothing, and the description of an artefact the report.
    changed.say_otherwise("papers/records/tables.py")
    changed.say_otherwise("likelihoods/_categorical.pyx")
    changed.replace("papers/records/paper.py", "Posterior boxes of", "Boxes of")
    changed.replace("papers/records/paper.py", "Posteriors of four", "Four posteriors of")
    assert due(demo, changed.environment).keys() == REPORT

    concerns = {
        "papers/documents/figures.py": "docs_fig2",
        "papers/supervised/contradictions.py": "scdp_contradictions",
        "likelihoods/_categorical.pyx": "records_chains",
        "datasets/parsers/generated_relations.py": "relational_data",
    }
    for name in concerns:
        changed.add_code(name)
    found = due(demo, changed.environment)
    assert all(f"reseat/{name}" in found[rule] for name, rule in concerns.items())
    drawn = {rule for rule, why in found.items() if "reseat/papers/documents/figures.py" in why}
    four = {"docs_fig2", "docs_fig3", "docs_fig3_newsgroups", "docs_fig4"}
    assert drawn == four | {"docs_fig4_newsgroups"}
    assert {"supervised_claims", "claims", "diagnostics"} | REPORT <= found.keys()
    assert {"records_scores", "micro_table1", "micro_fig2", "records_claims"} <= found.keys()
    assert {"relational_fits", "firm_table1"} <= found.keys()
    untouched = ("documents_", "distances_", "records_data", "supervised_chains")
    untouched += ("supervised_scores", "supervised_mentions")
    # The figures of a paper are one file, and the claims read a table that is made with one.
    again = [name for name in found if name.startswith(untouched)]
    assert again == ["documents_claims"]


def test_results_of_other_code_can_be_kept_and_are_marked(demo, tmp_path):
    changed = ChangedLibrary(tmp_path / "library")
    changed.add_code("likelihoods/_categorical.pyx")
    assert due(demo, changed.environment, "code=keep").keys() == REPORT
    snakemake("crate", "--config", "scale=demo", "code=keep", folder=demo,
              environment=changed.environment)  # fmt: skip
    page = (demo / "reports" / "demo" / "index.html").read_text()
    assert "Made by other code" in page and "reseat/likelihoods/_categorical.pyx" in page
    graph = json.loads((demo / "ro-crate-metadata.json").read_text())["@graph"]
    (chains,) = [e for e in graph if e["@id"] == "#job-demo/records/demo_survey/chains-0"]
    what = chains["description"]
    assert "Its code has changed since: reseat/likelihoods/_categorical.pyx" in what
    told = subprocess.run(
        [sys.executable, "-m", "reseat.command", "explain", "micro_real"],
        cwd=demo, capture_output=True, text=True, env=os.environ | changed.environment,
    )  # fmt: skip
    assert "reseat/likelihoods/_categorical.pyx has changed since" in told.stdout, told.stderr
    # With the original library, the marks disappear and nothing else is made again.
    assert due(demo, {}).keys() == REPORT
