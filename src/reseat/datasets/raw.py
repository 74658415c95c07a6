"""What a parser hands over that is not yet a data set: texts not counted, names not numbered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["SIDES", "RawDocuments", "RawMentions", "RawRecords", "index_labels"]

#: What splits call the items whose entities are known, and those to be clustered.
SIDES = ("train", "test")


@dataclass(frozen=True)
class RawDocuments:
    """Texts as they were published.

    Attributes
    ----------
    texts : list of str
    labels : ndarray of int32, shape (n_documents,)
    label_names : tuple of str
    document_ids : list of str
    has_headers : bool
        Whether each text is a message: header lines, a blank line, the body.
    """

    texts: list[str]
    labels: np.ndarray
    label_names: tuple[str, ...]
    document_ids: list[str]
    has_headers: bool


@dataclass(frozen=True)
class RawRecords:
    """Records as they were published, their cells not yet numbered.

    Attributes
    ----------
    cells : pandas.DataFrame of str, shape (n_records, n_fields)
        One column a field; a cell that is not there is missing (``isna``).
    entities : sequence of str, or None
        Whatever names the entity of each record.
    record_ids : sequence of str
    """

    cells: pd.DataFrame
    entities: Sequence[str] | None
    record_ids: Sequence[str]


@dataclass(frozen=True)
class RawMentions:
    """Mentions of entities as they were read.

    Attributes
    ----------
    kind : str
        One of `reseat.datasets.mentions.KINDS`.
    columns : mapping of str to sequence of str or ndarray of float64
        What is known of each item; `reseat.datasets.pair_features` says what the columns of
        each kind are called.
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


def index_labels(classes: Sequence[str]) -> tuple[np.ndarray, tuple[str, ...]]:
    """Number the classes of the documents alphabetically.

    Returns
    -------
    labels : ndarray of int32, shape (n_documents,)
    label_names : tuple of str
    """
    names = sorted(set(classes))
    number = {name: index for index, name in enumerate(names)}
    return np.array([number[name] for name in classes], dtype=np.int32), tuple(names)
