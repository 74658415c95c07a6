"""The numbers behind the records paper's figures and claims, on frames worked out by hand."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import record_frames as frames
import scipy.stats
from document_frames import row_of

from reseat.errors import DataError
from reseat.papers.enumerated import check_table, partitions
from reseat.papers.records import evidence, study_tables, tables
from reseat.papers.records.formulas import LargestBlock
from reseat.papers.records.results import DELTAS
from reseat.papers.records.tables import boxes_table, growth_table, sizes_table
from reseat.papers.statistics import log_slope
from reseat.priors import NBNB

DP = "DP, concentration sampled"


def test_boxes_are_those_of_the_first_draw_beside_the_published():
    more = frames.draws_of([1.0, 2.0], "max_size", model="nbd")[1:]
    summaries = pd.concat([frames.boxes_of_figure2(), more]).assign(rhat=1.0)
    table = boxes_table("micro_fig2", summaries, frames.PUBLISHED.fig2)
    assert len(table) == 192
    row = row_of(table, dataset="italy_d02", system="NBD", statistic="max_size")
    assert row["median"] == row["published_median"] == 2
    row = row_of(table, role="nltcs5000", delta=0.1, system=DP, statistic="n_singletons")
    assert row["median"] - row["published_median"] == pytest.approx(0.004 * 1658)
    made_up = frames.summaries(1, roles=("italy",), status="generated", recipe="demo_italy")
    apart = boxes_table("micro_fig2", summaries.assign(rhat=1.3), frames.PUBLISHED.fig2)
    assert (table["note"] == "").all() and (apart["note"] == "not converged").all()
    demo = boxes_table("micro_fig2", made_up, frames.PUBLISHED.fig2)
    assert demo["published_median"].isna().all() and not demo["comparable"].any()


def test_medians_are_judged_by_the_interval_of_one_more_draw():
    medians = [380.0, 390.0, 385.0]
    summaries = frames.draws_of(medians, "n_singletons", model="nbd").assign(rhat=1.0)
    half = 5 * math.sqrt(4 / 3) * scipy.stats.t.ppf(0.975, 2)  # the standard deviation is 5
    for shift, agrees in ((half - 0.1, True), (half + 0.1, False)):
        box = frames.PUBLISHED.fig2.assign(median=385 + shift)
        row = row_of(boxes_table("micro_fig2", summaries, box), system="NBD")
        assert (row["low"], row["high"]) == pytest.approx((385 - half, 385 + half))
        assert row["median"] == 380 and row["n_draws"] == 3 and bool(row["agrees"]) is agrees
    # Where our draws do not differ, one per cent is allowed; a single draw has no interval.
    same = frames.draws_of([380.0, 380.0], "n_singletons", model="nbd")
    for printed, agrees in ((383.7, True), (384.0, False)):
        box = frames.PUBLISHED.fig2.assign(median=printed)
        assert bool(boxes_table("m", same, box)["agrees"].iloc[0]) is agrees
    assert math.isnan(boxes_table("m", same[:1], box)["agrees"].iloc[0])


def test_sizes_of_the_syria_sets_stand_beside_the_published_counts():
    demo = frames.size_counts("syria2000", status="generated", recipe="demo_syria2000")
    both = [frames.size_counts("syriasizes", draw=draw) for draw in (0, 1)]
    sizes = pd.concat([*both, demo])
    summaries = frames.boxes_of_figure2()
    table = sizes_table("micro_fig3", sizes, summaries, frames.PUBLISHED.fig3)
    stand_in = table[table["role"] == "syriasizes"]
    assert len(stand_in) == 10 and (stand_in["published"] == stand_in["truth"]).all()
    assert table.loc[table["role"] == "syria2000", "published"].isna().all()
    assert (table["note"] == "").all()
    apart = sizes_table("micro_fig3", sizes, summaries.assign(rhat=1.3), frames.PUBLISHED.fig3)
    assert (apart.loc[apart["status"] == "stand-in", "note"] == "not converged").all()


def test_growth_has_one_draw_for_each_number_and_the_published_ones():
    draws = frames.prior_draws(n_draws=3)
    table = growth_table("micro_fig1", draws, frames.PUBLISHED.fig1)
    ours = table[table["source"] == "ours"]
    # The paper's smallest number of items is 106, so only our 200, 400 and 800 are shown.
    assert len(ours) == 4 * 3 and len(table) - len(ours) == 150
    assert {"dataset", "status"} <= set(table.columns)
    np.testing.assert_allclose(ours["largest_share"], ours["max_size"] / ours["n_items"])


def test_the_largest_block_has_its_exact_law():
    prior = NBNB(1.0, 0.5, 1.3, 0.4, r_hyperprior=None, p_hyperprior=None)
    prior.prepare(7)
    exact = np.zeros(7)
    for labels in partitions(7):
        sizes = np.bincount(labels)
        exact[sizes.max() - 1] += np.exp(prior.log_prob(sizes))
    exact /= exact.sum()
    law = LargestBlock(9, 0.5, 1.3, 0.4)
    np.testing.assert_allclose(law.cdf(7)[:7], np.cumsum(exact), rtol=1e-9)
    mean, low, high = law.interval(7, 0.9)
    assert mean == pytest.approx(np.sum(exact * np.arange(1, 8)))
    assert np.cumsum(exact)[low - 1] >= 0.05 and np.sum(exact[: low - 1]) < 0.05
    assert np.cumsum(exact)[high - 1] >= 0.95 and np.sum(exact[: high - 1]) < 0.95


def test_published_points_are_judged_by_the_exact_law():
    table = growth_table("micro_fig1", frames.prior_draws(n_draws=3), frames.PUBLISHED.fig1)
    judged = table[table["published"].notna()]
    assert judged.groupby("system")["agrees"].agg(["sum", "size"]).to_dict("index") == {
        "NBNB": {"sum": 75, "size": 75},
        "NBD": {"sum": 74, "size": 75},
    }
    assert judged["comparable"].all()
    larger = frames.PUBLISHED.fig1.assign(max_size=3 * frames.PUBLISHED.fig1["max_size"])
    wrong = growth_table("micro_fig1", frames.prior_draws(n_draws=3), larger)
    assert (wrong.dropna(subset="agrees").groupby("system")["agrees"].sum() < 5).all()


def test_theorem_table_counts_few_clusters():
    columns = {"draw": range(4), "max_size": [50, 70, 60, 60], "n_clusters": [9, 10, 11, 30]}
    draws = pd.DataFrame({"system": "DP", "n_items": 100, **columns})
    table = study_tables.theorem_table("micro_thm1", draws)
    share = row_of(table, quantity="largest_share")
    assert share["mean"] == pytest.approx(0.6)
    assert share["se"] == pytest.approx(np.std([0.5, 0.7, 0.6, 0.6], ddof=1) / 2)
    few = row_of(table, quantity="few_clusters")
    assert few["mean"] == 0.5
    ends = scipy.stats.binomtest(2, 4).proportion_ci(method="exact")
    assert (few["low"], few["high"]) == pytest.approx((ends.low, ends.high))
    always = study_tables.theorem_table("micro_thm1", draws.assign(n_clusters=3))
    assert row_of(always, quantity="few_clusters")["low"] == pytest.approx(0.025**0.25)
    both = pd.concat([draws, draws[:1].assign(n_items=200)])
    assert list(study_tables.theorem_table("micro_thm1", both)["n_items"].unique()) == [100]
    with pytest.raises(DataError, match="needs several draws"):
        study_tables.theorem_table("micro_thm1", draws[:1])


def test_slope_on_log_axes():
    n = np.array([10, 100, 1000])
    slope, error = log_slope(n, 3.0 * n**-0.7, 0.01 * n**-0.7)
    assert slope == pytest.approx(-0.7)
    # Equal relative errors e: variance e^2 / sum (x - mean)^2.
    x = np.log(n)
    assert error == pytest.approx(0.01 / 3 / np.sqrt(np.sum((x - x.mean()) ** 2)))
    assert log_slope(n, 3.0 * n**-0.7)[1] == pytest.approx(0, abs=1e-6)
    assert math.isnan(log_slope([10, 20], [0.1, 0.2])[0])
    # Points whose error is not known do not count.
    known = log_slope(n, 3.0 * n**-0.7, 0.01 * n**-0.7)
    more = [*(3.0 * n**-0.7), 7.0, 8.0], [*(0.01 * n**-0.7), 0.0, math.nan]
    assert log_slope([*n, 50, 60], *more) == pytest.approx(known)


def test_moves_are_compared_by_effective_samples_a_second():
    runs = frames.moves({"chaperones_similarity": 3.0, "gibbs": 0.5})
    table = study_tables.chaperones_table("micro_chaperones", runs)
    assert list(table["move"].unique()) == ["gibbs", "chaperones_similarity"]
    row = row_of(table, move="chaperones_similarity", quantity="n_clusters")
    together = runs[(runs["chain"] == -1) & (runs["quantity"] == "n_clusters")]
    speed = (together["ess"] / together["seconds"]).set_axis(together["move"])
    assert row["ess_per_second"] == pytest.approx(speed["chaperones_similarity"])
    assert row["ratio"] == pytest.approx(speed["chaperones_similarity"] / speed["gibbs"])
    assert row["ratio_low"] < 6 < row["ratio_high"] and row["n_chains"] == 4
    assert table["rhat"].eq(1).all() and table["note"].eq("").all()
    rhat = np.where(runs["chain"] < 0, 1.3, np.nan)
    apart = study_tables.chaperones_table("m", runs.assign(rhat=rhat))
    assert apart["rhat"].eq(1.3).all() and apart["note"].eq("not converged").all()
    alone = study_tables.chaperones_table("m", runs[runs["chain"] == -1])
    assert alone.loc[alone["move"] != "gibbs", "ratio_low"].isna().all()


def test_traces_of_moves_are_thinned_and_end_with_the_last_sweep():
    arrays = {"n_clusters": np.arange(2000.0).reshape(2, 1000), "log_joint": np.zeros((2, 1000))}
    traces = study_tables.move_traces("italy", "gibbs", arrays, [0.1, 0.3], max_points=50)
    last = traces[traces["chain"] == 1].iloc[-1]
    assert (last["sweep"], last["n_clusters"]) == (1000, 1999)
    assert last["seconds"] == pytest.approx(300)
    assert traces.groupby("chain")["sweep"].is_monotonic_increasing.all() and len(traces) < 100


def test_total_variation_and_what_chance_gives():
    counts = pd.DataFrame(
        {"prior": "NBD", "partition": ["000", "001"], "exact": [0.25, 0.75], "count": [300, 700]}
    )
    table = check_table("micro_prior_check", counts)
    assert table["total_variation"].tolist() == pytest.approx([0.05] * 2)
    assert table["dataset"].iloc[0] == "partitions of 3 items"
    # Half the mean absolute error of a binomial share, summed over the two partitions.
    drawn = np.random.default_rng(8).binomial(1000, 0.25, 200_000)
    simulated = np.abs(drawn / 1000 - 0.25).mean()
    assert table["by_chance"].iloc[0] == pytest.approx(simulated, rel=0.01)


def losses_of(summaries, roles):
    return evidence.RecordsEvidence(summaries, None, None, None, frames.PUBLISHED).losses(roles)


def test_losses_are_rates_and_relative_distances():
    found = losses_of(frames.summaries(3), ("italy", "nltcs5000"))
    printed = evidence.printed_losses(frames.PUBLISHED, ("italy", "nltcs5000"))
    assert set(found) == set(printed) == {(r, d) for r in ("italy", "nltcs5000") for d in DELTAS}
    for cell, values in found.items():
        assert values.shape == (3, 4, 6)
        np.testing.assert_allclose(values, np.repeat(printed[cell], 3, axis=0), atol=1e-12)
    dp = printed["italy", 0.1][0, 0]
    assert dp[:2].tolist() == [0.27, 0.06]
    assert dp[2:4] == pytest.approx([(458 - 385) / 385, (4 - 2) / 2])


def test_losses_are_of_shared_draws_and_rates_of_point_estimates_or_posterior_means():
    summaries = frames.summaries(3, roles=("italy",))
    # A draw on which a model is missing is left out.
    gone = (summaries["draw"] == 1) & (summaries["model"] == "pyp_sampled")
    assert {len(values) for values in losses_of(summaries[~gone], ("italy",)).values()} == {2}
    estimated = summaries["quantity"].str.endswith("_matching_sets")
    summaries = summaries.assign(mean=summaries["mean"].mask(estimated, 0.5))
    given = evidence.RecordsEvidence(summaries, None, None, None, frames.PUBLISHED)
    assert np.all(given.losses(("italy",))["italy", 0.1][:, :, :2] == 0.5)
    means = replace(given, estimate="").losses(("italy",))["italy", 0.1]
    assert means[0, 0, :2].tolist() == [0.27, 0.06]


def test_who_is_better_within_the_tolerance():
    even = np.full((1, 4, 6), 0.2)
    cell = ("italy", 0.02)
    assert evidence.no_worse({cell: even[0]}, evidence.ERROR_RATES) == [cell]
    assert evidence.share_nbd_best({cell: even[0]}) == 1.0
    assert evidence.share_won({cell: even[0]}) == 0.5
    worse = even.copy()
    worse[0, 2, 0] += 0.011  # NBNB misses more
    assert evidence.no_worse({cell: worse[0]}, evidence.ERROR_RATES) == []
    assert evidence.no_worse({cell: worse[0]}, evidence.SIZE_STATISTICS) == [cell]
    # Two of the 24 comparisons are lost, and the others are ties.
    assert evidence.share_won({cell: worse[0]}) == pytest.approx((22 * 0.5) / 24)
    assert evidence.gap(worse, "fnr") == pytest.approx([-0.0055])
    worse[0, 3, 5] += 0.02
    assert evidence.share_nbd_best({cell: worse[0]}) == pytest.approx(5 / 6)


def test_bootstrap_resamples_each_variant_and_needs_three_draws():
    rng = np.random.default_rng(1)
    values = {(r, 0.1): rng.normal(0.2, 0.1, (30, 4, 6)) for r in ("italy", "nltcs5000")}

    def first_mean(means):
        return np.mean([m[0, 0] for m in means.values()])

    estimate, low, high = evidence.bootstrap_variants(values, first_mean, np.random.default_rng(2))
    assert estimate == pytest.approx(first_mean(evidence.mean_losses(values)))
    errors = [v[:, 0, 0].std(ddof=1) / math.sqrt(30) for v in values.values()]
    half = 1.96 * math.hypot(*errors) / 2
    assert (estimate - low, high - estimate) == pytest.approx((half, half), rel=0.15)
    few = {cell: v[:2] for cell, v in values.items()}
    assert math.isnan(evidence.bootstrap_variants(few, first_mean, rng)[1])


def test_numbers_of_a_stopped_chain_are_judged_as_those_of_table1():
    identity = frames.keys("nltcs5000", 0.02, 0, "dp_sampled")
    kept = ("dataset", "status", "role", "delta_true", "model", "system", "reading", "likelihood")
    key = {name: identity[name] for name in kept}
    values = {"E[K]": 3030.0, "sd[K]": 25.0, "FNR": 0.06, "FDR": 0.1, "E[delta]": 0.03}
    sets = {"FNR, matching sets": 0.03, "FDR, matching sets": 0.08}
    late = {"E[K]": 3088.0, "sd[K]": 9.0, "FNR": 0.04, "FDR": 0.04, "E[delta]": 0.02}
    rows = [
        key | {"sweep": sweep, "metric": metric, "mean": value}
        for sweep, found in ((200, values), (400, late))
        for metric, value in [*found.items(), *sets.items(), ("largest cluster", 6.0)]
    ]
    other = frames.keys("nltcs5000", 0.02, 0, "nbd_sampled")
    rows += [rows[0] | {name: other[name] for name in ("model", "system", "reading")}]
    table = tables.unsettled_table("m", pd.DataFrame(rows), frames.PUBLISHED.table1)
    first = table[table["system"] == f"{DP}, 200 sweeps"].set_index("metric")
    assert first["agrees"].drop("largest cluster").to_dict() == {
        "E[K]": True, "sd[K]": True, "FNR": False, "FDR": True, "E[delta]": True,
        "FNR, matching sets": True, "FDR, matching sets": True,
    }  # fmt: skip
    assert math.isnan(first.loc["largest cluster", "agrees"])
    assert table.groupby("sweep")["n_agree"].first().to_dict() == {200: 5, 400: 3}
    # Of the counted models, and each printed number once.
    assert set(table["n_printed"]) == {5}
    assert table.groupby("sweep")["n_agree_means"].first().to_dict() == {200: 4, 400: 2}
    assert "NBD, law of sizes sampled, 200 sweeps" in set(table["system"])
    made_up = pd.DataFrame(rows).assign(status="generated")
    demo = tables.unsettled_table("m", made_up, frames.PUBLISHED.table1)
    assert demo["published"].isna().all() and demo["n_printed"].eq(0).all()
