"""The workflow itself: the whole demo, its targets, and what it says to a wrong configuration."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from reseat.chains import open_chain

pytestmark = pytest.mark.workflow

ROOT = Path(__file__).resolve().parent.parent
ARTEFACTS = yaml.safe_load((ROOT / "config" / "artefacts.yaml").read_text())["artefacts"]


def snakemake(*arguments, folder, check=True):
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--snakefile", ROOT / "Snakefile", "--cores", "2",
         "--workflow-profile", "none", "--directory", folder, *map(str, arguments)],
        capture_output=True,
        text=True,
    )  # fmt: skip
    if check:
        assert done.returncode == 0, done.stdout + done.stderr
    return done


def refused(folder, changes, *targets, scale="demo"):
    """What Snakemake says to a configuration laid over the project's own."""
    path = folder / "changes.yaml"
    path.write_text(yaml.safe_dump({"scale": scale} | changes))
    done = snakemake(*targets, "--configfile", path, "--dry-run", folder=folder, check=False)
    assert done.returncode != 0
    return " ".join((done.stdout + done.stderr).split())


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """A working folder in which the whole demo has run."""
    folder = tmp_path_factory.mktemp("demo")
    snakemake("all", "--config", "scale=demo", folder=folder)
    return folder


def test_every_artefact_is_there(demo):
    for name, entry in ARTEFACTS.items():
        table = pd.read_csv(demo / "reports" / "tables" / f"{name}.csv")
        assert len(table), name
        if entry["kind"] == "figure":
            for ending in ("pdf", "svg", "png"):
                assert (demo / "reports" / "figures" / f"{name}.{ending}").stat().st_size > 1000
    claims = pd.read_csv(demo / "reports" / "claims.csv")
    assert list(claims) == ["paper", "claim", "verdict", "effect", "low", "high", "evidence"]
    assert set(claims["verdict"]) <= {"confirmed", "refuted", "untestable"}
    assert all(claims["claim"].str.startswith(f"DOC-{i}").any() for i in range(1, 9))
    assert all(claims["claim"].str.startswith(f"MIC-{i}").any() for i in range(1, 19))
    page = (demo / "reports" / "index.html").read_text()
    assert all(name in page for name in ARTEFACTS)


def test_every_result_names_its_data_and_what_they_are(demo):
    for number in range(1, 7):
        table = pd.read_csv(demo / "reports" / "tables" / f"docs_table{number}.csv")
        assert set(table["status"]) == {"generated"}
        assert table["dataset"].str.startswith("demo_").all()
    for path in demo.glob("results/demo/documents/*/gibbs/chains/block-0/chain-0000.nc"):
        identity = open_chain(path).attrs["configuration"]["data"]
        assert identity["status"] == "generated" and identity["sha256"]
    table = pd.read_csv(demo / "reports" / "tables" / "micro_table1.csv")
    assert set(table["status"]) == {"generated"} and table["n_draws"].eq(2).all()
    path = "results/demo/records/demo_italy_d02/chains/block-0/nbd-draw-1-chain-0.nc"
    identity = open_chain(demo / path).attrs["configuration"]["data"]
    assert identity["name"] == "demo_italy_d02_1" and identity["status"] == "generated"


def test_chains_found_structure_that_random_labels_have_not(demo):
    for dataset in ("demo_newsgroups", "demo_enron"):
        scores = pd.read_csv(demo / f"results/demo/documents/{dataset}/gibbs/scores.csv")
        assert scores.query("summary == 'map'")["adjusted_rand"].min() > 0.3


def test_records_are_linked_better_than_by_exact_agreement(demo):
    summary = pd.read_csv(demo / "results/demo/records/demo_nltcs_d05/summary.csv")
    found = summary[summary["model"].eq("nbd") & summary["draw"].eq(0)].set_index("quantity")
    assert found.loc["fnr", "mean"] < 0.25 and found.loc["fdr", "mean"] < 0.4
    assert abs(found.loc["n_clusters", "mean"] / found.loc["n_clusters", "truth"] - 1) < 0.1
    check = pd.read_csv(demo / "reports/tables/micro_prior_check.csv")
    assert (check["total_variation"] < 0.03).all()


def test_nothing_is_left_to_do_and_nothing_unfinished_lies_about(demo):
    done = snakemake("all", "--config", "scale=demo", "--dry-run", folder=demo)
    assert "Nothing to be done" in done.stdout + done.stderr
    assert not list(demo.rglob("unfinished/*"))
    assert not list(demo.rglob("*.partial"))


