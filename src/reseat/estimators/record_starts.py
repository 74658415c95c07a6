"""Where the chains of records begin: far apart, and in time that grows with the records only."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

__all__ = ["alike", "starts_of"]

Start = str | int | np.ndarray

#: Records up to which every second chain begins at random and is relaxed by Gibbs sweeps, each of
#: which compares every record with every cluster.
RELAXED_UP_TO = 2000
#: Records that agree in the fields of a start, on average, at most: chaperones take thousands of
#: sweeps to part larger clusters.
ALIKE = 1.25


def starts_of(
    codes: np.ndarray, max_clusters: int | None, apart: Sequence[Callable] | None = None
) -> tuple[Callable[[np.random.Generator], Start], ...]:
    """Starts that the chains take in turns, as functions of the chain's generator.

    The first has every record alone.  The second has too few clusters: at random, or, of many
    records, those together that agree in some of the fields.

    Parameters
    ----------
    codes : ndarray of int, shape (n_records, n_fields)
        -1 where a value is missing.
    max_clusters : int, optional
        Labels that the prior has.
    apart : sequence of callable, optional
        What is taken instead if any record may open a cluster.
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
    """Records in one cluster if they agree in the first few fields of a random order.

    Parameters
    ----------
    codes : ndarray of int, shape (n_records, n_fields)
        -1 where a value is missing, here a value like the others.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int64, shape (n_records,)
        Labels from 0.  There are as few fields as give clusters of `ALIKE` records on average.
    """
    labels = np.zeros(len(codes), dtype=np.int64)
    for place in rng.permutation(codes.shape[1]):
        levels = int(codes[:, place].max()) + 2
        _, labels = np.unique(labels * levels + codes[:, place] + 1, return_inverse=True)
        if (int(labels.max()) + 1) * ALIKE >= len(codes):
            break
    return labels
