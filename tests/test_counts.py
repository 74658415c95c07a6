"""Matrices of counts: their canonical form, and what is computed from it without copies."""

import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy import stats

from reseat import counts as module
from reseat.counts import canonical_counts, distinct_counts, sums_of_rows, without_copies
from reseat.errors import DataError
from reseat.metrics import Contingency, cell_counts
from reseat.moves import RestrictedSweep
from reseat.variational import Relation

SMALL = sp.csr_array(([1, 2, 3], [0, 1, 2], [0, 1, 2, 3]), shape=(3, 3))


@pytest.fixture
def matrix(rng):
    return sp.csr_array(rng.poisson(0.4, (40, 30)))


def same(first, second):
    return all(
        np.array_equal(getattr(first, name), getattr(second, name))
        and getattr(first, name).dtype == getattr(second, name).dtype
        for name in ("data", "indices", "indptr")
    )


@pytest.mark.parametrize("kind", ["int64", "uint8", "float32", "bool"])
def test_a_sorted_matrix_is_taken_as_it_is_and_gives_what_any_other_form_gives(matrix, kind):
    given = matrix.astype(kind)
    found = canonical_counts(given)
    assert same(found, canonical_counts(given.tocoo()))
    assert not np.shares_memory(found.data, given.data)
    found.data[:] = 99
    again = canonical_counts(canonical_counts(given), copy=False)
    assert np.shares_memory(canonical_counts(again, copy=False).data, again.data)
    assert (given != matrix.astype(kind)).nnz == 0


def test_stored_zeros_duplicates_and_disorder_are_brought_into_form():
    zeros = sp.csr_array(([0, 2, 0], [0, 1, 2], [0, 2, 3]), shape=(2, 3))
    for copy in (True, False):
        assert canonical_counts(zeros, copy=copy).nnz == 1 and zeros.nnz == 3
    mixed = sp.csr_array(([1, 2, 3], [2, 0, 2], [0, 3, 3]), shape=(2, 3))
    assert canonical_counts(mixed).toarray().tolist() == [[2, 0, 4], [0, 0, 0]]
    # The order of columns is not taken on trust.
    noted = sp.csr_array(([1, 2, 3], [0, 1, 2], [0, 3]), shape=(1, 3))
    assert noted.has_canonical_format
    noted.indices[:] = [2, 0, 0]
    assert canonical_counts(noted).toarray().tolist() == [[5, 0, 1]]


@pytest.mark.parametrize("bad", [-1.0, 0.5, np.nan, np.inf, 2.0**31])
def test_a_bad_count_is_named_by_row_and_column_in_every_form(matrix, bad):
    given = matrix.astype(float)
    place = given.nnz - 5
    given.data[place] = bad
    row = np.searchsorted(given.indptr, place, side="right") - 1
    said = f"document {row} has the count {bad} in column {given.indices[place]} "
    said += "(counted from 0);"
    for form in (given, given.tocoo()):
        with pytest.raises(DataError, match=re.escape(said)):
            canonical_counts(form)


@pytest.mark.parametrize(
    "given",
    [
        pd.DataFrame([[1, 0], [2, 3]], dtype="Int64"),
        pd.DataFrame([[1, 0], [2, 3]]).astype({0: "Int64", 1: "Float64"}),
        pd.DataFrame([[1, 0], [2, 3]], dtype=object),
        np.array([[1, False], [np.int8(2), 3.0]], dtype=object),
    ],
)
def test_numbers_may_be_nullable_or_objects(given):
    assert same(canonical_counts(given), canonical_counts(np.array([[1, 0], [2, 3]])))
    assert Relation.from_matrix(given).counts.tolist() == [1, 2, 3]


def test_other_objects_are_no_counts():
    with pytest.raises(DataError, match="document 1 has the count nan in column 0"):
        canonical_counts(pd.DataFrame({"a": [1, None], "b": [0, 2]}, dtype="Int64"))
    with pytest.raises(DataError, match="numeric matrix|must be numbers"):
        canonical_counts(np.array([["1", "2"]], dtype=object))


def test_masked_counts_are_refused_by_the_name_of_the_data():
    masked = np.ma.masked_equal([[1, 2], [0, 3]], 2)
    with pytest.raises(DataError, match="^The counts: masked entries would be read as if"):
        canonical_counts(masked)
    with pytest.raises(DataError, match="^links: masked entries would be read as if"):
        canonical_counts(masked, "links: ")


