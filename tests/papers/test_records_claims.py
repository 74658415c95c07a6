"""The claims of the records paper, judged on frames whose verdict is known."""

import math
import re
from functools import cache

import numpy as np
import pandas as pd
import pytest
import record_frames as frames

from reseat.metrics import false_discovery_rate, false_negative_rate
from reseat.papers.records import claims, formulas
from reseat.papers.records.claims import CLAIMS
from reseat.papers.records.evidence import RecordsEvidence, least_false_discovery_rate
from reseat.vocabulary import CLAIM_COLUMNS

NOTHING = frames.summaries(1).iloc[:0]


def evidence_of(summaries=NOTHING, runs=None, growth=None, invariance=None):
    return RecordsEvidence(summaries, runs, growth, invariance, frames.PUBLISHED, seed=3)


def test_derived_formulas_are_right_and_the_enumeration_would_see_a_wrong_one(monkeypatch):
    assert formulas.reseating_error("derived") < 1e-12
    assert formulas.r_conditional_error(0.0) < 1e-12
    sizes_only = formulas.NBNB.log_prob_sizes
    monkeypatch.setattr(
        formulas.NBNB, "log_prob_sizes", lambda self, m, n: sizes_only(self, m, n) + 1e-6 * sum(n)
    )
    row = claims.mic1(evidence_of())
    assert row["verdict"] == "refuted" and row["effect"] == pytest.approx(5e-6, rel=1e-3)


def test_partitions_are_generated_with_the_probability_worked_out_by_hand():
    total = sum(formulas._generated(3, formulas._nbnb_urn).values())
    # P(N = 3), summed over the number of blocks and their sizes.
    kappa = [formulas._truncated(formulas.A, formulas.Q, k) for k in (1, 2, 3)]
    mu = [None, *(formulas._truncated(formulas.R, formulas.P, m) for m in (1, 2, 3))]
    by_hand = kappa[0] * mu[3] + kappa[1] * 2 * mu[1] * mu[2] + kappa[2] * mu[1] ** 3
    assert total == pytest.approx(by_hand)


def test_shares_that_vanish_and_shares_that_last():
    draws = frames.prior_draws()
    row = claims.mic6(evidence_of(growth=draws))
    assert row["verdict"] == "confirmed" and row["low"] < row["effect"] < row["high"] < -0.5
    assert "NBD is not judged" in row["evidence"] and "40 draws a point" in row["evidence"]
    assert claims.mic7(evidence_of(growth=draws))["verdict"] == "confirmed"
    swapped = {"NBNB": "DP", "NBD": "PYP", "DP": "NBNB", "PYP": "NBD"}
    swapped = draws.assign(system=draws["system"].map(swapped))
    for rule in (claims.mic6, claims.mic7):
        assert rule(evidence_of(growth=swapped))["verdict"] == "refuted"
    # Too few sizes decide nothing.
    row = claims.mic6(evidence_of(growth=frames.prior_draws(items=(50, 100))))
    assert row["verdict"] == "untestable" and math.isnan(row["effect"])
    without = draws[draws["system"] != "NBNB"]
    assert "no draws from NBNB" in claims.mic6(evidence_of(growth=without))["evidence"]


def test_invariance_is_judged_on_the_state_free_order_only():
    row = claims.mic8(evidence_of(invariance=frames.invariance(1e-14, 5e-3)))
    assert row["verdict"] == "confirmed" and row["effect"] == 1e-14
    assert "settle up to 5.0e-03 away" in row["evidence"]
    row = claims.mic8(evidence_of(invariance=frames.invariance(1e-4)))
    assert row["verdict"] == "refuted"
    row = claims.mic8(evidence_of(invariance=frames.invariance(irreducible=False)))
    assert row["verdict"] == "refuted" and "not every partition" in row["evidence"]
    other = frames.invariance()
    other = other[other["order"] != "ascending"]
    assert claims.mic8(evidence_of(invariance=other))["verdict"] == "untestable"


FAST = {"gibbs": 0.5, "chaperones_uniform": 0.1, "chaperones_similarity": 4.0}


