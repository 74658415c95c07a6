"""Similar values, records made from columns, and keys that similar records share."""

import numpy as np
import pandas as pd
import pytest
from rapidfuzz.distance import OSA, JaroWinkler

from reseat.errors import ConfigError, DataError
from reseat.likelihoods import (
    Similarity,
    SimilarRecords,
    index_columns,
    near_values,
    similar_values,
)
from reseat.moves import SimilarPairs, phonetic_key, record_keys

EDIT, DIFFERENCE = Similarity("edit", 1.0, 1.0), Similarity("difference", 1.0, 1.0)
NAMES = ["ANNA", "HANNA", "HANNAH", "JOHANNA", "MULLER", "MUELLER", "MEIER", "MIEER", "MAIER", "X"]


def all_near(values, distance, similarity):
    """Return all pairs of values that are nearer than the reach, with their log factors."""
    return {
        (i, j): similarity.scale * (similarity.reach - distance(values[i], values[j]))
        for j in range(len(values))
        for i in range(j)
        if distance(values[i], values[j]) < similarity.reach
    }


def as_dict(pairs):
    first, second, log_gain = pairs
    assert len(first) == len(set(zip(first.tolist(), second.tolist(), strict=True)))
    return dict(zip(zip(first.tolist(), second.tolist(), strict=True), log_gain, strict=True))


@pytest.mark.parametrize(
    ("measure", "distance", "reach"),
    [
        ("edit", OSA.distance, 3.0),
        ("jaro-winkler", JaroWinkler.distance, 0.25),
        ("difference", lambda a, b: abs(a - b), 4.0),
    ],
)
def test_near_values_are_those_within_reach(measure, distance, reach, rng):
    values = NAMES if measure != "difference" else rng.permutation(60)[:30].astype(float)
    similarity = Similarity(measure, 2.0, reach)
    expected = all_near(values, distance, similarity)
    assert 3 < len(expected) < 200
    assert as_dict(near_values(values, similarity)) == pytest.approx(expected, abs=1e-12)


def test_the_nearest_of_both_count_when_there_are_too_many(rng):
    values = rng.normal(size=40) * 3
    similarity = Similarity("difference", 1.0, 5.0, most=4)
    found = as_dict(near_values(values, similarity))
    distance = np.abs(values[:, None] - values[None])
    np.fill_diagonal(distance, np.inf)
    nearest = [set(np.argsort(row)[:4].tolist()) for row in distance]
    expected = {(i, j) for j in range(40) for i in range(j) if j in nearest[i] and i in nearest[j]}
    assert found.keys() == {(i, j) for i, j in expected if distance[i, j] < 5}


def test_of_many_strings_those_of_one_wrong_letter_are_found(monkeypatch, rng):
    monkeypatch.setattr(similar_values, "COMPARE_ALL", 10)
    letters = np.array(list("ABCDEFG"))
    values = sorted({"".join(rng.choice(letters, rng.integers(4, 8))) for _ in range(400)})
    similarity = Similarity("edit", 1.0, 2.0, most=400)
    found = as_dict(near_values(values, similarity))
    expected = all_near(values, OSA.distance, similarity)
    assert found == pytest.approx(expected) and len(expected) > 30


@pytest.mark.parametrize("missing", [np.nan, pd.NA, pd.NaT, float("nan")])
def test_what_pandas_has_for_a_missing_value_is_one(missing):
    columns = [[1.5, missing, missing, 2.0], ["a", "b", "a", "b"]]
    found = index_columns(columns, [None, None]).records
    expected = index_columns([[1.5, None, None, 2.0], columns[1]], [None, None]).records
    assert found.has_missing and expected.has_missing
    for one, other in zip(found.marginals, expected.marginals, strict=True):
        assert one.tolist() == other.tolist()


def test_records_come_from_columns():
    columns = [["ANNA", "HANNA", None, "X"], [3, 5, 3, None]]
    index = index_columns(columns, [Similarity("edit", 2.0, 3.0), Similarity("difference", 1, 4)])
    assert index.records.marginals[0] == pytest.approx([1 / 3] * 3)
    assert index.records.marginals[1] == pytest.approx([2 / 3, 1 / 3])
    assert index.n_near.tolist() == [2, 2]
    log_gain, log_total = index.weigh(0)
    assert log_gain == pytest.approx([4.0, 4.0])
    near = np.exp(4.0) / 3
    assert np.exp(log_total) == pytest.approx([near + 1 / 3, near + 1 / 3, 2 / 3])
    likelihood = SimilarRecords(index, 0.3)
    likelihood.assign([0, 0, 1, 1], 2)
    assert np.isfinite(likelihood.log_marginal())


