"""Priors of hyperparameters, and the slice sampler that updates them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import betainc, betaln, gammainc

from reseat.checks import check_between, check_positive, check_whole
from reseat.errors import ConfigError

#: log density of a number, or log likelihood, up to a constant
LogDensity = Callable[[float], float]
#: the exponentials of logarithms beyond this may overflow
MAX_LOG = 700.0
#: largest relative error of a number that is transformed and transformed back
ROUNDING = 1e-12


@dataclass(frozen=True)
class GammaHyperprior:
    """Gamma distribution of a positive parameter, truncated above if a bound is given.

    Parameters
    ----------
    shape, rate : float
        Mean ``shape / rate`` without a bound.
    upper : float, optional
        Greatest value allowed.

    Raises
    ------
    ConfigError
        If a parameter is not positive and finite, or there is no probability below the bound.

    Examples
    --------
    >>> from reseat.priors import GammaHyperprior
    >>> law = GammaHyperprior(shape=1.0, rate=2.0)
    >>> round(law.log_density(1.0), 4)
    -1.3069
    """

    shape: float = 1.0
    rate: float = 1.0
    upper: float | None = None

    def __post_init__(self):
        check_positive("The shape of the gamma prior", self.shape)
        check_positive("The rate of the gamma prior", self.rate)
        if self.upper is None:
            return
        check_positive("The bound of the gamma prior", self.upper)
        if not gammainc(self.shape, self.rate * self.upper) > 0:
            raise ConfigError(
                f"The bound of the gamma prior is {self.upper}; for shape {self.shape} and rate "
                f"{self.rate} there is no probability below it, so it must be larger."
            )

    def log_density(self, x: float) -> float:
        """Return the log density at `x`; minus infinity outside the support."""
        if not (0 < x < math.inf) or (self.upper is not None and x > self.upper):
            return -math.inf
        return self._log_factor + (self.shape - 1) * math.log(x) - self.rate * x - self._log_mass

    def resample(
        self, value: float, log_likelihood: LogDensity, rng: np.random.Generator, width: float = 1.0
    ) -> float:
        """Update a parameter by slice sampling its posterior on the log scale.

        Parameters
        ----------
        value : float
            Current value, inside the support.
        log_likelihood : callable
            Log likelihood of a value, up to a constant.
        rng, width
            As for `slice_sample`.
        """
        upper = math.inf if self.upper is None else self.upper
        end = min(math.log(upper), MAX_LOG)

        def log_density(x: float) -> float:
            if x > end:
                return -math.inf
            # Rounding may push the exponential of the log of the bound above the bound.
            y = min(math.exp(x), upper)
            prior = self.log_density(y)
            return prior + x + log_likelihood(y) if prior > -math.inf else prior

        return min(math.exp(slice_sample(log_density, math.log(value), rng, width=width)), upper)

    @cached_property
    def _log_factor(self) -> float:
        return self.shape * math.log(self.rate) - math.lgamma(self.shape)

    @cached_property
    def _log_mass(self) -> float:
        if self.upper is None:
            return 0.0
        return math.log(gammainc(self.shape, self.rate * self.upper))


@dataclass(frozen=True)
class BetaHyperprior:
    """Beta distribution of a proportion, truncated if bounds are given.

    Parameters
    ----------
    a, b : float
        Mean ``a / (a + b)`` without a bound.
    upper, lower : float
        Greatest and least value allowed.

    Raises
    ------
    ConfigError
        If a parameter is out of its range, or there is no probability between the bounds.

    Examples
    --------
    >>> from reseat.priors import BetaHyperprior
    >>> law = BetaHyperprior(2.0, 2.0)
    >>> law.log_density(0.5) > law.log_density(0.1)
    True
    """

    a: float = 1.0
    b: float = 1.0
    upper: float = 1.0
    lower: float = 0.0

    def __post_init__(self):
        check_positive("The parameter a of the beta prior", self.a)
        check_positive("The parameter b of the beta prior", self.b)
        check_between("The bound of the beta prior", self.upper, 0, 1, "(]")
        if not betainc(self.a, self.b, self.upper) > 0:
            raise ConfigError(
                f"The bound of the beta prior is {self.upper}; for a = {self.a} and b = {self.b} "
                "there is no probability below it, so it must be larger."
            )
        check_between("The lower bound of the beta prior", self.lower, 0, self.upper, "[)")

    @classmethod
    def from_moments(cls, mean: float, sd: float, upper: float = 1.0) -> BetaHyperprior:
        """Return the prior that has this mean and standard deviation before truncation.

        Raises
        ------
        ConfigError
            If no beta distribution has them.
        """
        check_between("mean", mean, 0)
        check_between("sd", sd, 0)
        variance = sd**2 if 0 < mean < 1 and 0 < sd < 1 else 0.0
        total = mean * (1 - mean) / variance - 1 if variance > 0 else -1.0
        if not 0 < total < math.inf:
            raise ConfigError(f"No beta distribution has mean {mean} and standard deviation {sd}.")
        return cls(mean * total, (1 - mean) * total, upper)

    def log_density(self, x: float) -> float:
        """Return the log density at `x`; minus infinity outside the support."""
        if not 0 < x < 1 or not self.lower <= x <= self.upper:
            return -math.inf
        found = (self.a - 1) * math.log(x) + (self.b - 1) * math.log1p(-x)
        return found - self._log_beta - self._log_mass

    def resample(
        self, value: float, log_likelihood: LogDensity, rng: np.random.Generator, width: float = 1.0
    ) -> float:
        """Update a proportion on the logit scale, as `GammaHyperprior.resample` does a number."""
        end = MAX_LOG if self.upper == 1 else _logit(self.upper)
        first = -MAX_LOG if self.lower == 0 else _logit(self.lower)

        def at(x: float) -> float:
            return max(min(1 / (1 + math.exp(-x)), self.upper), self.lower)

        def log_density(x: float) -> float:
            if not first <= x <= end:
                return -math.inf
            y = at(x)
            prior = self.log_density(y)
            if prior == -math.inf:
                return prior
            return prior + math.log(y) + math.log1p(-y) + log_likelihood(y)

        return at(slice_sample(log_density, _logit(value), rng, width=width))

    @cached_property
    def _log_beta(self) -> float:
        return float(betaln(self.a, self.b))

    @cached_property
    def _log_mass(self) -> float:
        below = betainc(self.a, self.b, self.lower)
        return math.log(betainc(self.a, self.b, self.upper) - below)


def below_bound(value: float, law) -> float:
    """Return a transformed value clipped to the bound of its law, if that has an `upper`."""
    upper = getattr(law, "upper", None)
    return upper if upper is not None and upper < value <= upper * (1 + ROUNDING) else value


def _logit(x: float) -> float:
    return math.log(x) - math.log1p(-x)


def slice_sample(
    log_density: LogDensity,
    start: float,
    rng: np.random.Generator,
    *,
    width: float = 1.0,
    max_steps: int = 10,
) -> float:
    """Make one univariate slice-sampling update: stepping out, then shrinkage.

    Parameters
    ----------
    log_density : callable
        Log density up to a constant; ``-inf`` outside the support.
    start : float
        Current value, with a finite log density, or there is a ValueError.
    rng : numpy.random.Generator
    width : float
        Initial guess of the width of the slice.
    max_steps : int
        Bound on the total number of steps out.

    Raises
    ------
    ConfigError
        If `width` is not positive and finite, or `max_steps` is not a whole number of at least 1.

    References
    ----------
    Neal (2003), figures 3 and 5.
    """
    # With another width the loop below might never end.
    check_positive("width", width)
    max_steps = check_whole("max_steps", max_steps, 1)
    height = log_density(start)
    if not math.isfinite(height):
        raise ValueError(
            f"The log density of the start value {start} is {height}; it must be finite."
        )
    height -= rng.exponential()
    left = start - width * rng.random()
    right = left + width
    steps_left = int(rng.integers(0, max_steps))
    steps_right = max_steps - 1 - steps_left
    # At log densities above 1e16 the height is rounded to that of the start, which must still count
    # as inside the slice (hence >=), or the interval would shrink for ever.
    while steps_left > 0 and log_density(left) >= height:
        left -= width
        steps_left -= 1
    while steps_right > 0 and log_density(right) >= height:
        right += width
        steps_right -= 1
    while True:
        proposal = left + (right - left) * rng.random()
        if log_density(proposal) >= height:
            return float(proposal)
        if proposal < start:
            left = proposal
        else:
            right = proposal


def draw_hyperparameter(
    hyperprior: GammaHyperprior | BetaHyperprior | None, fixed: float, rng: np.random.Generator
) -> float:
    """Draw a hyperparameter from its prior, or return `fixed` if it has none."""
    if hyperprior is None:
        return fixed
    while True:
        if isinstance(hyperprior, BetaHyperprior):
            value = rng.beta(hyperprior.a, hyperprior.b)
        else:
            value = rng.gamma(hyperprior.shape) / hyperprior.rate
        # Repeat draws outside the support: beyond the bound, or rounded to an end of the range.
        if hyperprior.log_density(value) > -np.inf:
            return float(value)
