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
    near = _nearest(coordinates, groups, items, n_neighbours)
    return near.multiply(near.T).tocsr()


def nearest_canopies(
    coordinates: np.ndarray, groups: np.ndarray, items: np.ndarray, n_neighbours: int
) -> csr_array:
    """Return pairs of items of a group of which at least one is among the nearest of the other.

    The parameters and the result are those of `mutual_neighbours`.
    """
    near = _nearest(coordinates, groups, items, n_neighbours)
    return (near + near.T).tocsr()


def _nearest(coordinates, groups, items, n_neighbours) -> csr_array:
    """Mark in the row of each item its nearest neighbours in its group."""
    rows, columns = [items[:0]], [items[:0]]
    for group in np.unique(groups[items]):
        members = items[groups[items] == group]
        if members.size < 2:
            continue
        k = min(n_neighbours + 1, members.size)  # one of them is the item itself
        # The tree adds up squares in a fixed order, whatever the processor.
        found = members[KDTree(coordinates[members]).query(coordinates[members], k=k)[1]]
        rows.append(np.repeat(members, k))
        columns.append(found.ravel())
    first, second = np.concatenate(rows), np.concatenate(columns)
    other = first != second
    pairs = first[other], second[other]
    n = len(coordinates)
    return csr_array((np.ones(pairs[0].size, dtype=bool), pairs), shape=(n, n))