def test_moves_confirmed_refuted_and_undecided():
    row = claims.mic9(evidence_of(runs=frames.moves(FAST)))
    assert row["verdict"] == "confirmed" and 7 < row["effect"] < 9 and row["low"] > 1
    assert row["evidence"].startswith("On italy_d05_0: ") and "4 chains each" in row["evidence"]
    assert "errors apart" not in row["evidence"]
    frame = frames.moves(FAST)
    frame.loc[frame["move"] == "gibbs", "mean"] += 4 * math.hypot(0.3, 0.3)
    row = claims.mic9(evidence_of(runs=frame))
    assert row["verdict"] == "untestable"
    assert "up to 4.0 standard errors apart" in row["evidence"]
    apart = frames.moves(FAST).assign(rhat=1.01)
    assert claims.mic9(evidence_of(runs=apart))["verdict"] == "confirmed"
    apart.loc[(apart["move"] == "gibbs") & (apart["chain"] == -1), "rhat"] = 1.4
    row = claims.mic9(evidence_of(runs=apart))
    assert row["verdict"] == "untestable"
    assert row["evidence"].endswith("; not converged: Gibbs on italy_d05_0.")
    alone = frames.moves({"gibbs": 1.0})
    assert "did not both run" in claims.mic9(evidence_of(runs=alone))["evidence"]


@pytest.mark.parametrize(
    "speed, given, verdict",
    [
        *((0.2, {}, "refuted"), (0.5, {}, "untestable"), (4.0, {"chains": 1}, "untestable")),
        (4.0, {"status": "generated"}, "untestable"),
    ],
)
def test_moves_that_are_slower_or_decide_nothing(speed, given, verdict):
    runs = frames.moves(FAST | {"chaperones_similarity": speed}, **given)
    row = claims.mic9(evidence_of(runs=runs))
    assert row["verdict"] == verdict and row["effect"] == pytest.approx(2 * speed, rel=0.15)


def test_chaperones_are_compared_with_split_merge_too():
    speeds = {"gibbs": 0.5, "chaperones_similarity": 4.0, "split_merge": 2.0}
    row = claims.mic22(evidence_of(runs=frames.moves(speeds)))
    assert row["verdict"] == "confirmed" and row["effect"] == pytest.approx(2, rel=0.1)
    assert "over split-merge moves, in 4 chains each" in row["evidence"]
    faster = frames.moves(speeds | {"split_merge": 9.0}, dataset="nltcs5000_d05_0")
    both = pd.concat([frames.moves(speeds), faster])
    assert claims.mic22(evidence_of(runs=both))["verdict"] == "refuted"
    assert claims.mic9(evidence_of(runs=both))["verdict"] == "confirmed"
    row = claims.mic22(evidence_of(runs=frames.moves({"gibbs": 1.0, "chaperones_similarity": 1.0})))
    assert row["verdict"] == "untestable" and "did not both run" in row["evidence"]


@cache
def better(gap):
    """Return a function of values that let NBNB and NBD lead by `gap`, NBD by a little more."""

    def value(role, delta, model, quantity):
        if role in ("syria2000", "syriasizes"):
            # DP leads in the rates, NBD in the sizes: no pattern.
            ahead = (model in ("nbnb", "nbd")) == (quantity not in ("fnr", "fdr"))
        else:
            ahead = model in ("nbnb", "nbd")
        lead = gap * (1 + 10 * delta) * ahead + 0.02 * (model == "nbd") * (gap > 0)
        truths = {"n_clusters": 1000.0, "n_singletons": 650.0, "max_size": 4.0}
        truths |= {"mean_size": 1.5, "size_p90": 3.0, "delta": delta}
        if quantity in ("fnr", "fdr"):
            return 0.4 - lead, 0.0
        truth = truths[quantity]
        if quantity == "n_clusters":
            over = role != "syria2000" and model in ("dp", "pyp")
            return truth * (1.05 if over else 0.99), truth
        return truth * (1.4 - lead), truth

    return value


@cache
def summaries_of(value, **given):
    """Return summaries of six draws, made once, as this takes most of the time."""
    return frames.summaries(6, value, **given)


def judged(rule, value, **given):
    return rule(evidence_of(summaries_of(value, noise=1e-3, **given)))


@pytest.mark.parametrize("rule", [claims.mic10, claims.mic11])
def test_almost_all_variants(rule):
    row = judged(rule, better(0.05))
    assert (row["verdict"], row["effect"], row["low"], row["high"]) == ("confirmed", 6, 6, 6)
    assert row["evidence"].startswith("On Italy and NLTCS5000, 6 data draws a variant: on 6 of 6")
    row = judged(rule, better(-0.05))
    assert (row["verdict"], row["effect"]) == ("refuted", 0)
    assert "worse on Italy at .02, Italy at .05" in row["evidence"]


