"""Freezing a chain into one partition."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reseat.chains.model import MixtureModel
from reseat.checks import check_between, check_whole
from reseat.errors import ConfigError
from reseat.moves import gibbs_sweep

__all__ = ["anneal"]

#: Sweeps after which a greedy search is taken to go round in a circle of equal partitions.
MOST_GREEDY_SWEEPS = 1000


def anneal(
    model: MixtureModel,
    rng: np.random.Generator,
    *,
    n_steps: int = 40,
    greatest: float = 50.0,
    temper: str = "posterior",
    move: Callable = gibbs_sweep,
) -> np.ndarray:
    """Sharpen the posterior step by step, then climb until no item moves.

    The hyperparameters keep their last values.

    Parameters
    ----------
    model : MixtureModel
        Left at the partition that is found.
    rng : numpy.random.Generator
    n_steps : int
        Sweeps from power 1 to `greatest`, in geometric steps.
    greatest : float
        The last power.
    temper : {"posterior", "likelihood"}
        What is raised to the power.  The likelihood alone is the paper's limit
        of many degrees of freedom: the prior fades, and small blocks survive.
    move : callable
        `gibbs_sweep`, or a move that takes the same powers, such as
        `ClampedSweep`.

    Returns
    -------
    ndarray of int, shape (n_items,)
        Slot of each item.

    Raises
    ------
    ConfigError
        If a parameter is out of its range.

    References
    ----------
    Vogt et al. (2010), section 3.
    """
    n_steps = check_whole("n_steps", n_steps, 1)
    greatest = check_between("greatest", greatest, 1)
    if temper not in ("posterior", "likelihood"):
        raise ConfigError(f"temper is {temper!r}; it must be 'posterior' or 'likelihood'.")
    parts = (model.partition, model.prior, model.likelihood, rng)
    for power in np.geomspace(1.0, greatest, n_steps):
        prior_power = power if temper == "posterior" else 1.0
        move(*parts, likelihood_power=power, prior_power=prior_power)
    last = {
        "likelihood_power": greatest,
        "prior_power": greatest if temper == "posterior" else 1.0,
        "greedy": True,
    }
    for _ in range(MOST_GREEDY_SWEEPS):
        if move(*parts, **last) == 0:
            break
    return model.labels
