"""Reading of the published numbers that are stored beside the configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import pandas as pd

from reseat.errors import DataError

__all__ = ["PublishedNumbers", "keyed", "read_numbers"]


class PublishedNumbers:
    """The published numbers of a paper; a family adds its own look-ups."""

    #: Name of each file, without its extension, to the columns it must have.
    FILES: ClassVar[Mapping[str, Sequence[str]]]

    @classmethod
    def load(cls, folder: Path) -> PublishedNumbers:
        """Read the files of the paper from a folder."""
        return cls.of(
            *(
                read_numbers(Path(folder) / f"{name}.csv", columns)
                for name, columns in cls.FILES.items()
            )
        )

    @classmethod
    def of(cls, *frames: pd.DataFrame) -> PublishedNumbers:
        """Return the numbers in the frames of the files: one `keyed` attribute per file."""
        return cls(*map(keyed, frames))


def read_numbers(path: Path, columns: Sequence[str], **options) -> pd.DataFrame:
    """Read the columns of a file of published numbers that it must have."""
    frame = pd.read_csv(path, **options)
    missing = set(columns) - set(frame.columns)
    if missing:
        raise DataError(
            f"{path} lacks the column(s) {', '.join(sorted(missing))}; restore the file."
        )
    return frame[list(columns)]


def keyed(frame: pd.DataFrame) -> dict:
    """Return the last column keyed by the others: by a value if there is one, else by a tuple.

    All numbers become floats, including those written without a decimal point.
    """
    *keys, last = frame.columns
    values = frame[last]
    values = values.astype(float) if values.dtype.kind in "iuf" else values
    index = frame[keys[0]] if len(keys) == 1 else frame[keys].itertuples(index=False, name=None)
    return dict(zip(index, values, strict=True))
