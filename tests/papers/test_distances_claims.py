"""The claims of the distances paper, judged on frames whose verdict is known."""

import math

import distance_frames as frames
import numpy as np
import pandas as pd
import pytest

from reseat.papers.distances import claims, formulas
from reseat.papers.distances.claims import CLAIMS
from reseat.papers.distances.evidence import DistancesEvidence
from reseat.papers.distances.results import LOST, SPLIT
from reseat.papers.distances.samplers import Trace
from reseat.papers.enumerated import partitions
from reseat.vocabulary import CLAIM_COLUMNS

NOTHING = frames.scores(frames.EXPERIMENT1, 1).iloc[:0]
LARGE = frames.scores({"large": {"tiwd": 0.9}}, 1)


def evidence_of(scores=NOTHING, **given):
    return DistancesEvidence(scores, frames.PUBLISHED, **given)


def changed(means, role, model, value):
    """Return the same means of the ARI, except for one of them."""
    return means | {role: means[role] | {model: value}}


def test_the_determinant_in_three_ways(monkeypatch):
    for labels in partitions(5):
        dense = formulas.log_determinant(labels, 0.7)
        assert formulas.log_determinant_closed(labels, 0.7) == pytest.approx(dense, abs=1e-12)
        assert formulas.log_determinant_secular(labels, 0.7) == pytest.approx(dense, abs=1e-11)
    assert formulas.exponent_error((formulas.N_ITEMS - 1) * formulas.DIM / 2) < 1e-12
    row = claims.tiwd8(evidence_of())
    assert row["verdict"] == "confirmed" and row["effect"] == row["low"] < 1e-12
    assert row["uncounted"] == "not a claim of the paper"
    right = formulas.log_determinant_closed
    monkeypatch.setattr(formulas, "log_determinant_closed", lambda z, t: 1.001 * right(z, t))
    assert claims.tiwd8(evidence_of())["verdict"] == "refuted"


def test_invariance():
    row = claims.tiwd7(evidence_of(invariance=frames.invariance()))
    assert row["verdict"] == "confirmed" and row["effect"] == 1e-10
    assert "translation changes those of WD by 42" in row["evidence"]
    assert claims.tiwd7(evidence_of(invariance=frames.invariance(1e-3)))["verdict"] == "refuted"
    some = frames.invariance().query("transformation != 'rotation'")
    row = claims.tiwd7(evidence_of(invariance=some))
    assert row["verdict"] == "untestable" and "nothing was run for rotation" in row["evidence"]
    assert claims.tiwd7(evidence_of())["verdict"] == "untestable"


ALL = frames.EXPERIMENT1 | frames.EXPERIMENT3
AT_ZERO = ("means_c15_d3_mu0", "means_c15_d100_mu0")
AT_3, AT_100 = "means_c15_d3_mu40", "means_c15_d100_mu40"


@pytest.mark.parametrize("number", ["1a", "1b", "3a", "3b", "4a", "4b", "4c", "4d"])
def test_what_is_as_the_paper_tells_it_is_confirmed(number):
    rule = getattr(claims, f"tiwd{number}")
    row = rule(evidence_of(frames.scores(ALL)))
    assert row["verdict"] == "confirmed" and row["low"] < row["effect"] < row["high"]
    assert "10 repetitions" in row["evidence"]
    made_up = rule(evidence_of(frames.scores(ALL, status="generated")))
    assert made_up["verdict"] == "untestable" and made_up["effect"] == row["effect"]
    single = rule(evidence_of(frames.scores(ALL, 1)))
    assert single["verdict"] == "untestable" and math.isnan(single["low"])


