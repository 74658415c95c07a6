"""Distances between publications by their coauthors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from reseat.datasets.text_features import distinct

__all__ = ["CoauthorFeature"]

CLOSE = 0.1  # normalised edit distance below which two spellings count as one person
ROWS = 2048


class CoauthorFeature:
    """Distance 1 / (1 + number of common coauthors).

    Common coauthors are counted as pairs of names, one from each item, whose normalised edit
    distance is below 0.1 (Daumé & Marcu 2005, section 7.2.2). Items with the same list have
    distance 0, and so do two items without coauthors. `codes` has the index of each item's list
    among the `n_values` distinct ones.
    """

    def __init__(self, lists: Sequence[Sequence[str]]):
        found = [tuple(sorted(filter(None, (name.strip() for name in names)))) for names in lists]
        values, self.codes = distinct(found)
        self.n_values = len(values)
        names, self._flat = distinct([name for value in values for name in value])
        self._names = names
        self._owners = np.repeat(np.arange(len(values)), [len(value) for value in values])

    def matrix(self, threads: int = 1) -> np.ndarray:
        """Return the distances of the distinct lists, float32, shape (n_values, n_values)."""
        members, close = self._tables(threads)
        counts = (members @ close @ members.T).toarray()
        distances = 1 / (1 + counts.astype(np.float32))
        np.fill_diagonal(distances, 0)
        return distances

    def pairs(self, first: np.ndarray, second: np.ndarray, threads: int = 1) -> np.ndarray:
        """Return the distances of pairs of items, float64, shape (n_pairs,)."""
        members, close = self._tables(threads)
        near = (members @ close).tocsr()
        one, two = self.codes[first], self.codes[second]
        counts = np.asarray(near[one].multiply(members[two]).sum(axis=1)).ravel()
        return np.where(one == two, 0.0, 1 / (1 + counts))

    def _tables(self, threads: int) -> tuple[sp.csr_array, sp.csr_array]:
        """Return how often each list has each name, and which names are close."""
        n_names = len(self._names)
        ones = np.ones(len(self._flat), dtype=np.int32)
        members = sp.csr_array((ones, (self._owners, self._flat)), shape=(self.n_values, n_names))
        parts = [sp.csr_array((0, n_names), dtype=np.int32)]
        for start in range(0, n_names, ROWS):
            # Distances beyond the cutoff are returned as 1.
            near = process.cdist(
                self._names[start : start + ROWS], self._names, dtype=np.float32, workers=threads,
                scorer=Levenshtein.normalized_distance, score_cutoff=CLOSE,
            )  # fmt: skip
            parts.append(sp.csr_array((near < CLOSE).astype(np.int32)))
        return members, sp.vstack(parts, format="csr")
