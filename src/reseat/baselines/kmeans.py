"""K-means and trees that are cut, with the number of clusters given, perhaps by an oracle.

K-means is a baseline of Daumé and Marcu (2005, section 7), and trees are of Vogt et al. (2010).
"""

from collections.abc import Callable, Mapping
from numbers import Integral

import numpy as np
import pandas as pd
import scipy
from scipy.cluster import hierarchy

from reseat.baselines.item_pairs import check_items
from reseat.checks import check_finite, check_unmasked, check_whole, numbered_names
from reseat.dissimilarities import check_dissimilarities
from reseat.errors import ConfigError, DataError
from reseat.metrics import pair_f
from reseat.numerics import k_means

LINKAGES = ("ward", "complete", "single", "average")


def oracle_n_clusters(entities, groups) -> dict[int, int]:
    """Return the number of entities in each group.

    Parameters
    ----------
    entities, groups : array_like, shape (n_items,)

    Returns
    -------
    dict

    Raises
    ------
    DataError
        If the two differ in length, there is no item, or the entity or group of one is missing.
    """
    check_items(entities, groups)
    return pd.Series(np.asarray(entities)).groupby(np.asarray(groups)).nunique().to_dict()


def kmeans_labels(
    points, n_clusters: int | Mapping, *, groups=None, n_restarts: int = 100, seed=0
) -> np.ndarray:
    """Cluster the points of each group separately, by the best of several runs of k-means.

    The runs start with k-means++; the best one has the smallest sum of squares.

    Parameters
    ----------
    points : array_like, shape (n_items, n_coordinates)
    n_clusters : int or mapping of group to int
    groups : array_like of int, shape (n_items,), optional
        A cluster never spans groups.  By default all points are one group.
    n_restarts : int
    seed : int or numpy.random.SeedSequence
        Runs with equal seeds start from the same points, whatever the scale of the coordinates.

    Returns
    -------
    ndarray of int32, shape (n_items,)
        Clusters numbered from 0 in order of first appearance.

    Raises
    ------
    ConfigError
        If `n_restarts` or the number of clusters of a group is missing or out of range.
    DataError
        If `points` is not a table of finite numbers with a row, or `groups` not one for each.
    """
    n_restarts = check_whole("n_restarts", n_restarts, 1)

    def cluster(points: np.ndarray, group: int, _: np.ndarray, state: int) -> np.ndarray:
        if isinstance(n_clusters, Mapping) and group not in n_clusters:
            raise ConfigError(f"n_clusters has no number for group {group!r}; add one.")
        wanted = n_clusters[group] if isinstance(n_clusters, Mapping) else n_clusters
        if not isinstance(wanted, Integral) or not 1 <= wanted <= len(points):
            raise ConfigError(
                f"n_clusters is {wanted!r} for group {group}; it must be a whole number from 1 "
                f"to {len(points)}, the number of its points."
            )
        return k_means(points, int(wanted), np.random.default_rng(state), n_restarts)

    return _each_group(points, groups, seed, cluster)


def best_f_labels(
    points,
    entities,
    *,
    groups=None,
    n_restarts: int = 100,
    n_scan_restarts: int = 5,
    n_steps: int = 30,
    seed=0,
) -> np.ndarray:
    """Cluster each group with the number of clusters that gives it the best pairwise F.

    In a group of at most `n_steps` points, this oracle tries every number of clusters, otherwise
    about `n_steps` numbers on a logarithmic scale, and finally the best and the number of entities.

    Parameters
    ----------
    points, groups, n_restarts, seed
        As for `kmeans_labels`.
    entities : array_like, shape (n_items,)
    n_scan_restarts : int
        Number of restarts for each number of clusters that is tried.
    n_steps : int

    Returns
    -------
    ndarray of int32, shape (n_items,)

    Raises
    ------
    ConfigError
        If a number of restarts or of steps is not a whole number of at least 1.
    DataError
        As in `kmeans_labels`, or if there is not one entity for each point.
    """
    if np.shape(entities) != np.shape(points)[:1]:
        raise DataError(f"entities has shape {np.shape(entities)}; it needs one entry per point.")
    entities = numbered_names(entities, "entities")
    n_restarts = check_whole("n_restarts", n_restarts, 1)
    n_scan_restarts = check_whole("n_scan_restarts", n_scan_restarts, 1)
    n_steps = check_whole("n_steps", n_steps, 1)

    def cluster(points: np.ndarray, _: int, members: np.ndarray, state: int) -> np.ndarray:
        def run(k: int, n_restarts: int) -> np.ndarray:
            return k_means(points, k, np.random.default_rng(state), n_restarts)

        n, truth = len(points), entities[members]
        tried = np.arange(1, n + 1) if n <= n_steps else np.geomspace(1, n, n_steps)
        scanned = {
            k: pair_f(truth, run(k, n_scan_restarts))
            for k in np.unique(np.rint(tried).astype(int)).tolist()
        }
        finalists = dict.fromkeys((max(scanned, key=scanned.get), np.unique(truth).size))
        whole = (run(k, n_restarts) for k in finalists)
        return max(whole, key=lambda labels: pair_f(truth, labels))

    return _each_group(points, groups, seed, cluster)


def _each_group(points, groups, seed, cluster: Callable) -> np.ndarray:
    check_unmasked("points", points)
    check_unmasked("groups", groups)
    points = np.asarray(points, dtype=np.float64)
    if points.ndim != 2 or not points.size:
        raise DataError(
            f"points has shape {points.shape}; it needs at least one row and one column."
        )
    check_finite("points", points)
    groups = np.zeros(len(points), dtype=int) if groups is None else groups
    if np.shape(groups) != (len(points),):
        raise DataError(f"groups has shape {np.shape(groups)}; it needs one entry per point.")
    numbered_names(groups, "groups")  # before numpy turns the numbers of a mixed list to text
    groups = np.asarray(groups)
    labels = np.empty(len(points), dtype=np.int64)
    names = np.unique(groups)
    states = np.random.default_rng(seed).integers(2**31, size=names.size)
    n_found = 0
    for group, state in zip(names.tolist(), states.tolist(), strict=True):
        members = np.flatnonzero(groups == group)
        labels[members] = n_found + cluster(points[members], group, members, state)
        n_found = labels[members].max() + 1
    return pd.factorize(labels)[0].astype(np.int32)


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
        As in `kmeans_labels`.

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
