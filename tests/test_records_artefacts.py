"""Tables and figures' numbers of the records paper, on small frames worked by hand."""

import math

import numpy as np
import pandas as pd
import pytest
import record_frames as frames
from document_frames import row_of

from reseat.errors import DataError
from reseat.experiments.records import checks, growth, losses
from reseat.experiments.records.agreement import agrees, count_agreement, row_agreement
from reseat.experiments.records.cross import cross_table
from reseat.experiments.records.published import Published
from reseat.experiments.records.series import boxes_table, sizes_table
from reseat.experiments.records.tables import (
    TABLE1_EXTRA,
    readings_table,
    real_table,
    table1,
)
from reseat.experiments.records.tidy import (
    DELTAS,
    in_order,
    label,
    read_sizes,
    read_summaries,
)
from reseat.experiments.tidy import COLUMNS

PRINTED = frames.PUBLISHED.table1


# --- The published numbers -------------------------------------------------------------------


def test_published_numbers_are_complete_and_agree_with_each_other():
    assert len(frames.PUBLISHED.cells()) == 12
    assert sum(metric == "E[K]" for *_cell, metric in PRINTED) == 48
    assert PRINTED["nltcs5000", 0.1, "NBD", "E[K]"] == 3049.1
    assert PRINTED["italy", 0.02, "NBD", "FDR"] == 0.0
    assert len(frames.PUBLISHED.fig2) == 192
    assert frames.PUBLISHED.fig1["system"].value_counts().to_dict() == {"NBNB": 75, "NBD": 75}
    # Figure 3's counts, Figure 2's dashed line and Table 1's true K are of one set.
    for role, n_items in (("syria2000", 2000), ("syriasizes", 6700)):
        sizes = frames.PUBLISHED.fig3[frames.PUBLISHED.fig3["role"] == role]
        assert sizes["count"].sum() == frames.PUBLISHED.true_clusters(role, 0.05)
        assert (sizes["size"] * sizes["count"]).sum() == n_items
        assert sizes["count"].iloc[0] == frames.PUBLISHED.true_singletons(role)
    boxes = frames.PUBLISHED.fig2
    order = boxes[["whisker_low", "q25", "median", "q75", "whisker_high"]].to_numpy()
    assert np.all(np.diff(order, axis=1) >= 0)


def test_a_damaged_published_file_is_named(tmp_path):
    for path in (frames.ROOT / "config" / "published").glob("micro_*.csv"):
        (tmp_path / path.name).write_text(path.read_text())
    (tmp_path / "micro_fig1.csv").write_text("system,n_items\nNBD,10\n")
    with pytest.raises(DataError, match="micro_fig1.csv lacks the column.*max_size"):
        Published.load(tmp_path)


# --- Names and files -------------------------------------------------------------------------


def test_models_are_named_and_ordered_as_the_paper_does():
    assert label("nbd") == "NBD" and label("pyp_75") == "PYP, discount 0.75"
    assert label("nbd_hitmiss") == "NBD, hit-miss likelihood"
    assert label("finite") == "finite Dirichlet" and label("dp_new_thing") == "DP, new thing"
    given = ["finite", "nbd_free", "nbd", "pyp_75", "dp", "pyp"]
    assert in_order(given) == ["dp", "pyp", "pyp_75", "nbd", "nbd_free", "finite"]


def test_files_are_read_together_and_a_missing_column_is_named(tmp_path):
    for draw in range(2):
        part = frames.summaries(1, roles=("italy",)).assign(draw=draw)
        part.to_csv(tmp_path / f"{draw}.csv", index=False)
    paths = sorted(tmp_path.iterdir())
    assert sorted(read_summaries(paths)["draw"].unique()) == [0, 1]
    with pytest.raises(DataError, match="0.csv lacks the column.*size; make the cluster sizes"):
        read_sizes(paths)
    with pytest.raises(DataError, match="no file of summaries was given"):
        read_summaries([])


# --- Table 1 ---------------------------------------------------------------------------------


