"""Frequencies of values among entities, compared with sums and with known laws."""

import numpy as np
import pytest
import similar
from scipy.special import expit, gammaln

from reseat.models.fields.columns import as_columns
from reseat.models.fields.frequencies import correct_shares, frequencies, log_recurrence, recurrence
from reseat.models.fields.index import index_fields

NONE = np.empty((0, 2), dtype=int)


def field_of(counts):
    """Return a field whose values have these counts, each record being its own entity."""
    return np.repeat(np.arange(len(counts)), counts)[:, None]


@pytest.mark.parametrize("shape", [-0.9, -0.3, 0.0, 0.7, 40.0])
@pytest.mark.parametrize("least", [1, 2])
def test_numbers_of_occurrences_are_normalised(shape, least):
    """The closed form of the sum is compared with the sum itself."""
    logit = 1.3
    terms = np.arange(least, 3000)
    weights = gammaln(terms + (shape or 1e-5)) - gammaln(terms + 1) + terms * np.log(expit(logit))
    weights -= np.logaddexp.reduce(weights)
    assert log_recurrence(terms[:9], shape, logit, least) == pytest.approx(weights[:9], abs=1e-8)


@pytest.mark.parametrize(("shape", "mean"), [(2.0, 1.0), (0.5, 3.0), (60.0, 4.0)])
def test_what_is_to_be_expected_is_found(rng, shape, mean):
    """Counts are Poisson, and their means have a gamma law; counts of zero are not seen."""
    means = rng.gamma(shape, mean / shape, 20_000)
    counts = rng.poisson(means)
    fitted, ratio = recurrence(counts[counts > 0], [])
    for count in (1, 2, 4):
        expected = means[counts == count].mean()
        assert ratio * (count + fitted) == pytest.approx(expected, rel=0.05)


def test_the_law_is_the_same_if_half_of_what_was_seen_once_is_not_known(rng):
    means = rng.gamma(1.0, 1.5, 20_000)
    counts = rng.poisson(means)
    one, other = counts[:10_000], counts[10_000:]
    shape, ratio = recurrence(one[one > 0], other[other > 1])
    assert [ratio * (count + shape) for count in (1, 3)] == pytest.approx([1.2, 2.4], rel=0.05)


def test_a_thing_counts_once():
    one = np.array([[0, 1, 0], [0, 2, -1]])
    codes = np.concatenate([one, one + 5])[:, [0, 1]]
    linked = frequencies(codes, np.array([[0, 1], [2, 3]]))
    apart = frequencies(np.array([[0, 1], [5, 6], [-1, 2], [-1, 7]]), NONE)
    for found, law in zip(linked, apart, strict=True):
        assert found.seen == pytest.approx(law.seen)
        assert law.seen.sum() + law.unseen.sum() == pytest.approx(1)


def test_a_value_of_one_thing_is_rarer_than_one_in_as_many():
    counts = [1] * 20 + [2] * 4 + [5] * 6
    law = frequencies(field_of(counts), NONE)[0]
    seen = law.seen * sum(counts)
    assert 0 < seen[0] < 0.8 < seen[-1] < 4
    assert np.ptp(law.unseen) == 0 < law.unseen[0]


def test_one_thing_fewer_has_a_value_than_was_seen_to():
    """If two entities with a value may be one, the value of the second is no evidence."""
    counts = [1] * 20 + [2] * 4 + [5] * 6
    seen = frequencies(field_of(counts), NONE)[0].seen * sum(counts)
    shape, ratio = recurrence(counts, [])
    assert seen[[0, 20, 24]] == pytest.approx(ratio * (np.array([1, 1, 4]) + shape))


def test_unseen_values_are_near_frequent_ones_as_often_as_values_are_near_those_of_others():
    """Of 40 surnames, ten are near a frequent one, and two near another name of their bearer."""
    names = np.append(np.repeat([0, 1], [30, 10]), np.arange(2, 42))
    near = [(np.array([*[0] * 10, 20, 21]), np.array([*range(2, 12), 30, 31]), np.full(12, 1.5))]
    near[0][2][-1] = 0.5  # differs in two letters
    same = np.array([np.flatnonzero(np.isin(names, pair)) for pair in ([20, 30], [21, 31])])
    law = frequencies(names[:, None], same, near)[0]
    assert law.beside.sum() * len(names) == pytest.approx(10)
    assert law.beside / law.beside.sum() == pytest.approx(law.seen / law.seen.sum())
    assert law.log_gain == 1.5
    assert frequencies(names[:, None], same)[0].beside.sum() == 0


