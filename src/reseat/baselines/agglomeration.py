"""Agglomerative clustering with a stopping threshold, and the threshold of the best pairwise F."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.cluster import hierarchy
from scipy.spatial.distance import num_obs_y

from reseat.errors import ConfigError

__all__ = ["LINKS", "Merges", "best_threshold", "cut", "merge_gains"]

#: The links of Daumé and Marcu (2005, section 7) by their names, as scipy calls them.
LINKS = {"min": "single", "max": "complete", "avg": "average"}


class Merges(NamedTuple):
    """Heights of the merges of a tree, and pairs and similar pairs that each adds, (n_merges,)."""

    heights: np.ndarray
    pairs: np.ndarray
    similar: np.ndarray


def _tree(distances: np.ndarray, link: str) -> tuple[np.ndarray, float]:
    """Return a tree with heights from 0, and the constant added to the distances for that.

    Distances from a classifier may be negative, which scipy's trees do not allow.  All three
    links commute with the addition of a constant.
    """
    if link not in LINKS:
        raise ConfigError(f"the link is {link!r}; it must be one of {', '.join(LINKS)}.")
    lowest = distances.min()
    return hierarchy.linkage(distances - lowest, LINKS[link]), -lowest


def merge_gains(distances: np.ndarray, entities: np.ndarray, link: str) -> Merges:
    """Return the height of each merge of a tree, and the pairs and similar pairs that it adds.

    Distances are condensed, of shape (n (n - 1) / 2,) and any sign; the heights never decrease.
    """
    n = entities.size
    if n < 2:
        nothing = np.zeros(0)
        return Merges(nothing, nothing, nothing)
    tree, shift = _tree(distances, link)
    names, codes = np.unique(entities, return_inverse=True)
    counts = np.zeros((2 * n - 1, names.size))
    counts[np.arange(n), codes] = 1
    similar = np.empty(n - 1)
    sizes = np.ones(2 * n - 1)
    left, right = tree[:, 0].astype(int), tree[:, 1].astype(int)
    for merge, (a, b) in enumerate(zip(left, right, strict=True)):
        similar[merge] = counts[a] @ counts[b]
        counts[n + merge] = counts[a] + counts[b]
        sizes[n + merge] = sizes[a] + sizes[b]
    return Merges(tree[:, 2] - shift, sizes[left] * sizes[right], similar)


def best_threshold(merges: list[Merges], n_similar: int) -> tuple[float, float]:
    """Return the threshold at which the clusterings of several sets have the best pooled F, and F.

    Merges at most that high are made. It is half-way between two heights, or 1 beyond the heights
    if all merges or none are best.
    """
    heights, pairs, similar = (np.concatenate(column) for column in zip(*merges, strict=True))
    if not heights.size:
        return 0.0, 0.0
    order = np.argsort(heights, kind="stable")
    heights, pairs, similar = heights[order], np.cumsum(pairs[order]), np.cumsum(similar[order])
    f = 2 * similar / (pairs + n_similar)
    # Merges of equal height are made together.
    f[:-1][heights[:-1] == heights[1:]] = -1.0
    best = int(np.argmax(f))
    if f[best] <= 0:
        return float(heights[0]) - 1.0, 0.0
    above = heights[best + 1] if best + 1 < heights.size else heights[best] + 2.0
    return float((heights[best] + above) / 2), float(f[best])


def cut(distances: np.ndarray, link: str, threshold: float) -> np.ndarray:
    """Return the clusters, from 0, after the merges that are at most `threshold` high."""
    if not distances.size:
        return np.zeros(1, dtype=int)
    tree, shift = _tree(distances, link)
    if threshold + shift < 0:
        return np.arange(num_obs_y(distances))
    return hierarchy.fcluster(tree, threshold + shift, criterion="distance") - 1