def draws_of(means, quantity="n_clusters", role="italy", delta=0.02, model="dp", truth=587.0):
    return pd.DataFrame(
        [
            frames.summary_row(
                frames.keys(role, delta, draw, model), quantity, mean, truth, sd=4.0, rhat=1 + draw
            )
            for draw, mean in enumerate(means)
        ]
    )


def test_a_cell_of_table1_by_hand():
    table = table1("micro_table1", draws_of([590.0, 594.0, 598.0]), PRINTED)
    assert list(table.columns) == [*COLUMNS, *TABLE1_EXTRA]
    row = row_of(table, metric="E[K]")
    assert (row["dataset"], row["system"], row["role"]) == ("italy_d02", "DP", "italy")
    # s = 4 between three draws; each has the Monte Carlo error 4/20 = .2.
    assert row["mean"] == 594.0 and row["se"] == pytest.approx(4 / math.sqrt(3))
    assert row["sd_between"] == pytest.approx(4.0) and row["mcse"] == pytest.approx(
        0.2 / math.sqrt(3)
    )
    combined = math.sqrt(16 * (1 + 1 / 3) + 0.04 / 3)
    assert row["combined"] == pytest.approx(combined)
    assert row["difference"] == 0.0 and row["z"] == 0.0 and row["agrees"] is True
    assert (row["n_draws"], row["n_chains"], row["truth"], row["rhat_max"]) == (3, 12, 587.0, 3.0)
    spread = row_of(table, metric="sd[K]")
    assert spread["mean"] == 4.0 and spread["published"] == 4.51 and math.isnan(spread["agrees"])


def test_one_draw_has_the_error_of_the_sampler_and_no_z():
    table = table1("micro_table1", draws_of([600.0]), PRINTED)
    row = row_of(table, metric="E[K]")
    assert row["se"] == row["mcse"] == pytest.approx(0.2)
    assert math.isnan(row["sd_between"]) and math.isnan(row["z"]) and row["n_draws"] == 1
    assert row["agrees"] is False  # 1.01 % away
    spread = row_of(table, metric="sd[K]")
    assert spread["se"] == pytest.approx(4.0 / math.sqrt(800))  # ess 400


def test_z_is_in_combined_standard_errors():
    row = row_of(table1("t", draws_of([601.0, 603.0]), PRINTED), metric="E[K]")
    assert row["z"] == pytest.approx(8.0 / math.sqrt(2 * 1.5 + 0.02), rel=1e-12)


def test_a_delta_for_each_field_is_averaged():
    of = frames.keys("italy", 0.05, 0, "nbd")
    fields = [frames.summary_row(of, f"delta_{i}", v, sd=0.2) for i, v in enumerate((0.02, 0.06))]
    other = frames.summary_row(of, "delta_of_something", 9.0)
    row = row_of(table1("t", pd.DataFrame([*fields, other]), PRINTED), metric="E[delta]")
    assert row["mean"] == pytest.approx(0.04)
    assert row["se"] == pytest.approx(0.01 / math.sqrt(2))  # two errors of .01, independent


def test_table1_has_every_cell_of_the_paper_and_only_its_models():
    summaries = pd.concat(
        [frames.summaries(2), draws_of([1.0], model="dp_sampled"), real_rows("italy_shiw", "dp")]
    )
    table = table1("micro_table1", summaries, PRINTED)
    assert len(table) == 12 * 4 * 5 and table["published"].notna().all()
    assert list(table["dataset"].unique()[:4]) == [
        "italy_d02",
        "italy_d05",
        "italy_d10",
        "nltcs5000_d02",
    ]
    assert table.loc[table["status"] == "stand-in", "z"].isna().all()
    assert table.loc[table["status"] == "stand-in", "agrees"].isna().all()
    assert not table.loc[table["role"] == "syria2000", "comparable"].any()


def test_generated_draws_stand_under_their_own_name():
    demo = frames.summaries(2, roles=("italy",), status="generated", recipe="demo_italy")
    table = table1("micro_table1", demo, PRINTED)
    assert set(table["dataset"]) == {"demo_italy_d02", "demo_italy_d05", "demo_italy_d10"}
    assert set(table["role"]) == {"italy"} and not table["comparable"].any()