def test_values_that_are_equally_frequent_are_told(rng):
    """As with years of birth, only chance decides how many have each value."""
    counts = np.bincount(rng.integers(0, 70, 400), minlength=70)
    seen = frequencies(field_of(counts[counts > 1]), NONE)[0].seen * counts[counts > 1].sum()
    assert seen == pytest.approx(400 / 70, rel=0.25)
    assert np.ptp(counts) > 6


def test_mistakes_do_not_make_other_values_rarer():
    """Sixty values seen once and near others may be mistakes; nothing is learned from them."""
    counts = [1] * 20 + [2] * 14 + [5] * 6
    many = np.concatenate([counts, np.ones(60, dtype=int)])
    near = [(np.arange(10, 30).repeat(3), np.arange(40, 100), np.ones(60))]
    shape, ratio = recurrence(counts[:10] + counts[30:], counts[20:30])
    seen = frequencies(field_of(many), NONE, near)[0].seen * many.sum()
    assert seen[0] == pytest.approx(ratio * (1 + shape))
    assert seen[35] == pytest.approx(ratio * (4 + shape))
    assert seen[50] == pytest.approx(min(seen[0], 2 * (14 + 1) / 80))


def shares_of(monkeypatch, **options):
    """Return the last estimate of the shares of correct values among generated customers."""
    found = []

    def noted(*given):
        found.append(correct_shares(*given))
        return found[-1]

    monkeypatch.setattr("reseat.models.fields.index.correct_shares", noted)
    index_fields(as_columns(similar.customers(3000, **options)[0]))
    return found[-1]


@pytest.mark.parametrize("typos", [0.0, 0.05, 0.1])
def test_shares_of_correct_values_are_those_by_which_mistakes_were_made(typos, monkeypatch):
    """Surname and post code have the true share; no share of mistakes is overestimated."""
    shares = shares_of(monkeypatch, typos=typos, nicknames=0.0, moves=0.0)
    assert shares[[1, 2]] == pytest.approx([1 - typos] * 2, abs=0.05)
    assert (shares > 1 - typos - 0.02).all()
    assert typos or (shares == 1).all()


def shares_of_surnames(names, pairs):
    """Return the share of correct surnames, 0 and 1 being near, with two identifying fields."""
    who = np.arange(len(names))
    for one, other in pairs:
        who[other] = who[one]
    near = [(np.array([0]), np.array([1]), np.ones(1)), None, None]
    return correct_shares(np.column_stack([names, who, who]), np.array(pairs), near)[0]


def test_a_value_that_others_have_is_no_mistake_of_ones_own():
    pairs = [[0, 1], [2, 3], [4, 5]]
    rest = [0] * 30
    assert shares_of_surnames([0, 1, 0, 0, 0, 0, *rest], pairs) == pytest.approx(1 - 1 / 34)
    assert shares_of_surnames([0, 1, 0, 1, 0, 0, *rest], pairs) == 1


def test_the_lower_share_of_mistakes_is_taken():
    """One share is estimated from pairs, the other from values near those of others."""
    rest, others = [0] * 30, [2, 2, 3, 3, 4, 4]
    pairs = [[30, 31], [32, 33], [34, 35]]
    assert shares_of_surnames([*rest, *others, 1], pairs) == 1  # alone
    assert shares_of_surnames([*rest, 0, 1, *others[:4]], pairs) == pytest.approx(1 - 1 / 34)
    assert shares_of_surnames([1, 0, *[3] * 30], [[0, 1]]) == 1  # near nobody else's
    assert shares_of_surnames([1, *[0] * 10, *[3] * 30], [[0, 1]]) == pytest.approx(1 - 1 / 41)
