"""Pairs of items that have the same label, and the distinct values of many whole numbers."""

import numpy as np

from reseat._labels import in_order

#: Labels below this number times the number of items are sorted by counting, not by comparison.
COUNTED = 4


def equal_pairs(labels: np.ndarray, most: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return all pairs of items, the lower first, whose label at most `most` items have."""
    order = _order(labels)
    ranked = labels[order]
    starts = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1])[: labels.size])
    sizes = np.diff(starts, append=labels.size)
    kept = sizes > 1 if most is None else (sizes > 1) & (sizes <= most)
    first, second = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for size in np.unique(sizes[kept]):
        members = order[starts[sizes == size][:, None] + np.arange(size)]
        one, other = np.triu_indices(size, 1)
        first.append(members[:, one].ravel())
        second.append(members[:, other].ravel())
    return np.concatenate(first), np.concatenate(second)


def _order(labels: np.ndarray) -> np.ndarray:
    """Return the items sorted by label, keeping the order of items that have the same label."""
    if labels.size and labels.dtype.kind in "iu" and labels.min() >= 0:
        bound = int(labels.max()) + 1
        if bound <= COUNTED * labels.size:
            return in_order(labels.astype(np.int64, order="C", copy=False), bound)
    return np.argsort(labels, kind="stable")


def distinct(numbers: np.ndarray) -> np.ndarray:
    """Return the distinct whole numbers, sorted; for millions faster than `numpy.unique`."""
    ranked = np.sort(numbers)
    return ranked[np.append(True, ranked[1:] != ranked[:-1])[: ranked.size]]