def test_a_table_without_data_says_so():
    with pytest.raises(DataError, match="micro_table1 has no draw of the paper's data sets"):
        table1("micro_table1", real_rows("italy_shiw", "dp"), PRINTED)


# --- Agreement -------------------------------------------------------------------------------


def test_the_rule_of_agreement():
    assert agrees("E[K]", 5.9, 594.0, 0.1)  # within 1 %
    assert not agrees("E[K]", 6.1, 594.0, 2.0)
    assert agrees("E[K]", -6.1, 594.0, 2.1)  # within three standard errors
    assert not agrees("E[K]", 6.1, 594.0, np.nan)
    assert agrees("FNR", 0.07 - 0.04, 0.04, np.nan) and not agrees("FDR", 0.031, 0.0, 9.0)


def shifted(role, delta, model, quantity):
    """As published, but DP on Italy is off in FDR and everything on Syria2000 in K."""
    value, truth = frames.value_as_published(role, delta, model, quantity)
    if role == "italy" and model == "dp" and quantity == "fdr":
        value += 0.05
    if role == "syria2000" and quantity == "n_clusters":
        value *= 1.05
    return value, truth


def test_rows_that_agree_are_counted_apart_from_the_gap_of_stand_ins():
    table = table1("micro_table1", frames.summaries(2, shifted), PRINTED)
    rows = row_agreement(table)
    assert len(rows) == 48
    bad = row_of(rows, dataset="italy_d05", system="DP")
    assert bad["E[K]"] and bad["FNR"] and not bad["FDR"] and not bad["agrees"]
    counted = count_agreement(table).set_index("role")
    assert counted["rows"].tolist() == [12] * 4
    assert counted["agree"].to_dict() == {
        "italy": 9,
        "nltcs5000": 12,
        "syria2000": 0,
        "syriasizes": 12,
    }
    assert counted["counts_as"].tolist() == ["agreement"] * 2 + ["gap"] * 2
    assert counted.loc["syria2000", "E[K]"] == 0 and counted.loc["syria2000", "FNR"] == 12


# --- Readings, real records, the cross table -------------------------------------------------


def test_readings_stand_on_the_draws_they_share_with_the_papers_models():
    both = pd.concat(
        [
            draws_of([590.0, 700.0], model="pyp"),
            draws_of([592.0], model="pyp_75"),
            draws_of([600.0, 610.0], model="dp", delta=0.05),
            draws_of([600.0, 620.0], model="dp_sampled", delta=0.05),
            draws_of([1.0], model="nbd", delta=0.1),
        ]
    )
    table = readings_table("micro_readings", both, PRINTED)
    table = table[table["metric"] == "E[K]"].set_index(["dataset", "system"])
    assert table.loc[("italy_d02", "PYP"), "mean"] == 590.0  # draw 0 only
    other = table.loc[("italy_d02", "PYP, discount 0.75")]
    assert other["mean"] == 592.0 and other["published"] == 593.9
    assert table.loc[("italy_d05", "DP, concentration sampled"), "n_draws"] == 2
    assert "italy_d10" not in table.index.get_level_values("dataset")
    with pytest.raises(DataError, match="no reading of a model"):
        readings_table("micro_readings", draws_of([1.0]), PRINTED)


def real_rows(name, model, truth=587.0, status="faithful"):
    of = {"dataset": name, "status": status, "role": name, "delta_true": np.nan, "draw": -1}
    of |= {"model": model}
    values = {"n_clusters": (483.0, truth), "mean_size": (1.63, 789 / truth), "delta": (0.09, None)}
    rows = [frames.summary_row(of, q, v, t, rhat=1.03) for q, (v, t) in values.items()]
    if np.isfinite(truth):
        rows += [frames.summary_row(of, q, v, 0.0) for q, v in (("fnr", 0.23), ("fdr", 0.76))]
    return pd.DataFrame(rows)


