"""Tables of the distances paper, on small frames worked out by hand."""

import math

import distance_frames as frames
import numpy as np
import pandas as pd
import pytest
from document_frames import row_of

from reseat.errors import DataError
from reseat.papers.distances import samplers, tables
from reseat.papers.distances.results import READINGS, by_draw, final_scores, label
from reseat.papers.distances.samplers import backward_share, settling_sweep
from reseat.papers.tables import COLUMNS

PUBLISHED = frames.PUBLISHED


def test_published_numbers_are_those_of_the_text():
    assert PUBLISHED.fig3["sweeps until stable"] == 500
    assert PUBLISHED.fig5 == {"labelled": 1168, "classes": 114, "unlabelled": 2603, "new blocks": 3}
    assert PUBLISHED.setup[1, "repetitions"] == 20 and PUBLISHED.setup[2, "n_items"] == 8000
    assert PUBLISHED.scaling["naive", "n"] == 4


def test_models_are_named_with_what_sets_them_apart():
    assert label("wdr_kpca") == "WD_R (kernel PCA)" and label("average") == "AL"
    assert label("tiwd_lambda_10") == "TIWD, lambda = 10"
    assert label("wdr_d_less_1") == "WD_R, d - 1 degrees of freedom"
    named = {(base, label(model)) for model, (base, _words) in READINGS.items()}
    assert len(named) == len(READINGS)


def test_the_annealed_partition_is_scored_and_chains_are_averaged():
    rows = [
        frames.score_row("separated", draw, "tiwd", ari, partition=partition, chain=chain)
        for draw, partition, ari, chain in (
            *((0, "last", 0.2, 0), (0, "annealed", 0.8, 0), (0, "annealed", 0.6, 1)),
            *((1, "last", 0.3, 0), (1, "map", 0.4, 0), (2, "other", 0.9, 0)),
        )
    ]
    final = final_scores(pd.DataFrame(rows))
    assert final["ari"].tolist() == [0.8, 0.6, 0.4]
    assert by_draw(final, "tiwd", "ari").to_dict() == pytest.approx({0: 0.7, 1: 0.4})


def test_a_tree_that_is_cut_where_chains_disagree_has_their_rhat():
    models = (("tiwd", "annealed"), ("wd", "annealed"), ("ward", "cut"))
    rows = [
        frames.score_row("separated", draw, model, 0.5, partition=partition, rhat=rhat)
        for draw, tiwd in enumerate((1.01, 2.5))
        for (model, partition), rhat in zip(models, (tiwd, 1.2, np.nan), strict=True)
    ]
    rhat = final_scores(pd.DataFrame(rows)).groupby("model")["rhat"].agg(list)
    assert rhat["ward"] == [1.01, 2.5] and rhat["wd"] == [1.2, 1.2]


def test_a_class_may_be_called_as_what_is_missing(tmp_path):
    path = tmp_path / "assignments.csv"
    path.write_text("item,group,length,block,kind,probability\n1,NA,,None,class,0.5\n")
    (row,) = samplers.read_assignments([path]).to_dict("records")
    assert (row["group"], row["block"]) == ("NA", "None") and math.isnan(row["length"])


def test_every_repetition_is_in_the_table_with_the_mean_over_them():
    scores = frames.scores(frames.EXPERIMENT1, 6, chains=2)
    table = tables.figure2_table("tiwd_fig2", scores)
    assert list(table.columns) == list(tables.BOX_COLUMNS) and len(table) == 2 * 5 * 6
    assert list(table["system"].unique()) == ["TIWD", "Ward", "CL", "SL", "AL"]
    part = table[(table["role"] == "overlapping") & (table["system"] == "Ward")]
    assert part["n_chains"].eq(2).all() and part["n_draws"].eq(6).all() and part["comparable"].all()
    assert part["mean"].iloc[0] == pytest.approx(part["ari"].mean())
    assert part["se"].iloc[0] == pytest.approx(part["ari"].std() / math.sqrt(6))