def test_one_variant_may_fail_and_two_may_not():
    good = better(0.05)

    def failing(deltas):
        def value(role, delta, model, quantity):
            if role == "italy" and delta in deltas and quantity == "fdr" and model == "nbnb":
                return 0.6, 0.0
            return good(role, delta, model, quantity)

        return value

    row = judged(claims.mic10, failing((0.1,)))
    assert (row["verdict"], row["effect"]) == ("confirmed", 5)
    row = judged(claims.mic10, failing((0.05, 0.1)))
    assert (row["verdict"], row["effect"]) == ("refuted", 4)
    assert judged(claims.mic11, failing((0.05, 0.1)))["effect"] == 6


def test_a_missing_variant_leaves_a_claim_open_and_is_named():
    summaries = summaries_of(better(0.05))
    gone = (summaries["role"] == "nltcs5000") & (summaries["delta_true"] == 0.1)
    row = claims.mic10(evidence_of(summaries[~gone]))
    assert (row["verdict"], row["effect"]) == ("untestable", 5)
    assert row["evidence"].endswith("nothing was run for NLTCS5000 at .1.")
    row = claims.mic15(evidence_of(summaries[~gone]))
    assert row["verdict"] == "untestable" and "for NLTCS5000." in row["evidence"]


@pytest.mark.parametrize(("rule", "value"), [(claims.mic15, 0.05), (claims.mic16, -0.05)])
def test_one_process_alone_decides_nothing_about_both(rule, value):
    summaries = summaries_of(better(value), status="faithful")
    row = rule(evidence_of(summaries[summaries["model"] != "pyp_sampled"]))
    assert row["verdict"] == "untestable" and "nothing was run for PYP on" in row["evidence"]


def test_a_share_of_some_variants_decides_nothing_about_all():
    summaries = summaries_of(better(-0.05), status="faithful")
    assert claims.mic12(evidence_of(summaries))["verdict"] == "refuted"
    some = summaries[(summaries["role"] != "italy") | (summaries["delta_true"] == 0.1)]
    assert claims.mic12(evidence_of(some))["verdict"] == "untestable"


def test_few_draws_have_no_interval_and_decide_nothing():
    row = claims.mic10(evidence_of(frames.summaries(5, better(0.05))))
    assert row["verdict"] == "untestable" and row["effect"] == 6 and math.isnan(row["low"])
    assert "5 data draws a variant (an interval needs 6)" in row["evidence"]


def test_nbd_best_and_its_lead_growing():
    # The lead grows by .05 * 10 * (.1 - .02) in each of the four cells.
    for gap, verdict, share, growth in (
        (0.05, "confirmed", 1.0, 0.04),
        (-0.05, "refuted", 0.0, -0.04),
    ):
        row = judged(claims.mic12, better(gap))
        assert (row["verdict"], row["effect"]) == (verdict, share)
        row = judged(claims.mic13, better(gap))
        assert row["verdict"] == verdict and row["effect"] == pytest.approx(growth, abs=2e-3)


@pytest.mark.parametrize("rule", [claims.mic10, claims.mic12, claims.mic13])
def test_chains_that_disagree_are_named(rule):
    summaries = summaries_of(better(0.05)).assign(rhat=1.01)
    assert "not converged" not in rule(evidence_of(summaries))["evidence"]
    apart = (summaries["role"] == "italy") & (summaries["delta_true"] == 0.1)
    apart &= (summaries["model"] == "dp_sampled") & (summaries["quantity"] == "fnr")
    row = rule(evidence_of(summaries.assign(rhat=summaries["rhat"].mask(apart, 1.4))))
    assert "not converged: DP on Italy at .1" in row["evidence"]


def test_a_pattern_on_the_syria_sets():
    row = judged(claims.mic14, better(0.05))
    assert row["verdict"] == "untestable" and 0.25 < row["effect"] < 0.75
    assert row["evidence"].startswith("On the stand-ins Syria2000 and SyriaSizes, ")
    row = judged(claims.mic14, better(0.05), status="faithful")
    assert row["verdict"] == "confirmed" and 0.25 < row["effect"] < 0.75

    def one_sided(role, delta, model, quantity):
        return better(0.05)("italy", delta, model, quantity)

    row = judged(claims.mic14, one_sided, status="faithful")
    assert (row["verdict"], row["effect"]) == ("refuted", 1.0)


