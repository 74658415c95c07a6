"""Distances between strings, for many pairs at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import LCSseq, Levenshtein

from reseat.datasets._substrings import common_substrings
from reseat.errors import DataError
from reseat.threads import in_threads

__all__ = ["MEASURES", "all_string_distances", "string_distances"]

SCORERS = {
    "edit": Levenshtein.normalized_distance,
    "subsequence": LCSseq.normalized_distance,
}
MEASURES = (*SCORERS, "substring")
LONGEST = 2**15 - 1  # letters of a string, and distinct letters of all: both are int16
PAIRS = 1 << 18  # pairs that a thread takes at once


def string_distances(
    first: Sequence[str], second: Sequence[str], measure: str = "edit", threads: int = 1
) -> np.ndarray:
    """Return the distances of pairs of strings, from 0 to 1.

    `measure` ({"edit", "subsequence", "substring"}): ``edit`` is the Levenshtein distance divided
        by the length of the longer string; the others are one minus the length of the longest
        common subsequence or substring, divided likewise. Two empty strings have distance 0.
    """
    if measure in SCORERS:
        return process.cpdist(
            first, second, scorer=SCORERS[measure], dtype=np.float64, workers=threads
        )
    n_pairs = len(first)
    encoded = _Letters([*first, *second])
    values = np.empty(n_pairs)

    def fill(part: slice) -> None:
        numbers = np.arange(part.start, part.stop)
        values[part] = encoded.distances(numbers, numbers + n_pairs)

    _each(fill, n_pairs, PAIRS, threads)
    return values


def all_string_distances(
    strings: Sequence[str], measure: str = "edit", threads: int = 1
) -> np.ndarray:
    """Return the distances of all pairs, as in `string_distances`.

    Pass distinct ones, because time and memory grow with the square of their number.
    """
    if measure in SCORERS:
        return process.cdist(
            strings, strings, scorer=SCORERS[measure], dtype=np.float32, workers=threads
        )
    encoded = _Letters(strings)
    n_strings = len(strings)
    values = np.zeros((n_strings, n_strings), dtype=np.float32)

    def fill(rows: slice) -> None:
        one, two = np.triu_indices(rows.stop - rows.start, 1, n_strings - rows.start)
        one, two = one + rows.start, two + rows.start
        values[one, two] = values[two, one] = encoded.distances(one, two)

    _each(fill, n_strings, PAIRS // max(1, n_strings) or 1, threads)
    return values


class _Letters:
    """Strings encoded as numbers and concatenated."""

    def __init__(self, strings: Sequence[str]):
        self.lengths = np.array([len(text) for text in strings], dtype=np.int64)
        points = np.frombuffer("".join(strings).encode("utf-32-le"), dtype=np.uint32)
        alphabet, letters = np.unique(points, return_inverse=True)
        if max(self.lengths.max(initial=0), len(alphabet)) > LONGEST:
            raise DataError(
                f"a string has {self.lengths.max(initial=0)} letters; common substrings are "
                f"supported for strings of up to {LONGEST} letters"
            )
        self._letters = np.append(letters, 0).astype(np.int16)  # never empty, so it has an address
        self._starts = np.concatenate([[0], np.cumsum(self.lengths)])

    def distances(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Return one minus the length of the longest common substring over the longer length."""
        found = np.empty(len(first), dtype=np.int16)
        common_substrings(self._letters, self._starts, first, second, found)
        longer = np.maximum(self.lengths[first], self.lengths[second])
        return np.where(longer == 0, 0.0, 1.0 - found / np.maximum(longer, 1))


def _each(work: Callable[[slice], None], size: int, step: int, threads: int) -> None:
    parts = [slice(start, min(start + step, size)) for start in range(0, size, step)]
    in_threads(work, parts, threads)
