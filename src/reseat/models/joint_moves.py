"""Joint moves of publications and types, and the pairs of near items that moves propose."""

from collections.abc import Callable

import numpy as np
from scipy.sparse import csr_array
from scipy.spatial import KDTree

from reseat.moves import (
    IntegratedTypeSplitMerge,
    JointSplitMerge,
    JointSweep,
    PrecisionSteps,
    PublicationTypes,
)

#: Probability that the items of two publications are reallocated instead of merged.
SHARE = 0.3


def joint_moves(
    means,
    groups: np.ndarray,
    items: np.ndarray,
    *,
    n_proposals: int = 20,
    n_neighbours: int = 10,
    n_type_proposals: int = 5,
    held: bool = False,
) -> list[Callable]:
    """Return the moves of both parts from one mode to another; `held` publications stay."""
    joint = [PrecisionSteps(), JointSweep(groups, items[:0] if held else items)]
    if not held and n_proposals:
        neighbours = mutual_neighbours(means.data.coordinates, groups, items, n_neighbours)
        joint.append(JointSplitMerge(items, groups, neighbours, n_proposals, share=SHARE))
    joint.append(PublicationTypes())
    if n_type_proposals:
        joint.append(IntegratedTypeSplitMerge(n_type_proposals))
    return joint


def mutual_neighbours(
    coordinates: np.ndarray, groups: np.ndarray, items: np.ndarray, n_neighbours: int
) -> csr_array:
    """Return the symmetric pairs of `items` of a group, each among the nearest of the other."""
    near = nearest(coordinates, groups, items, n_neighbours)
    return near.multiply(near.T).tocsr()


def nearest(coordinates, groups, items, n_neighbours: int) -> csr_array:
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