def test_figure4_has_its_own_setting_first():
    table = tables.figure4_table("tiwd_fig4", frames.scores(frames.EXPERIMENT3, 3))
    roles = list(table["role"].unique())
    assert roles[:2] == ["means_c100_d3_mu0", "means_c100_d3_mu40"]
    assert roles[4] == "means_c15_d3_mu0" and len(roles) == 8
    assert list(table["system"].unique()) == ["WD", "WD_R", "WD_R (kernel PCA)", "TIWD"]
    with pytest.raises(DataError, match="tiwd_fig4 has no data set among means_c100_d3_mu0"):
        tables.figure4_table("tiwd_fig4", frames.scores(frames.EXPERIMENT1, 1))


def test_a_trace_settles_when_it_reaches_its_level():
    # The level is 11, and the trace is within one cluster of it from the sweep that reaches 10.
    climb = np.concatenate([np.arange(1, 12), np.full(389, 11)])
    assert settling_sweep(climb) == 10
    assert settling_sweep(np.full(200, 7)) == 1
    # An excursion of a few windows counts, a single sweep of a long trace does not.
    late = np.full(1000, 11)
    late[300:320] = 4
    assert settling_sweep(late) == 321
    late[300:320] = 11
    late[300] = 4
    assert settling_sweep(late) == 1
    # A trace that still climbs at its end has no level.
    assert settling_sweep(np.arange(1000)) == 1001
    # Averaged over windows of 202 sweeps, a wave of period 628 has the standard deviation
    # 0.84 * 3/sqrt(2). Three of these below 11 is 5.7, which is reached at sweep 19 of 40.
    slow = np.concatenate([np.linspace(1, 11, 40), 11 + 3 * np.sin(np.arange(4000) / 100)])
    assert 18 <= settling_sweep(slow) <= 22


def test_share_of_the_steps_down_on_the_way_up():
    assert backward_share([1, 2, 3, 4, 4, 4, 4, 4]) == 0
    # 1 2 1 3 4: up by four and down by one until 4 is reached; later steps do not count.
    assert backward_share([1, 2, 1, 3, 4, 3, 4, 5, 4, 4]) == pytest.approx(1 / 4)
    assert math.isnan(backward_share([4, 4, 4]))


def test_the_trace_table_has_the_printed_numbers_and_every_sweep(tmp_path):
    frames.save_traces(tmp_path / "traces.npz", frames.traces(n_draws=1, n_sweeps=1000))
    found = samplers.read_traces(tmp_path / "traces.npz")
    assert found[0].burn_in == 500 and found[0].n_clusters.shape == (2, 1000)
    scores = frames.scores({"large": {"tiwd": 0.9}}, 1, chains=2, seconds_per_sweep=0.036)
    table = samplers.trace_table("tiwd_fig3", found, scores, PUBLISHED.fig3)
    assert list(table.columns[: len(COLUMNS)]) == list(COLUMNS)
    hours = row_of(table, metric="hours for 5,000 sweeps")
    assert hours["mean"] == pytest.approx(0.05) and hours["published"] == 2
    assert row_of(table, metric="sweeps until stable")["published"] == 500
    chains = table[table["summary"] == "chains"]
    clusters = row_of(chains, metric="clusters")
    assert math.isnan(clusters["published"]) and clusters["truth"] == 10 and len(chains) == 3
    trace = table[(table["summary"] == "trace") & (table["chain"] == 1)]
    np.testing.assert_array_equal(trace["mean"], found[0].n_clusters[1])
    assert trace["sweep"].tolist() == list(range(1, 1001))
    with pytest.raises(DataError, match="no number of clusters of wd"):
        samplers.read_traces(tmp_path / "traces.npz", "wd")
    np.savez(tmp_path / "old.npz", **{"large/0/tiwd/n_clusters": np.ones((1, 3))})
    with pytest.raises(DataError, match="make the traces again"):
        samplers.read_traces(tmp_path / "old.npz")


