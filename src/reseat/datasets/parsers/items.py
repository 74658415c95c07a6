"""Items of a table: their entities, and the sides, training and test, on which they are."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from reseat.configuration import did_you_mean
from reseat.datasets.parsers.options import check_draw
from reseat.datasets.raw import SIDES, number_entities
from reseat.datasets.uniforms import Uniforms
from reseat.errors import DataError
from reseat.files.texts import first_twice
from reseat.reading.tables import column, read_frame
from reseat.reading.values import MISSING_CELLS


def read_sides(path: Path, ids: Collection[str], items: Path) -> dict[str, bool]:
    """Read a table of items and their sides; return whether each item of `items` is for testing."""
    named, sides = read_two(path, ids, "item and side")
    check_known(path, named, items, ids)
    test = check_sides(path, named, sides)
    return dict(zip(named, test, strict=True))


def read_two(path: Path, ids: Collection[str], what: str) -> Iterator[list[str]]:
    """Return the columns of a table about items; `what` names them in a message."""
    table = read_frame(path)
    if table.shape[1] != 2:
        raise DataError(f"{path} has {table.shape[1]} columns; it must have two, {what}")
    check_headed(table, path, ids)
    return (table[key].tolist() for key in table.columns)


def check_sides(path: Path, ids: list[str], sides: list[str]) -> list[bool]:
    """Check that each item occurs once, on a known side; return whether each is for testing."""
    pairs = list(zip(ids, sides, strict=True))
    for name, side in pairs:
        if side not in SIDES:
            raise DataError(
                f"{path}: item {name!r} is marked {side!r}; it must be {' or '.join(SIDES)}"
            )
    twice = first_twice(ids)
    if all((twice, side) in pairs for side in SIDES):
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
    """Check that the first line of a table has column names, not an item that would be lost."""
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


def draw_sides(
    wholes: Sequence[str], entities: Sequence[str], share: float, seed: int
) -> np.ndarray:
    """Return whether each item is for testing; names or documents that share an entity are whole.

    In random order, each connected group is for training if this comes closer to the share.
    """
    check_draw({"train_share": share, "seed": seed})
    rows, columns = number_entities(wholes), number_entities(entities)
    n_wholes = int(rows.max()) + 1
    shape = 2 * (n_wholes + int(columns.max()) + 1,)
    links = sp.coo_array((np.ones(len(rows)), (rows, n_wholes + columns)), shape=shape)
    parts = connected_components(links, directed=False)[1][rows]
    parts = number_entities(parts.tolist())
    sizes = np.bincount(parts)
    if len(sizes) < 2:
        raise DataError("all items are connected, so none of them can be held out for testing")
    wanted, taken = share * len(parts), 0
    test = np.ones(len(sizes), dtype=bool)
    draw = Uniforms(np.random.Generator(np.random.PCG64(seed)))
    for part in draw.order(len(sizes)):
        if taken + sizes[part] / 2 <= wanted:
            test[part] = False
            taken += int(sizes[part])
    if not taken or test.sum() == 0:
        raise DataError(
            f"no split that keeps connected items together leaves {share:.0%} of them for training"
        )
    return test[parts]
