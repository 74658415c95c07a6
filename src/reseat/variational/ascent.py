"""Coordinate ascent on the ELBO of relations, block by block.

Kurihara, Kameya & Sato (2006), for any number of types and places.  Cells
without a link are never formed: the sum over all cells factors into cluster
sizes, and the observed cells are subtracted from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from reseat.numerics import product
from reseat.variational.links import Links
from reseat.variational.parts import Part, Site
from reseat.variational.problem import Problem
from reseat.variational.rows import Rows
from reseat.variational.sticks import Sticks

__all__ = ["Ascent"]

# Numbers in a block of sums: few enough for the inner caches.
_BLOCK = 2**16


class _Term(NamedTuple):
    """One axis of a part, as it enters the scores of the type on that axis."""

    relation: int
    part: Part
    site: Site
    weights: np.ndarray  # (width of the sums, n_clusters)


class Ascent:
    """The variational posterior of one restart, and the updates of its blocks.

    Each update sets its block to the optimum given all others, so that `elbo` never decreases. The
    memberships to start from, whose rows add up to 1, are not copied and will be changed.
    """

    def __init__(self, problem: Problem, memberships):
        self.problem = problem
        self.sticks = {
            kind: Sticks(problem.truncation[kind], problem.concentration[kind])
            for kind in problem.types
        }
        self.links = [Links(problem.beta) for _ in problem.relations]
        self.take(memberships)

    def take(self, memberships) -> None:
        """Continue from other memberships, with sticks and links at their optimum."""
        self._rows = {kind: Rows(q) for kind, q in memberships.items()}
        self._counts = [None] * len(self.links)
        self._sizes, self._overlaps, self._entropies = {}, {}, {}
        for kind, rows in self._rows.items():
            self._entropies[kind] = rows.entropy()
            self._measure(kind)
            self.update_sticks(kind)
        for relation in range(len(self.links)):
            self.update_links(relation)

    @property
    def memberships(self) -> dict[str, np.ndarray]:
        """q(z) of each type, (n_entities, n_clusters)."""
        return {kind: rows.q for kind, rows in self._rows.items()}

    def sweep(self) -> None:
        """Update every block: for each type its memberships, sticks and links."""
        for kind in self.problem.types:
            self.update_memberships(kind)
            self.update_sticks(kind)
            for relation in sorted({number for number, _, _ in self.problem.occurrences(kind)}):
                self.update_links(relation)

    def update_sticks(self, kind: str) -> None:
        """Set q(v) of a type, after reordering its clusters if `reorder` is set."""
        self.sticks[kind].update(self._sizes[kind], self.problem.reorder)

    def update_links(self, relation: int) -> None:
        """Set q(eta) of a relation."""
        self.links[relation].update(*self.expected(relation))

    def update_memberships(self, kind: str) -> None:
        """Set q(z) of all entities of a type.

        If no relation has the type twice, its rows are independent given the
        rest and are set at once; otherwise they are set one after another.
        """
        for relation, _, _ in self.problem.occurrences(kind):
            self._counts[relation] = None
        if self.problem.twinned(kind):
            self._set_in_turn(kind)
        else:
            self._set_at_once(kind)

    def elbo(self) -> float:
        """Return the bound on the log evidence of the links in nats, without the u line."""
        value = sum(
            links.bound(*self.expected(relation)) for relation, links in enumerate(self.links)
        )
        for kind, sticks in self.sticks.items():
            value += sticks.bound(self._sizes[kind]) + self._entropies[kind]
        return value

    def expected(self, relation: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the expected numbers of observations of a link, and of none, by clusters."""
        problem = self.problem
        if self._counts[relation] is None:
            self._counts[relation] = [self._count(part) for part in problem.parts[relation]]
        shape = [problem.truncation[kind] for kind in problem.relations[relation].types]
        linked, unlinked = np.zeros(shape), np.zeros(shape)
        for part, site, flat in self._counts[relation]:
            halves = np.split(flat, 1 + site.weighted, axis=1)
            observed = part.unfold(halves[0], site, problem.truncation)
            total = part.expected_total(self._sizes, self._overlaps)
            # This is a difference of sums, which rounding could make negative.
            rest = np.maximum(total - observed, 0.0)
            weighted = part.unfold(halves[1], site, problem.truncation) if site.weighted else 0.0
            part.of_table(linked)[...] += observed + weighted
            part.of_table(unlinked)[...] += rest
        return linked, unlinked

    # ---- memberships ---------------------------------------------------------------------

    def _set_at_once(self, kind: str) -> None:
        terms = self._terms(kind)
        table, entropy = self._rows[kind], 0.0
        counted = [np.zeros(term.weights.shape[::-1]) for term in terms]
        for rows, sums, scores in self._scores(kind, terms):
            entropy += table.set(rows, scores)
            for flat, block in zip(counted, sums, strict=True):
                flat += product(table.q[rows].T, block)
        self._entropies[kind] = entropy
        self._measure(kind)
        # The sums do not depend on what was just set, so they also serve to count the links.
        for relation in {term.relation for term in terms}:
            self._counts[relation] = [
                (term.part, term.site, flat)
                for term, flat in zip(terms, counted, strict=True)
                if term.relation == relation
            ]

    def _set_in_turn(self, kind: str) -> None:
        table, sizes = self._rows[kind], self._sizes[kind].copy()
        terms = self._terms(kind)
        twins = [term for term in terms if term.part.twin(term.site.axis) is not None]
        base = np.empty_like(table.q)
        for rows, _, scores in self._scores(kind, [term for term in terms if term not in twins]):
            base[rows] = scores
        # The contribution of all cells that an entity shares with a second one of its type.
        against = np.zeros((table.n_clusters, table.n_clusters))
        for term in twins:
            kept = (term.site.axis, term.part.twin(term.site.axis))
            against += self._against_all(term, kept)
        steps = [
            (term.site, self._tables(term.part), term.weights, np.empty((1, len(term.weights))))
            for term in twins
        ]
        entropy = 0.0
        for entity in range(len(base)):
            row = slice(entity, entity + 1)
            scores = base[row]
            sizes -= table.q[entity]
            scores += product(against, sizes)
            for site, tables, weights, sums in steps:
                site.sums(tables, entity, sums)
                scores += product(sums, weights)
            entropy += table.set(row, scores)
            sizes += table.q[entity]
        self._entropies[kind] = entropy
        self._measure(kind)

    def _terms(self, kind: str) -> list[_Term]:
        return [
            _Term(number, part, part.sites[axis],
                  part.weights(part.sites[axis], self.links[number]))
            for number, part, axis in self.problem.occurrences(kind)
        ]  # fmt: skip

    def _scores(self, kind: str, terms) -> Iterator[tuple[slice, list[np.ndarray], np.ndarray]]:
        """Yield blocks of entities, their sums at each site, and log q(z) up to constants."""
        constant = self.sticks[kind].log_weights.copy()
        for term in terms:
            constant += self._against_all(term, (term.site.axis,))
        tables = [self._tables(term.part) for term in terms]
        widths = [len(term.weights) for term in terms]
        for rows in _blocks(self.problem.n_entities[kind], max(widths, default=1)):
            scores = np.tile(constant, (rows.stop - rows.start, 1))
            sums = [np.empty((len(scores), width)) for width in widths]
            for term, memberships, block in zip(terms, tables, sums, strict=True):
                term.site.sums(memberships, rows.start, block)
                scores += product(block, term.weights)
            yield rows, sums, scores

    def _against_all(self, term: _Term, kept: tuple[int, ...]) -> np.ndarray:
        none = term.part.of_table(self.links[term.relation].log_none)
        return term.part.against_all(none, self._sizes, self._overlaps, kept)

    def _tables(self, part: Part) -> list[Rows]:
        return [self._rows[kind] for kind in part.types]

    def _measure(self, kind: str) -> None:
        q = self._rows[kind].q
        self._sizes[kind] = q.sum(axis=0)
        if self.problem.twinned(kind):
            self._overlaps[kind] = product(q.T, q)

    # ---- links ---------------------------------------------------------------------------

    def _count(self, part: Part) -> tuple[Part, Site, np.ndarray]:
        """Return sums over the observed cells, by the clusters of one axis and of the others."""
        tables = self._tables(part)
        site = min(part.sites, key=lambda site: site.width(tables))
        width, q = site.width(tables), tables[site.axis].q
        flat = np.zeros((q.shape[1], width))
        for rows in _blocks(len(q), width):
            sums = np.empty((rows.stop - rows.start, width))
            site.sums(tables, rows.start, sums)
            flat += product(q[rows].T, sums)
        return part, site, flat


def _blocks(n_entities: int, width: int) -> Iterator[slice]:
    step = min(max(_BLOCK // width, 64), 1024)
    for first in range(0, n_entities, step):
        yield slice(first, min(first + step, n_entities))
