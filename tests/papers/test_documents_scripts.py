"""The scripts of the documents family, run on a small generated family."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import xarray as xr
from document_frames import PUBLISHED, ROLES, STATUS
from products import run_product, run_script

from reseat.datasets import Corpus, DatasetIdentity, store
from reseat.errors import DataError
from reseat.files.atomic import seal
from reseat.metrics import evaluate
from reseat.papers.documents.studies import read_snapshot
from reseat.papers.tables import COLUMNS
from reseat.vocabulary import NOTE


def test_snapshot_is_the_nearest_stored(tmp_path):
    path = tmp_path / "chain.nc"
    labels = np.array([[0, 1], [1, 1], [2, 1]], dtype=np.uint8)
    stored = xr.Dataset(
        {"labels": (("snapshot", "item"), labels)}, {"sweep": ("snapshot", [10, 20, 40])}
    )
    stored.to_netcdf(path, group="snapshots", engine="h5netcdf")
    seal(path)
    assert read_snapshot(path, 20)[0].tolist() == [1, 1]
    assert read_snapshot(path, 5000)[1] == 40
    assert read_snapshot(path, 30)[1] == 20
    stored.to_netcdf(tmp_path / "other.nc", group="elsewhere", engine="h5netcdf")
    seal(tmp_path / "other.nc")
    with pytest.raises(DataError, match="other.nc has no readable group 'snapshots'"):
        read_snapshot(tmp_path / "other.nc", 1)


@pytest.fixture(scope="module")
def small_run(tmp_path_factory):
    """Write generated corpora, scores, traces and chains of all four data sets as a run does."""
    folder = tmp_path_factory.mktemp("run")
    rng = np.random.default_rng(8)
    run = {"folder": folder, "scores": [], "traces": [], "corpora": {}}
    for name in STATUS:
        labels = np.repeat(np.arange(3), 10)
        counts = rng.poisson(0.2 + 4 * np.kron(np.eye(3), np.ones((10, 4))))
        corpus = Corpus(
            sp.csr_array(counts),
            np.array([f"w{i:02d}" for i in range(12)]),
            labels,
            ("one", "two", "three"),
            np.array([f"d{i}" for i in range(30)]),
            DatasetIdentity(name, name.title(), "generated"),
        )
        run["corpora"][name] = str(folder / f"{name}.npz")
        store(corpus, run["corpora"][name])

        def sample(wrong, truth=labels):
            return np.where(rng.random(30) < wrong, rng.integers(3, size=30), truth)

        def row(model, chain, summary, wrong, place=np.nan, dataset=name, truth=labels):
            scores = evaluate(truth, sample(wrong, truth))
            keys = {"dataset": dataset, "status": "generated", "model": model, "chain": chain}
            return {**keys, "summary": summary, "sample": place, **scores, "log_joint": -1.0}

        rows = [
            row("gibbs", chain, summary, 0.2)
            for chain in range(3)
            for summary in ("marginal", "map", "random", "binder", "vi")
        ]
        rows += [row("gibbs", c, "fixed", 0.3, s) for c in range(3) for s in (10, 20, 30)]
        rows += [row(m, c, "argmax", 0.6) for m in ("em_laplace", "em_mle") for c in range(3)]
        path = folder / name / "gibbs"
        path.mkdir(parents=True)
        pd.DataFrame(rows).to_csv(path / "scores.csv", index=False)
        log_joint = -100 - 50 * np.exp(-np.arange(30) / 4) + rng.normal(0, 1, (3, 30))
        traces = {"log_joint": log_joint, "n_clusters": log_joint, "burn_in": 10}
        np.savez(path / "traces.npz", **traces, seconds=np.ones(3))
        run["scores"].append(str(path / "scores.csv"))
        run["traces"].append(str(path / "traces.npz"))
        for chain in range(2):
            drawn = np.stack([sample(0.1) for _ in range(3)]).astype(np.uint8)
            xr.Dataset(
                {"labels": (("snapshot", "item"), drawn)}, {"sweep": ("snapshot", [10, 20, 30])}
            ).to_netcdf(path / f"chain-{chain}.nc", group="snapshots", engine="h5netcdf")
            seal(path / f"chain-{chain}.nc")
    return run


class Plan:
    """The part of the family's plan that the artefacts use."""

    seed = 3

    def playing(self, role):
        return ROLES[role]

    def run(self, dataset, model):
        assert (dataset, model) == ("mail", "gibbs")
        return SimpleNamespace(n_clusters=4, switching_sweeps=lambda: (10, 30))