def test_exponents_are_found_on_both_axes():
    table = tables.scaling_table("tiwd_scaling", frames.timings(noise=0.0), PUBLISHED.scaling)
    for algorithm, (_factor, of_n, of_k) in frames.POWERS.items():
        for axis, power in (("n", of_n), ("k", of_k)):
            rows = table[(table["algorithm"] == algorithm) & (table["axis"] == axis)]
            assert len(rows) == 5 and rows["exponent"].to_numpy() == pytest.approx([power] * 5)
            assert rows["exponent_se"].max() < 1e-6
    secular = table[(table["algorithm"] == "secular") & (table["axis"] == "k")]
    assert secular["n_items"].eq(400).all() and secular["published"].eq(2).all()
    assert table.loc[table["algorithm"] == "cached", "published"].isna().all()
    # Long series are fitted at their upper half.
    n = np.geomspace(10, 10_000, 10)
    points = pd.DataFrame({"n_items": n, "n_clusters": 10, "seconds_per_sweep": n**2 + 100 * n})
    power, error, n_fitted = tables.exponent(points, "n")
    assert n_fitted == 5 and 1.85 < power < 2 and error > 0
    assert power > tables.exponent(points.iloc[:7], "n")[0]


def test_readings_stand_on_common_draws_with_their_change():
    scores = frames.readings({"tiwd": 10, "tiwd_printed": 12}, 5)
    scores = scores[(scores["model"] == "tiwd") | (scores["draw"] < 3)]
    table = tables.readings_table("tiwd_readings", scores)
    assert list(table.columns) == [*COLUMNS, *tables.READING_EXTRA]
    assert set(table["n_draws"]) == {3} and table["published"].isna().all()
    row = row_of(table, system="TIWD, exponent as printed", metric="clusters")
    assert row["change"] == pytest.approx(2) and row["change_se"] == 0 and row["truth"] == 10
    own = row_of(table, system="TIWD", metric="clusters")
    assert row["mean"] - own["mean"] == pytest.approx(2) and math.isnan(own["change"])
    with pytest.raises(DataError, match="no reading beside the model"):
        tables.readings_table("tiwd_readings", scores[scores["model"] == "tiwd"])
    given = {"means_c100_d3_mu0": {"tiwd": 0.9, "wdr_direct": 0.7, "wdr_d_less_1": 0.75}}
    table = tables.readings_table("tiwd_readings", frames.scores(given, 4))
    assert list(table["system"].unique()) == ["WD_R", "WD_R, d - 1 degrees of freedom"]
    change = row_of(table, system="WD_R, d - 1 degrees of freedom", metric="ARI")["change"]
    assert change == pytest.approx(0.05, abs=0.01)
    # A model of one's own stands beside TIWD under its name.
    scores = frames.readings({"tiwd": 10, "tiwd_printed": 12, "neighbours": 13})
    table = tables.readings_table("tiwd_readings", scores)
    assert row_of(table, system="neighbours", metric="clusters")["change"] == pytest.approx(3)
    scores = frames.scores({"proteins": {"tiwd_free": 0.8, "tiwd_pyp": 0.7, "neighbours": 0.6}}, 1)
    table = tables.labelled_table("tiwd_labelled", scores, None, None, PUBLISHED.fig5)
    assert list(table["system"].unique()) == ["TIWD", "TIWD, Pitman-Yor prior", "neighbours"]
    assert set(table["dataset"]) == {"proteins"} and not table["truth"].notna().all()


def test_chains_that_start_elsewhere_stand_apart_and_their_r_hat_is_told():
    one = frames.scores({"separated": {"tiwd": 0.0, "ward": 0.9}}, 2, noise=0.0, rhat=1.2)
    many = one.assign(chain=1, start="many", ari=one["ari"] + 0.1, rhat=[1.2, 1.2, 3.0, 3.0])
    one["at_end"] = (one["model"] == "tiwd") & (one["draw"] == 1)
    best = one.assign(partition="map", log_joint=-3.0)
    table = tables.figure2_table("tiwd_fig2", pd.concat([one, many, best]))
    assert table["start"].tolist() == ["one", "one", "many", "many"] * 2
    found = table[table["system"] == "TIWD"].groupby("start")[["mean", "log_joint"]].first()
    assert found.loc["many", "mean"] - found.loc["one", "mean"] == pytest.approx(0.1)
    assert found.loc["one", "log_joint"] == -3 and math.isnan(found.loc["many", "log_joint"])
    # The best state lies above the true blocks, and yet its partition is not theirs.
    tiwd = table[table["system"] == "TIWD"].groupby("start")[["at_end", "above_true"]]
    assert table["log_joint_true"].eq(-90).all()
    assert tiwd.agg(set).loc["one"].tolist() == [{1}, {2}]
    assert tiwd.agg(set).loc["many"].tolist() == [{0}, {0}]
    readings = frames.readings({"tiwd": 10, "tiwd_printed": 12}).assign(rhat=1.3)
    assert set(tables.readings_table("tiwd_readings", readings)["rhat_max"]) == {1.3}


