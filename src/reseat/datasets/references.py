"""References: mentions as points, some coordinates of which belong to one feature."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from reseat.datasets.identity import DatasetIdentity
from reseat.datasets.npz import decode_strings, encode_strings, open_archive, save_archive
from reseat.errors import DataError

__all__ = ["References"]

FORMAT = 1


@dataclass(frozen=True, eq=False)
class References:
    """Items as points, centred and scaled.

    Attributes
    ----------
    coordinates : ndarray of float64, shape (n_items, n_coordinates)
    feature_of : ndarray of int32, shape (n_coordinates,)
        The feature that each coordinate belongs to; nondecreasing, from 0.
    features : tuple of str
    entities, test, groups, item_ids
        As in `reseat.datasets.Mentions`.
    rules : dict of str to ndarray of int32, shape (n_items,)
        See `reseat.datasets.Mentions.rules`.
    identity : DatasetIdentity
    notes : dict
        ``embedding``; ``dropped``, the features that do not vary; and ``features``, for each
        of the others how many coordinates are kept and which share of the mass they hold.
    role : str
        See `reseat.datasets.Mentions.role`.

    Raises
    ------
    DataError
        If lengths disagree, a coordinate is not finite, or features are numbered otherwise.
    """

    coordinates: np.ndarray
    feature_of: np.ndarray
    features: tuple[str, ...]
    entities: np.ndarray
    test: np.ndarray
    groups: np.ndarray
    item_ids: tuple[str, ...]
    identity: DatasetIdentity
    rules: dict[str, np.ndarray] = field(default_factory=dict)
    notes: dict[str, Any] = field(default_factory=dict)
    role: str = "items"

    def __post_init__(self):
        where = f"references {self.identity.name!r}"
        points = np.ascontiguousarray(self.coordinates, dtype=np.float64)
        feature_of = np.ascontiguousarray(self.feature_of, dtype=np.int32)
        object.__setattr__(self, "coordinates", points)
        object.__setattr__(self, "feature_of", feature_of)
        object.__setattr__(self, "features", tuple(str(name) for name in self.features))
        object.__setattr__(self, "item_ids", tuple(str(name) for name in self.item_ids))
        if points.ndim != 2 or feature_of.shape != points.shape[1:] or not points.shape[1]:
            raise DataError(
                f"{where}: coordinates of shape {points.shape} do not go with feature_of of shape "
                f"{feature_of.shape}"
            )
        if (
            not np.array_equal(np.unique(feature_of), np.arange(self.n_features))
            or (np.diff(feature_of) < 0).any()
        ):
            raise DataError(
                f"{where}: feature_of must rise from 0 to {self.n_features - 1} without a gap"
            )
        for key, kind in (("entities", np.int32), ("test", np.bool_), ("groups", np.int32)):
            object.__setattr__(self, key, np.ascontiguousarray(getattr(self, key), dtype=kind))
        rules = {k: np.ascontiguousarray(v, dtype=np.int32) for k, v in self.rules.items()}
        object.__setattr__(self, "rules", rules)
        lengths = {"entities": self.entities, "test": self.test, "groups": self.groups, **rules}
        for key, values in {**lengths, "item_ids": self.item_ids}.items():
            if len(values) != self.n_items:
                raise DataError(
                    f"{where}: {key} has {len(values)} entries for {self.n_items} items"
                )
        wrong = np.flatnonzero(~np.isfinite(points).all(axis=1))
        if wrong.size:
            raise DataError(
                f"{where}: a coordinate of item {self.item_ids[wrong[0]]!r} is not finite"
            )

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.coordinates)

    @property
    def n_test(self) -> int:
        """Number of items to be clustered."""
        return int(np.count_nonzero(self.test))

    @property
    def n_coordinates(self) -> int:
        """Number of coordinates."""
        return self.coordinates.shape[1]

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.features)

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self.groups.max()) + 1

    @property
    def n_entities(self) -> int:
        """Number of entities."""
        return len(np.unique(self.entities))

    def summary(self) -> dict[str, Any]:
        """Return the sizes that a table of data sets shows."""
        return {
            "items": self.n_items,
            "test": self.n_test,
            "entities": self.n_entities,
            "groups": self.n_groups,
            "features": self.n_features,
            "coordinates": self.n_coordinates,
        }

    def save(self, path: str | os.PathLike) -> None:
        """Write the references to `path` (``.npz``) atomically; equal data give equal bytes."""
        header = {
            "format": FORMAT,
            "role": self.role,
            "rules": list(self.rules),
            "notes": self.notes,
            "identity": self.identity.to_dict(),
        }
        arrays = {
            "coordinates": self.coordinates,
            "feature_of": self.feature_of,
            "features": encode_strings(self.features),
            "entities": self.entities,
            "test": self.test,
            "groups": self.groups,
            "item_ids": encode_strings(self.item_ids),
        }
        for number, labels in enumerate(self.rules.values()):
            arrays[f"rule_{number}"] = labels
        save_archive(path, header, arrays)

    @classmethod
    def load(cls, path: str | os.PathLike) -> References:
        """Read references that `save` wrote.

        Raises
        ------
        DataError
            If the file is absent, cut short or not one of references of this version.
        """
        with open_archive(path, "references", FORMAT) as (header, arrays):
            rules: Mapping[str, np.ndarray] = {
                name: arrays[f"rule_{number}"] for number, name in enumerate(header["rules"])
            }
            return cls(
                features=tuple(decode_strings(arrays["features"])),
                item_ids=tuple(decode_strings(arrays["item_ids"])),
                role=header["role"],
                identity=DatasetIdentity.from_dict(header["identity"]),
                rules=dict(rules),
                notes=header["notes"],
                **{
                    key: arrays[key]
                    for key in ("coordinates", "feature_of", "entities", "test", "groups")
                },
            )
