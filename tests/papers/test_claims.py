"""Intervals over chains or draws, the verdicts read off them, and the judging of claims."""

import inspect
import math
import re
from functools import partial
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from reseat.papers import claims as rules
from reseat.papers import statistics
from reseat.papers.catalogue import CATALOGUE
from reseat.papers.statistics import LEVEL
from reseat.vocabulary import AS_PRINTED, CLAIM_COLUMNS, CONFIRMED, REFUTED, UNTESTABLE


def test_intervals_agree_with_scipy():
    rng = np.random.default_rng(5)
    x, y = rng.normal(1, 2, 9), rng.normal(0, 1, 5)
    expected = stats.ttest_1samp(x, 0).confidence_interval(0.9)
    got = statistics.mean_interval(x, 0.9)
    assert got == pytest.approx((x.mean(), *expected))
    welch = stats.ttest_ind(x, y, equal_var=False).confidence_interval(0.99)
    got = statistics.difference_interval(x, y, 0.99)
    assert got == pytest.approx((x.mean() - y.mean(), *welch))
    for successes in (0, 3, 8):
        exact = stats.binomtest(successes, 8).proportion_ci(0.95, method="exact")
        got = statistics.proportion_interval(successes, 8)
        assert got == pytest.approx((successes / 8, exact.low, exact.high))
    assert statistics.bonferroni(0.95, 5) == pytest.approx(0.99)


def max_gap(first, second):
    return first.max() - second.max()


def test_few_values_have_no_interval():
    """The fewest values that have one follow from its level."""
    rng, six, nine = np.random.default_rng(0), np.arange(6.0), np.arange(9.0)

    def low(*groups, level=0.95):
        return statistics.bootstrap_interval(list(groups), max_gap, rng, level)[1]

    assert math.isnan(statistics.mean_interval([3.0])[1])
    assert math.isnan(statistics.difference_interval([3.0], [1.0, 2.0])[2])
    assert math.isnan(statistics.bootstrap_interval([np.array([3.0])], np.mean, rng)[1])
    assert rules.above(0)((1.0, np.nan, np.nan)) == "untestable"
    assert [statistics.min_group(level) for level in (0.9, 0.95, 0.99, 0.995)] == [5, 6, 8, 9]
    assert [statistics.min_group(level, halves=True) for level in (0.9, 0.95, 0.99)] == [6, 8, 10]
    assert math.isnan(low(six[:5], six)) and math.isfinite(low(six, six))
    assert math.isnan(low(six, six, level=0.99)) and math.isfinite(low(nine, nine, level=0.99))


def test_a_difference_of_two_intervals_is_between_their_ends_and_their_sum():
    # For normal estimates with known errors, this is the usual interval.
    got = statistics.interval_of_difference((5.0, 5 - 3, 5 + 3), (1.0, 1 - 4, 1 + 4))
    assert got == pytest.approx((4, -1, 9))
    # For each end, only the ends of the two intervals that face each other count.
    got = statistics.interval_of_difference((5.0, 2.0, 5.0), (1.0, 1.0, 5.0))
    assert got == pytest.approx((4, -1, 4))
    assert math.isnan(statistics.interval_of_difference((5.0, np.nan, np.nan), (1.0, 0, 2))[1])


def test_bootstrap_covers_and_repeats(monkeypatch):
    monkeypatch.setattr(statistics, "N_RESAMPLINGS", 400)
    values = np.random.default_rng(1).normal(5, 1, 200)
    first = statistics.bootstrap_interval([values], np.mean, np.random.default_rng(2))
    again = statistics.bootstrap_interval([values], np.mean, np.random.default_rng(2))
    assert first == again
    # 1.96 standard errors on either side, to within a tenth of that.
    half = 1.96 * values.std(ddof=1) / math.sqrt(200)
    assert first[1] == pytest.approx(values.mean() - half, abs=0.1 * half)
    assert first[2] == pytest.approx(values.mean() + half, abs=0.1 * half)


