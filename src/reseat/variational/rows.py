"""Memberships of one type, both dense and with their zeros left out."""

from __future__ import annotations

import numpy as np

from reseat.variational import _softmax

__all__ = ["Rows"]


class Rows:
    """q(z) of the entities of a type; after a few iterations nearly all of it is 0.

    Parameters
    ----------
    q : ndarray of float64, (n_entities, n_clusters)
        Rows add up to 1.  The array is not copied if it is contiguous, and will be changed.

    Attributes
    ----------
    q : ndarray of float64, (n_entities, n_clusters)
    packed : ndarray of float64, (n_entities, n_clusters)
        The first n_active[e] numbers of row e are the positive ones of q.
    active : ndarray of int32, (n_entities, n_clusters)
        Their clusters, in order.
    n_active : ndarray of int32, (n_entities,)
    """

    def __init__(self, q: np.ndarray):
        self.q = np.ascontiguousarray(q, dtype=float)
        self.packed = np.empty_like(self.q)
        self.active = np.empty(self.q.shape, dtype=np.int32)
        self.n_active = np.empty(len(self.q), dtype=np.int32)
        _softmax.pack(self.q, self.packed, self.active, self.n_active)

    @property
    def n_clusters(self) -> int:
        """Number of columns."""
        return self.q.shape[1]

    def set(self, rows: slice, scores: np.ndarray) -> float:
        """Set some rows from their logarithms up to constants, (n_rows, n_clusters).

        Returns
        -------
        float
            Their entropy, nats.
        """
        return _softmax.normalise(
            scores, self.q[rows], self.packed[rows], self.active[rows], self.n_active[rows]
        )

    def entropy(self) -> float:
        """Return the entropy of all rows, nats."""
        return -float((self.q * np.log(np.where(self.q > 0, self.q, 1.0))).sum())
