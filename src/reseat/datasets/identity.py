"""The identity of a data set, which accompanies every result made from it."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from numbers import Real
from typing import Any

from reseat.errors import ConfigError, DataError
from reseat.vocabulary import GENERATED, OWN, STATUSES

#: Statuses of data whose results cannot be compared with those of a paper.
UNCOMPARED = (GENERATED, OWN)


@dataclass(frozen=True)
class DatasetIdentity:
    """What a data set is, and how it was processed.

    Attributes
    ----------
    name : str
        Key in ``config/datasets.yaml``.
    title : str
        Name in tables and figures.
    status : {"faithful", "stand-in", "generated", "own"}
        ``faithful``: the data that the title names, or data drawn as the paper draws them.
        ``stand-in``: other data in their place.  ``generated``: made by a seeded generator.
        ``own``: the user's own data.
    stands_for : str
        The data that are replaced; empty if there are none, as for ``"faithful"`` and ``"own"``.
    licence, citation, note : str
        As in the registry.
    sha256 : dict of str to str
        Hash of every raw file read, keyed by its path below the mirror folder.
    preprocessing : dict
        Parser, options, feature rule and stop list; under ``computed``, numbers that say what
        was changed.
    derived_from : str
        SHA-256 of what the data were computed from, if their last bits depend on the processor.

    Examples
    --------
    >>> from reseat.datasets import DatasetIdentity
    >>> identity = DatasetIdentity("reuters", "Reuters", "stand-in", stands_for="the newswire")
    >>> identity.to_dict()["stands_for"]
    'the newswire'
    """

    name: str
    title: str
    status: str
    stands_for: str = ""
    licence: str = ""
    citation: str = ""
    note: str = ""
    sha256: dict[str, str] = field(default_factory=dict)
    preprocessing: dict[str, Any] = field(default_factory=dict)
    derived_from: str = ""

    def __post_init__(self):
        if self.status not in STATUSES:
            raise DataError(
                f"data set {self.name!r}: status {self.status!r} must be one of "
                f"{', '.join(STATUSES)}"
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the identity as plain values that JSON can represent."""
        return asdict(self)

    def computed_from(self, *inputs: Any) -> DatasetIdentity:
        """Return the identity of data that were computed from these inputs, plain values."""
        text = json.dumps(inputs, sort_keys=True, default=str)
        return replace(self, derived_from=hashlib.sha256(text.encode()).hexdigest())

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> DatasetIdentity:
        """Rebuild an identity from the result of `to_dict`."""
        unknown = sorted(set(values) - {item.name for item in fields(cls)})
        lacking = sorted({"name", "title", "status"} - set(values))
        if unknown or lacking:
            what = f"has the unknown key {unknown[0]!r}" if unknown else f"lacks {lacking[0]!r}"
            raise DataError(f"a data set identity {what}; the file was written by another version")
        return cls(**values)


#: Placeholder for data without an entry; parsers record their steps in its ``preprocessing``.
UNNAMED = DatasetIdentity(name="", title="", status=GENERATED)


def cell_name(recipe: str, delta: float) -> str:
    """Return the name of a recipe at one concentration: ``italy_d02`` for delta = 0.02."""
    if isinstance(delta, bool) or not isinstance(delta, Real) or not 0 < delta < math.inf:
        raise ConfigError(f"delta is {delta!r}; a concentration must be a number above 0")
    hundredths = round(100 * delta)
    if hundredths < 1 or not math.isclose(100 * delta, hundredths, rel_tol=1e-9):
        raise ConfigError(
            f"delta is {delta}; it must be a multiple of 0.01, because the names of the draws show "
            "hundredths"
        )
    return f"{recipe}_d{hundredths:02d}"


def recipe_of(cell: str) -> str:
    """Return the name of the recipe of a cell, such as ``italy`` for ``italy_d02``."""
    return cell.rsplit("_d", 1)[0]


def draw_name(cell: str, number: int) -> str:
    """Return the name of a draw, such as ``italy_d02_0``; `number` counts from 0."""
    return f"{cell}_{number}"