def test_intervals_of_few_values_are_as_wide_as_students():
    # Without the expansion, they are 0.65 times as wide, and hold the mean in 87 % of the cases.
    rng = np.random.default_rng(4)
    ratios = []
    for _ in range(20):
        values = rng.normal(size=8)
        _, low, high = statistics.bootstrap_interval([values], np.mean, rng, by_group=True)
        _, least, most = statistics.mean_interval(values)
        ratios.append((high - low) / (most - least))
    assert 0.9 < np.mean(ratios) < 1.05


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
    intervals = (0.1, 0.1, 0.2), (-0.1, -0.2, -0.1), (0.0, -0.1, 0.1)
    assert [*map(rules.above(0.0), intervals)] == ["confirmed", "refuted", "untestable"]
    assert [*map(rules.below(0.0), intervals[:2])] == ["refuted", "confirmed"]
    assert rules.within(0.0, 1.0)((0.5, 0.1, 0.9)) == "confirmed"
    assert rules.within(0.0, 1.0)((0.5, 0.1, 1.1)) == "untestable"
    assert rules.ahead((0.0, 0.0, 0.0)) == "refuted"


def test_a_claim_of_several_parts_falls_with_one_of_them():
    yes, no, unknown = CONFIRMED, REFUTED, UNTESTABLE
    assert rules.all_of([yes, yes]) == yes and rules.all_of([yes, unknown, no]) == no
    assert rules.all_of([yes, unknown]) == rules.all_of([]) == unknown
    found = [rules.unless_missing(*given) for given in ((yes, ["mail"]), (no, ["mail"]), (yes, []))]
    assert found == [unknown, no, yes]


def test_the_data_behind_a_number_are_named_with_their_status():
    status = {"a": "faithful", "b": "stand-in", "c": "stand-in", "d": "generated"}
    assert rules.on_data(["a"], status) == "On a"
    assert rules.on_data(["c", "a", "b"], status) == "On a, and the stand-ins c and b"
    assert rules.on_data("abcd", status).endswith(", and generated data: d")
    assert rules.on_data([], status) == "On no data"
    assert rules.finish_sentence("x", ["y", "z"]) == "x; nothing was run for y, z."


def test_rows_of_claims():
    claims = rules.Claims("Paper")
    rule = claims.claim("A-1", "it holds", effect="gain in F", reading="by eye")
    row = rule(lambda gain: rules.exact(gain > 1, gain, "Table."))(0.3)
    assert tuple(row) == CLAIM_COLUMNS
    assert row["claim"] == "A-1 (by eye): it holds" and row["verdict"] == "refuted"
    assert row["measured"] == "gain in F" and row["effect"] == row["low"] == row["high"] == 0.3
    row = claims.row("A-1", rules.untested("nothing ran."))
    assert row["verdict"] == "untestable" and math.isnan(row["effect"])


STATUS = {"italy": "faithful", "mail": "stand-in", "made": "generated"}


class Some(rules.Evidence):
    """Evidence with three data sets; any other did not run."""

    judged = ("italy",)

    def rows(self, role):
        return pd.DataFrame({"status": [STATUS[role]] if role in STATUS else []})

    def title(self, role):
        return role.capitalize()


def judged(*cells, **options):
    """Return the row of a claim that requires each cell, given by its role, to be above 0."""
    levels, positive = set(), rules.above(0.0)

    def measured(interval, level):
        levels.add(level)
        return interval

    cells = [
        rules.Cell(f"{role} {place}", role, partial(measured, interval), positive, f"no {role}")
        for place, (role, interval) in enumerate(cells)
    ]

    def text(found):
        return f"{len(found)} cells"

    found = rules.judge_cells(Some(), cells, text, **options)
    assert levels == {1 - (1 - LEVEL) / len(cells)}
    row = dict(zip(("effect", "low", "high"), found.interval, strict=True))
    return row | {"verdict": found.verdict, "evidence": found.evidence}


def test_what_serves_for_a_role():
    some = Some()
    assert some.where(["italy", "mail", "other"]) == "On Italy, and the stand-in Mail"
    assert some.where() == "On Italy" and not some.generated()
    assert some.generated(["italy", "made"]) and some.status("other") is None