@pytest.mark.parametrize(
    "rule, role, model, value",
    [
        (claims.tiwd1a, "separated", "single", 0.4),
        (claims.tiwd1b, "overlapping", "ward", 0.84),
        (claims.tiwd3a, "means_c15_d3_mu0", "wd", 0.3),
        (claims.tiwd3b, "means_c15_d3_mu0", "wdr_kpca", 0.95),
        (claims.tiwd4a, AT_100, "wd", 0.6),
        (claims.tiwd4b, AT_3, "wdr_kpca", -0.2),
        (claims.tiwd4c, AT_100, "wdr_kpca", 0.89),
        (claims.tiwd4d, AT_3, "wdr_kpca", 0.89),
    ],
)
def test_what_is_otherwise_is_refuted(rule, role, model, value):
    row = rule(evidence_of(frames.scores(changed(ALL, role, model, value))))
    assert row["verdict"] == "refuted"
    if rule is claims.tiwd4c:  # Equal and perfect scores refute that the help is only partial.
        means = changed(changed(ALL, role, model, 1.0), role, "tiwd", 1.0)
        row = rule(evidence_of(frames.scores(means, noise=0.0)))
        assert (row["verdict"], row["effect"], row["low"], row["high"]) == ("refuted", 0, 0, 0)


@pytest.mark.parametrize("truth, verdict", [(0.7, "confirmed"), (0.9, "refuted"), (0.4, "refuted")])
def test_well_is_what_chains_from_the_true_blocks_reach(truth, verdict):
    means = {role: dict.fromkeys(("wd", "tiwd"), 0.7 if truth > 0.5 else 0.4) for role in AT_ZERO}
    reached = {role: dict.fromkeys(models, truth) for role, models in means.items()}
    found = pd.concat([frames.scores(means), frames.scores(reached, start="truth")])
    assert claims.tiwd3a(evidence_of(found))["verdict"] == verdict
    # Without such chains, it is a number.
    assert claims.tiwd3a(evidence_of(frames.scores(means)))["verdict"] == "refuted"


def test_the_comparison_is_made_draw_by_draw():
    # The draws differ far more than the models do on the same draw.
    scores = frames.scores({"overlapping": dict.fromkeys(("tiwd", "ward"), 0.5)}, 8, noise=0.0)
    draws = np.random.default_rng(3).uniform(-0.4, 0.4, 8)
    scores["ari"] += scores["draw"].map(dict(enumerate(draws))) + 0.1 * (scores["model"] == "tiwd")
    gain = evidence_of(scores).gain("overlapping", "tiwd", "ward")
    assert gain.to_numpy() == pytest.approx([0.1] * 8)
    row = claims.tiwd1b(evidence_of(scores))
    assert row["effect"] == pytest.approx(0.1) and "nothing was run for" in row["evidence"]
    assert row["verdict"] == "untestable"  # three of the methods are missing


def test_annealing_by_d_is_judged_by_the_clusters_it_leaves():
    name = "tiwd_anneal_likelihood"
    row = claims.tiwd10(evidence_of(frames.readings({"tiwd": 10, name: 18})))
    assert row["verdict"] == "refuted" and row["effect"] == pytest.approx(8)
    assert "ARI changes by -0.08" in row["evidence"]
    for given, verdict in (({name: 10}, "confirmed"), ({}, "untestable")):
        row = claims.tiwd10(evidence_of(frames.readings({"tiwd": 10} | given)))
        assert row["verdict"] == verdict


def test_a_trace_that_settles_early_and_one_that_does_not():
    near = frames.traces(settles=400)
    assert claims.tiwd2a(evidence_of(LARGE, traces=near))["verdict"] == "confirmed"
    row = claims.tiwd2a(evidence_of(LARGE, traces=frames.traces()))
    assert row["verdict"] == "refuted" and row["high"] < 100
    assert "6 chains on 3 draws of 4,000 sweeps" in row["evidence"]
    assert "500 being printed" in row["evidence"]
    slow = frames.traces(n_sweeps=6000, settles=2000)
    row = claims.tiwd2a(evidence_of(LARGE, traces=slow))
    assert row["verdict"] == "refuted" and row["effect"] > 1000
    short = frames.traces(n_sweeps=600)
    assert claims.tiwd2a(evidence_of(LARGE, traces=short))["verdict"] == "untestable"
    # Chains on one draw of the data say nothing about other draws.
    alone = claims.tiwd2a(evidence_of(LARGE, traces=frames.traces(n_draws=1)))
    assert alone["verdict"] == "untestable" and "2 chains on 1 draw of" in alone["evidence"]
    assert "no trace" in claims.tiwd2a(evidence_of(LARGE))["evidence"]


