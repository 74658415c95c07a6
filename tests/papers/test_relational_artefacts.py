"""Tables of the relational paper, on small frames worked out by hand."""

import math

import numpy as np
import pandas as pd
import pytest
import relational_frames as frames
from document_frames import row_of

from reseat.errors import DataError
from reseat.papers.enumerated import read_counts
from reseat.papers.relational import tables
from reseat.papers.relational.results import by_dataset, label, read_results, with_elbo
from reseat.papers.tables import COLUMNS

PUBLISHED = frames.PUBLISHED


def test_published_numbers_are_those_of_the_text():
    assert PUBLISHED.setup["distinct pairs"] == 210605 and PUBLISHED.setup["restarts"] == 30
    assert PUBLISHED.models["irm", "covered"] == 43 and PUBLISHED.models["irm", "coverage"] == 0.86
    assert [PUBLISHED.models["firm", f"{side} clusters"] for side in ("row", "column")] == [45, 107]
    assert PUBLISHED.table1["nouns"] == "thing, object, place"
    assert PUBLISHED.fig1["row clusters"] == PUBLISHED.fig1["column clusters"] == 3
    # They stand beside the paper's settings only.
    assert PUBLISHED.beside("firm")["covered"] == 50
    assert PUBLISHED.beside("firm", "dirichlet_1") == PUBLISHED.beside("firm", beta=1.0) == {}


def test_partitions_are_named_with_what_sets_them_apart():
    assert label("firm") == "FIRM"
    assert label("firm", "same_numbers") == "FIRM with the IRM's numbers"
    name = "IRM, random of the same sizes, beta = 0.01, Dirichlet(1) start, observed pairs"
    assert label("irm", "random", 0.01, "dirichlet_1", "observed") == name


def test_results_are_read_with_empty_cells(tmp_path):
    path = tmp_path / "coverage.csv"
    frames.coverage().to_csv(path, index=False)
    found = read_results([path], "coverage")
    assert set(found["control"]) == {"", "same_numbers", "random"}
    assert found["best"].dtype == bool and found["restart"].max() == 5
    frames.coverage().drop(columns="n_ties").to_csv(path, index=False)
    with pytest.raises(DataError, match="coverage.csv lacks the column.*n_ties; make"):
        read_results([path], "coverage")
    frames.types().to_csv(tmp_path / "types.csv", index=False)
    found = read_results([tmp_path / "types.csv"], "types")
    assert set(found["words"]) == {"", "人, 私, 彼; 犬, 猫"} and found["best"].sum() == 6
    with pytest.raises(DataError, match="there is no file of cells"):
        read_results([], "cells")


def test_data_sets_come_in_the_order_of_their_roles():
    names = ("kinship", "svo", "unknown", "animals")
    frame = pd.concat([frames.types(name) for name in names], ignore_index=True)
    found = [identity["role"] for identity, _rows in by_dataset(frame, "t")]
    assert found == ["svo", "animals", "kinship", "unknown"]
    with pytest.raises(DataError, match="t has no data set among english"):
        list(by_dataset(frame, "t", ["english"]))


def test_partitions_meet_the_elbo_of_their_own_restart():
    found = with_elbo(frames.coverage(), frames.restarts())
    assert (found["elbo"] == -1000 + found["restart"]).all()
    # Random partitions belong to no restart.
    assert set(found["control"]) == {"", "same_numbers"}
    assert len(found) == 2 * 6 * (2 * 6 + 2)


@pytest.fixture(scope="module")
def coverage():
    purity = frames.purity()
    by_best = frames.coverage()
    both = pd.concat([by_best, by_best.assign(aspect=1, covered=0, coverage=0.0)])
    return tables.coverage_table("firm_coverage", both, purity, PUBLISHED)


def test_coverage_of_the_best_restart_stands_beside_the_paper(coverage):
    assert list(coverage.columns) == [*COLUMNS, "pairs", "control", "lowest", "highest"]
    row = row_of(coverage, system="IRM", metric="covered")
    assert (row["mean"], row["published"], row["n_chains"]) == (43, 43, 6)
    assert (row["lowest"], row["highest"]) == (43, 43)
    assert math.isnan(row["se"]) and not row["comparable"] and row["summary"] == "best restart"
    assert row_of(coverage, system="FIRM", metric="coverage")["difference"] == 0
    assert row_of(coverage, system="FIRM", metric="cells")["mean"] == 45 * 107
    assert row_of(coverage, system="FIRM", metric="S_1")["mean"] == pytest.approx(0.55)
    printed = coverage[coverage["published"].notna()]
    assert set(printed["system"]) == {"IRM", "FIRM"} and len(printed) == 2 * 4
    assert not coverage.duplicated(["dataset", "system", "metric"]).any()
    given = {"role": "english", "dataset": "words"}
    other = (frames.coverage(**given), frames.purity(**given), PUBLISHED)
    assert tables.coverage_table("firm_coverage", *other)["published"].isna().all()


