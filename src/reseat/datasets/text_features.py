"""Features of items: their distinct values, and the distances between these."""

from collections.abc import Callable, Hashable, Sequence
from typing import Protocol, TypeVar

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import LCSseq, Levenshtein

from reseat.datasets._substrings import common_substrings
from reseat.errors import DataError
from reseat.threads import in_threads

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
    """Texts, compared by one of `reseat.datasets.text_features.MEASURES`."""

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


# ---- Distances between strings, for many pairs at once ---------------------------------------

SCORERS = {
    "edit": Levenshtein.normalized_distance,
    "subsequence": LCSseq.normalized_distance,
}
MEASURES = (*SCORERS, "substring")
MAX_LETTERS = 2**15 - 1  # letters of a string, and distinct letters of all: both are int16
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
        if max(self.lengths.max(initial=0), len(alphabet)) > MAX_LETTERS:
            raise DataError(
                f"a string has {self.lengths.max(initial=0)} letters; common substrings are "
                f"supported for strings of up to {MAX_LETTERS} letters"
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