def test_one_chain_made_again_alone_has_the_same_draws(demo, tmp_path):
    """Its stream depends neither on the other chains nor on the number of threads."""
    block = "results/demo/documents/demo_enron/gibbs/chains/block-0"
    path = tmp_path / "one.yaml"
    path.write_text(
        yaml.safe_dump(
            {
                "scale": "demo",
                "chains": {"threads": 1},
                "documents": {"scales": {"demo": {"n_chains": {"gibbs": 1}}}},
            }
        )
    )
    snakemake(block, "--configfile", path, folder=tmp_path)
    alone, among = (
        open_chain(folder / block / "chain-0000.nc")["partition"]["labels"].values
        for folder in (tmp_path, demo)
    )
    assert np.array_equal(alone, among)


def test_one_artefact_needs_only_what_it_shows(tmp_path):
    done = snakemake("docs_fig4", "--config", "scale=demo", "--dry-run", folder=tmp_path)
    text = done.stdout + done.stderr
    assert "demo_delicious" in text
    assert "demo_newsgroups" not in text and "em_laplace" not in text


def test_list_prints_every_artefact(tmp_path):
    done = snakemake("list", "--quiet", "all", folder=tmp_path)
    for name, entry in ARTEFACTS.items():
        line = next(line for line in done.stdout.splitlines() if line.strip().startswith(name))
        assert entry["shows"] in line


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"scal": "demo"}, "the key 'scal' is not known; did you mean 'scale'?"),
        ({"seed": "many"}, "config, seed: must be of type integer, not 'many'"),
        ({"chains": {"threads": 0}}, "config, chains.threads: 0 is less than the minimum of 1"),
        (
            {"documents": {"models": {"gibbs": {"betaa": 1}}}},
            "models.gibbs: the key 'betaa' is not known; did you mean 'beta'?",
        ),
        (
            {"documents": {"scales": {"demo": {"datasets": ["newsgroups2"]}}}},
            "newsgroups2",
        ),
        (
            {"documents": {"scales": {"demo": {"n_chains": {"gibs": 3}}}}},
            "names the model 'gibs', which documents.models lacks; did you mean 'gibbs'?",
        ),
        (
            {"records": {"models": {"nbd": {"pior": "nbd"}}}},
            "models.nbd: the key 'pior' is not known; did you mean 'prior'?",
        ),
        (
            {"records": {"scales": {"demo": {"moves": {"model": "nbnbb"}}}}},
            "moves.model is 'nbnbb', which records.models lacks",
        ),
        (
            {"records": {"scales": {"demo": {"moves": {"dataset": "demo_nltc_d05"}}}}},
            "demo_nltc_d05",
        ),
        ({"records": {"deltas": [0.025]}}, "records.deltas has 0.025; give hundredths"),
        ({"data": {"missing": "perhaps"}}, "data.missing: 'perhaps' is none of stop, skip"),
    ],
)
def test_wrong_configuration_gets_one_sentence(tmp_path, changes, sentence):
    text = refused(tmp_path, changes, "all")
    assert sentence in text and "Traceback" not in text
    assert not (tmp_path / "results").exists()


def test_wrong_scale_gets_one_sentence(tmp_path):
    sentence = "scale: 'large' is none of demo, standard, paper"
    assert sentence in refused(tmp_path, {}, "all", scale="large")


def test_unknown_target_is_named(tmp_path):
    assert "docs_table99" in refused(tmp_path, {}, "docs_table99")


def test_missing_data_are_listed_at_once_before_any_job(tmp_path):
    changes = {"data": {"mirrors": [str(tmp_path / "nowhere")], "download": False}}
    text = refused(tmp_path, changes, "all", scale="standard")
    names = ("newsgroups20", "enron_kaminski", "delicious_mulan", "reuters52")
    for name in (*names, "nltcs5000", "italy_shiw"):
        assert name in text
    assert "data.missing: skip" in text and "data.missing: standin" in text
    assert not (tmp_path / "results").exists()


def test_missing_data_can_be_replaced_by_what_stands_in(tmp_path):
    changes = {
        "scale": "standard",
        "data": {"mirrors": [], "download": False, "missing": "standin"},
    }
    path = tmp_path / "changes.yaml"
    path.write_text(yaml.safe_dump(changes))
    done = snakemake("all", "--configfile", path, "--dry-run", folder=tmp_path)
    text = done.stdout + done.stderr
    assert "demo_newsgroups" in text and "demo_nltcs_d05" in text and "demo_survey" in text


def test_more_clusters_than_documents_is_one_sentence(demo, tmp_path):
    shutil.copytree(demo / "data", tmp_path / "data")
    path = tmp_path / "changes.yaml"
    path.write_text(
        yaml.safe_dump(
            {"scale": "demo", "documents": {"datasets": {"demo_reuters": {"n_clusters": 5000}}}}
        )
    )
    block = "results/demo/documents/demo_reuters/gibbs/chains/block-0"
    done = snakemake(block, "--configfile", path, folder=tmp_path, check=False)
    assert done.returncode != 0
    assert "5000 blocks were asked for, but there are only 300 items" in done.stdout + done.stderr
    assert not (tmp_path / block).exists()


def test_rules_are_lint_free():
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--lint"],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
