"""Features that compare two mentions (Daumé & Marcu 2005, sections 7.2.1-7.2.4).

They are made from these columns, by kind of mentions:

``digits``
    ``pixels``, each of which is a feature.
``identity``
    ``first_name``, ``last_name``, ``full_name``, ``year``, ``venue``, ``coauthors``
    (separated by semicolons) and ``publication``, which distinguishes two mentions in one
    publication from mentions in two publications.
``names``
    ``name``, and ``head``, its last word.
``citations``
    ``title``, ``first_author``, ``authors`` (all of them, as printed), ``year``,
    ``venue``, ``coauthors``.
``items``
    Any columns: texts are compared by their edit distance, numbers by their difference.
``pairs``
    Any distance matrices.

An absent column yields no feature.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import scipy.sparse as sp
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from reseat.datasets.mentions import Mentions, fold
from reseat.datasets.name_parts import abbreviation
from reseat.datasets.text_features import (
    Feature,
    MatrixFeature,
    NumberFeature,
    TextFeature,
    distinct,
)


def mention_features(mentions: Mentions) -> dict[str, Feature]:
    """Return the features of mentions by name, including those that do not vary.

    Distances of texts lie between 0 and 1. Numbers are standardised by their mean and standard
    deviation over the training items, and missing ones take that mean; see
    `reseat.datasets.text_features.NumberFeature`.
    """
    made = MAKERS[mentions.kind](mentions)
    return {name: feature for name, feature in made.items() if feature is not None}


def _digits(mentions: Mentions) -> dict[str, Feature | None]:
    pixels = mentions.columns["pixels"]
    side = round(pixels.shape[1] ** 0.5)
    if side**2 == pixels.shape[1]:
        names = [f"pixel {n // side + 1},{n % side + 1}" for n in range(side**2)]
    else:
        names = [f"pixel {n + 1}" for n in range(pixels.shape[1])]
    train = ~mentions.test
    return {name: NumberFeature(column, train) for name, column in
            zip(names, pixels.T, strict=True)}  # fmt: skip


def _identity(mentions: Mentions) -> dict[str, Feature | None]:
    texts = ("first_name", "last_name", "full_name")
    return {key: _edit(mentions, key) for key in texts} | _published(mentions)


def _citations(mentions: Mentions) -> dict[str, Feature | None]:
    texts = ("title", "first_author", "authors")
    return {key: _edit(mentions, key) for key in texts} | _published(mentions)


def _published(mentions: Mentions) -> dict[str, Feature | None]:
    """Return the features of year, venue and coauthors."""
    return {
        "year": _number(mentions, mentions.columns.get("year")),
        "year_count": _number(mentions, _counts(mentions, "year")),
        "venue": _edit(mentions, "venue"),
        "venue_count": _number(mentions, _counts(mentions, "venue")),
        "coauthors": _coauthors(mentions),
    }


def _names(mentions: Mentions) -> dict[str, Feature | None]:
    names = mentions.columns.get("name")
    return {
        "name": _edit(mentions, "name"),
        "head": _edit(mentions, "head"),
        "substring": _edit(mentions, "name", "substring"),
        "subsequence": _edit(mentions, "name", "subsequence"),
        "abbreviation": names and TextFeature([abbreviation(name) for name in names], "edit"),
    }


def _items(mentions: Mentions) -> dict[str, Feature | None]:
    return {
        key: _number(mentions, values) if isinstance(values, np.ndarray) else _edit(mentions, key)
        for key, values in mentions.columns.items()
    }


def _pairs(mentions: Mentions) -> dict[str, Feature | None]:
    return {key: MatrixFeature(values) for key, values in mentions.columns.items()}


MAKERS: dict[str, Callable[[Mentions], dict[str, Feature | None]]] = {
    "digits": _digits,
    "identity": _identity,
    "names": _names,
    "citations": _citations,
    "items": _items,
    "pairs": _pairs,
}


def _edit(mentions: Mentions, key: str, measure: str = "edit") -> TextFeature | None:
    texts = mentions.columns.get(key)
    return None if texts is None else TextFeature([fold(text) for text in texts], measure)


def _number(mentions: Mentions, values: np.ndarray | None) -> NumberFeature | None:
    return None if values is None else NumberFeature(values, ~mentions.test)


def _coauthors(mentions: Mentions) -> CoauthorFeature | None:
    lists = mentions.columns.get("coauthors")
    if lists is None:
        return None
    return CoauthorFeature([[fold(name) for name in text.split(";")] for text in lists])


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
