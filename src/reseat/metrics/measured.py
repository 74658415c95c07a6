"""Columns and rows of a table that hold measured times, which differ from machine to machine."""

from __future__ import annotations

import pandas as pd

from reseat.metrics.evaluation import known_quantity

__all__ = ["is_measured", "untimed"]

#: Columns whose text says which quantity a row holds.
NAMING = ("metric", "quantity")
#: Columns with the ends of an interval for the column before them.
ENDS = ("low", "high")


def is_measured(name: str) -> bool:
    """Return whether a quantity is a measured time or is computed from measured times.

    Parameters
    ----------
    name : str
        As for `declared`; an undeclared quantity is not measured.
    """
    quantity = known_quantity(name)
    return quantity is not None and quantity.measured


def untimed(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table without its columns and rows of measured times.

    Parameters
    ----------
    table : pandas.DataFrame

    Returns
    -------
    pandas.DataFrame
        The remaining rows keep their index.
    """
    timed, measured = [], False
    for column in table:
        measured = measured if column in ENDS else is_measured(column)
        if measured:
            timed.append(column)
    rows = pd.Series(False, table.index)
    for column in set(NAMING) & set(table):
        rows |= table[column].astype(str).map(is_measured).astype(bool)
    return table[~rows].drop(columns=timed)
