"""Updates of hyperparameters that more than one prior can use."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import gammaln

from reseat.hyperpriors import BetaHyperprior, GammaHyperprior

__all__ = ["draw_hyperparameter", "sample_concentration"]


def draw_hyperparameter(
    hyperprior: GammaHyperprior | BetaHyperprior | None, fixed: float, rng: np.random.Generator
) -> float:
    """Draw a hyperparameter from its prior; one without a prior is `fixed`."""
    if hyperprior is None:
        return fixed
    while True:
        if isinstance(hyperprior, BetaHyperprior):
            value = rng.beta(hyperprior.a, hyperprior.b)
        else:
            value = rng.gamma(hyperprior.shape) / hyperprior.rate
        # Draws beyond the bound, or that rounding has put on it, are not in the support.
        if hyperprior.log_density(value) > -np.inf:
            return float(value)


def sample_concentration(
    concentration: float,
    n_items: Sequence[int],
    n_blocks: Sequence[int],
    hyperprior: GammaHyperprior,
    rng: np.random.Generator,
) -> float:
    """Draw the concentration shared by several Dirichlet-process partitions.

    The posterior is proportional to ``alpha^(shape - 1) e^(-rate alpha)
    prod_m alpha^k_m Gamma(alpha) / Gamma(alpha + n_m)``.  Beta auxiliary
    variables make it a mixture of gammas whose weights are elementary
    symmetric polynomials of the ``n_m``; they are summed exactly in O(M^2).
    With one partition this is West's method.

    Parameters
    ----------
    concentration : float
        Present value.
    n_items, n_blocks : sequence of int, length M
        Items and blocks of each partition.
    hyperprior : GammaHyperprior
    rng : numpy.random.Generator

    Returns
    -------
    float

    References
    ----------
    Escobar and West (1995), section 6; Daumé and Marcu (2005), appendix B,
    with the exponent of equation 6 corrected.
    """
    n = np.asarray(n_items, dtype=float)
    if n.size == 0 or np.any(n < 1):
        raise ValueError("Every partition needs at least one item.")
    auxiliary = rng.beta(concentration + 1, n)
    rate = hyperprior.rate - np.log(auxiliary).sum()
    base = hyperprior.shape - n.size + float(np.sum(n_blocks))
    # prod_m (alpha + n_m) = sum_s alpha^s e_{M-s}(n), kept in logs
    log_polynomial = np.array([0.0])
    for log_n in np.log(n):
        log_polynomial = np.logaddexp(
            np.append(log_polynomial + log_n, -np.inf), np.append(-np.inf, log_polynomial)
        )
    s = np.arange(n.size + 1)
    with np.errstate(invalid="ignore"):
        log_weight = log_polynomial + gammaln(base + s) - s * np.log(rate)
    log_weight[base + s <= 0] = -np.inf
    weight = np.exp(log_weight - log_weight.max())
    chosen = rng.choice(s, p=weight / weight.sum())
    # A draw can underflow when the shape is tiny; zero would not be a concentration.
    return float(max(rng.gamma(base + chosen) / rate, np.finfo(float).tiny))
