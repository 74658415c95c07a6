"""Parser output that is not a data set yet: texts without counts, names without numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["SIDES", "RawDocuments", "RawMentions", "RawRecords", "index_labels"]

#: Names of the two sides of a split: items with known entities, and items to be clustered.
SIDES = ("train", "test")


@dataclass(frozen=True)
class RawDocuments:
    """Texts in the form in which they were published.

    Attributes
    ----------
    texts : list of str
    labels : ndarray of int32, shape (n_documents,)
    label_names : tuple of str
    document_ids : list of str
    has_headers : bool
        Whether each text is a message: header lines, a blank line and the body.
    """

    texts: list[str]
    labels: np.ndarray
    label_names: tuple[str, ...]
    document_ids: list[str]
    has_headers: bool


@dataclass(frozen=True)
class RawRecords:
    """Records in the form in which they were published, before their cells are encoded.

    Attributes
    ----------
    cells : pandas.DataFrame of str, shape (n_records, n_fields)
        One column per field; missing cells are null (``isna``).
    entities : sequence of str, or None
        A label of each record's entity.
    record_ids : sequence of str
    """

    cells: pd.DataFrame
    entities: Sequence[str] | None
    record_ids: Sequence[str]


@dataclass(frozen=True)
class RawMentions:
    """Mentions of entities, before entities and groups are numbered.

    Attributes
    ----------
    kind : str
        One of `reseat.datasets.mentions.KINDS`.
    columns : mapping of str to sequence of str or ndarray of float64
        Attributes of the items; `reseat.datasets.pair_features` lists the column names of
        each kind.
    entities : sequence of str
        A label of each item's entity.
    test : sequence of bool
        Whether each item is to be clustered; the entities of the others are given.
    item_ids : sequence of str
    documents : sequence of str, or None
        The document of each item, if no entity spans documents.
    notes : mapping
        What was left out or drawn at random, for the record of the preprocessing.
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
