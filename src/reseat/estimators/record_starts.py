"""Starts of the chains of records: far apart, and made in time that grows only with the records."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

__all__ = ["alike", "starts_of"]

Start = str | int | np.ndarray

#: Largest number of records for which every second chain starts at random and is relaxed by Gibbs
#: sweeps, each of which compares every record with every cluster.
RELAXED_UP_TO = 2000
#: Largest mean size of the clusters that a start makes of agreeing records: chaperones take
#: thousands of sweeps to split larger clusters.
ALIKE = 1.25


def starts_of(
    codes: np.ndarray, max_clusters: int | None, apart: Sequence[Callable] | None = None
) -> tuple[Callable[[np.random.Generator], Start], ...]:
    """Return starts that the chains use in turn, as functions of the chain's generator.

    The first has every record alone, if there are enough labels. The second has too few clusters:
    random ones or, for many records, clusters of records that agree in some of the fields. `apart`
    has starts to use instead if the number of clusters is not limited. Missing codes are -1.
    """
    n_items = len(codes)
    n_labels = max_clusters or n_items
    if max_clusters is None and apart is not None:
        return tuple(apart)
    if max_clusters is None and n_items > RELAXED_UP_TO:
        return (lambda _: "singletons"), (lambda rng: alike(codes, rng))
    first = "singletons" if n_labels == n_items else n_labels
    return (lambda _: first), (lambda _: n_labels)


def alike(codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return labels that join records which agree in the first few fields of a random order.

    A missing value (-1) is treated like the others. As few fields are used as give clusters of at
    most `ALIKE` records on average.
    """
    labels = np.zeros(len(codes), dtype=np.int64)
    for place in rng.permutation(codes.shape[1]):
        levels = int(codes[:, place].max()) + 2
        _, labels = np.unique(labels * levels + codes[:, place] + 1, return_inverse=True)
        if (int(labels.max()) + 1) * ALIKE >= len(codes):
            break
    return labels
