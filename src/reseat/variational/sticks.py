"""Truncated stick-breaking weights and their Beta posteriors, one type of entities at a time.

Kurihara, Kameya & Sato (2006): v_t ~ Beta(1, concentration) for
t < T and v_T = 1, and cluster t has the weight v_t prod_{s<t} (1 - v_s).
"""

from __future__ import annotations

import numpy as np
from scipy.special import betaln, psi

from reseat.numerics import TIE_BITS, on_grid, product, rounded

__all__ = ["Sticks"]


class Sticks:
    """q(v) of one type, and the order in which its clusters take their sticks.

    Clusters keep their columns; only their ranks change, so that relabelling
    them by size moves no memberships.

    `order`: the cluster that has the first stick, the second, ... Shape (n_clusters,).
    `g`: parameters of q(v_t) = Beta(g[0, t], g[1, t]), by rank. Shape (2, n_clusters - 1).
    `log_weights`: E log of the weight of each cluster, by column. Shape (n_clusters,).
    """

    def __init__(self, n_clusters: int, concentration: float):
        self.concentration = float(concentration)
        self.order = np.arange(n_clusters)
        self.log_weights = np.zeros(n_clusters)

    def update(self, sizes: np.ndarray, reorder: bool) -> None:
        """Set q(v) to its optimum for expected cluster sizes, (n_clusters,).

        With `reorder`, the clusters are sorted by decreasing size unless that
        lowers the bound; with concentration 1 it never does.  (The
        paper prints the second parameter with the sum over all clusters; the
        sum over the later ones is the optimum.)
        """
        self.order, self.g = self._best(sizes, reorder)
        total = psi(self.g.sum(axis=0))
        self._log_v, self._log_rest = psi(self.g) - total
        ranked = np.zeros(self.order.size)
        ranked[:-1] = self._log_v
        ranked[1:] += np.cumsum(self._log_rest)
        self.log_weights[self.order] = ranked

    def optimum(self, sizes: np.ndarray, reorder: bool) -> float:
        """Return what `bound` would be after an `update` with these sizes, nats."""
        g = self._best(sizes, reorder)[1]
        return float(betaln(*g).sum() + g.shape[1] * np.log(self.concentration))

    def _best(self, sizes: np.ndarray, reorder: bool) -> tuple[np.ndarray, np.ndarray]:
        order, g = self.order, self._parameters(sizes[self.order])
        if reorder:
            # Clusters of one size, and orders of one bound, are ranked by number.
            ranked = np.argsort(-on_grid(sizes, TIE_BITS), kind="stable")
            other = self._parameters(sizes[ranked])
            theirs, ours = rounded([betaln(*other).sum(), betaln(*g).sum()], TIE_BITS)
            if theirs >= ours:
                return ranked, other
        return order, g

    def _parameters(self, ranked_sizes: np.ndarray) -> np.ndarray:
        later = np.cumsum(ranked_sizes[::-1])[::-1][1:]
        return np.stack([1.0 + ranked_sizes[:-1], self.concentration + later])

    def bound(self, sizes: np.ndarray) -> float:
        """Return this part of the ELBO: E log p(z) + E log p(v) - E log q(v), nats."""
        g, prior = self.g, self.concentration
        divergence = (g[0] - 1) * self._log_v + (g[1] - prior) * self._log_rest - betaln(*g)
        return float(
            product(sizes, self.log_weights) - divergence.sum() + g.shape[1] * np.log(prior)
        )
