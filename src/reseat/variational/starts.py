"""Where the ascent starts: random memberships."""

from __future__ import annotations

import numpy as np

from reseat.errors import ConfigError

__all__ = ["INITIALISATIONS", "start"]


def _hard(n_entities: int, n_clusters: int, rng) -> np.ndarray:
    memberships = np.full((n_entities, n_clusters), 0.1 / n_clusters)
    memberships[np.arange(n_entities), rng.integers(n_clusters, size=n_entities)] += 0.9
    return memberships


def _dirichlet(concentration: float):
    def draw(n_entities: int, n_clusters: int, rng) -> np.ndarray:
        return rng.dirichlet(np.full(n_clusters, concentration), size=n_entities)

    return draw


INITIALISATIONS = {
    "hard": _hard,
    "dirichlet_01": _dirichlet(0.1),
    "dirichlet_1": _dirichlet(1.0),
}


def start(name: str, n_entities, truncation, rng) -> dict[str, np.ndarray]:
    """Draw the memberships of every type.

    The paper does not say how it starts; the number of occupied clusters
    depends on it.

    Parameters
    ----------
    name : {"hard", "dirichlet_01", "dirichlet_1"}
        Each row 0.9 on a cluster drawn at random and 0.1 spread over all, or
        a draw from Dirichlet(0.1) or Dirichlet(1).
    n_entities, truncation : dict of int
        N and T of each type.
    rng : numpy.random.Generator

    Returns
    -------
    dict of ndarray of float64, (N, T)

    Raises
    ------
    ConfigError
        If there is no such start.
    """
    if name not in INITIALISATIONS:
        raise ConfigError(
            f"initialisation must be one of {', '.join(map(repr, INITIALISATIONS))}, not {name!r}."
        )
    draw = INITIALISATIONS[name]
    return {kind: draw(n, truncation[kind], rng) for kind, n in n_entities.items()}