def test_real_records_have_their_truth_and_their_r_hat():
    summaries = pd.concat(
        [
            real_rows("italy_shiw", "nbd_free"),
            real_rows("italy_shiw", "nbd"),
            real_rows("unlabelled", "nbd", truth=np.nan),
            frames.summaries(1, roles=("italy",)),
        ]
    )
    table = real_table("micro_real", summaries)
    assert list(table["dataset"].unique()) == ["italy_shiw", "unlabelled"]
    assert list(table["system"].unique()) == ["NBD", "NBD, delta unbounded"]
    row = row_of(table, dataset="italy_shiw", system="NBD", metric="E[K]")
    assert (row["mean"], row["truth"], row["se"]) == (483.0, 587.0, 0.05)
    hat = row_of(table, dataset="italy_shiw", system="NBD", metric="R-hat")
    assert hat["mean"] == 1.03 and math.isnan(hat["se"]) and math.isnan(hat["truth"])
    metrics = table.loc[table["dataset"] == "unlabelled", "metric"]
    assert list(metrics) == ["E[K]", "sd[K]", "E[delta]", "R-hat"]
    assert table["published"].isna().all()
    with pytest.raises(DataError, match="no real data set"):
        real_table("micro_real", frames.summaries(1, roles=("italy",)))


def test_priors_side_by_side_on_records_and_documents():
    records = pd.concat([real_rows("italy_shiw", m) for m in ("nbd", "finite", "nbd_free")])
    scores = pd.DataFrame(
        [
            {"dataset": "news", "status": "stand-in", "model": model, "chain": chain}
            | {"summary": summary, "n_clusters": clusters, "adjusted_rand": 0.2 + 0.1 * chain}
            for model in ("gibbs", "gibbs_nbd", "em")
            for chain, clusters in enumerate((10, 40))
            for summary in ("random", "map")
        ]
    )
    table = cross_table("cross_priors", records, scores, {"news": 400})
    assert list(table.columns) == [*COLUMNS, "family", "truth"]
    systems = table.groupby("dataset", sort=False)["system"].unique().map(list).to_dict()
    assert systems == {
        "italy_shiw": ["finite Dirichlet", "NBD"],
        "news": ["finite Dirichlet", "NBD"],
    }
    size = row_of(table, dataset="news", system="NBD", metric="mean size")
    assert size["mean"] == pytest.approx(np.mean([40, 10])) and size["n_chains"] == 2
    ari = row_of(table, dataset="news", system="NBD", metric="ARI")
    assert ari["mean"] == pytest.approx(0.25) and ari["family"] == "documents"
    size = row_of(table, dataset="italy_shiw", system="NBD", metric="mean size")
    assert size["truth"] == pytest.approx(789 / 587)
    alone = cross_table("cross_priors", records)
    assert set(alone["family"]) == {"records"}
    with pytest.raises(DataError, match="no prior to compare"):
        cross_table("cross_priors", real_rows("italy_shiw", "nbd_free"))


# --- Figures 2 and 3 -------------------------------------------------------------------------


def test_boxes_are_those_of_the_first_draw_beside_the_published():
    summaries = pd.concat(
        [frames.boxes_of_figure2(), draws_of([1.0, 2.0], "max_size", model="nbd")[1:]]
    )
    table = boxes_table("micro_fig2", summaries, frames.PUBLISHED.fig2)
    assert len(table) == 192
    row = row_of(table, dataset="italy_d02", system="NBD", statistic="max_size")
    assert row["median"] == row["published_median"] == 2
    row = row_of(table, role="nltcs5000", delta=0.1, system="DP", statistic="n_singletons")
    assert row["median"] - row["published_median"] == pytest.approx(0.004 * 1658)
    made_up = frames.summaries(1, roles=("italy",), status="generated", recipe="demo_italy")
    demo = boxes_table("micro_fig2", made_up, frames.PUBLISHED.fig2)
    assert demo["published_median"].isna().all() and not demo["comparable"].any()


def test_sizes_of_the_syria_sets_stand_beside_the_published_counts():
    sizes = pd.concat(
        [
            frames.size_counts("syriasizes"),
            frames.size_counts("syriasizes", draw=1),
            frames.size_counts("syria2000", status="generated", recipe="demo_syria2000"),
        ]
    )
    table = sizes_table("micro_fig3", sizes, frames.PUBLISHED.fig3)
    stand_in = table[table["role"] == "syriasizes"]
    assert len(stand_in) == 10 and (stand_in["published"] == stand_in["truth"]).all()
    assert table.loc[table["role"] == "syria2000", "published"].isna().all()


