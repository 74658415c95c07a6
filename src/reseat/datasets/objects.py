"""What a parser of sequences, dissimilarities or mentions hands over, without an identity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["RawDissimilarities", "RawMentions", "RawSequences"]


@dataclass(frozen=True)
class RawSequences:
    """Sequences of letters, some of them of a known class.

    Attributes
    ----------
    names, sequences : sequence of str
    labels : sequence of str
        Class, empty where there is none.
    groups : sequence of str
        What is known of those without a class; empty where nothing is.
    """

    names: Sequence[str]
    sequences: Sequence[str]
    labels: Sequence[str]
    groups: Sequence[str]


@dataclass(frozen=True)
class RawDissimilarities:
    """A matrix of dissimilarities as it was read.

    Attributes
    ----------
    values : ndarray, shape (n_items, n_items)
    item_ids : sequence of str
    labels : sequence of str
        Class, empty where there is none.
    """

    values: np.ndarray
    item_ids: Sequence[str]
    labels: Sequence[str]


@dataclass(frozen=True)
class RawMentions:
    """Mentions of entities as they were read.

    Attributes
    ----------
    kind : str
        One of `reseat.datasets.mentions.KINDS`.
    columns : mapping of str to sequence of str or ndarray of float64
        What is known of each item; what the columns of each kind are called is told in
        `reseat.datasets.pair_features`.
    entities : sequence of str
        Whatever names the entity of each item.
    test : sequence of bool
        Whether the item is to be clustered; the others are given with their entity.
    item_ids : sequence of str
    documents : sequence of str, or None
        The document of each item, if entities do not span documents.
    notes : mapping
        What was left out or drawn, for the record of the preprocessing.
    """

    kind: str
    columns: Mapping[str, Sequence[str] | np.ndarray]
    entities: Sequence[str]
    test: Sequence[bool]
    item_ids: Sequence[str]
    documents: Sequence[str] | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)
