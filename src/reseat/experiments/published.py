"""The published numbers that are kept beside the configuration, as they are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from reseat.errors import DataError

__all__ = ["keyed", "read_published"]


def read_published(folder: Path, columns: Mapping[str, Sequence[str]]) -> dict[str, pd.DataFrame]:
    """Some files of published numbers.

    Parameters
    ----------
    folder : path
    columns : mapping of str to sequence of str
        Name of each file, without its ending, to the columns it must have.

    Returns
    -------
    dict of str to pandas.DataFrame
        In the order of `columns`, with these columns alone.

    Raises
    ------
    DataError
        If a file lacks a column.
    """
    frames = {}
    for name, wanted in columns.items():
        path = Path(folder) / f"{name}.csv"
        frame = pd.read_csv(path)
        missing = set(wanted) - set(frame.columns)
        if missing:
            raise DataError(
                f"{path} lacks the column(s) {', '.join(sorted(missing))}; restore the file."
            )
        frames[name] = frame[list(wanted)]
    return frames


def keyed(frame: pd.DataFrame) -> dict:
    """The last column by the others: by the value of the one, or a tuple of those of several.

    Numbers are floats, also those that are written without a point.
    """
    *keys, last = frame.columns
    values = frame[last]
    values = values.astype(float) if values.dtype.kind in "iuf" else values
    index = frame[keys[0]] if len(keys) == 1 else frame[keys].itertuples(index=False, name=None)
    return dict(zip(index, values, strict=True))
