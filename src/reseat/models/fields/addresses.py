"""Columns of a table of records in which e-mail addresses are single words."""

import re

import numpy as np

from reseat.models.fields.columns import Columns, as_columns

#: What is left out of an e-mail address.
SIGNS = re.compile(r"[\W_]+")


def columns_of(cells: np.ndarray) -> Columns:
    """Return the columns of a table as `as_columns` does, with each e-mail address as one word."""
    # Word by word, the addresses of strangers are alike, because they share names and providers.
    cells = np.array(cells, dtype=object)
    for column in cells.T:
        texts = {cell for cell in column if isinstance(cell, str) and "@" in cell}
        joined = {cell: SIGNS.sub("", cell) for cell in texts if len(cell.split()) == 1}
        if joined:
            column[:] = [joined.get(x, x) if isinstance(x, str) else x for x in column]
    return as_columns(cells)