# --- Growth, moves, enumeration --------------------------------------------------------------


def test_growth_has_one_draw_for_each_number_and_the_published_ones():
    draws = frames.prior_draws(n_draws=3)
    table = growth.growth_table("micro_fig1", draws, frames.PUBLISHED.fig1)
    ours = table[table["source"] == "ours"]
    assert len(ours) == 4 * 5 and len(table) - len(ours) == 150
    assert {"dataset", "status"} <= set(table.columns)
    np.testing.assert_allclose(ours["largest_share"], ours["max_size"] / ours["n_items"])
    with pytest.raises(DataError, match="prior draws lack max_size"):
        growth.growth_table("micro_fig1", draws.drop(columns="max_size"), frames.PUBLISHED.fig1)


def test_theorem_table_counts_few_clusters():
    draws = pd.DataFrame(
        [
            {"system": "DP", "n_items": 100, "draw": i, "max_size": m, "n_clusters": k}
            for i, (m, k) in enumerate([(50, 9), (70, 10), (60, 11), (60, 30)])
        ]
    )
    table = growth.theorem_table("micro_thm1", draws)
    share = row_of(table, quantity="largest_share")
    assert share["mean"] == pytest.approx(0.6)
    assert share["se"] == pytest.approx(np.std([0.5, 0.7, 0.6, 0.6], ddof=1) / 2)
    assert row_of(table, quantity="few_clusters")["mean"] == 0.5


def test_slope_on_log_axes():
    n = np.array([10, 100, 1000])
    slope, error = growth.log_slope(n, 3.0 * n**-0.7, 0.01 * n**-0.7)
    assert slope == pytest.approx(-0.7)
    # Equal relative errors e: variance e^2 / sum (x - mean)^2.
    x = np.log(n)
    assert error == pytest.approx(0.01 / 3 / np.sqrt(np.sum((x - x.mean()) ** 2)))
    assert growth.log_slope(n, 3.0 * n**-0.7)[1] == pytest.approx(0, abs=1e-6)
    assert math.isnan(growth.log_slope([10, 20], [0.1, 0.2])[0])


def test_moves_are_compared_by_effective_samples_a_second():
    runs = frames.moves({"chaperones_similarity": 3.0, "gibbs": 0.5})
    table = checks.chaperones_table("micro_chaperones", runs)
    assert list(table["move"].unique()) == ["gibbs", "chaperones_similarity"]
    row = row_of(table, move="chaperones_similarity", quantity="n_clusters")
    together = runs[(runs["chain"] == -1) & (runs["quantity"] == "n_clusters")]
    speed = (together["ess"] / together["seconds"]).set_axis(together["move"])
    assert row["ess_per_second"] == pytest.approx(speed["chaperones_similarity"])
    assert row["ratio"] == pytest.approx(speed["chaperones_similarity"] / speed["gibbs"])
    assert row["ratio_low"] < 6 < row["ratio_high"] and row["n_chains"] == 4
    alone = checks.chaperones_table("m", runs[runs["chain"] == -1])
    assert alone.loc[alone["move"] != "gibbs", "ratio_low"].isna().all()
    with pytest.raises(DataError, match="no row for all chains together"):
        checks.chaperones_table("m", runs[runs["chain"] >= 0])
    with pytest.raises(DataError, match="the runs lack ess"):
        checks.chaperones_table("m", runs.drop(columns="ess"))


def test_traces_of_moves_are_thinned_and_end_with_the_last_sweep():
    arrays = {"n_clusters": np.arange(2000.0).reshape(2, 1000), "log_joint": np.zeros((2, 1000))}
    traces = checks.move_traces("gibbs", arrays, [0.1, 0.3], max_points=50)
    last = traces[traces["chain"] == 1].iloc[-1]
    assert (last["sweep"], last["n_clusters"]) == (1000, 1999)
    assert last["seconds"] == pytest.approx(300)
    assert traces.groupby("chain")["sweep"].is_monotonic_increasing.all() and len(traces) < 100


