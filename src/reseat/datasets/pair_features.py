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

from collections.abc import Callable

import numpy as np
import pandas as pd

from reseat.datasets.coauthors import CoauthorFeature
from reseat.datasets.mentions import Mentions, fold
from reseat.datasets.name_parts import abbreviation
from reseat.datasets.text_features import Feature, MatrixFeature, NumberFeature, TextFeature

__all__ = ["mention_features"]


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
