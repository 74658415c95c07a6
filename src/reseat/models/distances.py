"""Objects of which only the distances are known: the Wishart-Dirichlet process."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from reseat.chains import MixtureModel
from reseat.chains.decided import mixture
from reseat.declarations import Registry
from reseat.likelihoods import PointSums, WishartDistances, WishartSimilarities
from reseat.models.starts import begin
from reseat.moves import SplitMerge, gibbs_sweep
from reseat.priors import BetaHyperprior, make_prior

#: Least value of theta. A bad partition wants none, and without a bound it would take chains from
#: one block thousands of sweeps to find a better one.
LEAST = 0.01
#: Prior of theta / (1 + theta), the share of the variance that lies between blocks: all are equally
#: likely. Above the upper bound, which only blocks of copies reach, sums would lose their digits.
SHARE = BetaHyperprior(1.0, 1.0, upper=1 - 1e-9, lower=LEAST / (1 + LEAST))

#: How often theta is updated before the first sweep.
FIRST_UPDATES = 20
#: Likelihoods by name: functions of the settings, the matrix and the degrees of freedom.
likelihood = Registry()


@likelihood("distances")
def distances(settings: Mapping[str, Any], matrix, dim: float) -> WishartDistances:
    """Return the likelihood of squared distances, optionally of another ``exponent``."""
    exponent = settings.get("exponent", "derived")
    dtype = np.float64 if settings.get("precision") == "double" else np.float32
    return WishartDistances(matrix, dim, hyperprior=SHARE, exponent=exponent, dtype=dtype)


@likelihood("points")
def points(settings: Mapping[str, Any], matrix, dim: float) -> WishartDistances:
    """Return the likelihood of squared distances of points, whose memory grows as their number."""
    return WishartDistances(PointSums(matrix), dim, hyperprior=SHARE)


@likelihood("similarities")
def similarities(settings: Mapping[str, Any], matrix, dim: float) -> WishartSimilarities:
    """Return the likelihood of centred similarities."""
    return WishartSimilarities(matrix, dim, hyperprior=SHARE, dtype=np.float64)


def build(
    settings: Mapping[str, Any],
    data: tuple[np.ndarray, float],
    rng: np.random.Generator,
    start: str | int | np.ndarray,
    moves: Sequence[Callable] = (gibbs_sweep,),
) -> MixtureModel:
    """Build the model at its start, with a theta that suits it (Vogt et al. 2010, sections 3, 4).

    `data`: squared distances, similarities or points, and degrees of freedom.
    """
    made = likelihood[settings["likelihood"]](settings, *data)
    if "split_merge" in settings:
        moves = (SplitMerge(**settings["split_merge"]), *moves)
    model = mixture(make_prior(settings, made.n_items), made, moves, settings.get("decided"))
    begin(model, start, rng)
    # A sweep at a theta far from what the start wants would leave nothing of it.
    for _ in range(FIRST_UPDATES if model.partition.n_blocks > 1 else 0):
        made.update(model.partition, rng)
    return model
