"""Features that compare two mentions (Daumé & Marcu 2005, sections 7.2.1-7.2.4).

They are made from these columns, by kind of mentions; an absent column yields no feature:

* ``digits``: ``pixels``, each of which is a feature;
* ``identity``: ``first_name``, ``last_name``, ``full_name``, ``year``, ``venue``, ``coauthors``
  (separated by semicolons) and ``publication``, which is the same for mentions in one publication;
* ``names``: ``name``, and ``head``, its last word;
* ``citations``: ``title``, ``first_author``, ``authors`` (all of them, as printed), ``year``,
  ``venue``, ``coauthors``;
* ``items``: any columns; texts are compared by their edit distance, numbers by their difference;
* ``pairs``: any distance matrices.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Protocol

import numpy as np
import pandas as pd
import scipy.sparse as sp
from rapidfuzz import process
from rapidfuzz.distance import LCSseq, Levenshtein

from reseat.datasets._substrings import common_substrings
from reseat.datasets.mentions import Mentions, fold
from reseat.datasets.name_parts import abbreviation
from reseat.errors import DataError
from reseat.threads import in_threads


class Feature(Protocol):
    """A feature of items: their distinct values, and the distances between these."""

    codes: np.ndarray  # index of each item's value among the distinct ones, shape (n_items,)
    n_values: int

    def matrix(self, threads: int = 1) -> np.ndarray:
        """Return the distances of the distinct values, shape (n_values, n_values)."""

    def pairs(self, first: np.ndarray, second: np.ndarray, threads: int = 1) -> np.ndarray:
        """Return the distances of pairs of items, float64, shape (n_pairs,)."""


def mention_features(mentions: Mentions) -> dict[str, Feature]:
    """Return the features of mentions by name, including those that do not vary.

    Distances of texts lie between 0 and 1.
    """
    columns = mentions.columns
    match mentions.kind:
        case "digits":
            n_pixels = columns["pixels"].shape[1]
            side = math.isqrt(n_pixels)
            places = [f"{n // side + 1},{n % side + 1}" for n in range(n_pixels)]
            if side**2 != n_pixels:
                places = range(1, n_pixels + 1)
            pixels = zip(places, columns["pixels"].T, strict=True)
            made = {f"pixel {place}": _number(mentions, values) for place, values in pixels}
        case "identity":
            made = _published(mentions, "first_name", "last_name", "full_name")
        case "names":
            short = [abbreviation(name) for name in columns["name"]]
            made = {
                "name": _edit(mentions, "name"),
                "head": _edit(mentions, "head"),
                "substring": _edit(mentions, "name", "substring"),
                "subsequence": _edit(mentions, "name", "subsequence"),
                "abbreviation": TextFeature(short),
            }
        case "citations":
            made = _published(mentions, "title", "first_author", "authors")
        case "items":
            made = {}
            for key, values in columns.items():
                of_numbers = isinstance(values, np.ndarray)
                made[key] = _number(mentions, values) if of_numbers else _edit(mentions, key)
        case "pairs":
            made = {key: MatrixFeature(values) for key, values in columns.items()}
    return {name: feature for name, feature in made.items() if feature is not None}


def _published(mentions: Mentions, *texts: str) -> dict[str, Feature | None]:
    """Return the features of texts and of year, venue and coauthors."""
    lists = mentions.columns.get("coauthors")
    people = [[fold(name) for name in text.split(";")] for text in lists or ()]
    return {
        **{key: _edit(mentions, key) for key in texts},
        "year": _number(mentions, mentions.columns.get("year")),
        "year_count": _number(mentions, _counts(mentions, "year")),
        "venue": _edit(mentions, "venue"),
        "venue_count": _number(mentions, _counts(mentions, "venue")),
        "coauthors": CoauthorFeature(people) if lists else None,
    }


def _edit(mentions: Mentions, key: str, measure: str = "edit") -> TextFeature | None:
    texts = mentions.columns.get(key)
    return None if texts is None else TextFeature([fold(text) for text in texts], measure)


def _number(mentions: Mentions, values: np.ndarray | None) -> NumberFeature | None:
    return None if values is None else NumberFeature(values, ~mentions.test)


def _counts(mentions: Mentions, key: str) -> np.ndarray | None:
    """Return how many publications in the data share the year or venue of each item."""
    values = mentions.columns.get(key)
    if values is None:
        return None
    frame = pd.DataFrame({"value": values, "publication": mentions.item_ids})
    if not isinstance(values, np.ndarray):
        frame["value"] = [fold(text) or None for text in values]
    if "publication" in mentions.columns:
        frame["publication"] = mentions.columns["publication"]
    counts = frame.groupby("value")["publication"].nunique()
    return frame["value"].map(counts).to_numpy(dtype=np.float64)


# ---- Distances between publications by their coauthors ---------------------------------------

CLOSE = 0.1  # normalised edit distance below which two spellings count as one person
ROWS = 2048


class CoauthorFeature(Feature):
    """Distance 1 / (1 + number of common coauthors).

    Common coauthors are pairs of names, one from each item, whose normalised edit distance is below
    0.1 (Daumé & Marcu 2005, section 7.2.2). Items with the same list have distance 0.
    """

    def __init__(self, lists: Sequence[Sequence[str]]):
        values, self.codes = distinct([tuple(sorted(filter(None, names))) for names in lists])
        self.n_values = len(values)
        self._names, self._flat = distinct([name for value in values for name in value])
        self._owners = np.repeat(np.arange(len(values)), [len(value) for value in values])

    def matrix(self, threads: int = 1) -> np.ndarray:
        members, close = self._tables(threads)
        counts = (members @ close @ members.T).toarray()
        distances = 1 / (1 + counts.astype(np.float32))
        np.fill_diagonal(distances, 0)
        return distances

    def pairs(self, first: np.ndarray, second: np.ndarray, threads: int = 1) -> np.ndarray:
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


class TextFeature(Feature):
    """Texts, compared by one of `MEASURES`."""

    def __init__(self, texts: Sequence[str], measure: str = "edit"):
        self._values, self.codes = distinct(texts)
        self._measure = measure
        self.n_values = len(self._values)

    def matrix(self, threads: int = 1) -> np.ndarray:
        return all_string_distances(self._values, self._measure, threads)

    def pairs(self, first: np.ndarray, second: np.ndarray, threads: int = 1) -> np.ndarray:
        pairs = self.codes[first] * self.n_values + self.codes[second]
        pairs, places = np.unique(pairs, return_inverse=True)
        one, two = (
            [self._values[code] for code in side] for side in np.divmod(pairs, self.n_values)
        )
        return string_distances(one, two, self._measure, threads)[places]


SQUARED = (1e-100, 1e100)  # magnitudes between which squares neither underflow nor overflow
ROUNDING = 8 * np.finfo(np.float64).eps  # relative difference of numbers that count as equal


class NumberFeature(Feature):
    """Numbers, compared by their difference in standard deviations.

    A missing number (NaN) takes the mean over the items `train`, and so favours no entity.
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
        self._different, self.codes = np.unique(self.scaled, return_inverse=True)
        self.n_values = len(self._different)

    def matrix(self, threads: int = 1) -> np.ndarray:
        return np.abs(self._different[:, None] - self._different)

    def pairs(self, first: np.ndarray, second: np.ndarray, threads: int = 1) -> np.ndarray:
        return np.abs(self.scaled[first] - self.scaled[second])