def test_overestimation_at_the_largest_delta():
    row = judged(claims.mic15, better(0.05))
    assert row["verdict"] == "untestable"  # on a stand-in for SyriaSizes
    row = judged(claims.mic15, better(0.05), status="faithful")
    assert row["verdict"] == "confirmed" and row["effect"] == pytest.approx(0.05, abs=2e-3)
    assert re.search(r"DP on Italy \+(4\.9|5\.0|5\.1)%", row["evidence"])
    assert "6 data draws" in row["evidence"]
    row = judged(claims.mic16, better(0.05), status="faithful")
    assert row["verdict"] == "confirmed" and row["effect"] == pytest.approx(-0.01, abs=3e-3)
    assert judged(claims.mic16, better(0.05))["verdict"] == "untestable"

    def pyp_alone(role, delta, model, quantity):
        return better(0.05)("italy" if model == "pyp" else role, delta, model, quantity)

    # It is enough for the exception if one of the two models does not overestimate.
    row = judged(claims.mic16, pyp_alone, status="faithful")
    assert row["verdict"] == "confirmed" and row["effect"] == pytest.approx(-0.01, abs=3e-3)

    def other_way(role, delta, model, quantity):
        swapped = {"syria2000": "italy", "italy": "syria2000"}
        return better(0.05)(swapped.get(role, role), delta, model, quantity)

    row = judged(claims.mic15, other_way)
    assert row["verdict"] == "refuted" and row["effect"] == pytest.approx(-0.01, abs=2e-3)
    assert judged(claims.mic16, other_way, status="faithful")["verdict"] == "refuted"


@pytest.mark.parametrize("rule", [getattr(claims, f"mic{n}") for n in (10, 11, 12, 13, 15)])
def test_stand_ins_and_single_chains_with_few_effective_draws_decide_nothing(rule):
    summaries = summaries_of(better(0.05), noise=1e-3, status="faithful")
    assert rule(evidence_of(summaries))["verdict"] == "confirmed"
    later = summaries["draw"] > 0
    alone = summaries.assign(
        rhat=summaries["rhat"].mask(later), n_chains=summaries["n_chains"].mask(later, 1)
    )
    assert rule(evidence_of(alone))["verdict"] == "confirmed"
    row = rule(evidence_of(alone.assign(ess=alone["ess"].mask(later, 2.0))))
    assert row["verdict"] == "untestable" and "; not converged: " in row["evidence"]
    for status in ("stand-in", "generated"):
        row = rule(evidence_of(summaries.assign(status=status)))
        assert row["verdict"] == "untestable" and math.isfinite(row["effect"])
    assert row["evidence"].startswith("On generated data: ")


def test_every_claim_has_one_row_even_without_evidence():
    found = CLAIMS.judge(evidence_of())
    assert tuple(found.columns) == CLAIM_COLUMNS
    # MIC-18 is about the printed table alone.
    keys = list(found["claim"].str.partition(":")[0])
    assert keys == [key for key in CLAIMS.claims if key != "MIC-18"]
    known = found["claim"].str.match(r"MIC-([1-5]|21):")
    assert (found.loc[~known, "verdict"] == "untestable").all()
    assert (found.loc[known, "verdict"] != "untestable").all()


def test_the_bound_on_false_discoveries_is_that_of_pairs():
    truth = np.array([0, 0, 1, 1, 2, 3, 4, 5])  # two true pairs
    rng = np.random.default_rng(0)
    for _ in range(200):
        labels = rng.integers(0, 8, truth.size)
        n_clusters = len(np.unique(labels))
        fnr, fdr = false_negative_rate(truth, labels), false_discovery_rate(truth, labels)
        assert least_false_discovery_rate(8, 2, n_clusters, fnr) <= fdr + 1e-12
    # The bound is attained if all links are pairs: here one of the two true ones, and a false one.
    assert least_false_discovery_rate(8, 2, 6, 0.5) == pytest.approx(0.5)
    assert least_false_discovery_rate(8, 2, 8, 1.0) == 0.0


