"""Embedded mentions: points whose coordinates are grouped by feature."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from reseat.datasets.identity import UNNAMED, DatasetIdentity
from reseat.datasets.stored import Stored, TestedItems, counted


@dataclass(frozen=True, eq=False)
class EmbeddedMentions(TestedItems, Stored):
    """Mentions as points, centred and scaled.

    Attributes
    ----------
    coordinates : ndarray of float64, shape (n_items, n_coordinates)
    feature_of : ndarray of int32, shape (n_coordinates,)
        Index of the feature that each coordinate belongs to; nondecreasing, from 0.
    features : tuple of str
    entities, test, groups, item_ids, role
        As in `reseat.datasets.Mentions`.
    identity : DatasetIdentity
    notes : dict
        Has ``embedding``; ``dropped``, the features that do not vary; and ``features``: of each
        other one, how many coordinates are kept and what share of the mass they hold.

    Raises
    ------
    DataError
        If lengths disagree, a coordinate is not finite, or features are not numbered in order.

    Examples
    --------
    >>> from reseat.datasets import EmbeddedMentions
    >>> points, ids = [[0.5, -1.0], [0.4, -0.9], [-0.9, 1.9]], ("a", "b", "c")
    >>> entities, test, groups = [0, 0, 1], [False, True, True], [0, 1, 1]
    >>> made = EmbeddedMentions(points, [0, 0], ("name",), entities, test, groups, ids)
    >>> made.n_items, made.coordinates.shape
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

    n_items = counted("coordinates", "items")
    n_coordinates = counted("feature_of", "coordinates")
    n_features = counted("features", "features")

    def __post_init__(self):
        super().__post_init__()
        types = {"coordinates": np.float64, "test": np.bool_}
        types |= dict.fromkeys(("feature_of", "entities", "groups"), np.int32)
        for key, dtype in types.items():
            self._set(**{key: np.ascontiguousarray(getattr(self, key), dtype=dtype)})
        self._set_texts("features", "item_ids")
        points, feature_of = self.coordinates, self.feature_of
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
        self._check_lengths(self.n_items, "items", "entities", "test", "groups", "item_ids")
        wrong = np.flatnonzero(~np.isfinite(points).all(axis=1))
        if wrong.size:
            raise self._fault(f"a coordinate of item {self.item_ids[wrong[0]]!r} is not finite")

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self.groups.max()) + 1

    def summary(self) -> dict[str, Any]:
        sizes = ("items", "test", "entities", "groups", "features", "coordinates")
        return {key: getattr(self, f"n_{key}") for key in sizes}
