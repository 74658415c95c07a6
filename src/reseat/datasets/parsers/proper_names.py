"""Names in documents, and the entities that they refer to within each document."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reseat.configuration import did_you_mean
from reseat.datasets.parsers.items import draw_sides, entities_of
from reseat.datasets.parsers.options import check_draw, check_list, file_of
from reseat.datasets.raw import SIDES, RawMentions
from reseat.errors import ConfigError, DataError
from reseat.reading.tables import column, read_frame


def parse_proper_names(
    paths: Mapping[str, Path],
    types: Sequence[str] | None = None,
    mention_types: Sequence[str] | None = None,
    partitions: Mapping[str, Sequence[str]] | None = None,
    train_share: float = 0.83,
    seed: int = 0,
) -> RawMentions:
    """Read a table with one name per line.

    `paths`: ``mentions`` (or ``user``) is a ``csv`` table with the columns doc_id, mention_id,
        name, head (the last word) and entity_id, of entities within a document.
    `types`, `mention_types`: values of etype and of mention_type to keep; by default all.
    `partitions`: values of partition for ``train`` and ``test``; others are left out.
    `train_share`, `seed`: without partitions, share and seed for drawing documents for training.
    """
    path = file_of(paths, "mentions")
    table = read_frame(path)
    documents = column(table, "doc_id", path)
    kept = np.ones(len(table), dtype=bool)
    if partitions is not None:
        side = column(table, "partition", path)
        kept &= _among(side, [part for parts in partitions.values() for part in parts], path)
    n_documents = documents[kept].nunique()
    for key, wanted in (("etype", types), ("mention_type", mention_types)):
        if wanted is not None:
            kept &= _among(column(table, key, path), wanted, path)
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


def check_proper_names(options: Mapping[str, Any]) -> None:
    """Check the values of the options, before any file is read."""
    for key in ("types", "mention_types"):
        check_list(key, options.get(key))
    partitions = options.get("partitions")
    if partitions is not None:
        keys = partitions if isinstance(partitions, Mapping) else ()
        if set(keys) != set(SIDES):
            raise ConfigError(
                f"the option 'partitions' has the keys {', '.join(map(str, keys)) or 'none'}; it "
                f"must have {' and '.join(SIDES)}"
            )
        for side, parts in partitions.items():
            check_list(f"partitions.{side}", parts)
    check_draw(options)


def _among(cells: pd.Series, wanted: Sequence[str], path: Path) -> np.ndarray:
    """Return which cells have one of the wanted values, each of which must occur."""
    there = cells.unique().tolist()
    unknown = next((value for value in wanted if value not in there), None)
    if unknown is not None:
        some = ", ".join(map(repr, there[:10]))
        hint = did_you_mean(unknown, there) or f"; there are {some}"
        raise DataError(f"{path}: no cell of the column {cells.name!r} is {unknown!r}{hint}")
    return cells.isin(list(wanted)).to_numpy()
