"""Starts of the ascent: random memberships, or clusters found by K-means."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from reseat.errors import ConfigError
from reseat.numerics import k_means
from reseat.variational.problem import Problem

__all__ = ["INITIALISATIONS", "check_initialisation", "start"]


def _near(labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Return rows with 0.9 on the given cluster and 0.1 spread over all."""
    memberships = np.full((len(labels), n_clusters), 0.1 / n_clusters)
    memberships[np.arange(len(labels)), labels] += 0.9
    return memberships


def _hard(problem: Problem, kind: str, rng) -> np.ndarray:
    n_clusters = problem.truncation[kind]
    return _near(rng.integers(n_clusters, size=problem.n_entities[kind]), n_clusters)


def _dirichlet(concentration: float):
    def draw(problem: Problem, kind: str, rng) -> np.ndarray:
        weights = np.full(problem.truncation[kind], concentration)
        return rng.dirichlet(weights, size=problem.n_entities[kind])

    return draw


def _k_means(problem: Problem, kind: str, rng) -> np.ndarray:
    n_clusters = problem.truncation[kind]
    return _near(k_means(_profiles(problem, kind), n_clusters, rng), n_clusters)


def _profiles(problem: Problem, kind: str) -> sp.csr_array:
    """Return the square roots of the shares of an entity's links to each entity at other places.

    The rows have length one, so that their distances are proportional to Hellinger distances.
    """
    tables = []
    for relation in problem.relations:
        for place, own in enumerate(relation.types):
            for other in range(relation.n_places) if own == kind else ():
                if other != place:
                    shape = [problem.n_entities[relation.types[at]] for at in (place, other)]
                    at = tuple(relation.coordinates[:, [place, other]].T)
                    tables.append(sp.csr_array((relation.counts, at), shape=shape))
    links = sp.hstack(tables, format="csr")
    links.sum_duplicates()
    totals = np.asarray(links.sum(axis=1)).ravel()
    shares = sp.diags_array(1 / np.where(totals > 0, totals, 1)) @ links
    return shares.sqrt().tocsr()


INITIALISATIONS = {
    "hard": _hard,
    "dirichlet_01": _dirichlet(0.1),
    "dirichlet_1": _dirichlet(1.0),
    "k_means": _k_means,
}


def check_initialisation(name: str) -> None:
    """Raise a ConfigError if no start has this name."""
    if name not in INITIALISATIONS:
        raise ConfigError(
            f"initialisation must be one of {', '.join(map(repr, INITIALISATIONS))}, not {name!r}."
        )


def start(name: str, problem: Problem, rng) -> dict[str, np.ndarray]:
    """Draw the memberships of every type.

    Kurihara, Kameya & Sato (2006) do not say how they start; the bound that is reached and the
    number of occupied clusters depend on it.

    `name` ({"hard", "dirichlet_01", "dirichlet_1", "k_means"}): each row 0.9 on a cluster drawn at
        random and 0.1 spread over all; or a draw from Dirichlet(0.1) or Dirichlet(1); or 0.9 on a
        cluster found by K-means, with as many clusters as the truncation. K-means clusters the
        profiles of links: for each entity, the square roots of the shares of its links to each
        entity at the other places.
    """
    check_initialisation(name)
    draw = INITIALISATIONS[name]
    return {kind: draw(problem, kind, rng) for kind in problem.types}
