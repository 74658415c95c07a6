"""Hierarchical clustering of dissimilarities, the baselines of Vogt et al. (2010)."""

from numbers import Integral

import numpy as np
import pandas as pd
import scipy
from scipy.cluster import hierarchy

from reseat.dissimilarities import check_dissimilarities
from reseat.errors import ConfigError

LINKAGES = ("ward", "complete", "single", "average")


def hierarchical_labels(values: np.ndarray, n_clusters: int, linkage: str) -> np.ndarray:
    """Cut the tree of a linkage at a number of clusters.

    Parameters
    ----------
    values : ndarray, shape (n_items, n_items)
        Dissimilarities, taken as squared distances.
    n_clusters : int
        From 1 to n_items.
    linkage : {"ward", "complete", "single", "average"}
        Ward's method works on the square roots of the values, the others on the values.

    Returns
    -------
    ndarray of int32, shape (n_items,)
        Clusters numbered from 0 in order of first appearance: exactly `n_clusters`.

    Raises
    ------
    ConfigError
        If the linkage is unknown or `n_clusters` is out of range.
    DataError
        If the values are not dissimilarities (see `check_dissimilarities`).
    """
    check_dissimilarities(values)
    n_items = len(values)
    if linkage not in LINKAGES:
        raise ConfigError(f"the linkage is {linkage!r}; it must be one of {', '.join(LINKAGES)}")
    whole = isinstance(n_clusters, Integral) and not isinstance(n_clusters, bool)
    if not (whole and 1 <= n_clusters <= n_items):
        raise ConfigError(
            f"n_clusters is {n_clusters!r}; it must be a whole number from 1 to {n_items}, the "
            "number of objects"
        )
    condensed = scipy.spatial.distance.squareform(np.asarray(values), checks=False).astype(float)
    tree = hierarchy.linkage(np.sqrt(condensed) if linkage == "ward" else condensed, linkage)
    # Merges at equal heights would let a cut by height skip the requested number of clusters.
    tree[:, 2] = np.arange(1, n_items)
    labels = hierarchy.fcluster(tree, n_items - n_clusters + 0.5, criterion="distance")
    return pd.factorize(labels)[0].astype(np.int32)
