"""How pairs of chaperones are drawn."""

import numpy as np
import pytest
from scipy import stats

from reseat.equal_pairs import distinct, equal_pairs
from reseat.errors import ConfigError, DataError
from reseat.moves import ListedPairs, Pairs, SimilarPairs, pairs_by_keys

CODES = np.array(
    [[0, 0, -1], [0, 0, -1], [0, 1, 2], [0, 1, 2], [1, 1, 2], [0, 0, 2], [3, 3, 3], [0, 0, -1]]
)


def agreement_probabilities(codes, subsets):
    """Return the probability of each ordered pair by going through subsets and records."""
    n = len(codes)
    total = np.zeros((n, n))
    for fields in subsets:
        for i in range(n):
            same = [j for j in range(n) if j != i and (codes[j, fields] == codes[i, fields]).all()]
            for j in same or [j for j in range(n) if j != i]:
                total[i, j] += 1 / (len(same) or n - 1)
    return total / (n * len(subsets))


def similar_pairs(codes=CODES, **options):
    return SimilarPairs(codes, np.random.default_rng(2), **options)


PAIRS = {
    "uniform": Pairs(8),
    "similar": similar_pairs(),
    "any fields": similar_pairs(n_subsets=5, field_probability=0.5),
    "one subset": similar_pairs(n_subsets=1),
    "all fields": similar_pairs(n_subsets=3, field_probability=1.0),
    "listed": ListedPairs(Pairs(8), [[0, 1], [5, 2], [0, 1]], 0.3),
    "listed or similar": ListedPairs(similar_pairs(), [[6, 7]]),
    "weighed": ListedPairs(Pairs(8), [[0, 1], [5, 2]], 0.5, [0.0, -30.0]),
    "empty list": ListedPairs(Pairs(8), np.empty((0, 2), dtype=int)),
}


@pytest.mark.parametrize("name", PAIRS)
def test_pairs_are_drawn_with_their_probabilities(name):
    pairs = PAIRS[name]
    probabilities = pairs.probabilities()
    if isinstance(pairs, SimilarPairs):
        expected = agreement_probabilities(CODES, pairs.subsets)
        assert probabilities == pytest.approx(expected, abs=1e-15)
    assert probabilities.sum() == pytest.approx(1.0, abs=1e-12)
    off = ~np.eye(8, dtype=bool)
    assert (probabilities[off] > 0).all() and not probabilities[~off].any()
    draws = pairs.sample(np.random.default_rng(9), 100_000)
    counts = np.zeros((8, 8))
    np.add.at(counts, tuple(draws.T), 1)
    assert not counts[~off].any()
    result = stats.chisquare(counts[off], 100_000 * probabilities[off] / probabilities[off].sum())
    assert result.pvalue > 1e-3


def test_a_list_has_its_share_of_the_draws():
    probabilities = PAIRS["listed"].probabilities()
    rest = 0.7 / 56
    assert probabilities[0, 1] == pytest.approx(0.2 + rest)
    assert probabilities[5, 2] == pytest.approx(0.1 + rest)
    assert probabilities[2, 5] == probabilities[1, 0] == pytest.approx(rest)


@pytest.mark.parametrize("most", [None, 1, 3, 50])
def test_equal_pairs_are_those_of_every_two(most, rng):
    for labels in (rng.integers(0, 9, 40), np.array(["b", "a", "b"]), np.empty(0, dtype=int)):
        times = [np.count_nonzero(labels == label) for label in labels]
        expected = {
            (i, j)
            for j in range(labels.size)
            for i in range(j)
            if labels[i] == labels[j] and (most is None or times[i] <= most)
        }
        first, second = equal_pairs(labels, most)
        assert first.size == len(expected)
        assert set(zip(first.tolist(), second.tolist(), strict=True)) == expected
        assert distinct(labels).tolist() == sorted(set(labels.tolist()))


