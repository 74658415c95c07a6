"""The user's own items, with their sides and entities, and optionally their distances."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reseat.checks import check_between, check_choice
from reseat.datasets.mentions import KINDS
from reseat.datasets.parsers.items import check_known, check_sides, entities_of
from reseat.datasets.parsers.options import beside, check_list, file_of
from reseat.datasets.raw import RawMentions
from reseat.errors import DataError
from reseat.reading.tables import column, read_frame
from reseat.reading.values import (
    MISSING_CELLS,
    missing_words,
    numbers,
    numbers_or_texts,
    without_missing,
)

logger = logging.getLogger(__name__)
ITEMS, LABELS, GROUPS, PAIRS = "items.csv", "labels.csv", "groups.csv", "pairs.csv"
ENDS = ("id1", "id2")
REMEDY = (
    "list the values that mean missing in the option 'missing', or list the column in the option "
    "'texts' if its cells are texts"
)


def parse_labelled_items(
    paths: Mapping[str, Path],
    kind: str = "items",
    texts: Sequence[str] = (),
    item: str = "id",
    split: str = "split",
    entity: str = "entity",
    group: str | None = None,
    missing: Sequence[str | float] = MISSING_CELLS,
) -> RawMentions:
    """Read a table of items.

    `paths`: ``user`` (or ``items``) is a ``csv`` table with the columns `item`, `split` (``train``
        or ``test``) and `entity`, or a folder that contains it as ``items.csv``; then `split` and
        `entity` may be in ``labels.csv``, and ``groups.csv`` may list the groups.
    `kind`: what the items are; see `reseat.datasets.pair_features` for the columns that it needs.
    `texts`: columns that are texts even if they look like numbers.
    `group`: column of the group, such as a document; no entity extends beyond its group.
    `missing`: cells that mean a missing value; an empty one always does.
    """
    path, others = _files(paths)
    table = read_frame(path)
    ids = column(table, item, path).tolist()
    labels, at = table, path
    if split not in table.columns and LABELS in others:
        at = others[LABELS]
        labels = read_frame(at)
        check_known(at, column(labels, item, at).tolist(), path, ids)
    test = check_sides(at, column(labels, item, at).tolist(), column(labels, split, at).tolist())
    if labels is not table:
        check_known(path, ids, at, labels[item].tolist())
        labels = labels.assign(**{split: test}).set_index(item).loc[ids].reset_index()
        test = labels[split].tolist()
    entities = entities_of(labels, entity, at, ids, missing_words(missing))
    documents = None if group is None else column(table, group, path).tolist()
    notes = {}
    if documents is not None and GROUPS in others:
        notes["documents_without_mentions"] = _empty(others[GROUPS], path, documents)
    own = [key for key in table.columns if key not in (item, split, entity, group)]
    for key in texts:
        column(table, key, path)
    columns = {}
    # For pairs the distances are given, so that the other columns of the items are not used.
    for key in own if kind != "pairs" else ():
        if key in texts:
            columns[key] = without_missing(table[key], path, missing).fillna("").tolist()
        else:
            columns[key] = numbers_or_texts(table[key], ids, path, REMEDY, missing)
    return RawMentions(kind, columns, entities.tolist(), test, ids, documents, notes)


def parse_item_pairs(
    paths: Mapping[str, Path],
    absent: float | None = None,
    item: str = "id",
    split: str = "split",
    entity: str = "entity",
    group: str | None = None,
) -> RawMentions:
    """Read items, and distances between them that were computed elsewhere.

    `paths`: ``user`` is a folder as in `parse_labelled_items`, with ``pairs.csv``: each pair is on
        one line, in either order, with the columns id1 and id2 and a distance for each feature.
    `absent`: distance of pairs without a line; by default every pair must have one.
    """
    raw = parse_labelled_items(paths, "pairs", (), item, split, entity, group)
    items, others = _files(paths)
    if PAIRS not in others:
        raise DataError(f"{items.parent} does not contain the table of distances {PAIRS}")
    path = others[PAIRS]
    table = read_frame(path)
    places = {name: number for number, name in enumerate(raw.item_ids)}
    ends = []
    for key in ENDS:
        named = column(table, key, path)
        check_known(path, named.tolist(), items, raw.item_ids)
        ends.append(named.map(places).to_numpy(dtype=np.int64))
    first, second = np.minimum(*ends), np.maximum(*ends)
    n_items = len(places)
    cells = pd.Series(first * n_items + second)
    for wrong, what in ((first == second, "contains the same item twice"),
                        (cells.duplicated().to_numpy(), "occurs twice")):  # fmt: skip
        if wrong.any():
            row = table.iloc[wrong.argmax()]
            raise DataError(f"{path}: the pair {row['id1']!r}, {row['id2']!r} {what}")
    n_lacking = n_items * (n_items - 1) // 2 - len(table)
    if n_lacking and absent is None:
        seen = np.eye(n_items, dtype=bool)
        seen[first, second] = True
        seen |= seen.T
        a, b = np.argwhere(~seen)[0]
        raise DataError(
            f"{path} lacks {n_lacking} pairs, such as {raw.item_ids[a]!r}, {raw.item_ids[b]!r}; "
            "add them, or set the option 'absent' to their distance"
        )
    columns = {}
    for key in table.columns.drop(list(ENDS)):
        distances = numbers(table[key], path)
        wrong = np.flatnonzero(~(np.isfinite(distances) & (distances >= 0)))
        if wrong.size:
            row = table.iloc[wrong[0]]
            raise DataError(
                f"{path}: the distance {key!r} of {row['id1']!r}, {row['id2']!r} is {row[key]!r}; "
                "it must be a number of at least 0"
            )
        matrix = np.full((n_items, n_items), absent or 0.0, dtype=np.float64)
        np.fill_diagonal(matrix, 0.0)
        matrix[first, second] = matrix[second, first] = distances
        columns[key] = matrix
    if not columns:
        raise DataError(f"{path} has no column of distances in addition to {' and '.join(ENDS)}")
    return replace(raw, columns=columns)


def check_labelled_items(options: Mapping[str, Any]) -> None:
    """Check the options `kind`, `texts` and `missing`, before any file is read."""
    check_choice("the option 'kind'", options.get("kind", "items"), KINDS)
    check_list("texts", options.get("texts"))
    missing_words(options.get("missing", MISSING_CELLS))


def check_item_pairs(options: Mapping[str, Any]) -> None:
    """Check the distance of absent pairs, before any file is read."""
    if options.get("absent") is not None:
        check_between("the option 'absent'", options["absent"], 0)


def _files(paths: Mapping[str, Path]) -> tuple[Path, dict[str, Path]]:
    """Return the path of the table of items, and the tables in its folder by name."""
    path = file_of(paths, "items")
    if not path.is_dir():
        return path, {}
    return path / ITEMS, beside(path, ITEMS, LABELS, GROUPS, PAIRS)


def _empty(path: Path, items: Path, documents: list[str]) -> int:
    """Return how many of the listed groups have no item; the group of every item must be listed."""
    listed = read_frame(path).iloc[:, 0].tolist()
    stranger = next((name for name in documents if name not in set(listed)), None)
    if stranger is not None:
        raise DataError(f"{items} has items of {stranger!r}, which is not listed in {path}")
    empty = sorted(set(listed) - set(documents))
    if empty:
        logger.warning(
            f"{path}: {len(empty)} groups have no items and are ignored; the first is {empty[0]!r}"
        )
    return len(empty)
