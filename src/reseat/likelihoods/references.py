"""Points whose coordinates belong to features: the data of the Gaussian likelihoods."""

import numpy as np

from reseat.checks import as_whole, check_unmasked, numbered_names
from reseat.errors import DataError

#: Names of the two partitions of the references in a coupled model.
PUBLICATION, TYPE = "publication", "type"


class GaussianReferences:
    """References as points; the coordinates of one feature share a precision.

    Parameters
    ----------
    coordinates : array_like of float, shape (n_items, n_coordinates)
        Copied.
    feature_of : array_like of int, shape (n_coordinates,), optional
        Feature of each coordinate, from 0 and never decreasing; by default, each is a feature.

    Attributes
    ----------
    n_items, n_coordinates, n_features : int
        Each feature has a precision of its own in every type.
    starts : ndarray of int32, shape (n_features + 1,)
        First coordinate of each feature, and the end.
    widths : ndarray of int32, shape (n_features,)
        Number of coordinates of each feature.

    Raises
    ------
    DataError
        If the coordinates are not a table of finite numbers, or the features have gaps.

    Examples
    --------
    >>> from reseat.likelihoods import GaussianReferences
    >>> data = GaussianReferences([[0.3, 1.0], [0.5, 0.8], [-1.2, 0.1]])
    >>> data.widths.tolist()
    [1, 1]
    """

    def __init__(self, coordinates, feature_of=None):
        check_unmasked("The coordinates", coordinates)
        points = np.array(coordinates, dtype=np.float64, order="C")
        if points.ndim != 2 or 0 in points.shape:
            raise DataError(
                f"The coordinates have the shape {points.shape}; there must be one row per item "
                "and one column per coordinate."
            )
        if not np.isfinite(points).all():
            item, place = np.argwhere(~np.isfinite(points))[0]
            raise DataError(
                f"Coordinate {place} of item {item} is {points[item, place]}; remove the item or "
                "give it a finite value."
            )
        self.n_items, self.n_coordinates = points.shape
        n = self.n_coordinates
        features = np.arange(n) if feature_of is None else as_whole(feature_of, "The features")
        if features.shape != (n,) or not (
            features[0] == 0 and np.isin(np.diff(features), (0, 1)).all()
        ):
            raise DataError(
                f"The features {features.tolist()} of {n} coordinates must increase from 0 "
                "without gaps, with one entry per coordinate."
            )
        self.coordinates = points
        self.feature_of = features.astype(np.int32)
        self.widths = np.bincount(features).astype(np.int32)
        self.starts = np.concatenate([[0], np.cumsum(self.widths)]).astype(np.int32)
        self.n_features = self.widths.size


def groups_of(groups, law, n_items: int) -> np.ndarray:
    """Return the group of each item, from 0, as far as the law of the precisions needs groups."""
    if groups is None or law.pairs != "within_block":
        return np.zeros(n_items, dtype=np.intc)
    if np.shape(groups) != (n_items,):
        raise DataError(
            f"The groups have the shape {np.shape(groups)}; there must be one for each of the "
            f"{n_items} items."
        )
    return numbered_names(groups, "groups").astype(np.intc)