@pytest.mark.parametrize(
    ("cells", "verdict", "effect"),
    [
        ([("italy", (2, 1, 3)), ("mail", (5, 4, 6))], CONFIRMED, 2),
        ([("italy", (2, 1, 3)), ("mail", (-5, -6, -4))], REFUTED, -5),
        ([("italy", (2, 1, 3)), ("mail", (5, -1, 6))], UNTESTABLE, 5),
        ([("italy", (2, 1, 3)), ("mail", rules.NOT_RUN)], UNTESTABLE, 2),
        ([("italy", (-2, -3, -1)), ("mail", rules.NOT_RUN)], REFUTED, -2),
        ([("italy", (2, 1, 3)), ("made", (-5, -6, -4))], UNTESTABLE, -5),
    ],
)
def test_a_claim_holds_if_the_rule_of_every_cell_does(cells, verdict, effect):
    row = judged(*cells)
    assert (row["verdict"], row["effect"]) == (verdict, effect)
    n_run = sum(interval is not rules.NOT_RUN for _role, interval in cells)
    rest = "" if n_run == 2 else "; nothing was run for no mail"
    assert row["evidence"] == f"{n_run} cells{rest}."


def test_the_interval_that_is_shown_decides():
    row = judged(("italy", (2, -1, 3)), ("mail", (-5, -20, 9)), ("italy", (-1, -2, -0.5)))
    assert (row["verdict"], row["effect"], row["high"]) == ("refuted", -1, -0.5)


def test_what_has_not_converged_is_named_or_counted():
    assert rules.not_converged([]) == ""
    assert rules.not_converged(["DP on Italy"] * 2) == "; not converged: DP on Italy"
    assert rules.not_converged(["A", "B"]) == "; not converged: A and B"
    assert rules.not_converged("ABCDEF") == "; not converged: A, B, C, D and 2 more"


def test_another_cell_can_be_shown_and_nothing_run_is_said_once():
    row = judged(("italy", (2, 1, 3)), ("mail", (5, 4, 6)), shown=max)
    assert (row["effect"], row["low"], row["high"]) == (5, 4, 6)
    row = judged(("mail", rules.NOT_RUN), ("mail", rules.NOT_RUN))
    assert row["verdict"] == UNTESTABLE and row["evidence"] == "nothing was run for no mail."


def test_claims_are_judged_in_the_order_of_their_numbers_and_in_every_way():
    claims = rules.Claims("A paper")

    def wet(evidence):
        on = {"mail": rules.exact(False, 3, "No.")}
        return rules.Verdict(CONFIRMED, (evidence, 0, 2), "Seen.", on)

    claims.claim("A-10", "the sea is wet", effect="how wet", again=("night",))(wet)
    claims.claim("A-2b", "the sky is wide", effect="how wide", only="night")(wet)

    @claims.claim("A-2a", "the sky is blue", effect="how blue it is", again=("never",))
    def blue(evidence):
        return rules.exact(evidence > 0, evidence, "Seen.")

    @claims.claim("A-2a", reading="by eye")
    def by_eye(evidence):
        return rules.exact(evidence > 1, evidence, "Seen.")

    @claims.claim("A-10", only=rules.PRINTED)
    def printed(text):
        return rules.exact(len(text) > 9, len(text), "Read.")

    @claims.ways("night", rules.PRINTED)
    def ways(evidence):
        yield "night", "at night", evidence - 1
        yield rules.PRINTED, AS_PRINTED, "wet"

    rows = claims.judge_all(1)
    assert list(rows["claim"].str.split(":").str[0]) == [
        *("A-2a", "A-2a (by eye)", "A-10", "A-10 (on mail)"),
        *("A-2b (at night)", "A-10 (at night)", "A-10 (as printed)"),
    ]
    confirmed = [True, False, True, False, True, True, False]
    assert list(rows["verdict"]) == [CONFIRMED if of else REFUTED for of in confirmed]
    assert rows["effect"].tolist() == [1, 1, 1, 3, 0, 0, 3]
    assert rows["high"].isna().tolist() == [False] * 6 + [True]
    assert list(claims.claims) == ["A-2a", "A-2b", "A-10"]
    again = claims.judge_again(1, rules.PRINTED)
    assert list(again["claim"]) == ["A-10 (as printed): the sea is wet"]
    assert blue(3)["measured"] == "how blue it is"
    assert claims.undeclared == {"never"}


@pytest.mark.parametrize("module", CATALOGUE.claim_modules)
def test_claims_are_judged_again_only_in_ways_that_there_are(module):
    claims = import_module(module).CLAIMS
    assert claims.undeclared == set()
    yielded = re.findall(r'yield "([^"]+)"', inspect.getsource(claims._ways))
    assert {*yielded} <= {*claims._names}