def globin_scores(status="stand-in", role="globins"):
    models = {"tiwd_free": 0.8, "tiwd": 0.9, "tiwd_hidden": 0.7}
    models |= {"ward": 0.6, "complete": 0.5, "single": 0.1, "average": 0.4}
    scores = frames.scores({role: models}, 1, chains=3, status=status, noise=0.0)
    right = np.where(scores["model"] == "tiwd_hidden", 0.75, np.nan)
    return scores.assign(at_end=scores["model"] == "tiwd", right=right, blocks_each=2 * right)


def test_counts_of_blocks_and_of_what_they_hold():
    counts = samplers.block_counts(frames.blocks(joined=0.9, new=(80, 15, 5)))
    assert counts["classes"] == 6 and counts["labelled"] == 285 and counts["unlabelled"] == 1000
    assert counts["share in classes"] == pytest.approx(0.9)
    # The blocks hold 80, 15 and 5 of 1,000 objects; two of them hold at least 1 %.
    assert counts["new blocks"] == 3 and counts["new blocks of 1 %"] == 2
    # Objects are right in their class or in a new block; g has no known group.
    given = frames.assignments()
    assert samplers.placed_right(given, frames.blocks()) == pytest.approx(4 / 6)
    assert math.isnan(samplers.placed_right(given.assign(group=np.nan), frames.blocks()))


def test_the_labelled_table_stands_beside_the_printed_counts():
    given = (frames.blocks(), frames.assignments(), PUBLISHED.fig5)
    table = tables.labelled_table("tiwd_labelled", globin_scores(), *given)
    assert list(table.columns) == [*COLUMNS, "truth", "rhat_max", "at_end"]
    kept = table["system"].eq("TIWD, labels kept")
    assert table["at_end"].eq(kept.astype(int)).all()
    row = row_of(table, system="TIWD", metric="ARI")
    assert row["mean"] == pytest.approx(0.8) and row["n_chains"] == 3 and row["se"] == 0
    assert row_of(table, system="TIWD", metric="clusters")["truth"] == 10
    kept = row_of(table, system="TIWD, labels kept", metric="clusters")
    assert math.isnan(kept["truth"])
    hidden = row_of(table, metric="share in own class")
    assert hidden["system"] == "TIWD, some labels hidden" and hidden["mean"] == 0.75
    assert row_of(table, metric="new blocks of an unlabelled class")["mean"] == 1.5
    assert row_of(table, metric="unlabelled")["published"] == 2603
    assert row_of(table, metric="new blocks")["difference"] == 1
    assert not table["comparable"].any() and table["z"].isna().all()
    assert row_of(table, metric="placed right")["mean"] == pytest.approx(4 / 6)
    # One summary for each system, or the page would call its rows the best of several.
    assert table.groupby("system")["summary"].nunique().eq(1).all()
    proteins = globin_scores("faithful", "protein213")
    other = tables.labelled_table("t", proteins, None, None, PUBLISHED.fig5)
    assert len(other) == 7 * 2 + 2
    # Where every object is labelled there is nothing to place.
    labelled = frames.blocks(dataset="protein213").assign(n_unlabelled=0)
    again = tables.labelled_table("t", proteins, labelled, None, PUBLISHED.fig5)
    assert len(again) == len(other)


def test_the_new_blocks_are_listed_first():
    table = samplers.blocks_table("tiwd_fig5", frames.blocks(), globin_scores(), PUBLISHED.fig5)
    assert row_of(table, metric="classes")["published"] == 114
    assert set(table["rhat_max"]) == {1.001} and set(table["at_end"]) == {1}
    listed = table[table["kind"].notna()]
    assert listed["system"].tolist()[:2] == ["new 1", "new 2"] and len(listed) == 10
    assert listed["shortest"].iloc[0] == 60 and listed["mean"].iloc[0] == 29
    families = frames.blocks(dataset="families")
    other = samplers.blocks_table("t", families, globin_scores(role="families"), PUBLISHED.fig5)
    assert other["published"].isna().all()
