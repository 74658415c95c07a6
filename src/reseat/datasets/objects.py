"""What a parser of sequences, dissimilarities or points hands over, without an identity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["RawDissimilarities", "RawSequences"]


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
