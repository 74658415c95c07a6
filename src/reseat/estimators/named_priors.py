"""Partition priors by name, with what an estimator leaves open filled in."""

from __future__ import annotations

from typing import Any

from reseat.checks import check_positive
from reseat.configuration import nearest
from reseat.errors import ConfigError
from reseat.experiments.priors import make_prior
from reseat.priors import PartitionPrior

__all__ = ["PRIORS", "check_prior", "named_prior"]

PRIORS = ("dirichlet_process", "pitman_yor", "nbnb", "nbd", "finite_dirichlet")
#: Those with a concentration that can be sampled.
PROCESSES = PRIORS[:2]
#: Where a sampled discount begins.
DISCOUNT = 0.25


def check_prior(name: str, concentration, discount, max_clusters) -> None:
    """Raise a ConfigError unless there is such a prior and it has these parameters."""
    if name not in PRIORS:
        hint = nearest(name, PRIORS) or f"; the priors are {', '.join(PRIORS)}"
        raise ConfigError(f"There is no prior {name!r}{hint}")
    if (max_clusters is None) == (name == "finite_dirichlet"):
        raise ConfigError(
            "The prior 'finite_dirichlet' needs max_clusters, the largest number of clusters."
            if max_clusters is None
            else f"max_clusters is {max_clusters}, but the prior {name!r} has no such limit; leave "
            "it out, or take 'finite_dirichlet'."
        )
    if max_clusters is not None and max_clusters < 1:
        raise ConfigError(f"max_clusters is {max_clusters}; give a whole number from 1.")
    if discount is not None and name != "pitman_yor":
        raise ConfigError(f"The prior {name!r} has no discount; leave it out.")
    if concentration is not None and name in ("nbnb", "nbd"):
        raise ConfigError(f"The prior {name!r} has no concentration; leave it out.")
    if concentration is not None:
        check_positive("concentration", concentration)
    if discount is not None and not 0 <= discount < 1:
        raise ConfigError(f"discount is {discount}; it must lie in [0, 1).")


def named_prior(
    name: str,
    n_items: int,
    *,
    concentration: float | None = None,
    discount: float | None = None,
    max_clusters: int | None = None,
    half: bool = False,
) -> PartitionPrior:
    """A partition prior.

    Parameters
    ----------
    name : str
        One of `PRIORS`.
    n_items : int
    concentration : float, optional
        If it is left out, that of a process is sampled, under a gamma prior of shape 1 and
        mean 1; that of ``finite_dirichlet`` is 1.
    discount : float, optional
        Of ``pitman_yor``; sampled if it is left out.
    max_clusters : int, optional
        Number of labelled clusters of ``finite_dirichlet``, empty ones counted.
    half : bool
        Whether a sampled concentration has half the number of items as its mean
        instead: for clusters that stay small.

    Raises
    ------
    ConfigError
        If there is no such prior, or it has not these parameters.
    """
    check_prior(name, concentration, discount, max_clusters)
    settings: dict[str, Any] = {"prior": name}
    if name in PROCESSES and concentration is None:
        settings["concentration"] = "half" if half else 1.0
        settings["hyperprior"] = "half" if half else {"shape": 1.0, "rate": 1.0}
    elif concentration is not None:
        settings["concentration"] = concentration
    if name == "pitman_yor":
        settings["discount"] = DISCOUNT if discount is None else discount
        settings["sample_discount"] = discount is None
    return make_prior(settings, n_items, max_clusters)
