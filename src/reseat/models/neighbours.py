"""Pairs of items that lie near each other, for moves that propose them together."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.spatial import KDTree

__all__ = ["mutual_neighbours", "nearest_canopies"]


def mutual_neighbours(
    coordinates: np.ndarray, groups: np.ndarray, items: np.ndarray, n_neighbours: int
) -> csr_array:
    """Return pairs of items of a group that are each among the nearest neighbours of the other.

    Items other than `items` have no neighbours; the matrix is symmetric, without the diagonal.
    """
    n = len(coordinates)
    near = csr_array((n, n), dtype=bool)
    for group in np.unique(groups[items]):
        members = items[groups[items] == group]
        if members.size < 2:
            continue
        k = min(n_neighbours + 1, members.size)
        found = members[KDTree(coordinates[members]).query(coordinates[members], k=k)[1]]
        first = np.repeat(members, k)
        near = near + csr_array(
            (np.ones(first.size, dtype=bool), (first, found.ravel())), shape=(n, n)
        )
    both = near.multiply(near.T).tocoo()
    other = both.row != both.col
    pairs = both.row[other], both.col[other]
    return csr_array((np.ones(pairs[0].size, dtype=bool), pairs), shape=(n, n))


def nearest_canopies(
    coordinates: np.ndarray, groups: np.ndarray, items: np.ndarray, n_neighbours: int
) -> csr_array:
    """Return pairs of items of a group of which at least one is among the nearest of the other.

    Items other than `items` are in no canopy; the matrix is symmetric.
    """
    from sklearn.neighbors import NearestNeighbors  # slow to import, and few chains need it

    rows, columns = [], []
    for group in np.unique(groups[items]):
        members = items[groups[items] == group]
        if members.size < 2:
            continue
        search = NearestNeighbors(n_neighbors=min(n_neighbours, members.size - 1))
        found = search.fit(coordinates[members]).kneighbors(return_distance=False)
        rows.append(np.repeat(members, found.shape[1]))
        columns.append(members[found.ravel()])
    n = len(coordinates)
    if not rows:
        return csr_array((n, n), dtype=bool)
    first, second = np.concatenate(rows), np.concatenate(columns)
    pairs = np.concatenate([first, second]), np.concatenate([second, first])
    return csr_array((np.ones(pairs[0].size, dtype=bool), pairs), shape=(n, n))