def test_random_partitions_have_a_mean_and_an_error(coverage):
    row = row_of(coverage, system="FIRM, random of the same sizes", metric="covered")
    # The five draws cover 24, 23, 24, 23 and 24 classes.
    assert row["mean"] == pytest.approx(23.6) and row["n_chains"] == 5
    assert (row["lowest"], row["highest"]) == (23, 24)
    assert row["se"] == pytest.approx(math.sqrt(0.3 / 5)) and row["control"] == "random"
    same = row_of(coverage, system="FIRM with the IRM's numbers", metric="row clusters")
    assert same["mean"] == 13 and math.isnan(same["published"])


def test_classes_are_ranked_by_the_firm():
    shuffled = frames.classes().sample(frac=1, random_state=1)
    table = tables.classes_table("firm_fig4", shuffled)
    firm = table[(table["system"] == "FIRM") & (table["pairs"] == "all")]
    assert firm["share"].is_monotonic_decreasing and firm["rank"].tolist() == list(range(1, 51))
    irm = table[(table["system"] == "IRM") & (table["pairs"] == "observed")].set_index("rank")
    assert irm["covered"].eq(43).all() and irm["n_classes"].eq(50).all()
    assert irm.loc[44, "share"] == 0 and irm.loc[1, "sam_class"] == 0


def test_curves_are_those_of_the_best_restarts_and_of_all_draws():
    by_best = frames.purity(n_draws=4)  # by the classes of the best fit of the aspect model
    both = pd.concat([by_best, by_best.assign(aspect=1, purity=0.0)])
    table = tables.purity_table("firm_fig5", both)
    random = table[(table["control"] == "random") & (table["i"] == 1) & (table["pairs"] == "all")]
    assert random["n_draws"].eq(4).all() and (random["low"] < random["purity"]).all()
    best = table[(table["control"] == "") & (table["i"] == 1) & (table["pairs"] == "all")]
    assert sorted(best["beta"]) == [0.01, 0.01, 0.1, 0.1, 1, 1]
    assert best.loc[best["model"] == "irm", "purity"].to_numpy() == pytest.approx([0.35] * 3)
    assert (best["low"] == best["high"]).all()
    assert table.loc[table["i"] == 50, "purity"].to_numpy() == pytest.approx(1.0)


def test_clusters_of_the_toy_are_compared_with_the_planted(tmp_path):
    np.savez(tmp_path / "toy.npz", **vars(frames.toy()))
    table = tables.toy_table("firm_fig1", tables.read_toy(tmp_path / "toy.npz"), PUBLISHED.fig1)
    assert list(table.columns) == list(COLUMNS)
    assert row_of(table, metric="column ARI")["mean"] == 1
    row = row_of(table, metric="row clusters")
    assert (row["mean"], row["published"]) == (3, 3)


def test_numbers_of_clusters_under_every_start(tmp_path):
    (tmp_path / "pairs").mkdir()
    arrays = {key: of for key, of in vars(frames.sorted_pairs()).items() if key != "dataset"}
    np.savez(tmp_path / "pairs" / "sorted_firm.npz", **arrays)
    found = tables.read_sorted(tmp_path / "pairs" / "sorted_firm.npz")
    assert found.dataset == "pairs" and tuple(found.shape) == (60, 90)
    table = tables.blocks_table("firm_fig3", "firm", frames.restarts(), [found], PUBLISHED)
    row = row_of(table, system="FIRM", metric="column clusters")
    assert (row["mean"], row["published"], row["lowest"], row["highest"]) == (107, 107, 106, 107)
    assert row["n_observed"] == len(found.rows) and row["n_chains"] == 6
    other = row_of(table, system="FIRM, Dirichlet(1) start", metric="row clusters")
    assert other["mean"] == 45 and math.isnan(other["published"])


