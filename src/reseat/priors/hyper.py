"""Laws of hyperparameters that several priors use, and draws from them."""

from __future__ import annotations

import numpy as np

from reseat.hyperpriors import BetaHyperprior, GammaHyperprior, slice_sample

__all__ = ["BetaHyperprior", "GammaHyperprior", "draw_hyperparameter", "slice_sample"]


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