def test_a_rise_is_almost_monotone_or_not():
    row = claims.tiwd2b(evidence_of(LARGE, traces=frames.traces()))
    assert row["verdict"] == "confirmed" and row["effect"] == 0
    climb = np.ravel([(k, k - 1) for k in range(2, 12)])
    rough = np.tile(np.concatenate([climb, [20] * 60]), (3, 1))
    traces = tuple(Trace("large", draw, "tiwd", rough, 10) for draw in range(2))
    row = claims.tiwd2b(evidence_of(LARGE, traces=traces))
    # The trace goes up by 2 and down by 1 in turn.
    assert row["verdict"] == "refuted" and 0.3 < row["effect"] < 0.6


def test_cost_of_a_sweep():
    row = claims.tiwd5(evidence_of(timings=frames.timings()))
    assert row["verdict"] == "refuted" and row["effect"] == pytest.approx(2.9, abs=0.1)
    assert row["evidence"].startswith("Counted terms of the secular equation")
    row = claims.tiwd5_closed(evidence_of(timings=frames.timings()))
    assert row["verdict"] == "confirmed" and row["claim"].startswith("TIWD-5 (closed form): ")
    some = frames.timings().query("n_clusters == 10")
    row = claims.tiwd5(evidence_of(timings=some))
    assert row["verdict"] == "untestable" and "no sweeps of the secular" in row["evidence"]
    assert claims.tiwd5(evidence_of())["verdict"] == "untestable"


def test_degrees_of_freedom_and_lambda_matter_little_or_much():
    """The dissimilarities are a single set, so that chains are compared instead of draws."""
    names = {"tiwd": 0.9, "tiwd_d_half": 0.88, "tiwd_d_twice": 0.91}
    points = frames.scores({"overlapping": names}, 10)
    free = {"tiwd_free": 0.6, "tiwd_free_d_half": 0.62, "tiwd_free_d_twice": 0.58}
    real = frames.scores({"protein213": free}, 1, chains=4)
    real["ari"] += 0.002 * real["chain"]
    row = claims.tiwd12(evidence_of(pd.concat([points, real])))
    assert row["verdict"] == "confirmed" and abs(row["effect"]) < 0.04
    critical = real["ari"].where(real["model"] != "tiwd_free_d_half", 0.2)
    row = claims.tiwd12(evidence_of(pd.concat([points, real.assign(ari=critical)])))
    assert row["verdict"] == "refuted" and row["effect"] == pytest.approx(-0.4, abs=0.02)
    row = claims.tiwd12(evidence_of(points))
    assert row["verdict"] == "untestable" and "Protein 213" in row["evidence"]
    # So does lambda, wherever it is varied, and sampled.
    names = {"tiwd": 0.9, "tiwd_lambda_01": 0.89, "tiwd_lambda_sampled": 0.9}
    for value, verdict in ((0.91, "confirmed"), (0.5, "refuted")):
        scores = frames.scores({"overlapping": names | {"tiwd_lambda_10": value}})
        assert claims.tiwd13(evidence_of(scores))["verdict"] == verdict


def test_hidden_labels_come_back_and_hidden_classes_have_a_block():
    scores = frames.scores({"globins_added": {"tiwd_new_d_50": 0.9}}, 1, chains=4, nearest=0.97)
    scores = scores.assign(right=0.95 + 0.001 * scores["chain"], blocks_each=1.2)
    good = claims.tiwd14a(evidence_of(scores)), claims.tiwd14b(evidence_of(scores))
    assert [row["verdict"] for row in good] == ["confirmed"] * 2 and good[1]["effect"] == 1.2
    assert good[0]["evidence"].endswith("the nearest label returns 0.97.")
    for number in (0.0, 2.5):  # no block, and several
        row = claims.tiwd14b(evidence_of(scores.assign(blocks_each=number)))
        assert row["verdict"] == "refuted"
    assert claims.tiwd14a(evidence_of(scores.assign(right=0.5)))["verdict"] == "refuted"
    row = claims.tiwd14a(evidence_of(scores.assign(rhat=2.0)))
    assert row["verdict"] == "untestable" and "not converged: TIWD, class" in row["evidence"]


