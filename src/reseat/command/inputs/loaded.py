"""What was read for an estimator, with names for its results."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from reseat.estimators.sampling import data_hash


@dataclass(frozen=True)
class LoadedInput:
    """Data for an estimator; `columns` and `portray_columns` are those of clustered columns."""

    what: str  # sizes in words, such as "120 documents, 60 words"
    fit: Mapping[str, Any]  # arguments of the estimator's `fit`
    items: Sequence[str]  # names of the rows
    #: Called with the labels of the rows; returns one text per cluster that characterises it.
    portray: Callable[[np.ndarray], list[str]]
    #: Parameters of the estimator that depend on the data.
    settings: Mapping[str, Any] = field(default_factory=dict)
    columns: Sequence[str] | None = None
    portray_columns: Callable[[np.ndarray], list[str]] | None = None
    #: Number of the true cluster of each row, -1 where it is unknown. Shape (n_rows,).
    truth: np.ndarray | None = None
    warnings: Sequence[str] = ()
    #: Columns of the input, one row per item, to be shown beside the labels.
    frame: pd.DataFrame | None = None
    #: Fields and cells, shape (n_rows, n_fields), of records among which duplicates are sought.
    table: tuple[Sequence[str], np.ndarray] | None = None
    #: Names of two rows and the answer whether they are together, of each decision that was given.
    decisions: Sequence[Sequence[str]] = ()
    #: What `fit` was computed from, if the last bits of its numbers depend on the processor.
    source: Sequence[np.ndarray] | None = None

    @property
    def hash(self) -> str:
        """Hash by which the data of a result are recognised."""
        return data_hash(*(self.source or self.fit.values()))


def names_of_rows(n: int) -> list[str]:
    """Return numbers from 1 as the names of rows that have none."""
    return [str(number) for number in range(1, n + 1)]
