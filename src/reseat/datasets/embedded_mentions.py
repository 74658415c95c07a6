"""Embedded mentions: points whose coordinates are grouped by feature."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from reseat.datasets.identity import UNNAMED, DatasetIdentity
from reseat.datasets.stored import Stored, TestedItems


@dataclass(frozen=True, eq=False)
class EmbeddedMentions(TestedItems, Stored):
    """Mentions as points, centred and scaled.

    Attributes
    ----------
    coordinates : ndarray of float64, shape (n_items, n_coordinates)
    feature_of : ndarray of int32, shape (n_coordinates,)
        Index of the feature that each coordinate belongs to; nondecreasing, from 0.
    features : tuple of str
    entities, test, groups, item_ids
        As in `reseat.datasets.Mentions`.
    identity : DatasetIdentity
    notes : dict
        Has ``embedding``; ``dropped``, the features that do not vary; and ``features``, which
        says for each of the others how many coordinates are kept and what share of the mass
        they hold.
    role : str
        See `reseat.datasets.Mentions.role`.

    Raises
    ------
    DataError
        If lengths disagree, a coordinate is not finite, or the features are not numbered from 0
        without gaps, in order.

    Examples
    --------
    >>> from reseat.datasets import EmbeddedMentions
    >>> points = EmbeddedMentions(
    ...     coordinates=[[0.5, -1.0], [0.4, -0.9], [-0.9, 1.9]],
    ...     feature_of=[0, 0],
    ...     features=("name",),
    ...     entities=[0, 0, 1],
    ...     test=[False, True, True],
    ...     groups=[0, 1, 1],
    ...     item_ids=("a", "b", "c"),
    ... )
    >>> points.n_items, points.coordinates.shape
    (3, (3, 2))
    """

    KIND, FORMAT = "references", 2

    coordinates: np.ndarray
    feature_of: np.ndarray
    features: tuple[str, ...]
    entities: np.ndarray
    test: np.ndarray
    groups: np.ndarray
    item_ids: tuple[str, ...]
    identity: DatasetIdentity = UNNAMED
    notes: dict[str, Any] = field(default_factory=dict)
    role: str = "items"

    def __post_init__(self):
        super().__post_init__()
        points = np.ascontiguousarray(self.coordinates, dtype=np.float64)
        feature_of = np.ascontiguousarray(self.feature_of, dtype=np.int32)
        self._set(coordinates=points, feature_of=feature_of)
        for key in ("features", "item_ids"):
            self._set(**{key: tuple(str(name) for name in getattr(self, key))})
        if points.ndim != 2 or feature_of.shape != points.shape[1:] or not points.shape[1]:
            raise self._fault(
                f"coordinates has the shape {points.shape}, which does not match the "
                f"shape {feature_of.shape} of feature_of"
            )
        if (
            not np.array_equal(np.unique(feature_of), np.arange(self.n_features))
            or (np.diff(feature_of) < 0).any()
        ):
            raise self._fault(
                f"feature_of must increase from 0 to {self.n_features - 1} without gaps"
            )
        for key, kind in (("entities", np.int32), ("test", np.bool_), ("groups", np.int32)):
            self._set(**{key: np.ascontiguousarray(getattr(self, key), dtype=kind)})
        self._check_lengths(self.n_items, "items", "entities", "test", "groups", "item_ids")
        wrong = np.flatnonzero(~np.isfinite(points).all(axis=1))
        if wrong.size:
            raise self._fault(f"a coordinate of item {self.item_ids[wrong[0]]!r} is not finite")

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.coordinates)

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

    def summary(self) -> dict[str, Any]:
        return {
            "items": self.n_items,
            "test": self.n_test,
            "entities": self.n_entities,
            "groups": self.n_groups,
            "features": self.n_features,
            "coordinates": self.n_coordinates,
        }
