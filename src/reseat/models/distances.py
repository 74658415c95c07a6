"""Objects of which only distances are known: the Wishart-Dirichlet process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from reseat.chains import MixtureModel
from reseat.declarations import Registry
from reseat.likelihoods import PointSums, WishartDistances, WishartSimilarities
from reseat.models.starts import begin
from reseat.moves import SplitMerge, gibbs_sweep
from reseat.priors import make_prior

__all__ = ["build", "grid", "likelihood"]


def grid(settings: Mapping[str, Any], dim: float) -> np.ndarray:
    """Values of theta for data of so many dimensions: few leave room for great ones.

    Parameters
    ----------
    settings : mapping
        ``theta`` and ``theta_few``, each with ``lowest``, ``highest`` and ``n_values``; the
        second one for dimensions ``up_to_dim``.
    dim : float
    """
    few = settings["theta_few"]
    chosen = few if dim <= few["up_to_dim"] else settings["theta"]
    return np.geomspace(chosen["lowest"], chosen["highest"], chosen["n_values"])


#: Likelihoods by name: functions of the settings, the matrix, the degrees of freedom and the grid.
likelihood = Registry()


@likelihood("distances")
def distances(settings: Mapping[str, Any], matrix, dim: float, values) -> WishartDistances:
    """Of squared distances; perhaps ``exponent``, and ``precision``, ``double`` or ``single``."""
    return WishartDistances(
        matrix,
        dim,
        grid=values,
        exponent=settings.get("exponent", "derived"),
        dtype=np.float64 if settings.get("precision") == "double" else np.float32,
    )


@likelihood("points")
def points(settings: Mapping[str, Any], matrix, dim: float, values) -> WishartDistances:
    """Of the squared distances of points, in memory that grows with these; their coordinates."""
    return WishartDistances(PointSums(matrix), dim, grid=values)


@likelihood("similarities")
def similarities(settings: Mapping[str, Any], matrix, dim: float, values) -> WishartSimilarities:
    """Of centred similarities."""
    return WishartSimilarities(matrix, dim, grid=values, dtype=np.float64)


def build(
    settings: Mapping[str, Any],
    data: tuple[np.ndarray, float],
    rng: np.random.Generator,
    start: str | int | np.ndarray,
    moves: Sequence[Callable] = (gibbs_sweep,),
) -> MixtureModel:
    """The model at its start.

    Parameters
    ----------
    settings : mapping
        ``prior`` and its parameters, ``likelihood``, what that one looks at, and the grid of
        theta, which begins in its middle; perhaps ``split_merge``, parameters of `SplitMerge`,
        which then comes before the other moves.
    data : tuple of ndarray and float
        Squared distances or similarities, shape (n_items, n_items), or points, shape (n_items,
        n_coordinates); and degrees of freedom.
    rng : numpy.random.Generator
    start : int, str or ndarray
        As for `reseat.models.starts.begin`.
    moves : sequence of callable

    References
    ----------
    Vogt et al. (2010), sections 3 and 4.
    """
    matrix, dim = data
    made = likelihood[settings["likelihood"]](settings, matrix, dim, grid(settings, dim))
    if "split_merge" in settings:
        moves = (SplitMerge(**settings["split_merge"]), *moves)
    model = MixtureModel(make_prior(settings, made.n_items), made, moves)
    begin(model, start, rng)
    return model
