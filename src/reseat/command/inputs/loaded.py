"""Data that were read for an estimator, with names for its results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reseat.command.inputs.formats import refuse_unreadable
from reseat.datasets.marginals import first_twice
from reseat.datasets.parsers.fields import MISSING_CELLS, may_mean_missing
from reseat.errors import DataError
from reseat.texts import is_number

__all__ = [
    "LoadedInput",
    "existing",
    "names_of_rows",
    "remarks_on_cells",
    "remarks_on_labels",
    "remarks_on_names",
]


@dataclass(frozen=True)
class LoadedInput:
    """Data for an estimator.

    Attributes
    ----------
    what : str
        Sizes in words, such as "120 documents, 60 words".
    fit : mapping
        Arguments of the estimator's `fit`.
    items : sequence of str
        Names of the rows.
    portray : callable
        Called with the labels of the rows; returns one text per cluster that characterises it.
    settings : mapping
        Parameters of the estimator that depend on the data.
    columns, portray_columns
        The counterparts of `items` and `portray` for the columns, if these are clustered too.
    truth : ndarray, optional
        Number of the true cluster of each row, for comparison; -1 where it is unknown.
    warnings : sequence of str
    frame : DataFrame, optional
        Columns of the input, one row per item, to be shown beside the labels.
    table : tuple, optional
        Names of the fields and cells, an ndarray of object of shape (n_rows, n_fields), of records
        among which duplicates are sought.
    """

    what: str
    fit: Mapping[str, Any]
    items: Sequence[str]
    portray: Callable[[np.ndarray], list[str]]
    settings: Mapping[str, Any] = field(default_factory=dict)
    columns: Sequence[str] | None = None
    portray_columns: Callable[[np.ndarray], list[str]] | None = None
    truth: np.ndarray | None = None
    warnings: Sequence[str] = ()
    frame: pd.DataFrame | None = None
    table: tuple[Sequence[str], np.ndarray] | None = None


def existing(path: Path, folders: bool = False) -> Path:
    """Return the path if it is a file that is not empty, or a folder if `folders` is true.

    Raises
    ------
    DataError
        If it is neither, the user may not read it, or it is a pipe or a device.
    """
    refuse_unreadable(path)
    if not path.exists():
        raise DataError(f"{path} not found.")
    if path.is_dir():
        if not folders:
            raise DataError(f"{path} is a folder; specify a file.")
    elif path.stat().st_size == 0:
        raise DataError(f"{path} is empty.")
    return path


def names_of_rows(n: int) -> list[str]:
    """Return numbers from 1 as the names of rows that have none."""
    return [str(number) for number in range(1, n + 1)]


def remarks_on_names(names: Sequence[str]) -> list[str]:
    """Return remarks on names that are missing or shared by several items."""
    twice, empty = first_twice([name for name in names if name]), sum(not name for name in names)
    said = []
    if twice is not None:
        said.append(f"two items are called {twice!r}; they cannot be distinguished in the results.")
    if empty:
        said.append(f"items without a name: {empty:,}; they cannot be told apart in the results.")
    return said


def remarks_on_cells(table: pd.DataFrame) -> list[str]:
    """Return remarks on a first line that may be data, and on words that may mean no value."""
    said = []
    numbered = [name for name in table.columns if not name and _is_numbering(table[name])]
    if numbered:
        said.append(
            "a column without a name numbers the rows, and is compared like any other; name the "
            "others in --columns to leave it out."
        )
    odd = [name for name in table.columns if name not in numbered and (not name or is_number(name))]
    repeated = [name for name in table.columns if name in set(table[name])]
    if odd or 2 * len(repeated) > len(table.columns):
        shown = (odd or repeated)[0]
        said.append(
            f"the first line is read as column names, and one of them is {shown!r}; if this line "
            "is data, add a line of column names above it."
        )
    for name in table.columns:
        said += _remarks_on_words(name, table[name][_is_doubtful(table[name])], "value")
    return said


def _is_numbering(cells: pd.Series) -> bool:
    """Return whether cells are different whole numbers, as programs write before each row."""
    return cells.is_unique and all(cell.isascii() and cell.isdecimal() for cell in cells)


def remarks_on_labels(name: str, labels: Sequence[str], kind: str) -> list[str]:
    """Return a remark on words in a column of labels that may mean that there is none.

    Parameters
    ----------
    name : str
        Name of the column.
    labels : sequence of str
        Cells of the column that are treated as labels.
    kind : str
        What they are labels of, such as ``entity``.
    """
    labels = pd.Series(labels, dtype=object)
    # A 0 may mean that there is none, but not beside a 1: then labels are numbered from 0.
    found = labels[_is_doubtful(labels) | ((labels == "0") & ~(labels == "1").any())]
    return _remarks_on_words(name, found, kind)


def remarks_on_unknown(name: str, cells: pd.Series) -> list[str]:
    """Return a remark on cells of a column of entities that are read as if they were empty."""
    found = cells[~cells.isin(MISSING_CELLS)]
    if found.empty:
        return []
    return [
        f"{len(found):,} cells of the column {name!r} contain "
        f"{' or '.join(map(repr, found.unique()))}, which is read as an unknown entity; write "
        "another word if it is the name of one."
    ]


def _is_doubtful(cells: pd.Series) -> pd.Series:
    """Return which cells are treated as values, although they may mean that there is none."""
    return may_mean_missing(cells) & ~cells.isin(MISSING_CELLS)


def _remarks_on_words(name: str, found: pd.Series, kind: str) -> list[str]:
    """Return a remark that words which may mean a missing value are treated as values."""
    if found.empty:
        return []
    article = "an" if kind[0] in "aeiou" else "a"
    return [
        f"{len(found):,} cells of the column {name!r} contain "
        f"{' or '.join(map(repr, found.unique()))}, which is treated as {article} {kind}; leave "
        f"these cells empty if it means a missing {kind}."
    ]