def test_cells_of_many_tokens_and_low_purity_are_named_by_their_words():
    table = tables.cells_table("firm_table1", frames.cells())
    first = table[table["metric"] == "S_1"].iloc[0]
    assert first["system"] == "FIRM 0 × 0"
    assert first["note"].startswith("新しい, よい, 違う, 大きい, 小さい × もの")
    assert first["mean"] == pytest.approx(0.3) and first["row_words"].endswith("白い")
    assert tables.shortened("") == ""
    assert table["system"].nunique() == 2 * tables.N_SHOWN and table["published"].isna().all()
    # A cell of few tokens is not shown, however unspecific.
    few = frames.cells().assign(tokens=lambda frame: frame["tokens"].where(frame.index != 0, 1))
    shown = tables.cells_table("firm_table1", few)
    models = shown["system"].str.split().str[0]
    least = shown[shown["metric"] == "S_1"].groupby(models)["mean"].min()
    assert least.to_dict() == pytest.approx({"FIRM": 0.3, "IRM": 0.301})


def test_all_restarts_are_told_beside_the_best():
    table = tables.restarts_table("firm_restarts", frames.restarts(), frames.sam(), PUBLISHED)
    best = row_of(table, system="FIRM", metric="best ELBO")
    assert (best["mean"], best["lowest"], best["highest"]) == (-995, -1000, -995)
    mean = row_of(table, system="FIRM", metric="mean ELBO")
    assert mean["mean"] == -997.5 and mean["se"] == pytest.approx(math.sqrt(3.5 / 6))
    assert row_of(table, system="IRM", metric="seconds")["published"] == 300
    assert row_of(table, system="SAM", metric="best log likelihood")["mean"] == -4.99e6
    systems = list(dict.fromkeys(table["system"]))
    assert systems[:3] == ["IRM", "IRM, beta = 1", "IRM, beta = 0.01"]
    assert "FIRM with the IRM's numbers" in systems and systems[-1] == "SAM"
    assert not table.duplicated(["system", "metric"]).any()
    alone = tables.restarts_table("firm_restarts", frames.restarts(), None, PUBLISHED)
    assert len(alone) == len(table) - 3


def test_types_have_the_words_and_the_classes_of_the_best_restart():
    given = pd.concat([frames.types(), frames.types("kinship", ("person",), known=True)])
    table = tables.types_table("firm_svo", given.reset_index(drop=True))
    row = row_of(table, system="FIRM, verb", metric="clusters", dataset="svo")
    assert row["mean"] == 14 and row["note"] == "人, 私, 彼; 犬, 猫"
    assert row_of(table, system="FIRM, verb", metric="seconds", dataset="svo")["mean"] == 3
    nmi = table[table["metric"] == "NMI"]
    assert set(nmi["role"]) == {"kinship"} and nmi["mean"].eq(0.7).all()
    assert table["published"].isna().all()
    # A type of several relations is shown once.
    twice = pd.concat([frames.types(), frames.types().assign(relation="other")], ignore_index=True)
    table = tables.types_table("firm_svo", twice)
    assert not table.duplicated(["system", "metric"]).any()
    row = row_of(table, type="verb", metric="seconds", system=table["system"].iloc[6])
    assert (row["mean"], row["n_chains"]) == (3, 3)


def test_relations_are_predicted_together_and_apart():
    table = tables.joint_table("firm_joint", frames.joint())
    row = row_of(table, system="FIRM, subject_of", metric="gain")
    assert (row["mean"], row["se"], row["n_linked"]) == (0.01, 0.002, 40)
    assert len(table) == 2 * 2 * 5 and table["published"].isna().all()


def test_runs_checks_and_bounds_stand_in_one_table(tmp_path):
    frames.enumeration().to_csv(tmp_path / "enumeration.csv", index=False)
    frames.bound().to_csv(tmp_path / "bound.csv", index=False)
    enumeration = read_counts(tmp_path / "enumeration.csv")
    assert enumeration["partition"].iloc[0] == "000|00"
    given = (frames.predictive(), enumeration, tables.read_bound(tmp_path / "bound.csv"))
    table = tables.inference_table("firm_vb_vs_gibbs", *given)
    parts = table.groupby("part").size()
    assert parts.to_dict() == {"held-out": 2 * (6 + 4), "enumeration": 20, "bound": 2}
    held = table[table["part"] == "held-out"]
    assert "FIRM, collapsed Gibbs" in set(held["system"]) and held["auc"].eq(0.85).all()
    checked = table[table["part"] == "enumeration"]
    assert set(checked["prior"]) == {"FIRM, DP", "IRM, DP"}
    assert (checked["total_variation"] < 3 * checked["by_chance"]).all()
    assert table.loc[table["part"] == "bound", "gap"].tolist() == pytest.approx([12.022, 9.367])
