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
from reseat.priors import make_prior


def grid(settings: Mapping[str, Any], dim: float) -> np.ndarray:
    """Return the grid of theta for data of some dimension; low dimensions allow large values.

    `settings`: ``theta`` and ``theta_few``, each with ``lowest``, ``highest`` and ``n_values``; the
        latter is for dimensions up to its ``up_to_dim``.
    """
    few = settings["theta_few"]
    chosen = few if dim <= few["up_to_dim"] else settings["theta"]
    return np.geomspace(chosen["lowest"], chosen["highest"], chosen["n_values"])


#: Likelihoods by name: functions of the settings, the matrix, the degrees of freedom and the grid.
likelihood = Registry()


@likelihood("distances")
def distances(settings: Mapping[str, Any], matrix, dim: float, values) -> WishartDistances:
    """Return the likelihood of squared distances.

    Optional settings are ``exponent``, and ``precision`` (``double`` or ``single``).
    """
    return WishartDistances(
        matrix,
        dim,
        grid=values,
        exponent=settings.get("exponent", "derived"),
        dtype=np.float64 if settings.get("precision") == "double" else np.float32,
    )


@likelihood("points")
def points(settings: Mapping[str, Any], matrix, dim: float, values) -> WishartDistances:
    """Return the likelihood of the squared distances of points, given by their coordinates.

    Its memory grows in proportion to the number of points.
    """
    return WishartDistances(PointSums(matrix), dim, grid=values)


@likelihood("similarities")
def similarities(settings: Mapping[str, Any], matrix, dim: float, values) -> WishartSimilarities:
    """Return the likelihood of centred similarities."""
    return WishartSimilarities(matrix, dim, grid=values, dtype=np.float64)


def build(
    settings: Mapping[str, Any],
    data: tuple[np.ndarray, float],
    rng: np.random.Generator,
    start: str | int | np.ndarray,
    moves: Sequence[Callable] = (gibbs_sweep,),
) -> MixtureModel:
    """Build the model at its start.

    See Vogt et al. (2010), sections 3 and 4.

    `settings`: ``prior`` and its parameters, ``likelihood`` and its settings, and the grid of theta
        (theta starts in its middle); optionally ``split_merge``, parameters of `SplitMerge`, which
        then comes before the other moves, and ``decided`` (`reseat.chains.decided.mixture`).
    `data`: squared distances or similarities, shape (n_items, n_items), or points, shape (n_items,
        n_coordinates); and degrees of freedom.
    """
    matrix, dim = data
    made = likelihood[settings["likelihood"]](settings, matrix, dim, grid(settings, dim))
    if "split_merge" in settings:
        moves = (SplitMerge(**settings["split_merge"]), *moves)
    model = mixture(make_prior(settings, made.n_items), made, moves, settings.get("decided"))
    begin(model, start, rng)
    return model
