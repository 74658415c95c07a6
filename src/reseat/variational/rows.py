"""Memberships of one type, both dense and with their zeros left out."""

from __future__ import annotations

import numpy as np

from reseat.variational import _softmax

__all__ = ["Rows"]


class Rows:
    """q(z) of the entities of a type; after a few iterations nearly all of it is 0.

    `q`: shape (n_entities, n_clusters).
    `packed`: the first n_active[e] numbers of row e are the positive ones of q. Shape (n_entities,
        n_clusters).
    `active`: their clusters, in order. Shape (n_entities, n_clusters).
    `n_active`: shape (n_entities,).
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
        """Set some rows from their logarithms up to constants; return their entropy in nats."""
        return _softmax.normalise(
            scores, self.q[rows], self.packed[rows], self.active[rows], self.n_active[rows]
        )

    def entropy(self) -> float:
        """Return the entropy of all rows, nats."""
        return -float((self.q * np.log(np.where(self.q > 0, self.q, 1.0))).sum())
