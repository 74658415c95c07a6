"""Published numbers, the names that the papers print, and those of the data sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import ClassVar

import pandas as pd

from reseat.datasets import Card, DatasetIdentity
from reseat.errors import DataError
from reseat.metrics import declared

# ---- Reading of the published numbers that are stored beside the configuration ---------------


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
    """Return the last column keyed by the others, by value or tuple; numbers become floats."""
    *keys, last = frame.columns
    values = frame[last]
    values = values.astype(float) if values.dtype.kind in "iuf" else values
    index = frame[keys[0]] if len(keys) == 1 else frame[keys].itertuples(index=False, name=None)
    return dict(zip(index, values, strict=True))


# ---- Measured numbers by the names that the papers print -------------------------------------
#
# They have a module of their own because their names are declared beside the metrics, so that
# everything that imports this module is made again when any metric changes.


@dataclass(frozen=True)
class Metric:
    """A measured number under the name the paper prints."""

    name: str
    #: Column of the results that contains it, or its value in a column of quantities.
    column: str

    @property
    def better(self):
        """+1 if larger is better, -1 if smaller is, 0 if neither, as declared for the name."""
        return declared(self.name).better


#: Number of blocks of the scored partition.
N_CLUSTERS = Metric("clusters", "n_clusters")


def metrics_named(*names):
    """Return metrics by their printed names, each with the name of its function as the column."""
    return tuple(Metric(name, declared(name).function.__name__) for name in names)


# ---- Identities of the data sets behind a result, from the cards stored beside them ----------


def read_identities(paths: Iterable[str | PathLike]) -> list[DatasetIdentity]:
    """Read the identity (name, title, status and so on) of each processed data set."""
    return [Card.load(path).identity for path in paths]


def titles_of(identities: Iterable[DatasetIdentity]) -> dict[str, str]:
    """Return the title of each data set."""
    return {identity.name: identity.title for identity in identities}


def n_documents(paths: Iterable[str | PathLike]) -> dict[str, int]:
    """Return the number of documents of each processed data set."""
    cards = map(Card.load, paths)
    return {card.identity.name: card.sizes["documents"] for card in cards}