def test_comparisons_are_judged_again_with_fixed_concentrations_and_with_means():
    good, bad = (summaries_of(better(gap), noise=1e-3) for gap in (0.05, -0.05))
    of_sets = good["quantity"].str.endswith("_matching_sets")
    # Only the rates of matching sets, with sampled concentrations, speak for NBNB and NBD.
    sampled = good.assign(mean=good["mean"].where(of_sets, bad["mean"]))
    names = {sampled: fixed for fixed, sampled in (("dp", "dp_sampled"), ("pyp", "pyp_sampled"))}
    fixed = bad[bad["model"].isin(names)].assign(mean=bad["mean"] * 0.8)
    both = pd.concat([sampled, fixed.replace({"model": names})], ignore_index=True)
    assert claims.mic10(evidence_of(both))["verdict"] == "confirmed"
    again = CLAIMS.judge_again(evidence_of(both), "fixed", "means", "fixed means")
    readings = again["claim"].str.extract(r"^(MIC-\d+) \((.*)\): ")
    ways = readings.groupby(0)[1].agg(set)
    of_rates = {"MIC-10", "MIC-12", "MIC-13", "MIC-14", "MIC-20"}
    fixed = "concentrations fixed"
    all_three = {fixed, "rates are posterior means", f"{fixed}, rates are posterior means"}
    assert set(ways.index) == of_rates | {"MIC-11", "MIC-15", "MIC-16"}
    for claim, found in ways.items():
        assert found == (all_three if claim in of_rates else {fixed})
    verdicts = dict(zip(again["claim"].str.partition(":")[0], again["verdict"], strict=True))
    assert verdicts["MIC-10 (rates are posterior means)"] == "refuted"
    assert verdicts[f"MIC-10 ({fixed}, rates are posterior means)"] == "refuted"
    assert len(CLAIMS.judge_again(evidence_of(good), "fixed")) == 0


def of_largest(nbd, nbnb):
    """Return a function of values with these sizes of the largest cluster."""

    def value(role, delta, model, quantity):
        if quantity != "max_size":
            return better(0.05)(role, delta, model, quantity)
        return {"nbd": nbd, "nbnb": nbnb}.get(model, 5.0), 2.0

    return value


def test_two_clean_files_need_nbd():
    row = judged(claims.mic19, of_largest(2.1, 3.4))
    assert row["verdict"] == "confirmed" and row["effect"] == pytest.approx(0.4, abs=2e-2)
    assert judged(claims.mic19, of_largest(2.1, 2.2))["verdict"] == "refuted"
    row = judged(claims.mic19, of_largest(2.8, 3.4))
    assert row["verdict"] == "refuted" and row["effect"] == pytest.approx(-0.3, abs=2e-2)
    assert judged(claims.mic19, of_largest(2.1, 3.4), status="stand-in")["verdict"] == "untestable"


def test_poor_rates_on_the_syria_sets():
    def poor(role, delta, model, quantity):
        value, truth = better(0.05)("italy", delta, model, quantity)
        worse = 0.2 * role.startswith("syria") * (quantity in ("fnr", "fdr"))
        return value + worse, truth

    row = judged(claims.mic20, poor, status="faithful")
    assert row["verdict"] == "confirmed" and row["effect"] == pytest.approx(0.2, abs=1e-2)
    row = judged(claims.mic20, poor)
    assert row["verdict"] == "untestable" and row["effect"] == pytest.approx(0.2, abs=1e-2)
    swapped = {"syria2000": "italy", "italy": "syria2000"}

    def other(role, *of):
        return poor(swapped.get(role, role), *of)

    assert judged(claims.mic20, other, status="faithful")["verdict"] == "refuted"


def test_of_two_recipes_of_a_set_the_first_is_judged_and_other_deltas_are_not():
    mine = frames.summaries(3, noise=0.01)
    others = [mine.assign(delta_true=0.2, mean=0.0)]  # a delta that the paper does not have
    recipe = frames.summaries(3, roles=("italy",), recipe="survey")
    others.append(recipe.assign(mean=0.0))
    both = pd.concat([mine, *others], ignore_index=True)
    rows = (CLAIMS.judge(evidence_of(summaries)) for summaries in (both, mine))
    pd.testing.assert_frame_equal(*rows)
