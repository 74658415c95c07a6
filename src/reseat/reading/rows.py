"""Columns that only name the rows of a table, and rows that are the sum of all others."""

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

#: Names of columns that name the rows; least number of rows whose numbering is not chance.
KEY, MANY_ROWS = re.compile(r"((^|[\W_])(?i:id|key|nr|uuid|guid|index|row)|[a-z]I[dD])$"), 10


def without_key(table: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return a table without its first column if that only names the rows, and a remark on it."""
    name, *others = table.columns
    cells = table[name]
    if not others or len(table) < MANY_ROWS or cells.isna().any() or not cells.is_unique:
        return table, []
    if cells.str.fullmatch("[0-9]+").all() and (
        not name or np.ptp([*map(int, cells)]) < len(cells)
    ):
        why = "numbers the rows"
    elif KEY.search(name) and cells.str.contains("[0-9]").all():
        why = "has a value of its own in every row"
    else:
        return table, []
    left_out = f"the column {name!r}" if name else "a column without a name"
    remedy = "; to compare it, name it and the others in --columns." if name else "."
    return table[others], [f"{left_out} {why}, and is left out{remedy}"]


def remarks_on_total(table, names: Sequence[str]) -> list[str]:
    """Return a remark on the row of a table of numbers that is the sum of all others."""
    sums, whole = table.sum(axis=1), table.sum(axis=0)
    for place in np.flatnonzero(np.isclose(2 * sums, sums.sum())):
        row = table[[place]]
        row = row.toarray()[0] if hasattr(row, "toarray") else row[0]
        if len(names) > 3 and np.allclose(2 * row, whole):
            total = f"{names[place]!r} is the sum of all others"
            return [f"{total}; leave it out if it is their total."]
    return []
