"""Names in documents, and the entities that they are of within each document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from reseat.datasets.parsers.cells import column, read_csv
from reseat.datasets.parsers.labels import entities_of
from reseat.datasets.parsers.sides import draw_sides
from reseat.datasets.raw import SIDES, RawMentions
from reseat.errors import ConfigError, DataError

__all__ = ["parse_proper_names"]


def parse_proper_names(
    paths: Mapping[str, Path],
    types: Sequence[str] | None = None,
    mention_types: Sequence[str] | None = None,
    partitions: Mapping[str, Sequence[str]] | None = None,
    train_share: float = 0.83,
    seed: int = 0,
) -> RawMentions:
    """Read one name a line.

    Parameters
    ----------
    paths : mapping
        ``mentions`` (or ``user``) is a ``csv`` table with the columns doc_id, mention_id,
        name, head (the last word of the name) and entity_id, which need hold within a
        document only; and, if they are asked for, etype, mention_type and partition.
    types, mention_types : sequence of str, optional
        The values of etype and of mention_type that are kept; by default all.
    partitions : mapping of str to sequence of str, optional
        Values of partition under ``train`` and ``test``; other documents are left out.
    train_share : float
        Without partitions, part of the names that is for training.
    seed : int
        Without partitions, of the choice of documents that are for training.

    Returns
    -------
    RawMentions
        A document of which no name is kept is left out, and the notes say how many.

    Raises
    ------
    ConfigError
        If partitions are not those of ``train`` and ``test``.
    DataError
        If the file is damaged or lacks a column, a name has no entity, or nothing is left.
    """
    if partitions is not None and set(partitions) != set(SIDES):
        raise ConfigError(
            f"the option 'partitions' has the keys {', '.join(map(str, partitions)) or 'none'}; it "
            f"must have {' and '.join(SIDES)}"
        )
    path = paths["mentions"] if "mentions" in paths else paths["user"]
    table = read_csv(path)
    documents = column(table, "doc_id", path)
    kept = np.ones(len(table), dtype=bool)
    if partitions is not None:
        side = column(table, "partition", path)
        kept &= side.isin([part for parts in partitions.values() for part in parts]).to_numpy()
    n_documents = documents[kept].nunique()
    for key, wanted in (("etype", types), ("mention_type", mention_types)):
        if wanted is not None:
            kept &= column(table, key, path).isin(list(wanted)).to_numpy()
    table, documents = table[kept], documents[kept].tolist()
    if table.empty:
        raise DataError(f"{path}: no names are left for the requested types and partitions")
    mentions = column(table, "mention_id", path)
    own = entities_of(table, "entity_id", path, mentions.tolist())
    entities = [f"{document}#{name}" for document, name in zip(documents, own, strict=True)]
    if partitions is None:
        test = draw_sides(documents, entities, train_share, seed)
    else:
        test = column(table, "partition", path).isin(list(partitions["test"])).to_numpy()
    return RawMentions(
        kind="names",
        columns={key: column(table, key, path).tolist() for key in ("name", "head")},
        entities=entities,
        test=test.tolist(),
        item_ids=[f"{document}:{name}" for document, name in zip(documents, mentions, strict=True)],
        documents=documents,
        notes={"documents_without_mentions": n_documents - len(set(documents))},
    )