def test_total_variation_and_what_chance_gives():
    counts = pd.DataFrame(
        {
            "prior": "NBD",
            "partition": ["000", "001"],
            "exact": [0.25, 0.75],
            "count": [300, 700],
        }
    )
    table = checks.prior_check_table("micro_prior_check", counts)
    assert table["total_variation"].tolist() == pytest.approx([0.05] * 2)
    assert table["dataset"].iloc[0] == "partitions of 3 items"
    # Half the mean absolute error of a binomial share, twice.
    rng = np.random.default_rng(8)
    simulated = np.abs(rng.binomial(1000, 0.25, 200_000) / 1000 - 0.25).mean()
    assert table["by_chance"].iloc[0] == pytest.approx(simulated, rel=0.01)
    with pytest.raises(DataError, match="needs rows with the columns"):
        checks.prior_check_table("micro_prior_check", counts.drop(columns="exact"))


# --- Losses ----------------------------------------------------------------------------------


def test_losses_are_rates_and_relative_distances():
    found = losses.measured_losses(frames.summaries(3), ("italy", "nltcs5000"))
    printed = losses.printed_losses(frames.PUBLISHED, ("italy", "nltcs5000"))
    assert set(found) == set(printed) == {(r, d) for r in ("italy", "nltcs5000") for d in DELTAS}
    for cell, values in found.items():
        assert values.shape == (3, 4, 6)
        np.testing.assert_allclose(values, np.repeat(printed[cell], 3, axis=0), atol=1e-12)
    dp = printed["italy", 0.1][0, 0]
    assert dp[:2].tolist() == [0.27, 0.06]
    assert dp[2:4] == pytest.approx([(458 - 385) / 385, (4 - 2) / 2])


def test_a_draw_on_which_a_model_is_missing_is_left_out():
    summaries = frames.summaries(3, roles=("italy",))
    gone = (summaries["draw"] == 1) & (summaries["model"] == "pyp")
    found = losses.measured_losses(summaries[~gone], ("italy",))
    assert {len(values) for values in found.values()} == {2}


def test_who_is_better_within_the_tolerance():
    even = np.full((1, 4, 6), 0.2)
    cell = ("italy", 0.02)
    assert losses.no_worse({cell: even[0]}, losses.ERROR_RATES) == [cell]
    assert losses.share_nbd_best({cell: even[0]}) == 1.0
    assert losses.share_won({cell: even[0]}) == 0.5
    worse = even.copy()
    worse[0, 2, 0] += 0.011  # NBNB misses more
    assert losses.no_worse({cell: worse[0]}, losses.ERROR_RATES) == []
    assert losses.no_worse({cell: worse[0]}, losses.SIZE_STATISTICS) == [cell]
    # Two of the 24 comparisons are lost, the others ties.
    assert losses.share_won({cell: worse[0]}) == pytest.approx((22 * 0.5) / 24)
    assert losses.gap(worse, "fnr") == pytest.approx([-0.0055])
    worse[0, 3, 5] += 0.02
    assert losses.share_nbd_best({cell: worse[0]}) == pytest.approx(5 / 6)


def test_bootstrap_resamples_each_variant_and_needs_three_draws():
    rng = np.random.default_rng(1)
    values = {(r, 0.1): rng.normal(0.2, 0.1, (30, 4, 6)) for r in ("italy", "nltcs5000")}

    def first_mean(means):
        return np.mean([m[0, 0] for m in means.values()])

    estimate, low, high = losses.bootstrap_variants(values, first_mean, np.random.default_rng(2))
    assert estimate == pytest.approx(first_mean(losses.mean_losses(values)))
    errors = [v[:, 0, 0].std(ddof=1) / math.sqrt(30) for v in values.values()]
    half = 1.96 * math.hypot(*errors) / 2
    assert (estimate - low, high - estimate) == pytest.approx((half, half), rel=0.15)
    few = {cell: v[:2] for cell, v in values.items()}
    assert math.isnan(losses.bootstrap_variants(few, first_mean, rng)[1])