def test_pairs_by_keys_share_keys_of_several_fields(rng):
    """Pairs agree in rare keys: duplicates with one mistake are found, large groups are not."""
    values = rng.integers(0, 40, (1400, 4))
    keys = np.concatenate([values, values, np.zeros((40, 4), dtype=int)])  # pairs, then one group
    wrong = rng.integers(0, 4, 1400)
    keys[1400 + np.arange(1400), wrong] = 100 + np.arange(1400)
    keys[0] = keys[1] = -1  # missing keys agree with nothing
    found = np.unique(np.concatenate([*pairs_by_keys(keys, np.arange(4), rng)]), axis=0)
    assert (found[:, 0] < found[:, 1]).all() and not np.isin([0, 1], found).any()
    assert (found < 2800).all()
    agreed = (keys[found[:, 0]] == keys[found[:, 1]]).sum(axis=1)
    # About 2840 / 40 others agree with a record in one field, too many, and 2840 / 1600 in two.
    assert agreed.min() == 2
    twins = {(k, k + 1400) for k in range(2, 1400)}
    assert twins <= set(map(tuple, found.tolist())) and len(found) < 2840 * 6


def test_subsets_take_fields_until_few_agree_by_chance():
    rng = np.random.default_rng(5)
    codes = np.stack([rng.integers(0, k, 2_000) for k in (2, 30, 5, 12, 40, 1, 7)], axis=1)
    agreement = [(np.bincount(column) ** 2).sum() / 2_000**2 for column in codes.T]
    subsets = SimilarPairs(codes, rng, n_subsets=60, most_alike=20.0).subsets
    assert not subsets[0].any()
    assert len(np.unique(subsets, axis=0)) == len(subsets) > 30
    for fields in subsets[1:]:
        alike = 2_000 * np.prod(np.array(agreement)[fields])
        assert alike <= 20
        # Without the field that was taken last, there would be more than the limit, at least 1.
        assert max(alike / agreement[field] for field in np.flatnonzero(fields)) > 1
    # Few subsets are possible if a field distinguishes all records.
    few = SimilarPairs(np.arange(40)[:, None], rng).subsets
    assert few.tolist() == [[False], [True]]


def test_buckets_of_fields_whose_levels_multiply_beyond_whole_numbers():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (40, 6))
    far = codes * (2**29) + rng.integers(0, 2, (40, 6))
    pairs = similar_pairs(far, n_subsets=4, field_probability=0.75)
    expected = agreement_probabilities(far, pairs.subsets)
    assert pairs.probabilities() == pytest.approx(expected, abs=1e-15)


def test_no_pairs_are_asked_for():
    assert Pairs(3).sample(np.random.default_rng(1), 0).shape == (0, 2)


def test_listed_pairs_are_drawn_in_proportion_to_their_doubt():
    pairs = ListedPairs(Pairs(10), [[0, 1], [2, 3], [4, 5]], 0.9, [0.0, 2.0, 40.0])
    drawn = pairs.probabilities()[[0, 2, 4], [1, 3, 5]] - 0.1 / 90
    expected = [10, 1 + round(9 / np.cosh(1.0)), 1]
    assert pairs.n_listed == sum(expected)
    assert drawn / drawn[2] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Pairs(1), DataError, "only 1 item"),
        (lambda: similar_pairs(CODES[:1]), DataError, "only 1 item"),
        (lambda: similar_pairs(field_probability=1.5), ConfigError, "field_probability is 1.5"),
        (lambda: ListedPairs(Pairs(3), [0, 1]), DataError, "give one pair a row"),
        (lambda: ListedPairs(Pairs(3), [[0, 1], [2, 3]]), DataError, r"\[2, 3\] is not of two"),
        (lambda: ListedPairs(Pairs(3), [[1, 1]]), DataError, "not of two different items below 3"),
        (lambda: ListedPairs(Pairs(3), [[0, 0.5]]), DataError, "items of the pairs"),
        (lambda: ListedPairs(Pairs(3), [[0, 1]], 1.0), ConfigError, "share is 1"),
        (lambda: ListedPairs(Pairs(3), [[0, 1]], 0.5, [1, 2]), DataError, "2 log odds are given"),
    ],
)
def test_bad_settings_are_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()
