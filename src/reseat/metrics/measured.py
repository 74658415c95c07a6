"""Which columns and rows of a table hold measured times, which are others on each machine."""

from __future__ import annotations

import pandas as pd

from reseat.metrics.evaluation import known_quantity

__all__ = ["is_measured", "untimed"]

#: Columns whose texts say what is measured in a row.
NAMING = ("metric", "quantity")
#: Columns with the ends of an interval of the column before them.
ENDS = ("low", "high")


def is_measured(name: str) -> bool:
    """Whether a quantity is a measured time or follows from some.

    Parameters
    ----------
    name : str
        As for `declared`; what is not declared is not measured.
    """
    quantity = known_quantity(name)
    return quantity is not None and quantity.measured


def untimed(table: pd.DataFrame) -> pd.DataFrame:
    """A table without its columns and rows of measured times.

    Parameters
    ----------
    table : pandas.DataFrame

    Returns
    -------
    pandas.DataFrame
        The rows that are left keep their index.
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
