"""Features of items: their distinct values, and the distances between these."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Protocol, TypeVar

import numpy as np

from reseat.datasets.string_distances import all_string_distances, string_distances

__all__ = ["Feature", "MatrixFeature", "NumberFeature", "TextFeature", "distinct"]

Value = TypeVar("Value", bound=Hashable)


class Feature(Protocol):
    """The interface of a feature of items."""

    #: Index of each item's value among the distinct values; items with the same value have distance
    #: 0. Shape (n_items,).
    codes: np.ndarray
    #: Number of distinct values.
    n_values: int

    def matrix(self, threads: int = 1) -> np.ndarray:
        """Return the distances of the distinct values, shape (n_values, n_values)."""

    def pairs(self, first: np.ndarray, second: np.ndarray, threads: int = 1) -> np.ndarray:
        """Return the distances of pairs of items, float64, shape (n_pairs,)."""


class TextFeature:
    """Texts, compared by one of `reseat.datasets.string_distances.MEASURES`."""

    def __init__(self, texts: Sequence[str], measure: str = "edit"):
        self._values, self.codes = distinct(texts)
        self._measure = measure
        self.n_values = len(self._values)

    def matrix(self, threads: int = 1) -> np.ndarray:
        """Return the distances of the distinct texts, float32, shape (n_values, n_values)."""
        return all_string_distances(self._values, self._measure, threads)

    def pairs(self, first: np.ndarray, second: np.ndarray, threads: int = 1) -> np.ndarray:
        """Return the distances of pairs of items, float64, shape (n_pairs,)."""
        pairs = np.stack([self.codes[first], self.codes[second]], axis=1)
        pairs = pairs[:, 0] * self.n_values + pairs[:, 1]
        pairs, places = np.unique(pairs, return_inverse=True)
        one, two = (
            [self._values[code] for code in side] for side in np.divmod(pairs, self.n_values)
        )
        return string_distances(one, two, self._measure, threads)[places]


#: Magnitudes between which squares neither underflow nor overflow.
SQUARED = (1e-100, 1e100)
#: Relative difference of numbers up to which they count as equal.
ROUNDING = 8 * np.finfo(np.float64).eps


class NumberFeature:
    """Numbers, compared by their difference in standard deviations.

    A missing number (NaN) takes the mean over the items `train`, and so favours no entity. `scaled`
    has mean 0 and variance 1 over these, or is 0 if they do not vary.
    """

    def __init__(self, values: np.ndarray, train: np.ndarray):
        self.values = values = np.asarray(values, dtype=np.float64)
        known = train & ~np.isnan(values)
        largest = np.abs(values[known]).max(initial=0.0)
        if largest and not SQUARED[0] < largest < SQUARED[1]:
            values = values / largest
            largest = 1.0
        mean = values[known].mean() if known.any() else 0.0
        scaled = np.where(np.isnan(values), mean, values) - mean
        deviation = scaled[train].std() if known.any() else 0.0
        # The spread decides: by rounding, the mean of equal numbers may differ from all of them.
        constant = not known.any() or np.ptp(values[known]) <= ROUNDING * largest
        self.scaled = np.zeros_like(scaled) if constant else scaled / deviation
        different, self.codes = np.unique(self.scaled, return_inverse=True)
        self._different = different
        self.n_values = len(different)

    def matrix(self, threads: int = 1) -> np.ndarray:
        """Return the distances of the distinct numbers, float64, shape (n_values, n_values)."""
        return np.abs(self._different[:, None] - self._different)

    def pairs(self, first: np.ndarray, second: np.ndarray, threads: int = 1) -> np.ndarray:
        """Return the distances of pairs of items, float64, shape (n_pairs,)."""
        return np.abs(self.scaled[first] - self.scaled[second])


class MatrixFeature:
    """Distances that are given as a matrix."""

    def __init__(self, values: np.ndarray):
        self._values = values
        self.n_values = len(values) if values.any() else 1
        self.codes = np.arange(len(values)) if self.n_values > 1 else np.zeros(len(values), int)

    def matrix(self, threads: int = 1) -> np.ndarray:
        """Return the distances, shape (n_values, n_values)."""
        return self._values[: self.n_values, : self.n_values]

    def pairs(self, first: np.ndarray, second: np.ndarray, threads: int = 1) -> np.ndarray:
        """Return the distances of pairs of items, float64, shape (n_pairs,)."""
        return self._values[first, second]


def distinct(values: Sequence[Value]) -> tuple[list[Value], np.ndarray]:
    """Return the distinct values in order of first appearance, and the code of each item."""
    numbers: dict[Value, int] = {}
    codes = np.array([numbers.setdefault(value, len(numbers)) for value in values], dtype=np.int64)
    return list(numbers), codes
