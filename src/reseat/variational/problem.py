"""The problem to be fitted: relations, truncations and priors, checked once for all restarts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
import scipy.sparse as sp
from scipy.special import gammaln

from reseat.checks import check_flag, check_strength, check_whole
from reseat.errors import ConfigError, DataError
from reseat.numerics import k_means
from reseat.variational.parts import Part, cut
from reseat.variational.relations import Relation


@dataclass(frozen=True)
class Problem:
    """Relations and settings in the form that an ascent needs; they never change."""

    relations: tuple[Relation, ...]
    #: One list for each relation.
    parts: tuple[list[Part], ...]
    #: N and T of each type.
    n_entities: dict[str, int]
    truncation: dict[str, int]
    #: Concentration of the stick-breaking prior of each type.
    concentration: dict[str, float]
    #: Both parameters of the Beta prior of the links.
    beta: float
    reorder: bool

    @classmethod
    def of(cls, relations, n_entities, truncation, *, concentration=1.0, beta=0.1, reorder=True):
        """Check the arguments, which `fit_relational` describes, and return the problem."""
        if isinstance(relations, Relation):
            relations = (relations,)
        if not isinstance(relations, Sequence) or not relations:
            raise ConfigError("relations must contain at least one Relation.")
        relations = tuple(relations)
        kinds = tuple(dict.fromkeys(kind for relation in relations for kind in relation.types))
        n_entities = {kind: _whole(n_entities, kind, "n_entities") for kind in kinds}
        truncation = {kind: _whole(truncation, kind, "truncation") for kind in kinds}
        for kind in kinds:
            if truncation[kind] > n_entities[kind]:
                raise ConfigError(
                    f"truncation is {truncation[kind]} for {kind!r}, which has only "
                    f"{n_entities[kind]} entities: ask for at most one cluster per entity."
                )
        if not isinstance(concentration, Mapping):
            concentration = dict.fromkeys(kinds, concentration)
        for kind in kinds:
            if kind not in concentration:
                raise ConfigError(f"concentration has no entry for the type {kind!r}.")
            check_strength(f"concentration of {kind!r}", concentration[kind])
        check_strength("beta", beta)
        check_flag("reorder", reorder)
        for relation in relations:
            for place, kind in enumerate(relation.types):
                cell = relation.coordinates[relation.coordinates[:, place].argmax()].tolist()
                if cell[place] >= n_entities[kind]:
                    raise DataError(
                        f"{relation.name}: cell {tuple(cell)} names the {kind} {cell[place]}, but "
                        f"there are only {n_entities[kind]}, counted from 0."
                    )
        parts = tuple(cut(relation, n_entities) for relation in relations)
        strengths = {kind: float(concentration[kind]) for kind in kinds}
        return cls(relations, parts, n_entities, truncation, strengths, float(beta), bool(reorder))

    @property
    def types(self) -> tuple[str, ...]:
        """Names of the types, in the order in which the relations name them."""
        return tuple(self.n_entities)

    def occurrences(self, kind: str):
        """Yield (relation number, part, site) wherever a type takes part."""
        for number, parts in enumerate(self.parts):
            for part in parts:
                for other, site in zip(part.types, part.sites, strict=True):
                    if other == kind:
                        yield number, part, site

    def is_square(self, kind: str) -> bool:
        """Return whether a type has two places in some relation."""
        return any(part.twin(site.axis) is not None for _, part, site in self.occurrences(kind))

    def entity_draws(self, alpha: float = 1.0) -> float:
        """Return the u line of the ELBO, nats: the log probability of the drawn entities."""
        total = 0.0
        for relation in self.relations:
            shape = [self.n_entities[kind] for kind in relation.types]
            # A cell without a link is one observation, a missing cell is none.
            extra = relation.counts - 1.0
            n_cells = float(np.prod(shape, dtype=float))
            if relation.missed is not None:
                extra, n_cells = relation.counts + relation.missed, 0.0
            for place, n in enumerate(shape):
                tried = np.bincount(relation.coordinates[:, place], weights=extra, minlength=n)
                draws = n_cells / n + tried
                total += gammaln(n * alpha) - gammaln(n * alpha + draws.sum())
                total += float((gammaln(alpha + draws) - gammaln(alpha)).sum())
        return float(total)


def _whole(values, kind: str, what: str) -> int:
    if not isinstance(values, Mapping) or kind not in values:
        raise ConfigError(f"{what} must have an entry for the type {kind!r}.")
    return check_whole(f"{what} of {kind!r}", values[kind], 1)


# ---- Starts of the ascent: random memberships, or clusters found by K-means ------------------


#: Concentration of the Dirichlet law of the memberships of an entity, by the start.
_DIRICHLET = {"dirichlet_01": 0.1, "dirichlet_1": 1.0}
INITIALISATIONS = ("hard", *_DIRICHLET, "k_means")


def _profiles(problem: Problem, kind: str) -> sp.csr_array:
    """Return the roots of the shares of an entity's links, of length one (Hellinger distances)."""
    tables = []
    for relation in problem.relations:
        counts = relation.counts
        if relation.missed is not None:
            counts = counts / (counts + relation.missed)
        for place, other in permutations(range(relation.n_places), 2):
            if relation.types[place] == kind:
                shape = [problem.n_entities[relation.types[at]] for at in (place, other)]
                at = tuple(relation.coordinates[:, [place, other]].T)
                tables.append(sp.csr_array((counts, at), shape=shape))
    links = sp.hstack(tables, format="csr")
    links.sum_duplicates()
    totals = np.asarray(links.sum(axis=1)).ravel()
    shares = sp.diags_array(1 / np.where(totals > 0, totals, 1)) @ links
    return shares.sqrt().tocsr()


def start(name: str, problem: Problem, rng) -> dict[str, np.ndarray]:
    """Draw the memberships of every type, (n_entities, n_clusters), from a start of that name."""
    if name not in INITIALISATIONS:
        raise ConfigError(
            f"initialisation must be one of {', '.join(map(repr, INITIALISATIONS))}, not {name!r}."
        )
    return {kind: _memberships(name, problem, kind, rng) for kind in problem.types}


def _memberships(name: str, problem: Problem, kind: str, rng) -> np.ndarray:
    n_entities, n_clusters = problem.n_entities[kind], problem.truncation[kind]
    if name in _DIRICHLET:
        return rng.dirichlet(np.full(n_clusters, _DIRICHLET[name]), size=n_entities)
    if name == "hard":
        labels = rng.integers(n_clusters, size=n_entities)
    else:
        labels = k_means(_profiles(problem, kind), n_clusters, rng)
    memberships = np.full((n_entities, n_clusters), 0.1 / n_clusters)
    memberships[np.arange(n_entities), labels] += 0.9
    return memberships