def globins(status):
    return frames.scores({"globins": {"tiwd": 0.8}}, 1, status=status)


def test_unlabelled_objects_join_classes_or_do_not():
    for joined, verdict in ((0.96, "confirmed"), (0.3, "refuted")):
        blocks = frames.blocks(joined=joined)
        row = claims.tiwd6a(evidence_of(globins("faithful"), blocks=blocks))
        assert row["verdict"] == verdict and row["effect"] == pytest.approx(joined, abs=0.002)
        row = claims.tiwd6a(evidence_of(globins("stand-in"), blocks=blocks))
        assert row["verdict"] == "untestable" and "On the stand-in globins" in row["evidence"]
    assert "so that they decide nothing" in row["evidence"]
    assert claims.tiwd6a(evidence_of())["verdict"] == "untestable"


def test_a_few_new_classes():
    row = claims.tiwd6b(evidence_of(globins("faithful"), blocks=frames.blocks(0.9)))
    assert row["verdict"] == "confirmed" and row["effect"] == 2
    none = frames.blocks(0.99, new=())
    assert claims.tiwd6b(evidence_of(globins("faithful"), blocks=none))["verdict"] == "refuted"
    many = frames.blocks(0.5, new=(1,) * 12)
    row = claims.tiwd6b(evidence_of(globins("generated"), blocks=many))
    assert row["verdict"] == "untestable" and row["effect"] == 12


@pytest.mark.parametrize("claim", [claims.tiwd6a, claims.tiwd6b])
def test_unlabelled_objects_decide_nothing_where_chains_disagree(claim):
    scores = globins("faithful")
    apart = scores.assign(rhat=scores["rhat"].where(scores["model"] != "tiwd", 2.6))
    row = claim(evidence_of(apart, blocks=frames.blocks(joined=0.96)))
    assert row["verdict"] == "untestable" and np.isnan(row["low"]) and np.isnan(row["high"])
    assert row["evidence"].endswith("; not converged: TIWD on globins.")
    # Whether a single chain depends on its start is not known.
    row = claim(evidence_of(scores.assign(rhat=np.nan), blocks=frames.blocks(joined=0.96)))
    assert row["verdict"] == "untestable" and "there is a single chain" in row["evidence"]


def test_every_claim_is_judged_once_with_or_without_results():
    rows = CLAIMS.judge(evidence_of())
    assert list(rows.columns) == list(CLAIM_COLUMNS)
    keys = rows["claim"].str.split(":").str[0]
    assert set(keys) == set(CLAIMS.claims) | {"TIWD-5 (closed form)"} and keys.is_unique
    assert (rows["verdict"] == "untestable").sum() == len(rows) - 3  # the formulas
    assert len(CLAIMS.judge_again(evidence_of())) == 0


def verdicts_of(rows):
    return rows.set_index(rows["claim"].str.split(":").str[0])["verdict"]


def test_claims_about_figure_4_are_judged_under_the_other_readings():
    means = changed(ALL, AT_3, "wdr_direct", 0.88)
    means = changed(means, "means_c100_d3_mu40", "wd", 0.5)
    rows = CLAIMS.judge_again(evidence_of(frames.scores(means)))
    verdicts = verdicts_of(rows)
    assert verdicts["TIWD-4b (row means of the data)"] == "refuted"
    assert verdicts["TIWD-4c (row means of the data)"] == "confirmed"
    assert verdicts["TIWD-4a (theta = 100/d)"] == "refuted"
    assert verdicts["TIWD-3a (theta = 100/d)"] == "confirmed"
    both = pd.concat([rows, CLAIMS.judge(evidence_of(frames.scores(means)))])
    assert both["claim"].is_unique


