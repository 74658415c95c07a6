"""The distinct values of a field of records, in order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pandas import isna

__all__ = ["ranked_values"]


def ranked_values(column: Sequence) -> tuple[list, list[int]]:
    """Return the sorted distinct values of a field, and the place of each record's among them.

    Numbers come before strings. The place is -1 for None, NaN and whatever else pandas takes for
    missing.
    """
    column = list(column)
    missing = isna(np.fromiter(column, dtype=object, count=len(column))).tolist()
    known = {value for value, gone in zip(column, missing, strict=True) if not gone}
    values = sorted(known, key=lambda value: (isinstance(value, str), value))
    place = {value: rank for rank, value in enumerate(values)}
    return values, [
        -1 if gone else place[value] for value, gone in zip(column, missing, strict=True)
    ]
