"""The claims of the relational paper, judged on frames whose verdict is known."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import relational_frames as frames

from reseat.papers.claims import exact
from reseat.papers.relational import claims, formulas
from reseat.papers.relational.claims import CLAIMS
from reseat.papers.relational.evidence import (
    RelationalEvidence,
    best_interval,
    by_all_classes,
    gap_interval,
)
from reseat.papers.relational.plan import BETTER
from reseat.vocabulary import CLAIM_COLUMNS

#: Names of the ways in which claims are judged again on our numbers.
READINGS = ("pairs", "start", "ours", "data")


def evidence_of(systems=None, n_restarts=10, status="stand-in", **given):
    identity = {name: given.pop(name) for name in ("role", "dataset") if name in given}
    made = (frames.restarts, frames.coverage, frames.purity)
    parts = (make(n_restarts, systems=systems, status=status, **identity) for make in made)
    return RelationalEvidence(*parts, frames.PUBLISHED, **given)


def merged(one, other):
    """Return the evidence of both."""
    names = ("restarts", "coverage", "purity")
    both = {name: pd.concat([getattr(one, name), getattr(other, name)]) for name in names}
    return replace(one, **both)


def test_the_best_restart_is_kept_in_every_resampling():
    elbo, values = np.arange(30.0), np.arange(30.0) ** 2
    rng = np.random.default_rng(1)
    estimate, low, high = best_interval((elbo, values), rng)
    # The best of 30 is drawn with probability 1 - (29/30)^30 = 0.64, and one of the best six
    # almost surely.
    assert estimate == high == 29**2 and 24**2 <= low < 29**2
    flat = best_interval((elbo, np.full(30, 7.0)), rng)
    assert flat == (7.0, 7.0, 7.0)


def test_gaps_are_reduced_after_the_best_are_kept():
    first = (np.repeat([1.0, 2.0], 4), np.repeat([[9.0, 9.0], [3.0, 1.0]], 4, axis=0))
    second = (np.repeat([2.0, 1.0], 4), np.repeat([[1.0, 2.0], [1.0, 2.0]], 4, axis=0))
    rng = np.random.default_rng(2)
    estimate, low, high = gap_interval(first, second, rng, reduce=lambda gaps: gaps.min(axis=-1))
    assert (estimate, low, high) == (-1.0, -1.0, 7.0)
    single = (np.array([1.0]), np.array([4.0]))
    assert gap_interval(single, None, rng)[0] == 4.0
    assert math.isnan(gap_interval(single, None, rng)[1])
    assert all(map(math.isnan, gap_interval((single[0][:0], single[1][:0]), single, rng)))


def test_observations_have_each_pair_as_often_as_it_was_seen_and_each_zero_once():
    found = formulas.firm_observations(formulas.COUNTS)
    assert len(found) == formulas.COUNTS.sum() + (formulas.COUNTS == 0).sum()
    assert found.count((0, 0, 1)) == 5 and found.count((0, 1, 0)) == 1


def test_both_models_agree_on_zeros_and_ones_and_on_nothing_else(monkeypatch):
    # In a single block, 16 of 22 observations are links, and so are 6 of 12 cells.
    together = ((0,) * 3, (0,) * 4)
    ones, zeros = formulas.COUNTS.sum(), (formulas.COUNTS == 0).sum()
    expected = formulas.betaln(0.1 + ones, 0.1 + zeros) - formulas.betaln(0.1, 0.1)
    assert formulas.firm_log_likelihood(formulas.COUNTS, *together) == pytest.approx(expected)
    difference, _n = formulas.largest_difference(formulas.COUNTS)
    assert difference > 1 and claims.firm1(None)["verdict"] == "confirmed"
    right = formulas.irm_log_likelihood
    monkeypatch.setattr(formulas, "irm_log_likelihood", lambda *given: 1.01 * right(*given))
    assert claims.firm1(None)["verdict"] == "refuted"


def test_an_update_that_loses_nothing_would_confirm_the_printed(monkeypatch):
    assert np.abs(formulas.stick_losses(printed=False)).max() < 1e-12
    assert claims.firm7(None)["verdict"] == "refuted"
    right = formulas.stick_parameters
    monkeypatch.setattr(
        formulas, "stick_parameters", lambda sizes, printed, **given: right(sizes, False, **given)
    )
    assert claims.firm7(None)["verdict"] == "confirmed"


SAME = ("firm", "same_numbers")


@pytest.mark.parametrize(
    "rule, effect",
    [
        *((claims.firm2a, 1.0), (claims.firm2b, 0.86)),
        *((claims.firm2c, 0.14), (claims.firm3, 32)),
        *((claims.firm5a, 0.55), (claims.firm8a, 0.10)),
        *((claims.firm8b, 0.08), (claims.firm6, 29.0)),
    ],
)
def test_what_is_as_the_paper_tells_it_is_confirmed(rule, effect):
    row = rule(evidence_of())
    assert row["verdict"] == "confirmed" and row["effect"] == pytest.approx(effect)
    assert row["low"] <= row["effect"] <= row["high"]
    assert "On the stand-in adjectives and nouns" in row["evidence"]


@pytest.mark.parametrize(
    "rule, key, given",
    [
        (claims.firm2a, ("firm", ""), {"covered": 48}),
        (claims.firm2b, ("irm", ""), {"covered": 50}),
        # A lead of zero is not a lead.
        (claims.firm2c, ("irm", ""), {"covered": 50}),
        (claims.firm3, ("firm", ""), {"clusters": (45, 60)}),
        (claims.firm4, ("irm", ""), {"first": 0.7}),
        (claims.firm5a, ("firm", ""), {"first": 0.9}),
        (claims.firm8a, SAME, {"first": 0.25}),
        (claims.firm8b, SAME, {"covered": 43}),
        # Random partitions have as great a lead.
        (claims.firm8c, ("firm", "random"), {"first": 0.40}),
        (claims.firm8d, ("firm", "random"), {"covered": 40}),
    ],
)
def test_what_is_otherwise_is_refuted(rule, key, given):
    assert rule(evidence_of(frames.changed(key, **given)))["verdict"] == "refuted"


def test_other_starts_are_further_readings_whatever_their_bound():
    evidence = evidence_of()
    ours = evidence.restarts["initialisation"] == BETTER
    fewer = evidence.restarts["n_row_clusters"].where(~ours, 20)
    better = evidence.restarts["elbo"].where(~ours, evidence.restarts["elbo"] + 250)
    restarts = evidence.restarts.assign(n_row_clusters=fewer, elbo=better)
    evidence = replace(evidence, restarts=restarts)
    assert claims.firm3(evidence)["verdict"] == "confirmed"
    found = CLAIMS.judge_again(evidence, "start", "ours").set_index("claim")["verdict"]
    found.index = found.index.str.split(":").str[0]
    assert found["FIRM-3 (K-means start and merges)"] == "refuted"
    assert found["FIRM-3 (hard start)"] == found["FIRM-8d (hard start)"] == "confirmed"
    # Only ours has a control with the IRM's numbers of clusters beside the judged start.
    assert found["FIRM-8a (K-means start and merges)"] == "confirmed"
    assert "FIRM-8a (hard start)" not in found


@pytest.mark.parametrize("rule", [claims.firm2c, claims.firm4])
def test_one_restart_has_no_interval(rule):
    row = rule(evidence_of(n_restarts=1))
    assert row["verdict"] == "untestable" and math.isnan(row["low"]) and row["effect"] > 0
    assert "the best restart alone" in row["evidence"]
    row = rule(evidence_of(n_restarts=4))
    assert row["verdict"] == "untestable" and math.isnan(row["low"])
    assert "(an interval needs 8)" in row["evidence"]


def test_a_lead_beyond_chance_has_the_interval_of_draws_and_restarts():
    evidence = evidence_of()
    row = claims.firm8d(evidence)
    # (50 - 43) - (24 - 20) classes of 50; the draws of both models vary alike.
    assert row["verdict"] == "confirmed" and row["effect"] == pytest.approx(3 / 50)
    assert 0 < row["low"] < row["effect"] < row["high"]
    assert "5 random partitions a model" in row["evidence"]
    covered = claims.firm2a(evidence)["evidence"]
    assert "random clusters of the same sizes cover 23.6" in covered
    assert math.isnan(claims.firm8d(evidence_of(n_restarts=1))["low"])
    purity = claims.firm8c(evidence)
    assert purity["verdict"] == "confirmed" and purity["effect"] == pytest.approx(0.17, abs=0.01)


@pytest.mark.parametrize(
    "n_other, verdict", [(0, "confirmed"), (1, "confirmed"), (2, "untestable")]
)
def test_nine_in_ten_fits_of_the_aspect_model_have_to_agree(n_other, verdict):
    @by_all_classes
    def rule(evidence):
        found = evidence.covered("irm")[1].max()
        return exact(found < 1, found, "Classes of SAM are left out.")

    evidence = evidence_of()
    found = [evidence.coverage.assign(aspect=aspect) for aspect in range(10)]
    for frame in found[:n_other]:
        frame["coverage"] = 1.0
    row = rule(replace(evidence, coverage=pd.concat(found)))
    assert row.verdict == verdict and row.interval[0] == (1.0 if n_other else 0.86)
    assert row.evidence == (
        f"Classes of SAM are left out; confirmed by {10 - n_other} of 10 fits of the aspect model."
    )
    # One fit has nothing to be compared with.
    assert rule(evidence).evidence == "Classes of SAM are left out."


def test_purity_is_compared_at_every_beta_and_i():
    evidence = evidence_of()
    row = claims.firm4(evidence)
    assert row["verdict"] == "confirmed" and row["effect"] == pytest.approx(0.2 * 25 / 49)
    assert "beta = 0.01: +0.10204" in row["evidence"]
    row = claims.firm4(replace(evidence, purity=evidence.purity.query("beta != 1")))
    assert row["verdict"] == "untestable" and "nothing was run for beta = 1" in row["evidence"]
    # A tie before the last i is not higher.
    early = (evidence.purity["i"] == 20) & (evidence.purity["beta"] == 0.1)
    evidence.purity.loc[early, "purity"] = 0.9
    row = claims.firm4(evidence)
    assert row["verdict"] == "refuted" and row["effect"] == 0


def test_unspecific_cells_are_the_reason_or_not():
    row = claims.firm5b(evidence_of(cells=frames.cells()))
    assert row["verdict"] == "confirmed" and row["low"] > 0.9
    assert "60 of 360 cells are unspecific" in row["evidence"]
    # Most cells are unspecific, or all have the same purity and none is.
    for cells in (frames.cells(n_specific=60), frames.cells(vague=0.9).assign(purity=0.7)):
        assert claims.firm5b(evidence_of(cells=cells))["verdict"] == "refuted"
    assert claims.firm5b(evidence_of())["verdict"] == "untestable"


def test_a_restart_that_takes_longer_refutes_the_time():
    evidence = evidence_of()
    evidence.restarts.loc[3, "seconds"] = 301.0
    row = claims.firm6(evidence)
    assert row["verdict"] == "refuted" and row["effect"] == 301


def test_gibbs_takes_longer_and_predicts_alike():
    evidence = evidence_of(predictive=frames.predictive(times=500.0))
    slow = claims.firm9a(evidence)
    assert slow["verdict"] == "confirmed" and 12 < slow["effect"] < 14
    assert "6 restarts and 4 chains" in slow["evidence"]
    alike = claims.firm9b(evidence)
    assert alike["verdict"] == "confirmed" and abs(alike["effect"]) < 1e-4
    fast = evidence_of(predictive=frames.predictive())
    assert claims.firm9a(fast)["verdict"] == "refuted"
    worse = evidence_of(predictive=frames.predictive(gap=-0.01))
    row = claims.firm9b(worse)
    assert row["verdict"] == "refuted" and row["effect"] == pytest.approx(-0.01, rel=0.01)
    apart = frames.predictive(gap=-0.01)
    apart.loc[(apart["model"] == "firm") & (apart["method"] == "gibbs"), "rhat"] = 2.7
    apart.loc[apart["method"] == "gibbs", "n_row_clusters"] = 157
    row = claims.firm9b(evidence_of(predictive=apart.query("model == 'firm'")))
    assert row["verdict"] == "untestable"
    assert "; not converged: FIRM, chains with 157 x 90 clusters at most" in row["evidence"]
    # One model decides as long as its own chains agree.
    assert claims.firm9b(evidence_of(predictive=apart))["verdict"] == "refuted"
    assert claims.firm9a(evidence_of(predictive=apart))["verdict"] == "refuted"
    # Chains that disagree are too short, but fast enough if they predict as well.
    for gap, verdict in ((0.01, "untestable"), (0.0, "refuted")):
        short = frames.predictive(gap=gap)
        short.loc[short["method"] == "gibbs", "rhat"] = 2.7
        row = claims.firm9a(evidence_of(predictive=short))
        assert row["verdict"] == verdict and "not converged: IRM" in row["evidence"]
    one = evidence_of(predictive=frames.predictive(times=500.0).query("model == 'firm'"))
    row = claims.firm9a(one)
    assert row["verdict"] == "untestable" and "nothing was run for IRM" in row["evidence"]
    assert claims.firm9a(evidence_of())["verdict"] == "untestable"


def test_one_fit_to_several_tables_predicts_each_of_them_better_or_not():
    evidence = evidence_of(joint=frames.joint())
    able, better = claims.firm10a(evidence), claims.firm10b(evidence)
    assert able["verdict"] == better["verdict"] == "confirmed" and able["uncounted"]
    # 500 cells, 40 of them linked: 0.8 less three times sqrt(0.8 * 0.2 / 40).
    assert able["low"] == pytest.approx(0.8 - 3 * np.sqrt(0.004))
    assert better["low"] == pytest.approx(0.01 - 3 * 0.002)
    assert "describes 0.0100, subject_of 0.0100" in better["evidence"]
    for gain, verdict in ((-0.01, "refuted"), (0.005, "untestable")):
        joint = frames.joint()
        joint.loc[joint["relation"] == "describes", "gain"] = gain
        assert claims.firm10b(evidence_of(joint=joint))["verdict"] == verdict
    made_up = claims.firm10a(evidence_of(joint=frames.joint(status="generated")))
    assert made_up["verdict"] == claims.firm10a(evidence_of())["verdict"] == "untestable"


def test_every_claim_is_judged_once_with_or_without_results():
    empty = [getattr(frames, name)(2).iloc[:0] for name in ("restarts", "coverage", "purity")]
    nothing = RelationalEvidence(*empty, frames.PUBLISHED)
    rows = CLAIMS.judge(nothing)
    assert list(rows.columns) == list(CLAIM_COLUMNS)
    keys = rows["claim"].str.split(":").str[0]
    assert list(keys) == list(CLAIMS.claims)
    assert (rows["verdict"] == "untestable").sum() == len(rows) - 2
    assert len(CLAIMS.judge_again(nothing, *READINGS)) == 0


def test_other_readings_are_judged_where_they_ran():
    evidence = evidence_of()
    systems = frames.changed(("irm", ""), covered=50)
    english = evidence_of(systems, role="english", dataset="words")
    rows = CLAIMS.judge_again(merged(evidence, english), *READINGS)
    verdicts = rows.set_index(rows["claim"].str.split(":").str[0])["verdict"]
    assert verdicts["FIRM-2b (observed pairs)"] == verdicts["FIRM-3 (Dirichlet(1) start)"]
    assert verdicts["FIRM-2b (observed pairs)"] == "confirmed"
    assert verdicts["FIRM-2b (English)"] == verdicts["FIRM-2c (English)"] == "refuted"
    assert len(rows) == 9 + 3 * 7 + 2 + 10
    assert rows["claim"].is_unique


def test_of_two_sets_of_a_role_the_first_is_judged_and_the_other_is_a_reading():
    alone, other = (
        evidence_of(frames.changed(("firm", ""), covered=covered), 8, status, dataset=dataset)
        for dataset, status, covered in (("mine", "stand-in", 50), ("other", "faithful", 20))
    )
    both = merged(alone, other)
    pd.testing.assert_frame_equal(CLAIMS.judge(both), CLAIMS.judge(alone))
    row = claims.firm2c(both)
    assert row["verdict"] == "confirmed" and "best of 8 restarts" in row["evidence"]
    readings = CLAIMS.judge_again(both, "data").set_index("claim")["verdict"]
    (other,) = [claim for claim in readings.index if claim.startswith("FIRM-2c (other)")]
    assert readings[other] == "refuted"