class MatrixFeature(Feature):
    """Distances that are given as a matrix."""

    def __init__(self, values: np.ndarray):
        self._values = values
        self.n_values = len(values) if values.any() else 1
        self.codes = np.arange(len(values)) if self.n_values > 1 else np.zeros(len(values), int)

    def matrix(self, threads: int = 1) -> np.ndarray:
        return self._values[: self.n_values, : self.n_values]

    def pairs(self, first: np.ndarray, second: np.ndarray, threads: int = 1) -> np.ndarray:
        return self._values[first, second]


def distinct(values: Sequence[Hashable]) -> tuple[list, np.ndarray]:
    """Return the distinct values in order of first appearance, and the code of each item."""
    numbers: dict[Hashable, int] = {}
    codes = np.array([numbers.setdefault(value, len(numbers)) for value in values], dtype=np.int64)
    return list(numbers), codes


# ---- Distances between strings, for many pairs at once ---------------------------------------

SCORERS = {"edit": Levenshtein.normalized_distance, "subsequence": LCSseq.normalized_distance}
MEASURES = (*SCORERS, "substring")
MAX_LETTERS = 2**15 - 1  # letters of a string, and distinct letters of all: both are int16
PAIRS = 1 << 18  # pairs that a thread takes at once


def string_distances(
    first: Sequence[str], second: Sequence[str], measure: str = "edit", threads: int = 1
) -> np.ndarray:
    """Return the distances of pairs of strings, from 0 to 1.

    ``edit`` is the Levenshtein distance divided by the length of the longer string; others are one
    minus the length of the longest common ``subsequence`` or ``substring``, divided likewise.
    """
    if measure in SCORERS:
        return process.cpdist(
            first, second, scorer=SCORERS[measure], dtype=np.float64, workers=threads
        )
    n_pairs = len(first)
    encoded = _Letters([*first, *second])

    def part(start: int) -> np.ndarray:
        numbers = np.arange(start, min(start + PAIRS, n_pairs))
        return encoded.distances(numbers, numbers + n_pairs)

    return np.concatenate([[], *in_threads(part, range(0, n_pairs, PAIRS), threads)])


def all_string_distances(
    strings: Sequence[str], measure: str = "edit", threads: int = 1
) -> np.ndarray:
    """Return the distances of all pairs; pass distinct strings, as the cost is quadratic."""
    if measure in SCORERS:
        return process.cdist(
            strings, strings, scorer=SCORERS[measure], dtype=np.float32, workers=threads
        )
    encoded = _Letters(strings)
    n_strings = len(strings)
    values = np.zeros((n_strings, n_strings), dtype=np.float32)
    n_rows = PAIRS // max(1, n_strings) or 1

    def fill(start: int) -> None:
        one, two = np.triu_indices(min(n_rows, n_strings - start), 1, n_strings - start)
        one, two = one + start, two + start
        values[one, two] = values[two, one] = encoded.distances(one, two)

    in_threads(fill, range(0, n_strings, n_rows), threads)
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