@pytest.mark.parametrize("measure", ["edit", "words", "difference"])
def test_a_field_without_values_has_none_that_are_near(measure):
    similarity = Similarity(measure, 1.0, 0.5)
    assert [part.size for part in near_values([], similarity)] == [0, 0, 0]
    with pytest.raises(DataError, match="Field 1 has no value in any record; leave it out"):
        index_columns([["a", "b", "b"], [None] * 3], [None, similarity])


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Similarity("soundex", 1.0, 1.0), ConfigError, "must be one of jaro-winkler, edit"),
        (lambda: Similarity("edit", 0.0, 1.0), ConfigError, "scale is 0.0"),
        (lambda: Similarity("edit", 1.0, -1.0), ConfigError, "reach is -1.0"),
        (lambda: Similarity("edit", 1.0, 1.0, most=0), ConfigError, "most is 0"),
        (lambda: index_columns([["a", "b"]], []), DataError, "0 similarities .* 1 fields"),
        (lambda: index_columns([["a", "b"], ["c"]], [None, None]), DataError, "different lengths"),
        (
            lambda: index_columns([["a", 3]], [EDIT]),
            DataError,
            "Field 0 has the value 3; the measure 'edit' compares strings",
        ),
        (lambda: index_columns([["a", "b"]], [DIFFERENCE]), DataError, "compares numbers"),
        (lambda: record_keys([["a", "b"], ["c"]]), DataError, "different lengths"),
        (lambda: record_keys([]), DataError, "There are no fields; give at least one"),
    ],
)
def test_bad_columns_are_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_names_that_sound_alike_share_a_key_and_keys_are_those_found_by_hand():
    alike = {"Karl": "CARL", "Müller": "MULER", "Meier": "MAYR", "Schmidt": "SCHMITT"}
    for one, other in alike.items():
        assert phonetic_key(one) == phonetic_key(other) != "", one
    assert phonetic_key("ROBERT") == "6163"
    assert phonetic_key("Anna") == "5" and phonetic_key("Eo") == ""
    assert phonetic_key("JOHANNES") == "252" and phonetic_key("HRANS") == "652"


def test_each_field_has_keys_of_its_own(rng):
    columns = [["ANNA", "HANNA", None, "MEIER", "MAIER"], [1, 2, 40, 41, None]]
    keys, fields = record_keys(columns)
    assert keys.shape[0] == 5 and keys.shape[1] == fields.size
    assert np.bincount(fields).min() >= 2
    assert (keys[2, fields == 0] == -1).all() and (keys[4, fields == 1] == -1).all()
    assert (keys[3, fields == 0] == keys[4, fields == 0]).any()
    assert len({tuple(column) for column in keys.T}) == keys.shape[1]


def test_duplicates_with_a_mistake_in_each_field_are_drawn_often():
    """No fields agree but keys do, so the pair is drawn far more often than by the values."""
    rng = np.random.default_rng(6)
    letters = np.array(list("ABDEGIKLMNORSTU"))
    first = ["".join(rng.choice(letters, 8)) for _ in range(600)]
    last = ["".join(rng.choice(letters, 8)) for _ in range(600)]
    first.append(first[0][:4] + "X" + first[0][5:])
    last.append(last[0] + "S")
    keys, fields = record_keys([first, last])
    by_value = np.array([int(np.flatnonzero(fields == field)[0]) for field in (0, 1)])

    def chance(pairs):
        probabilities = pairs.probabilities()
        assert (probabilities[~np.eye(601, dtype=bool)] > 0).all()
        return probabilities[0, 600]

    found = chance(SimilarPairs(keys, np.random.default_rng(1), groups=fields))
    assert found > 50 * chance(SimilarPairs(keys[:, by_value], np.random.default_rng(1)))


def test_a_subset_takes_one_key_of_a_field(rng):
    keys, fields = rng.integers(0, 6, (300, 9)), np.array([0, 0, 0, 1, 1, 2, 2, 2, 2])
    subsets = SimilarPairs(keys, rng, n_subsets=40, most_alike=2.0, groups=fields).subsets
    assert subsets.sum() > len(subsets)
    for subset in subsets:
        assert np.bincount(fields[subset], minlength=3).max(initial=0) <= 1
    with pytest.raises(DataError, match="2 groups are given for 9 fields"):
        SimilarPairs(keys, rng, groups=[0, 1])
