"""The published numbers that are kept beside the configuration, as they are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import pandas as pd

from reseat.errors import DataError

__all__ = ["PublishedNumbers", "keyed", "read_numbers"]


class PublishedNumbers:
    """The published numbers of a paper; a family adds what it looks up in them.

    Attributes
    ----------
    FILES : mapping of str to sequence of str
        Name of each file, without its ending, to the columns it must have.
    """

    FILES: ClassVar[Mapping[str, Sequence[str]]]

    @classmethod
    def load(cls, folder: Path) -> PublishedNumbers:
        """Read the files of the paper from a folder.

        Raises
        ------
        DataError
            If a file lacks a column.
        """
        return cls.of(
            *(
                read_numbers(Path(folder) / f"{name}.csv", columns)
                for name, columns in cls.FILES.items()
            )
        )

    @classmethod
    def of(cls, *frames: pd.DataFrame) -> PublishedNumbers:
        """The numbers in the frames of the files: an attribute a file, `keyed`."""
        return cls(*map(keyed, frames))


def read_numbers(path: Path, columns: Sequence[str], **options) -> pd.DataFrame:
    """A file of published numbers.

    Parameters
    ----------
    path : path
    columns : sequence of str
        Those that it must have.
    **options
        Of `pandas.read_csv`.

    Returns
    -------
    pandas.DataFrame
        With these columns alone.

    Raises
    ------
    DataError
        If the file lacks a column.
    """
    frame = pd.read_csv(path, **options)
    missing = set(columns) - set(frame.columns)
    if missing:
        raise DataError(
            f"{path} lacks the column(s) {', '.join(sorted(missing))}; restore the file."
        )
    return frame[list(columns)]


def keyed(frame: pd.DataFrame) -> dict:
    """The last column by the others: by the value of the one, or a tuple of those of several.

    Numbers are floats, also those that are written without a point.
    """
    *keys, last = frame.columns
    values = frame[last]
    values = values.astype(float) if values.dtype.kind in "iuf" else values
    index = frame[keys[0]] if len(keys) == 1 else frame[keys].itertuples(index=False, name=None)
    return dict(zip(index, values, strict=True))
