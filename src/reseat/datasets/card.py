"""Cards of processed data sets, which give their names and sizes without unpacking the data."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from reseat.datasets.identity import DatasetIdentity
from reseat.errors import DataError
from reseat.io import stored_json, write_text

__all__ = ["Card"]

NAME = "card.json"


@dataclass(frozen=True)
class Card:
    """The identity and sizes of a processed data set, without its data.

    Attributes
    ----------
    identity : DatasetIdentity
        For several draws, that of the first draw under the name of the data set.
    sizes : dict
        As returned by the ``summary`` of the data set.

    Examples
    --------
    >>> from reseat.datasets import Card, DatasetIdentity
    >>> card = Card(DatasetIdentity("pets", "Pets", "own"), {"records": 12})
    >>> card.title, card.status, card.sizes["records"]
    ('Pets', 'own', 12)
    """

    identity: DatasetIdentity
    sizes: Mapping[str, Any]

    @property
    def title(self) -> str:
        """Name in tables and figures."""
        return self.identity.title

    @property
    def status(self) -> str:
        """Status of the data, such as ``faithful`` or ``stand-in``; see `DatasetIdentity`."""
        return self.identity.status

    @staticmethod
    def path_of(dataset: str | os.PathLike) -> Path:
        """Return the path of the card of a data set: in its folder, or beside its file."""
        dataset = Path(dataset)
        if dataset.suffix == ".npz":
            return dataset.with_suffix(f".{NAME}")
        return dataset / NAME

    def save(self, dataset: str | os.PathLike) -> None:
        """Write the card of the data set in a file or folder."""
        content = {
            "title": self.title,
            "status": self.status,
            "sizes": dict(self.sizes),
            "identity": self.identity.to_dict(),
        }
        text = json.dumps(content, indent=2, ensure_ascii=False)
        write_text(self.path_of(dataset), f"{text}\n")

    @classmethod
    def load(cls, dataset: str | os.PathLike) -> Self:
        """Read the card of the data set in a file or folder.

        Raises
        ------
        DataError
            If the card is absent or damaged.
        """
        path = cls.path_of(dataset)
        if not path.exists():
            raise DataError(f"{path}: file not found; make the data set again")
        content = stored_json(path)
        try:
            return cls(DatasetIdentity.from_dict(content["identity"]), content["sizes"])
        except (KeyError, TypeError, DataError) as error:
            raise DataError(
                f"{path}: not a complete card ({error}); delete it and make the data set again"
            ) from error