def test_one_script_makes_every_artefact(small_run, tmp_path):
    scores = dict(zip(STATUS, small_run["scores"], strict=True))
    traces = dict(zip(STATUS, small_run["traces"], strict=True))
    corpora, out = small_run["corpora"], tmp_path

    def make(name, **given):
        return run_product(name, given, out, documents=Plan())

    for number, role in ((1, "delicious"), (2, "newsgroups"), (3, "enron")):
        for shift in (0, 3):
            name = f"docs_table{number + shift}"
            made = make(
                name,
                scores=[scores[dataset] for dataset in ROLES[role]],
                traces=[traces[dataset] for dataset in ROLES[role]],
                published=str(PUBLISHED / f"{name}.csv"),
            )
            table = pd.read_csv(made["table"])
            assert list(table.columns) == [*COLUMNS, NOTE]
            assert set(table["dataset"]) == set(ROLES[role]) and not table["comparable"].any()
    make(
        "docs_table7",
        corpus=corpora["news"],
        samples=[small_run["folder"] / "news" / "gibbs"],
        published=PUBLISHED / "docs_table7.csv",
        traces=[traces["news"]],
    )
    make("docs_extensions", scores=list(scores.values()), traces=list(traces.values()))
    make("docs_mixing", scores=[scores["news"]], traces=small_run["traces"][:1])
    make("docs_fig2", identities=list(corpora.values()), traces=small_run["traces"])
    make(
        "docs_fig3",
        corpus=corpora["mail"],
        identities=[corpora["mail"]],
        samples=[small_run["folder"] / "mail" / "gibbs"],
    )
    summary = pd.read_csv(out / "docs_fig3_summary.csv")
    assert list(summary["chain"]) == [0, 1] and set(summary["compared_sweep"]) == {30}
    heat_map = pd.read_csv(out / "docs_fig3.csv")
    assert len(heat_map) == 2 * 4 * 4 and heat_map.groupby("panel")["scaled"].max().eq(1).all()
    make(
        "docs_fig4",
        scores=[scores[name] for name in ROLES["delicious"]],
        identities=[corpora[name] for name in ROLES["delicious"]],
        traces=[traces[name] for name in ROLES["delicious"]],
    )
    make(
        "documents_claims",
        scores=list(scores.values()),
        identities=list(corpora.values()),
        traces=small_run["traces"],
        switching=out / "docs_fig3_summary.csv",
        table7=out / "docs_table7.csv",
        published=[PUBLISHED / f"docs_table{n}.csv" for n in range(1, 8)],
    )
    claims = pd.read_csv(out / "claims.csv")
    keys = [f"DOC-{n}" for n in (1, 2, 3, 4, "5a", "5b", 6, 7, 8)]
    assert list(claims["claim"].str.partition(":")[0][:9]) == keys
    assert set(claims["verdict"]) <= {"confirmed", "refuted", "untestable"}
    about = claims.set_index("claim")
    for key in ("DOC-5a", "DOC-7", "DOC-8"):  # about named data sets, which these are not
        assert (about[about.index.str.startswith(f"{key}:")]["verdict"] == "untestable").all()
    ours = claims[:9][~claims["claim"][:9].str.startswith("DOC-5b")]
    assert ours["evidence"].str.contains("generated data").all()
    run_script(
        "report/claims.py",
        {"claims": [out / "claims.csv", out / "claims.csv"]},
        {"claims": out / "all_claims.csv"},
    )
    assert len(pd.read_csv(out / "all_claims.csv")) == 2 * len(claims)
    run_script("report/claims.py", {"claims": []}, {"claims": out / "no_claims.csv"})
    assert list(pd.read_csv(out / "no_claims.csv").columns) == list(claims.columns)
