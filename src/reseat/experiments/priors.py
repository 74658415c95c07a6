"""From an entry of a configuration to a partition prior: what all families share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reseat.errors import ConfigError
from reseat.hyperpriors import GammaHyperprior
from reseat.priors import (
    NBD,
    NBNB,
    DirichletProcess,
    FiniteDirichlet,
    PartitionPrior,
    PitmanYor,
    SampledNBD,
    solve_concentration,
)

__all__ = ["make_prior"]


def make_prior(
    model: Mapping[str, Any], n_items: int, n_clusters: int | None = None
) -> PartitionPrior:
    """The partition prior of one entry of ``models``.

    Parameters
    ----------
    model : mapping
        ``prior`` and its parameters.  A ``concentration`` of ``half`` is the
        one under which half as many blocks as items are expected, a
        ``hyperprior`` of ``half`` a gamma law of shape 1 with that mean.
    n_items : int
    n_clusters : int, optional
        Number of blocks of the prior that has finitely many, unless its
        ``n_blocks`` is ``n_items``.

    Raises
    ------
    ConfigError
        If the prior is unknown or lacks its number of blocks.
    """
    kind = model["prior"]
    if kind == "nbnb":
        return NBNB(reading=model.get("reading", "derived"))
    if kind == "nbd":
        return NBD()
    if kind == "sampled_nbd":
        return SampledNBD()
    if kind == "finite_dirichlet":
        n_blocks = n_items if model.get("n_blocks") == "n_items" else n_clusters
        if n_blocks is None:
            raise ConfigError("The prior finite_dirichlet needs a number of clusters.")
        return FiniteDirichlet(n_blocks, model.get("concentration", 1.0))
    if kind not in ("dirichlet_process", "pitman_yor"):
        raise ConfigError(f"There is no prior {kind!r}.")
    hyperprior = _hyperprior(model.get("hyperprior"), n_items)
    discount = model.get("discount", 0.25) if kind == "pitman_yor" else 0.0
    concentration = model.get("concentration", 1.0)
    if concentration == "half":
        concentration = solve_concentration(n_items, n_items / 2, discount)
    if kind == "dirichlet_process":
        return DirichletProcess(concentration, hyperprior)
    return PitmanYor(concentration, discount, hyperprior, model.get("sample_discount", False))


def _hyperprior(given, n_items: int) -> GammaHyperprior | None:
    if given is None:
        return None
    if given == "half":
        return GammaHyperprior(1.0, 2.0 / n_items)
    return GammaHyperprior(**given)
