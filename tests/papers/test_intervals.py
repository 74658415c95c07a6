"""Intervals over chains or draws, and the verdicts read off them."""

import math

import numpy as np
import pytest
from scipy import stats

from reseat import vocabulary
from reseat.papers import claims as verdicts
from reseat.papers import statistics


def test_intervals_agree_with_scipy():
    rng = np.random.default_rng(5)
    x, y = rng.normal(1, 2, 9), rng.normal(0, 1, 5)
    expected = stats.ttest_1samp(x, 0).confidence_interval(0.9)
    got = statistics.mean_interval(x, 0.9)
    assert got == pytest.approx((x.mean(), *expected))
    welch = stats.ttest_ind(x, y, equal_var=False).confidence_interval(0.99)
    assert statistics.difference_interval(x, y, 0.99) == pytest.approx(
        (x.mean() - y.mean(), *welch)
    )
    for successes in (0, 3, 8):
        exact = stats.binomtest(successes, 8).proportion_ci(0.95, method="exact")
        got = statistics.proportion_interval(successes, 8)
        assert got == pytest.approx((successes / 8, exact.low, exact.high))
    assert statistics.bonferroni(0.95, 5) == pytest.approx(0.99)


def max_gap(first, second):
    return first.max() - second.max()


def test_one_chain_has_no_interval():
    assert math.isnan(statistics.mean_interval([3.0])[1])
    assert math.isnan(statistics.difference_interval([3.0], [1.0, 2.0])[2])
    rng = np.random.default_rng(0)
    assert math.isnan(statistics.bootstrap_interval([np.array([3.0])], np.mean, rng)[1])
    six = np.arange(6.0)
    assert math.isnan(statistics.bootstrap_interval([six[:5], six], max_gap, rng)[1])
    assert math.isfinite(statistics.bootstrap_interval([six, six], max_gap, rng)[1])
    assert verdicts.above(0)((1.0, np.nan, np.nan)) == "untestable"


def test_a_difference_of_two_intervals_is_between_their_ends_and_their_sum():
    # For normal estimates with known errors, this is the usual interval.
    got = statistics.interval_of_difference((5.0, 5 - 3, 5 + 3), (1.0, 1 - 4, 1 + 4))
    assert got == pytest.approx((4, -1, 9))
    # For each end, only the ends of the two intervals that face each other count.
    got = statistics.interval_of_difference((5.0, 2.0, 5.0), (1.0, 1.0, 5.0))
    assert got == pytest.approx((4, -1, 4))
    assert math.isnan(statistics.interval_of_difference((5.0, np.nan, np.nan), (1.0, 0, 2))[1])


def test_bootstrap_covers_and_repeats():
    values = np.random.default_rng(1).normal(5, 1, 200)
    first = statistics.bootstrap_interval([values], np.mean, np.random.default_rng(2))
    again = statistics.bootstrap_interval([values], np.mean, np.random.default_rng(2))
    assert first == again
    # 1.96 standard errors on either side, to within a tenth of that.
    half = 1.96 * values.std(ddof=1) / math.sqrt(200)
    assert first[1] == pytest.approx(values.mean() - half, abs=0.1 * half)
    assert first[2] == pytest.approx(values.mean() + half, abs=0.1 * half)


def test_half_samples_of_a_maximum_are_wider_than_its_bootstrap():
    values = np.random.default_rng(8).normal(size=8)

    def of(**options):
        return statistics.bootstrap_interval([values], np.max, np.random.default_rng(1), **options)

    usual, halves = of(), of(by_group=True, halves=True)
    assert halves[0] == usual[0] == halves[2] == values.max() and halves[1] <= usual[1]
    # The best of half of them is one of the best five, whichever half it is.
    assert halves[1] >= np.sort(values)[3] and halves[1] < np.sort(values)[-2]
    assert np.isnan(statistics.bootstrap_interval([values[:1]], np.max, 1, halves=True)[1])


def test_verdicts_need_the_whole_interval_on_one_side():
    assert verdicts.above(0.0)((0.1, 0.1, 0.2)) == "confirmed"
    assert verdicts.above(0.0)((-0.1, -0.2, -0.1)) == "refuted"
    assert verdicts.above(0.0)((0.0, -0.1, 0.1)) == "untestable"
    assert verdicts.below(0.0)((-0.1, -0.2, -0.1)) == "confirmed"
    assert verdicts.below(0.0)((0.1, 0.1, 0.2)) == "refuted"
    assert verdicts.within(0.0, 1.0)((0.5, 0.1, 0.9)) == "confirmed"
    assert verdicts.within(0.0, 1.0)((0.5, 0.1, 1.1)) == "untestable"
    assert verdicts.ahead((0.0, 0.0, 0.0)) == "refuted"


def test_a_claim_of_several_parts_falls_with_one_of_them():
    yes, no, open_ = vocabulary.CONFIRMED, vocabulary.REFUTED, vocabulary.UNTESTABLE
    assert verdicts.all_of([yes, yes]) == yes
    assert verdicts.all_of([yes, open_, no]) == no
    assert verdicts.all_of([yes, open_]) == verdicts.all_of([]) == open_
    assert verdicts.unless_missing(yes, ["mail"]) == open_
    assert verdicts.unless_missing(no, ["mail"]) == no
    assert verdicts.unless_missing(yes, []) == yes


def test_the_data_behind_a_number_are_named_with_their_status():
    status = {"a": "faithful", "b": "stand-in", "c": "stand-in", "d": "generated"}
    assert verdicts.on_data(["a"], status) == "On a"
    assert verdicts.on_data(["c", "a", "b"], status) == "On a, and the stand-ins c and b"
    assert verdicts.on_data("abcd", status).endswith(", and generated data: d")
    assert verdicts.on_data([], status) == "On no data"
    assert verdicts.finish_sentence("x", ["y", "z"]) == "x; nothing was run for y, z."


def test_rows_of_claims():
    claims = verdicts.Claims("Paper")
    rule = claims.claim("A-1", "it holds", effect="gain in F", reading="by eye")
    row = rule(lambda gain: verdicts.exact(gain > 1, gain, "Table."))(0.3)
    assert tuple(row) == vocabulary.CLAIM_COLUMNS
    assert row["claim"] == "A-1 (by eye): it holds" and row["verdict"] == "refuted"
    assert row["measured"] == "gain in F" and row["effect"] == row["low"] == row["high"] == 0.3
    row = claims.row("A-1", verdicts.untested("nothing ran."))
    assert row["verdict"] == "untestable" and math.isnan(row["effect"])
