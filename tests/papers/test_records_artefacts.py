"""Tables of the records paper, on small frames worked out by hand."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
import record_frames as frames
from document_frames import row_of

from reseat.errors import DataError
from reseat.papers.catalogue import CATALOGUE
from reseat.papers.documents.tables import Traces
from reseat.papers.records import tables
from reseat.papers.records.results import agrees, by_model, read_sizes, read_summaries
from reseat.papers.records.tables import table1
from reseat.papers.tables import COLUMNS
from reseat.report.comparison import compare
from reseat.vocabulary import NOTE

PRINTED = frames.PUBLISHED.table1


def test_published_numbers_are_complete_and_agree_with_each_other():
    assert len(frames.PUBLISHED.cells()) == 12
    assert sum(metric == "E[K]" for *_cell, metric in PRINTED) == 48
    assert PRINTED["nltcs5000", 0.1, "NBD", "E[K]"] == 3049.1
    assert PRINTED["italy", 0.02, "NBD", "FDR"] == 0.0
    assert len(frames.PUBLISHED.fig2) == 192
    assert frames.PUBLISHED.fig1["system"].value_counts().to_dict() == {"NBNB": 75, "NBD": 75}
    # Figure 3's counts, Figure 2's dashed line and Table 1's true K are of the same data.
    for role, n_items in (("syria2000", 2000), ("syriasizes", 6700)):
        sizes = frames.PUBLISHED.fig3[frames.PUBLISHED.fig3["role"] == role]
        assert sizes["count"].sum() == frames.PUBLISHED.true_clusters(role, 0.05)
        assert (sizes["size"] * sizes["count"]).sum() == n_items
        assert sizes["count"].iloc[0] == frames.PUBLISHED.true_singletons(role)
    boxes = frames.PUBLISHED.fig2
    order = boxes[["whisker_low", "q25", "median", "q75", "whisker_high"]].to_numpy()
    assert np.all(np.diff(order, axis=1) >= 0)


def test_models_are_named_and_ordered_as_the_paper_does():
    given = ("finite", "nbd_sampled", "nbd_hitmiss", "escd_similar", "nbd", "pyp_75", "dp", "pyp")
    rows = pd.concat([frames.draws_of([1.0], model=model) for model in given])
    rows = pd.concat([rows, rows.iloc[:1].assign(model="own", system="Uniform")])
    found = {model: label for model, label, _rows in by_model(rows)}
    assert list(found.items()) == [
        ("dp", "DP"),
        ("pyp", "PYP"),
        ("pyp_75", "PYP, discount 0.75"),
        ("nbd", "NBD"),
        ("nbd_sampled", "NBD, law of sizes sampled"),
        ("nbd_hitmiss", "NBD, hit-miss likelihood"),
        ("finite", "finite Dirichlet"),
        ("escd_similar", "ESC-D, similar mistakes"),
        ("own", "Uniform"),
    ]


def test_files_are_read_together_and_a_missing_column_is_named(tmp_path):
    for draw in range(2):
        part = frames.summaries(1, roles=("italy",)).assign(draw=draw)
        part.to_csv(tmp_path / f"{draw}.csv", index=False)
    paths = sorted(tmp_path.iterdir())
    assert sorted(read_summaries(paths)["draw"].unique()) == [0, 1]
    with pytest.raises(DataError, match="0.csv lacks the column.*size; make the cluster sizes"):
        read_sizes(paths)
    with pytest.raises(DataError, match="there is no file of summaries"):
        read_summaries([])


def test_a_cell_of_table1_by_hand():
    table = table1("micro_table1", frames.draws_of([590.0, 594.0, 598.0]), PRINTED)
    assert list(table.columns) == [*COLUMNS, *tables.TABLE1_EXTRA]
    row = row_of(table, metric="E[K]")
    assert (row["dataset"], row["system"], row["role"]) == ("italy_d02", "DP", "italy")
    # s = 4 over the three draws, each with the Monte Carlo error 4/20 = .2.
    assert row["mean"] == 594.0 and row["sd_between"] == pytest.approx(4.0)
    assert row["se"] == pytest.approx(4 / math.sqrt(3))
    assert row["mcse"] == pytest.approx(0.2 / math.sqrt(3))
    combined = math.sqrt(16 * (1 + 1 / 3) + 0.04 / 3)
    assert row["combined"] == pytest.approx(combined)
    assert row["difference"] == 0.0 and row["z"] == 0.0 and bool(row["agrees"]) is True
    assert (row["n_draws"], row["n_chains"], row["truth"], row["rhat_max"]) == (3, 12, 587.0, 3.0)
    spread = row_of(table, metric="sd[K]")
    assert spread["mean"] == 4.0 and spread["published"] == 4.51 and spread["agrees"]


def test_rates_of_point_estimates_stand_beside_posterior_means():
    given = {"": [0.12, 0.14], "_matching_sets": [0.02, 0.04], "_probable_pairs": [0.05, 0.05]}
    parts = [frames.draws_of(means, f"fdr{of}", truth=0.0) for of, means in given.items()]
    table = table1("t", pd.concat(parts), PRINTED).set_index("metric")
    assert table["mean"].to_dict() == pytest.approx(
        {"FDR": 0.13, "FDR, matching sets": 0.03, "FDR, probable pairs": 0.05}
    )
    assert (table["published"] == PRINTED["italy", 0.02, "DP", "FDR"]).all()
    assert table["agrees"].tolist() == [False, True, True]
    assert table["summary"].tolist() == ["posterior", "point estimate", "point estimate"]
    found = compare(CATALOGUE.artefacts["micro_table1"], table.reset_index())
    # These are of DP with a fixed concentration, none of which counts.
    assert len(found) == 3 and not found["counted"].any()
    sampled = table.reset_index().assign(system="DP, concentration sampled")
    found = compare(CATALOGUE.artefacts["micro_table1"], sampled)
    assert found.loc[found["counted"], "metric"].tolist() == ["FDR, matching sets"]


def test_single_chains_with_few_effective_draws_are_marked():
    summaries = frames.draws_of([590.0, 594.0, 598.0])
    assert (table1("micro_table1", summaries, PRINTED)["note"] == "").all()
    alone = summaries.assign(n_chains=[4, 1, 1], rhat=[1.0, np.nan, np.nan], ess=[9.0, 12.0, 2.4])
    table = table1("micro_table1", alone, PRINTED)
    said = "not converged: the only chain on 1 of 3 draws of the data has 2 effective draws"
    assert set(table["note"]) == {said}
    assert set(table["rhat_max"]) == {1.0}
    enough = alone.assign(ess=[9.0, 12.0, 10.0])
    assert (table1("micro_table1", enough, PRINTED)["note"] == "").all()


def test_one_draw_has_the_error_of_the_sampler_and_no_z():
    table = table1("micro_table1", frames.draws_of([600.0]), PRINTED)
    row = row_of(table, metric="E[K]")
    assert row["se"] == row["mcse"] == pytest.approx(0.2)
    assert math.isnan(row["sd_between"]) and math.isnan(row["z"]) and row["n_draws"] == 1
    assert bool(row["agrees"]) is False  # 1.01 % away
    spread = row_of(table, metric="sd[K]")
    assert spread["se"] == pytest.approx(4.0 / math.sqrt(800))  # ess 400


def test_a_delta_for_each_field_is_averaged():
    of = frames.keys("italy", 0.05, 0, "nbd")
    fields = [frames.summary_row(of, f"delta_{i}", v, sd=0.2) for i, v in enumerate((0.02, 0.06))]
    other = frames.summary_row(of, "delta_of_something", 9.0)
    row = row_of(table1("t", pd.DataFrame([*fields, other]), PRINTED), metric="E[delta]")
    assert row["mean"] == pytest.approx(0.04)
    assert row["se"] == pytest.approx(0.01 / math.sqrt(2))  # two errors of .01, independent


def test_table1_has_every_cell_of_the_paper_and_its_models_with_sampled_concentrations():
    more = [frames.draws_of([1.0], model=model) for model in ("dp", "pyp_75")]
    summaries = pd.concat([frames.summaries(2), *more, real_rows("italy_shiw", "dp")])
    table = table1("micro_table1", summaries, PRINTED)
    fixed = table["system"] == "DP"
    assert fixed.any() and set(table.loc[fixed, "dataset"]) == {"italy_d02"}
    # Either reading of a model stands beside the published row of the model itself.
    row = table[fixed & (table["metric"] == "E[K]")].iloc[0]
    assert row["published"] == PRINTED["italy", 0.02, "DP", "E[K]"]
    table = table[~fixed]
    assert len(table) == 12 * 4 * 7 and table["published"].notna().all()
    found = compare(CATALOGUE.artefacts["micro_table1"], table)
    assert found["counted"].sum() == 12 * 4 * 5
    found = found[found["counted"] & (found["status"] == "faithful")]
    assert found.loc[found["metric"] != "sd[K]", "verdict"].eq("agree").all()  # all as printed
    first = ["italy_d02", "italy_d05", "italy_d10", "nltcs5000_d02"]
    assert list(table["dataset"].unique()[:4]) == first
    assert table.loc[table["status"] == "stand-in", ["z", "agrees"]].isna().all(axis=None)
    assert not table.loc[table["role"] == "syria2000", "comparable"].any()
    # Generated draws stand under their own name.
    demo = frames.summaries(2, roles=("italy",), status="generated", recipe="demo_italy")
    table = table1("micro_table1", demo, PRINTED)
    assert set(table["dataset"]) == {f"demo_italy_d{delta}" for delta in ("02", "05", "10")}
    assert set(table["role"]) == {"italy"} and not table["comparable"].any()
    with pytest.raises(DataError, match="micro_table1 has no draw of the paper's data sets"):
        table1("micro_table1", real_rows("italy_shiw", "dp"), PRINTED)


def test_the_rule_of_agreement():
    assert agrees("E[K]", 5.9, 594.0, 0.1)  # within 1 %
    assert not agrees("E[K]", 6.1, 594.0, 2.0)
    assert agrees("E[K]", -6.1, 594.0, 2.1)  # within three standard errors
    assert not agrees("E[K]", 6.1, 594.0, np.nan)
    assert agrees("FNR", 0.07 - 0.04, 0.04, np.nan) and not agrees("FDR", 0.031, 0.0, 9.0)
    assert agrees("sd[K]", 1.1, 4.5, np.nan) and not agrees("sd[K]", -1.2, 4.5, 9.0)  # a quarter
    assert agrees("E[delta]", 0.015, 0.02, np.nan) and not agrees("E[delta]", 0.016, 0.02, np.nan)
    assert agrees("E[delta]", -0.03, 0.1, 0.011) and not agrees("E[delta]", -0.03, 0.1, 0.009)


def test_readings_stand_on_the_draws_they_share_with_the_papers_models():
    given = (
        *(("pyp", 0.02, [590.0, 700.0]), ("pyp_75", 0.02, [592.0]), ("nbd", 0.1, [1.0])),
        *(("dp", 0.05, [600.0, 610.0]), ("dp_sampled", 0.05, [600.0, 620.0])),
    )
    parts = [frames.draws_of(means, model=model, delta=delta) for model, delta, means in given]
    both = pd.concat(parts)
    table = tables.readings_table("micro_readings", both, PRINTED)
    table = table[table["metric"] == "E[K]"].set_index(["dataset", "system"])
    assert table.loc[("italy_d02", "PYP"), "mean"] == 590.0  # draw 0 only
    other = table.loc[("italy_d02", "PYP, discount 0.75")]
    assert other["mean"] == 592.0 and other["published"] == 593.9
    assert table.loc[("italy_d05", "DP, concentration sampled"), "n_draws"] == 2
    assert "italy_d10" not in table.index.get_level_values("dataset")
    with pytest.raises(DataError, match="no reading of a model"):
        tables.readings_table("micro_readings", frames.draws_of([1.0]), PRINTED)


def real_rows(name, model, truth=587.0, status="faithful"):
    of = {"dataset": name, "variant": name, "status": status, "role": name}
    of |= {"delta_true": np.nan, "draw": -1}
    of |= frames.of_model(model)
    values = {"n_clusters": (483.0, truth), "mean_size": (1.63, 789 / truth), "delta": (0.09, None)}
    rows = [frames.summary_row(of, q, v, t, rhat=1.03) for q, (v, t) in values.items()]
    if np.isfinite(truth):
        rows += [frames.summary_row(of, q, v, 0.0) for q, v in (("fnr", 0.23), ("fdr", 0.76))]
    return pd.DataFrame(rows)


def test_real_records_have_their_truth_and_their_r_hat():
    parts = [real_rows("italy_shiw", model) for model in ("nbd_free", "nbd")]
    parts += [real_rows("unlabelled", "nbd", truth=np.nan), frames.summaries(1, roles=("italy",))]
    summaries = pd.concat(parts)
    table = tables.real_table("micro_real", summaries, 0.1)
    assert list(table["dataset"].unique()) == ["italy_shiw", "unlabelled"]
    assert list(table["system"].unique()) == ["NBD", "NBD, delta unbounded"]
    row = row_of(table, dataset="italy_shiw", system="NBD", metric="E[K]")
    assert (row["mean"], row["truth"], row["se"]) == (483.0, 587.0, 0.05)
    hat = row_of(table, dataset="italy_shiw", system="NBD", metric="R-hat")
    assert set(table["rhat_max"]) == {1.03}
    assert hat["mean"] == 1.03 and math.isnan(hat["se"]) and math.isnan(hat["truth"])
    metrics = table.loc[table["dataset"] == "unlabelled", "metric"]
    assert list(metrics) == ["E[K]", "sd[K]", "E[delta]", "R-hat"]
    assert table["published"].isna().all()


def test_a_delta_that_its_bound_cuts_off_is_named():
    cut = real_rows("italy_shiw", "nbd").assign(q75=0.0985, whisker_high=0.1)
    low = real_rows("restaurant", "nbd").assign(q75=0.0975, whisker_high=0.1)
    free = real_rows("cora", "nbd_free").assign(q75=0.5, whisker_high=0.9)
    table = tables.real_table("micro_real", pd.concat([cut, low, free]), 0.1)
    noted = table.loc[table[NOTE] != "", ["dataset", NOTE]].drop_duplicates()
    assert noted.values.tolist() == [["italy_shiw", "delta is at its bound, 0.1"]]


def test_benchmarks_have_precision_recall_and_their_harmonic_mean():
    parts = [real_rows("italy_shiw", model) for model in ("nbd", "escnb_similar")]
    summaries = pd.concat([*parts, real_rows("unlabelled", "dp_similar", truth=np.nan)])
    table = tables.benchmarks_table("er_benchmarks", summaries)
    assert list(table["system"].unique()) == ["ESC-NB, similar mistakes", "DP, similar mistakes"]
    own = table[table["dataset"] == "italy_shiw"]
    found = {metric: row_of(own, metric=metric) for metric in ("P", "R", "F")}
    p, r = found["P"]["mean"], found["R"]["mean"]
    assert (p, r) == (pytest.approx(0.24), pytest.approx(0.77))
    assert found["F"]["mean"] == pytest.approx(2 / (1 / p + 1 / r))
    # The derivatives of F with respect to P and R, by finite differences.
    step = 1e-6
    ahead = [2 / (1 / (p + a) + 1 / (r + b)) for a, b in ((step, 0), (0, step))]
    slopes = np.subtract(ahead, found["F"]["mean"]) / step
    errors = found["P"]["se"], found["R"]["se"]
    assert found["F"]["se"] == pytest.approx(np.hypot(*np.multiply(slopes, errors)), rel=1e-4)
    assert list(table.loc[table["dataset"] == "unlabelled", "metric"]) == ["E[K]"]
    of_least = {"fnr": "fnr_least_vi", "fdr": "fdr_least_vi"}
    estimate = real_rows("italy_shiw", "escnb_similar").replace({"quantity": of_least})
    table = tables.benchmarks_table("er_benchmarks", pd.concat([summaries, estimate]))
    for metric in ("P", "R", "F"):
        row = row_of(table, dataset="italy_shiw", metric=f"{metric}, least VI")
        assert row["mean"] == found[metric]["mean"] and row["summary"] == "point estimate"
    only = tables.real_table("micro_real", summaries, 0.1)
    assert list(only["system"].unique()) == ["NBD"]
    with pytest.raises(DataError, match="no model of similar values"):
        tables.benchmarks_table("er_benchmarks", real_rows("italy_shiw", "nbd"))


def test_priors_side_by_side_on_records_and_documents():
    records = pd.concat([real_rows("italy_shiw", m) for m in ("nbd", "finite", "nbd_free")])
    one = pd.DataFrame({"chain": [0, 1], "n_clusters": [10, 40], "adjusted_rand": [0.2, 0.3]})
    one = one.assign(dataset="news", status="stand-in")
    pairs = itertools.product(("gibbs", "gibbs_nbd", "em"), ("random", "map"))
    scores = pd.concat([one.assign(model=model, summary=summary) for model, summary in pairs])
    rng = np.random.default_rng(3)
    together, apart = rng.normal(size=(2, 40)), rng.normal(size=(2, 40)) + [[0], [90]]
    traces = [Traces(draws, np.ones((2, 40)), 0, np.ones(2)) for draws in (together, apart)]
    ours = scores[scores["model"] != "em"]
    table = tables.cross_table("cross_priors", records, ours, {"news": 400}, traces)
    assert list(table.columns) == [*COLUMNS, "family", "truth", "rhat_max", "n_parts", NOTE]
    notes = table[table["family"] == "documents"].groupby("system")[NOTE].first()
    assert notes["finite Dirichlet"] == "" and "different modes: R-hat of the log" in notes["NBD"]
    assert set(table.loc[table["family"] == "records", NOTE]) == {""}
    assert set(table.loc[table["family"] == "records", "rhat_max"]) == {1.03}
    assert table.loc[table["family"] == "documents", "rhat_max"].isna().all()
    systems = table.groupby("dataset", sort=False)["system"].unique().map(list).to_dict()
    assert systems == dict.fromkeys(("italy_shiw", "news"), ["finite Dirichlet", "NBD"])
    size = row_of(table, dataset="news", system="NBD", metric="mean size")
    assert size["mean"] == pytest.approx(np.mean([40, 10])) and size["n_chains"] == 2
    ari = row_of(table, dataset="news", system="NBD", metric="ARI")
    assert ari["mean"] == pytest.approx(0.25) and ari["family"] == "documents"
    size = row_of(table, dataset="italy_shiw", system="NBD", metric="mean size")
    assert size["truth"] == pytest.approx(789 / 587)
    both = pd.concat([records, frames.draws_of([590.0, 600.0])])
    alone = tables.cross_table("cross_priors", both)
    assert set(alone["family"]) == {"records"}
    assert list(alone["dataset"].unique()) == ["italy_shiw", "italy_d02_0"]
    with pytest.raises(DataError, match="no prior to compare"):
        tables.cross_table("cross_priors", real_rows("italy_shiw", "nbd_free"))
