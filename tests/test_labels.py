"""Loops over labels, compared with numpy and pandas."""

import numpy as np
import pandas as pd
import pytest

from reseat._labels import by_appearance, in_order
from reseat.equal_pairs import equal_pairs
from reseat.metrics import factorise


@pytest.mark.parametrize("bound", [1, 3, 200])
def test_labels_are_numbered_and_ordered(bound, rng):
    labels = rng.integers(0, bound, 50)
    codes, n_labels = by_appearance(labels, bound)
    expected, distinct = pd.factorize(labels)
    assert codes.tolist() == expected.tolist() and n_labels == len(distinct)
    assert in_order(labels, bound).tolist() == np.argsort(labels, kind="stable").tolist()


@pytest.mark.parametrize("kind", ["i1", "<i4", ">i4", "u8"])
@pytest.mark.parametrize("shift", [0, -3, 10**2])
def test_whole_numbers_of_any_type_and_size_are_labels(kind, shift, rng):
    if shift < 0 and "u" in kind:
        shift = 5
    labels = (rng.integers(0, 9, 12) + shift).astype(kind)
    codes, n_labels = factorise(labels[::-1])
    assert codes.tolist() == pd.factorize(labels[::-1].astype(np.int64))[0].tolist()
    assert n_labels == np.unique(labels).size
    pairs = {(i, j) for i in range(12) for j in range(i + 1, 12) if labels[i] == labels[j]}
    assert set(zip(*map(np.ndarray.tolist, equal_pairs(labels)), strict=True)) == pairs
