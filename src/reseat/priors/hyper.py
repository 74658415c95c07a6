"""Updates of hyperparameters that more than one prior can use."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np
from scipy.special import gammaln

from reseat.hyperpriors import BetaHyperprior, GammaHyperprior

__all__ = ["draw_hyperparameter", "sample_concentration"]

#: steps towards the bulk of the weights; they keep numbers in range and need not end there
TILT_STEPS = 20


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
    # prod_m (alpha + n_m) = sum_s alpha^s e_{M-s}(n), and e_{M-s}(n) tilt^s is in proportion to
    # the probability of s successes in trials of odds tilt : n_m.  Their law has its bulk where
    # the weights have theirs if the tilt is about the concentration to be drawn.
    tilt = concentration
    for _ in range(min(n.size, TILT_STEPS)):
        tilt = (base + (tilt / (tilt + n)).sum()) / rate
    s = np.arange(n.size + 1)
    with np.errstate(divide="ignore"):
        log_weight = np.log(_successes(tilt / (tilt + n), n / (tilt + n)))
    log_weight += gammaln(base + s) - s * np.log(rate * tilt)
    weight = np.exp(log_weight - log_weight.max())
    chosen = rng.choice(s, p=weight / weight.sum())
    # A draw can underflow when the shape is tiny; zero would not be a concentration.
    return float(max(rng.gamma(base + chosen) / rate, np.finfo(float).tiny))


def _successes(hit: np.ndarray, miss: np.ndarray) -> np.ndarray:
    """Law of the number of successes of independent trials, shape (n_trials + 1,).

    All terms are positive, so that every entry has nearly full precision.
    The trials are dealt into rows, which are worked through side by side and
    then joined: a few dozen steps instead of one for each trial.
    """
    width = int(np.ceil(np.sqrt(hit.size)))
    padding = -hit.size % width
    hit = np.concatenate([hit, np.zeros(padding)]).reshape(-1, width)
    miss = np.concatenate([miss, np.ones(padding)]).reshape(-1, width)
    rows = np.zeros((len(hit), width + 1))
    rows[:, 0] = 1.0
    for j in range(width):
        rows[:, 1:] = rows[:, 1:] * miss[:, j, None] + rows[:, :-1] * hit[:, j, None]
        rows[:, 0] *= miss[:, j]
    law = reduce(np.convolve, rows)
    return law[: law.size - padding]
