"""Parser output that is not a data set yet: texts without counts, names without numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from reseat.files.texts import composed
from reseat.reading.archives import natural_key

if TYPE_CHECKING:
    import pandas as pd

#: Names of the two sides of a split: items with known entities, and items to be clustered.
SIDES = ("train", "test")


@dataclass(frozen=True)
class RawDocuments:
    """Texts in the form in which they were published."""

    texts: list[str]
    labels: np.ndarray
    label_names: tuple[str, ...]
    document_ids: list[str]
    #: Whether each text is a message: header lines, a blank line and the body.
    has_headers: bool


@dataclass(frozen=True)
class RawRecords:
    """Records in the form in which they were published, before their cells are encoded."""

    #: One column per field; missing cells are null (``isna``). Shape (n_records, n_fields).
    cells: pd.DataFrame
    #: A label of each record's entity.
    entities: Sequence[str] | None
    record_ids: Sequence[str]


@dataclass(frozen=True)
class RawMentions:
    """Mentions of entities, before entities and groups are numbered."""

    #: One of `reseat.datasets.mentions.KINDS`.
    kind: str
    #: Attributes of the items; `reseat.datasets.pair_features` lists the column names of each kind.
    columns: Mapping[str, Sequence[str] | np.ndarray]
    #: A label of each item's entity.
    entities: Sequence[str]
    #: Whether each item is to be clustered; the entities of the others are given.
    test: Sequence[bool]
    item_ids: Sequence[str]
    #: The document of each item, if no entity spans documents.
    documents: Sequence[str] | None = None
    #: What was left out or drawn at random, for the record of the preprocessing.
    notes: Mapping[str, Any] = field(default_factory=dict)


def index_labels(classes: Sequence[str]) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the number of each document's class, in alphabetical order, and their names."""
    names, numbers = np.unique(np.asarray(classes, dtype=np.str_), return_inverse=True)
    return numbers.astype(np.int32), tuple(names.tolist())


def number_entities(names: Iterable) -> np.ndarray:
    """Number names in order of first appearance, and return the int32 number of each item."""
    import pandas as pd

    return pd.factorize(pd.Series(list(names), dtype=object))[0].astype(np.int32)


def filed_messages(files: Iterable[tuple[str, str, str]]) -> RawDocuments:
    """Return messages with their folders as classes, sorted by class and then by name."""
    named = ((composed(folder), name, text) for folder, name, text in files)
    files = sorted(named, key=lambda file: (file[0], natural_key(file[1])))
    labels, names = index_labels([folder for folder, _, _ in files])
    return RawDocuments(
        texts=[text for _, _, text in files],
        labels=labels,
        label_names=names,
        document_ids=[f"{folder}/{name}" for folder, name, _ in files],
        has_headers=True,
    )
