"""What a parser of records hands over: a table of cells, or a recipe to draw one from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

__all__ = ["RawRecipe", "RawRecords"]


@dataclass(frozen=True)
class RawRecords:
    """Records as they were published, their cells not yet numbered.

    Attributes
    ----------
    cells : pandas.DataFrame of str, shape (n_records, n_fields)
        One column a field; a cell that is not there is missing (``isna``).
    entities : sequence of str, or None
        Whatever names the entity of each record.
    record_ids : sequence of str
    """

    cells: pd.DataFrame
    entities: Sequence[str] | None
    record_ids: Sequence[str]


@dataclass(frozen=True)
class RawRecipe:
    """What records can be drawn from, without an identity.

    Attributes
    ----------
    fields : tuple of str
    levels : tuple of tuple of str
        Categories of each field.
    weights : tuple of ndarray
        Of each level of each field, from 0 and of any sum: counts will do.
    sizes : ndarray of int
        Number of entities of 1, 2, ... records.
    """

    fields: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    weights: tuple[np.ndarray, ...]
    sizes: np.ndarray
