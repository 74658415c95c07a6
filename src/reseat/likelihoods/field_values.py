"""The values of a field of records, in order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pandas import isna

__all__ = ["ranked_values"]


def ranked_values(column: Sequence) -> tuple[list, list[int]]:
    """Different values of a field, numbers before texts, and the place of each record's among them.

    Parameters
    ----------
    column : sequence of str, int, float or None, length n_records
        None is a missing value, whose place is -1, and so are NaN and what else pandas has for it.
    """
    column = list(column)
    missing = isna(np.fromiter(column, dtype=object, count=len(column))).tolist()
    known = {value for value, gone in zip(column, missing, strict=True) if not gone}
    values = sorted(known, key=lambda value: (isinstance(value, str), value))
    place = {value: rank for rank, value in enumerate(values)}
    return values, [
        -1 if gone else place[value] for value, gone in zip(column, missing, strict=True)
    ]
