"""Tables that say which items are for training, which for testing, and whose they are."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np
import pandas as pd

from reseat.configuration import nearest
from reseat.datasets.marginals import first_twice
from reseat.datasets.mentions import SIDES
from reseat.datasets.parsers.cells import read_csv
from reseat.datasets.parsers.fields import MISSING_CELLS
from reseat.errors import DataError

__all__ = ["check_known", "check_sides", "numbers", "read_sides"]


def read_sides(path: Path, ids: Collection[str], items: Path) -> dict[str, bool]:
    """Read a table of two columns, item and side, ``train`` or ``test``.

    Parameters
    ----------
    path : Path
    ids : collection of str
        The items there are, as `items` has them.
    items : Path

    Returns
    -------
    dict of str to bool
        Whether an item is for testing.

    Raises
    ------
    DataError
        As for `check_sides` and `check_known`, or if there are not two columns.
    """
    table = read_csv(path)
    if table.shape[1] != 2:
        raise DataError(f"{path} has {table.shape[1]} columns; it must have two, item and side")
    named, sides = (table[key].tolist() for key in table.columns)
    check_known(path, named, items, ids)
    test = check_sides(path, named, sides)
    return dict(zip(named, test, strict=True))


def check_sides(path: Path, ids: list[str], sides: list[str]) -> list[bool]:
    """Check that each item is there once, and on the training side or the test side.

    Returns
    -------
    list of bool
        Whether each item is for testing.

    Raises
    ------
    DataError
        Naming the item.
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
            raise DataError(f"{path} marks item {twice!r} both train and test; keep one of the two")
        raise DataError(f"{path} names item {twice!r} twice; leave one line")
    return [side == SIDES[1] for side in sides]


def check_known(path: Path, named: Collection[str], items: Path, ids: Collection[str]) -> None:
    """Check that a table names no item that the table of items lacks.

    Raises
    ------
    DataError
        Naming the item.
    """
    known = set(ids)
    stranger = next((name for name in named if name not in known), None)
    if stranger is not None:
        raise DataError(
            f"{path} names item {stranger!r}, which {items} does not have{nearest(stranger, ids)}"
        )


def numbers(cells: pd.Series, path: Path) -> np.ndarray:
    """Return a column of numbers, NaN where there is none.

    Raises
    ------
    DataError
        If a cell is neither empty nor a number.
    """
    values = pd.to_numeric(cells.mask(cells.isin(MISSING_CELLS)), errors="coerce")
    wrong = np.flatnonzero(values.isna() & ~cells.isin(MISSING_CELLS))
    if wrong.size:
        raise DataError(
            f"{path}: {cells.iloc[wrong[0]]!r} in the column {cells.name!r} is no number"
        )
    return values.to_numpy(dtype=np.float64)