def test_claims_about_shifted_means_are_judged_again_by_chains_that_split_and_merge():
    found = frames.scores(changed(ALL, AT_3, "wd", 0.05))
    shifted = found[found["role"].str.endswith("mu40") & found["model"].isin(list(SPLIT))]
    split = shifted.assign(model=shifted["model"].map(SPLIT), ari=0.97)
    verdicts = verdicts_of(CLAIMS.judge_again(evidence_of(pd.concat([found, split]))))
    assert verdicts["TIWD-4a (splits and merges)"] == "refuted"
    assert verdicts["TIWD-4d (splits and merges)"] == "refuted"
    assert not any("split" in key for key in verdicts.index if key.startswith("TIWD-3"))
    plain = CLAIMS.judge_again(evidence_of(found))
    assert not plain["claim"].str.contains("split").any()


def test_the_dimension_that_is_lost_counts_where_it_was_run():
    found = frames.scores(changed(ALL, "means_c15_d3_mu0", "wdr_kpca", 0.2))
    few = found[found["role"].str.contains("_d3_") & (found["model"] == "wdr_kpca")]
    less = few.assign(model=LOST["wdr_kpca"], ari=0.99)
    assert claims.tiwd3b(evidence_of(found))["verdict"] == "confirmed"
    both = evidence_of(pd.concat([found, less]))
    row = claims.tiwd3b(both)
    assert row["verdict"] == "refuted"
    assert "WD over WD_R (kernel PCA), d - 1 degrees of freedom" in row["evidence"]
    assert verdicts_of(CLAIMS.judge_again(both))["TIWD-3b (d degrees of freedom)"] == "confirmed"


def test_models_whose_chains_disagree_are_named():
    scores = frames.scores(frames.EXPERIMENT3)
    assert "not converged" not in claims.tiwd4a(evidence_of(scores))["evidence"]
    stuck = (scores["model"] == "wd") & (scores["role"] == AT_3) & (scores["draw"] == 2)
    row = claims.tiwd4a(evidence_of(scores.assign(rhat=np.where(stuck, 1.3, 1.0))))
    assert row["verdict"] == "confirmed"
    assert row["evidence"].endswith("not converged: WD on theta = 15/d, d = 3, mean N(40, 0.1).")


def test_claims_are_judged_by_chains_from_one_block_and_again_by_others():
    one = frames.scores(frames.EXPERIMENT3)
    true = one.assign(chain=1, start="truth")
    found = true["ari"].where(true["model"] != "wd", 1.0)
    both = evidence_of(pd.concat([one, true.assign(ari=found)]))
    row = claims.tiwd4a(both)
    assert row["verdict"] == "confirmed"
    assert row["effect"] == claims.tiwd4a(evidence_of(one))["effect"]
    verdicts = verdicts_of(CLAIMS.judge_again(both))
    assert verdicts["TIWD-4a (from the true blocks)"] == "refuted"
    assert "TIWD-4a (from many blocks)" not in verdicts.index


def test_of_two_sets_of_a_role_the_first_is_judged():
    mine = frames.scores(frames.EXPERIMENT1)
    worse = {role: dict.fromkeys(means, 0.2) for role, means in frames.EXPERIMENT1.items()}
    other = frames.scores(worse)
    other["dataset"] += "_other"
    both = evidence_of(pd.concat([mine, other]))
    for rule in (claims.tiwd1a, claims.tiwd1b):
        assert str(rule(both)) == str(rule(evidence_of(mine)))
    traces = [Trace(name, 0, "tiwd", np.arange(1, 9)[None], 0) for name in ("large", "mine")]
    row = claims.tiwd2a(evidence_of(LARGE, traces=tuple(traces)))
    assert "1 chain on 1 draw of 8 sweeps" in row["evidence"]
