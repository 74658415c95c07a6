"""The corpus: what it refuses, and that it is read back unchanged from a file."""

import dataclasses

import numpy as np
import pytest
import scipy.sparse as sp
from given_files import TINY

from reseat.datasets import Corpus, DatasetIdentity
from reseat.errors import DataError


def corpus(counts=((2, 0, 1), (0, 0, 0), (0, 3, 0)), **keys):
    counts = counts if sp.issparse(counts) else np.array(counts)
    values = {
        "vocabulary": np.array(["ape", "bee", "caf\u00e9"]),
        "labels": np.array([0, 1, 1]),
        "label_names": ("x", "y"),
        "document_ids": np.array(["d1", "d2", "d3"]),
        "identity": TINY,
    }
    return Corpus(counts=counts, **{**values, **keys})


def test_counts_become_canonical():
    rows, columns = [0, 0, 0, 2, 2], [2, 0, 2, 1, 0]
    given = sp.coo_array((np.array([1.0, 2.0, 0.0, 3.0, 0.0]), (rows, columns)), shape=(3, 3))
    counts = corpus(given).counts
    assert counts.dtype == np.int32 and counts.indices.dtype == np.int32
    assert counts.indptr.dtype == np.int32
    assert counts.indices.tolist() == [0, 2, 1] and counts.data.tolist() == [2, 1, 3]
    assert counts.indptr.tolist() == [0, 2, 2, 3]


def test_summary_counts_empty_documents():
    assert corpus().summary() == {
        "documents": 3,
        "features": 3,
        "tokens": 6,
        "nonzeros": 3,
        "empty_documents": 1,
        "classes": 2,
    }
    assert corpus(labels=None).n_classes == 0


@pytest.mark.parametrize("bad", [-1, 0.5, np.nan, np.inf])
def test_a_bad_count_names_document_and_column(bad):
    counts = np.array([[2, 0, 1], [0, 0, 0], [0, bad, 0]])
    with pytest.raises(DataError, match=r"document 2 \(d3\) has the count .* in column 1"):
        corpus(counts)


def test_a_bad_count_is_not_hidden_by_a_duplicate():
    given = sp.coo_array(([-1, 2], ([0, 0], [1, 1])), shape=(3, 3))
    with pytest.raises(DataError, match="-1"):
        corpus(given)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"counts": np.zeros((0, 3), int)}, "empty.*at least one row"),
        ({"counts": np.zeros((3, 0), int)}, "empty.*one column"),
        ({"counts": np.full((3, 3), 2**40)}, "between 0 and 2147483647"),
        ({"counts": sp.coo_array(([2**31 - 1] * 2, ([0, 0], [0, 0])), shape=(3, 3))}, "exceeds"),
        ({"labels": np.array([0, 1])}, "labels has 2 entries for 3 documents"),
        ({"labels": np.array([0, 1, 2])}, "labels: entry 2 is 2; .* between 0 and 1"),
        ({"labels": np.array([0.0, 1.5, 1.0])}, "whole numbers"),
        ({"vocabulary": np.array(["a", "b", "a"])}, "two features are called 'a'"),
    ],
)
def test_disagreeing_parts_are_refused_in_one_sentence(keys, words):
    with pytest.raises(DataError, match=words) as caught:
        corpus(**keys)
    assert "\n" not in str(caught.value)


def test_identity_goes_through_plain_values():
    assert DatasetIdentity.from_dict(TINY.to_dict()) == TINY
    with pytest.raises(DataError, match="unknown key 'colour'"):
        DatasetIdentity.from_dict({**TINY.to_dict(), "colour": "red"})
    with pytest.raises(DataError, match="lacks 'status'"):
        DatasetIdentity.from_dict({"name": "a", "title": "b"})
    with pytest.raises(DataError, match="'good'"):
        dataclasses.replace(TINY, status="good")