@pytest.mark.parametrize("sparse", [0, 10**9])
def test_distinct_counts_by_a_table_and_by_sorting(matrix, sparse, monkeypatch):
    monkeypatch.setattr(module, "SPARSE", sparse)
    given = canonical_counts(matrix)
    features, values, places = distinct_counts(given)
    np.testing.assert_array_equal(features[places], given.indices)
    np.testing.assert_array_equal(values[places], given.data)
    pairs = list(zip(features.tolist(), values.tolist(), strict=True))
    assert pairs == sorted(set(pairs)) and set(places.tolist()) == set(range(len(pairs)))
    assert {features.dtype, values.dtype, places.dtype} == {np.dtype(np.intc)}


@pytest.mark.parametrize("block", [1, 7, 10**6])
def test_sums_of_rows_do_not_depend_on_the_blocks_to_the_bit(rng, block, monkeypatch):
    """The rows have many lengths; some are empty, and some are longer than a small block."""
    monkeypatch.setattr(module, "BLOCK", block)
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 300, 50) * (rng.random(50) < 0.8))])
    values = rng.normal(size=20) * 10.0 ** rng.integers(-9, 9, 20)
    places = rng.integers(0, 20, starts[-1])
    whole = sp.csr_array((values[places], np.arange(places.size), starts))
    np.testing.assert_array_equal(sums_of_rows(values, places, starts), whole.sum(axis=1))


def rows(matrix, **parts):
    """Return a copy of a matrix by rows, with some parts replaced."""
    found = matrix.copy()
    for name, part in parts.items():
        setattr(found, name, part)
    return found


@pytest.mark.parametrize(
    "given, said",
    [
        (rows(SMALL, indptr=np.array([0, 2, 1, 3])), "pointers do not ascend"),
        (rows(SMALL, indptr=np.array([0, 1, -1, 3])), "pointer number -1, outside 0 to 3"),
        (rows(SMALL, indices=np.array([0, 9, 2])), "index number 9, outside 0 to 2"),
        (rows(SMALL, indices=np.array([0, 1.0, 2])), "index numbers are not whole"),
        (rows(SMALL, indices=np.array([0, 1])), "3 values and indices of the shape"),
    ],
)
def test_a_damaged_sparse_matrix_is_refused_with_a_remedy(given, said):
    pairs = partial(cell_counts, [0, 1, 2], [0, 1, 2], np.eye(3, dtype=int))
    sweep = partial(RestrictedSweep, None, None)
    for read in (canonical_counts, Relation.from_matrix, Contingency.from_table, pairs, sweep):
        with pytest.raises(DataError, match=f"{said}.*build it again from its counts"):
            read(given)


def test_a_sparse_matrix_has_two_dimensions_of_32_bits():
    with pytest.raises(DataError, match="number its rows and columns without gaps"):
        canonical_counts(sp.coo_array(([1], ([0], [2**40])), shape=(2, 2**41)))
    with pytest.raises(DataError, match="must be a matrix"):
        canonical_counts(sp.coo_array([1, 2]))


def test_copies_are_rows_that_chance_does_not_explain(rng):
    """Rows of one word, or of few, are equal by chance; long ones that recur are copies."""
    long = np.r_[np.ones(14, dtype=int), 0]
    word, short, empty = np.eye(15, dtype=int)[3], np.r_[5, 1, np.zeros(13, dtype=int)], 0 * long
    others = rng.multinomial(30, np.full(15, 1 / 15), 40)
    rows = np.array([*[long] * 5, *[word] * 9, *[short] * 9, empty, empty, *others])
    kept, place = without_copies(canonical_counts(rows))
    assert kept.tolist() == [0, *range(5, len(rows))]
    assert place.tolist() == [0] * 5 + list(range(1, len(rows) - 4))
    assert np.array_equal(rows[kept][place], rows)
    nothing = without_copies(canonical_counts(rows[5:]))
    assert all(np.array_equal(found, np.arange(len(rows) - 5)) for found in nothing)


@pytest.mark.parametrize("row", [[3, 2, 1, 0], [9, 1, 0, 0], [2, 2, 2, 2], [12, 12, 12, 12]])
@pytest.mark.parametrize("number", [2, 3, 5, 8])
def test_the_chance_of_equal_rows_is_that_of_their_own_distribution(row, number):
    others = np.array([[i, 70 - i, 0, 0] for i in range(1, 21)])
    counts = canonical_counts(np.array([*[row] * number, *others]))
    chance = stats.multinomial(sum(row), np.array(row) / sum(row)).pmf(row)
    tail = stats.binom.sf(number - 2, counts.shape[0] - 1, chance)
    kept, _ = without_copies(counts)
    assert kept.size == counts.shape[0] - (number - 1) * (tail < 1e-6)
