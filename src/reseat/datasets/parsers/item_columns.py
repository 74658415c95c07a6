"""Columns and tables about items: their entities, and the sides on which they are."""

from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from reseat.configuration import did_you_mean
from reseat.datasets.raw import SIDES
from reseat.errors import DataError
from reseat.files.texts import first_twice
from reseat.reading.tables import column, read_frame
from reseat.reading.values import MISSING_CELLS


def read_sides(path: Path, ids: Collection[str], items: Path) -> dict[str, bool]:
    """Read a table of two columns, the item and its side; return whether each is for testing.

    The side is ``train`` or ``test``; `ids` are those of all items in the table `items`.
    """
    table = read_frame(path)
    if table.shape[1] != 2:
        raise DataError(f"{path} has {table.shape[1]} columns; it must have two, item and side")
    check_headed(table, path, ids)
    named, sides = (table[key].tolist() for key in table.columns)
    check_known(path, named, items, ids)
    test = check_sides(path, named, sides)
    return dict(zip(named, test, strict=True))


def check_sides(path: Path, ids: list[str], sides: list[str]) -> list[bool]:
    """Check that each item occurs once, and is on the training side or the test side.

    Return whether each item is for testing.
    """
    for name, side in zip(ids, sides, strict=True):
        if side not in SIDES:
            raise DataError(
                f"{path}: item {name!r} is marked {side!r}; it must be {' or '.join(SIDES)}"
            )
    twice = first_twice(ids)
    if twice is not None:
        marked = {side for name, side in zip(ids, sides, strict=True) if name == twice}
        if len(marked) > 1:
            raise DataError(
                f"{path} marks item {twice!r} as both train and test; keep only one of the two"
            )
    check_once(path, ids)
    return [side == SIDES[1] for side in sides]


def check_once(path: Path, named: Sequence[str], what: str = "item") -> None:
    """Check that a table names no item twice; `what` is the word for an item in messages."""
    twice = first_twice(named)
    if twice is not None:
        raise DataError(f"{path} names {what} {twice!r} twice; remove one of the lines")


def check_known(
    path: Path, named: Collection[str], items: Path, ids: Collection[str], what: str = "item"
) -> None:
    """Check that a table names no item that is missing from the table of items."""
    known = set(ids)
    stranger = next((name for name in named if name not in known), None)
    if stranger is not None:
        raise DataError(
            f"{path} names {what} {stranger!r}, which is not in {items}"
            f"{did_you_mean(stranger, ids)}"
        )


def check_headed(table: pd.DataFrame, path: Path, ids: Collection[str]) -> None:
    """Check that the first line of a table about items is a line of column names, not an item.

    Otherwise what it says about an item would be lost.
    """
    first = table.columns[0]
    if first in set(ids) and first not in set(table[first]):
        raise DataError(
            f"{path}: the first line, {', '.join(table.columns)}, describes the item {first!r}, "
            "but must contain the column names; add a line of column names above it"
        )


def entities_of(
    table: pd.DataFrame,
    name: str,
    path: Path,
    ids: Sequence[str],
    missing: Sequence[str] = MISSING_CELLS,
) -> pd.Series:
    """Return the column of entities, after checking that every item has one."""
    entities = column(table, name, path)
    unknown = np.flatnonzero(entities.isin(missing))
    if unknown.size:
        raise DataError(f"{path}: item {ids[unknown[0]]!r} has no {name}; every item needs one")
    return entities
