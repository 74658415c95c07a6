"""The sampler, checked against an enumeration of all partitions of a few objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from reseat.chains import MixtureModel, chain_seed
from reseat.dissimilarities import from_similarities
from reseat.experiments.distances.plan import PAPER_KEY
from reseat.experiments.enumerated import posterior, visit_counts
from reseat.likelihoods import WishartDistances, WishartSimilarities
from reseat.priors import NBD, DirichletProcess, FiniteDirichlet, PartitionPrior, PitmanYor

__all__ = ["CHECKED_PRIORS", "LIKELIHOODS", "count_partitions", "make_likelihood", "make_points"]

CHECKED_PRIORS: Mapping[str, Callable[[], PartitionPrior]] = {
    "Ewens": lambda: DirichletProcess(1.0),
    "Dirichlet, k = 4": lambda: FiniteDirichlet(4, 0.25),
    "PYP": lambda: PitmanYor(1.0, 0.3),
    "NBD": lambda: NBD(1.3, 0.8),
}
LIKELIHOODS = ("TIWD", "WD")

DIM, THETA, N_BLOCKS = 3, 1.5, 3


def make_points(n_items: int, rng: np.random.Generator) -> np.ndarray:
    """Draw a few points in overlapping blocks, so that many partitions have some probability."""
    effect = np.sqrt(THETA) * rng.normal(size=(N_BLOCKS, DIM))
    return rng.normal(size=(n_items, DIM)) + effect[np.arange(n_items) % N_BLOCKS]


def make_likelihood(name: str, points: np.ndarray):
    """Return TIWD of the distances or WD of the inner products of points, with theta fixed.

    The distances are computed from the inner products, because `squared_distances` centres the
    points: its distances would be invariant to translation whatever the likelihood does.
    """
    similarities = points @ points.T / DIM
    if name == "TIWD":
        distances = from_similarities(similarities)
        return WishartDistances(distances, DIM, theta=THETA, dtype=np.float64)
    return WishartSimilarities(similarities, DIM, theta=THETA, dtype=np.float64)


def count_partitions(n_items: int, n_sweeps: int, seed: int) -> pd.DataFrame:
    """Return the exact posterior probability of each partition, and how many sweeps end in it.

    There is a chain of `n_sweeps` sweeps for each likelihood and prior.
    """
    points = make_points(n_items, np.random.default_rng(chain_seed(seed, PAPER_KEY, "few")))
    found = []
    for likelihood in LIKELIHOODS:
        for prior, make in CHECKED_PRIORS.items():
            rng = np.random.default_rng(chain_seed(seed, PAPER_KEY, "few", likelihood, prior))
            model = MixtureModel(make(), make_likelihood(likelihood, points))
            name = f"{likelihood}, {prior}"
            found.append(visit_counts(name, model, posterior(model), n_sweeps, rng))
    return pd.concat(found, ignore_index=True)
