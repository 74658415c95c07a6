"""Draws from the priors themselves, without data."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from reseat.chains import chain_seed
from reseat.experiments.records.growth import DRAW_COLUMNS
from reseat.experiments.records.plan import PAPER_KEY
from reseat.priors import NBD, NBNB, DirichletProcess, PartitionPrior, PitmanYor

__all__ = ["FIGURE_PRIORS", "draw_growth"]

#: NBNB at the hyperparameters of Figure 1, and the two processes beside it.  Under NBD, at the
#: figure's a = 1 and q = 0.5, large numbers of items are too improbable to be drawn; a and q are
#: therefore solved for half as many blocks as items, as in the paper's experiments.
FIGURE_PRIORS: Mapping[str, Callable[[], PartitionPrior]] = {
    "NBNB": lambda: NBNB(1.0, 0.5, 1.0, 0.5, r_hyperprior=None, p_hyperprior=None),
    "NBD": lambda: NBD(alpha=1.0, base=0.5),
    "DP": lambda: DirichletProcess(1.0),
    "PYP": lambda: PitmanYor(1.0, 0.5),
}

#: Smallest number of items of Figure 1, and of the means of theorem 1.
FIRST_POINT, FIRST_MEAN = 106, 30


def draw_growth(largest: int, n_points: int, n_draws: int, seed: int) -> pd.DataFrame:
    """Draw the largest block and the number of blocks from each prior, for growing item counts.

    There are `n_draws` draws at each of a few numbers of items, about half a decade apart, and one
    at each of `n_points` others, evenly spaced on a logarithmic scale.
    """
    points = np.unique(np.geomspace(FIRST_POINT, largest, n_points).round().astype(int))
    n_means = max(2, round(2 * np.log10(largest / FIRST_MEAN)) + 1)
    means = np.unique(np.geomspace(FIRST_MEAN, largest, n_means).round().astype(int))
    wanted = {int(n): 1 for n in points} | {int(n): n_draws for n in means}
    rows = []
    for system, make in FIGURE_PRIORS.items():
        for n_items, times in sorted(wanted.items()):
            rng = np.random.default_rng(chain_seed(seed, PAPER_KEY, "prior", system, n_items))
            for draw in range(times):
                sizes = make().sample_sizes(n_items, rng)
                rows.append((system, n_items, draw, int(sizes.max()), int(sizes.size)))
    return pd.DataFrame(rows, columns=list(DRAW_COLUMNS))
