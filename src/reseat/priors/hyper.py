"""Updates of hyperparameters that more than one prior can use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from reseat.errors import ConfigError

__all__ = ["GammaHyperprior", "sample_concentration", "slice_sample"]


@dataclass(frozen=True)
class GammaHyperprior:
    """Gamma law of a positive parameter.

    Parameters
    ----------
    shape, rate : float
        Mean ``shape / rate``.
    """

    shape: float = 1.0
    rate: float = 1.0

    def __post_init__(self):
        if not (self.shape > 0 and self.rate > 0):
            raise ConfigError(
                f"The gamma prior has shape {self.shape} and rate {self.rate}; "
                "both must be positive."
            )

    def log_density(self, x: float) -> float:
        """Log density at `x` > 0."""
        return float(
            self.shape * np.log(self.rate)
            - gammaln(self.shape)
            + (self.shape - 1) * np.log(x)
            - self.rate * x
        )


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


def slice_sample(
    log_density: Callable[[float], float],
    start: float,
    rng: np.random.Generator,
    *,
    width: float = 1.0,
    max_steps: int = 10,
) -> float:
    """One univariate slice-sampling update: stepping out, then shrinkage.

    Parameters
    ----------
    log_density : callable
        Log density up to a constant; ``-inf`` outside the support.
    start : float
        Present value, with a finite log density.
    rng : numpy.random.Generator
    width : float
        First guess of the width of the slice.
    max_steps : int
        Bound on the number of steps out, in all.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the log density of `start` is not finite.

    References
    ----------
    Neal (2003), figures 3 and 5.
    """
    height = log_density(start)
    if not np.isfinite(height):
        raise ValueError(f"The log density of the start value {start} is {height}.")
    height -= rng.exponential()
    left = start - width * rng.random()
    right = left + width
    steps_left = int(rng.integers(0, max_steps))
    steps_right = max_steps - 1 - steps_left
    while steps_left > 0 and log_density(left) > height:
        left -= width
        steps_left -= 1
    while steps_right > 0 and log_density(right) > height:
        right += width
        steps_right -= 1
    while True:
        proposal = left + (right - left) * rng.random()
        if log_density(proposal) > height:
            return float(proposal)
        if proposal < start:
            left = proposal
        else:
            right = proposal
