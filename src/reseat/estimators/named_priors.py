"""Settings of a partition prior, with defaults for what an estimator leaves open."""

from __future__ import annotations

import hashlib
import inspect
from typing import Any

from reseat.checks import check_between, check_strength, check_whole, shown
from reseat.errors import ConfigError
from reseat.priors import declared_prior, prior, sampled_settings

__all__ = ["check_prior", "own_code", "prior_settings"]

#: Largest discount: a larger one alone decides the partition, or rounding errors do.
NEAREST_ONE = 0.999


def check_prior(name: str, concentration, discount, max_clusters) -> None:
    """Raise a ConfigError unless there is such a prior and it has these parameters."""
    if not isinstance(name, str):
        raise ConfigError(
            f"prior is {shown(name)}; it must be the name of a prior, such as 'dirichlet_process'."
        )
    declared = declared_prior(name)
    if (max_clusters is None) == declared.finite:
        raise ConfigError(
            f"The prior {name!r} needs max_clusters, the largest number of clusters."
            if declared.finite
            else f"max_clusters is {shown(max_clusters)}, but the prior {name!r} has no such "
            "limit; omit it, or use 'finite_dirichlet'."
        )
    if max_clusters is not None:
        check_whole("max_clusters", max_clusters, 1)
    for parameter, value in (("discount", discount), ("concentration", concentration)):
        if value is not None and parameter not in declared.parameters:
            raise ConfigError(f"The prior {name!r} has no parameter {parameter}; omit it.")
    if concentration is not None:
        check_strength("concentration", concentration)
    if discount is not None:
        check_between("discount", discount, 0, 1, "[)")
        check_between("discount", discount, 0, NEAREST_ONE)


def prior_settings(
    name: str,
    *,
    concentration: float | None = None,
    discount: float | None = None,
    max_clusters: int | None = None,
    half: bool = False,
) -> dict[str, Any]:
    """Return the settings for `reseat.priors.make_prior`.

    Parameters
    ----------
    name : str
        Name of a declared prior.
    concentration : float, optional
        If omitted, the concentration of a process is sampled, under a gamma prior of shape 1 and
        mean 1, and that of ``finite_dirichlet`` is 1.
    discount : float, optional
        Discount of ``pitman_yor``; sampled if omitted.
    max_clusters : int, optional
        Number of labelled clusters of ``finite_dirichlet``, including empty ones.
    half : bool
        Whether the prior mean of a sampled concentration is half the number of items instead, for
        clusters that stay small.

    Raises
    ------
    ConfigError
        If there is no such prior, or it does not have these parameters.
    """
    check_prior(name, concentration, discount, max_clusters)
    settings = sampled_settings(name, "half" if half else {"shape": 1.0, "rate": 1.0})
    if concentration is not None:
        settings |= {"concentration": concentration, "hyperprior": None}
    if discount is not None:
        settings |= {"discount": discount, "sample_discount": False}
    return settings | {"n_blocks": max_clusters}


def own_code(name: str) -> str | None:
    """Return the hash of the code of a user's own prior, or None for one of the package.

    The code of the package's own priors is identified by its version.
    """
    kind = prior.get(name)
    if kind is None or _is_of_the_package(kind):
        return None
    digest = hashlib.sha256()
    for base in filter(lambda base: not _is_of_the_package(base), kind.__mro__[:-1]):
        digest.update(_code_of(base))
    return digest.hexdigest()


def _is_of_the_package(kind: type) -> bool:
    return kind.__module__.partition(".")[0] == __package__.partition(".")[0]


def _code_of(kind: type) -> bytes:
    try:
        return inspect.getsource(kind).encode()
    except (OSError, TypeError):  # typed at a prompt
        codes = [f.__code__ for f in vars(kind).values() if inspect.isfunction(f)]
        # The `repr` of nested code objects contains addresses, which differ between processes.
        said = [[c for c in code.co_consts if not inspect.iscode(c)] for code in codes]
        return b"".join(code.co_code for code in codes) + repr(said).encode()
