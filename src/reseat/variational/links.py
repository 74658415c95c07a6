"""Beta posteriors of the probabilities of a link, one for each cell of clusters."""

from __future__ import annotations

import numpy as np
from scipy.special import betaln, psi

__all__ = ["Links"]


class Links:
    """q(eta) of one relation, eta ~ Beta(beta, beta) for each combination of clusters.

    `tau`: parameters of q(eta) = Beta(tau[0], tau[1]).
    `log_link`, `log_none`: E log eta and E log (1 - eta).
    """

    def __init__(self, beta: float):
        self.beta = float(beta)

    def update(self, linked: np.ndarray, unlinked: np.ndarray) -> None:
        """Set q(eta) to its optimum for expected numbers of positive and negative observations."""
        self.tau = np.stack([self.beta + linked, self.beta + unlinked])
        log = psi(self.tau)
        log -= psi(self.tau.sum(axis=0))
        self.log_link, self.log_none = log

    def bound(self, linked: np.ndarray, unlinked: np.ndarray) -> float:
        """Return this part of the ELBO: E log p(R | z, eta) + E log p(eta) - E log q(eta), nats."""
        rest = (linked + self.beta - self.tau[0]) * self.log_link
        rest += (unlinked + self.beta - self.tau[1]) * self.log_none
        rest += betaln(*self.tau) - betaln(self.beta, self.beta)
        return float(rest.sum())
