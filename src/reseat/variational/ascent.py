"""Coordinate ascent on the ELBO of relations of any number of types and places, block by block.

The sum over all cells factors into cluster sizes, from which observed cells are subtracted.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import betaln, psi, xlogy

from reseat.numerics import TIE_BITS, on_grid, product, rounded
from reseat.variational.parts import Part, Rows, Site
from reseat.variational.problem import Problem

# Numbers in a block of sums: few enough for the inner caches.
_BLOCK = 2**16


class _Term(NamedTuple):
    """One axis of a part, as it enters the scores of the type on that axis."""

    relation: int
    part: Part
    site: Site
    weights: np.ndarray  # (width of the sums, n_clusters)


class Ascent:
    """The posterior of one restart, from memberships that are changed in place."""

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
        """Set q(z) of a type, at once if no relation has it twice, else one by one."""
        for relation, _, _ in self.problem.occurrences(kind):
            self._counts[relation] = None
        if self.problem.is_square(kind):
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
            weighted = part.unfold(halves[1], site, problem.truncation) if site.weighted else 0.0
            of_counts = unlinked if part.of == "failures" else linked
            part.of_table(of_counts)[...] += observed + weighted
            if part.of == "links":
                operands = part.totals(self._sizes, self._overlaps)
                total = np.einsum(*operands, list(range(len(part.types))))
                # This is a difference of sums, which rounding could make negative.
                part.of_table(unlinked)[...] += np.maximum(total - observed, 0.0)
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
            self._counts[relation] = []
        for term, flat in zip(terms, counted, strict=True):
            self._counts[term.relation].append((term.part, term.site, flat))

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
            _Term(number, part, site, part.weights(site, self.links[number]))
            for number, part, site in self.problem.occurrences(kind)
        ]

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
        """Sum E log (1 - eta) over all tried cells, by the clusters of the axes in `kept`."""
        part, none = term.part, term.part.of_table(self.links[term.relation].log_none)
        if part.of != "links":
            return np.zeros([none.shape[axis] for axis in kept])
        operands = part.totals(self._sizes, self._overlaps, kept)
        return np.einsum(none, list(range(len(part.types))), *operands, list(kept))

    def _tables(self, part: Part) -> list[Rows]:
        return [self._rows[kind] for kind in part.types]

    def _measure(self, kind: str) -> None:
        q = self._rows[kind].q
        self._sizes[kind] = q.sum(axis=0)
        if self.problem.is_square(kind):
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


# ---- Beta posteriors of the probabilities of a link, one for each cell of clusters -----------


class Links:
    """q(eta) = Beta(tau[0], tau[1]) of one relation, and E log eta and E log (1 - eta)."""

    def __init__(self, beta: float):
        self.beta = float(beta)

    def update(self, linked: np.ndarray, unlinked: np.ndarray) -> None:
        """Set q(eta) to its optimum for expected numbers of positive and negative observations."""
        self.tau = np.stack([self.beta + linked, self.beta + unlinked])
        log = psi(self.tau)
        log -= psi(self.tau.sum(axis=0))
        self.log_link, self.log_none = log

    def bound(self, linked: np.ndarray, unlinked: np.ndarray) -> float:
        """Return this part of the ELBO: E log p(R | z, eta) + E log p(eta) - E log q(eta), nats."""
        rest = (linked + self.beta - self.tau[0]) * self.log_link
        rest += (unlinked + self.beta - self.tau[1]) * self.log_none
        rest += betaln(*self.tau) - betaln(self.beta, self.beta)
        return float(rest.sum())


# ---- Truncated stick-breaking weights of one type, and their Beta posteriors -----------------
#
# v_t ~ Beta(1, concentration) for t < T and v_T = 1; cluster t has weight v_t prod_{s<t} (1 - v_s).


class Sticks:
    """q(v_t) = Beta(g[:, t]) of one type, by rank, and the `order` of clusters by rank."""

    def __init__(self, n_clusters: int, concentration: float):
        self.concentration = float(concentration)
        self.order = np.arange(n_clusters)
        self.log_weights = np.zeros(n_clusters)

    def update(self, sizes: np.ndarray, reorder: bool) -> None:
        """Set q(v) to its optimum for cluster sizes, sorted unless that lowers the bound."""
        self.order, self.g = self._best(sizes, reorder)
        total = psi(self.g.sum(axis=0))
        self._log_v, self._log_rest = psi(self.g) - total
        ranked = np.zeros(self.order.size)
        ranked[:-1] = self._log_v
        ranked[1:] += np.cumsum(self._log_rest)
        self.log_weights[self.order] = ranked

    def optimum(self, sizes: np.ndarray, reorder: bool) -> float:
        """Return what `bound` would be after an `update` with these sizes, nats."""
        g = self._best(sizes, reorder)[1]
        return float(betaln(*g).sum() + g.shape[1] * np.log(self.concentration))

    def _best(self, sizes: np.ndarray, reorder: bool) -> tuple[np.ndarray, np.ndarray]:
        order, g = self.order, self._parameters(sizes[self.order])
        if reorder:
            # Clusters of one size, and orders of one bound, are ranked by number.
            ranked = np.argsort(-on_grid(sizes, TIE_BITS), kind="stable")
            other = self._parameters(sizes[ranked])
            theirs, ours = rounded([betaln(*other).sum(), betaln(*g).sum()], TIE_BITS)
            if theirs >= ours:
                return ranked, other
        return order, g

    def _parameters(self, ranked_sizes: np.ndarray) -> np.ndarray:
        # The paper sums over all clusters in the second parameter; over the later ones is right.
        later = np.cumsum(ranked_sizes[::-1])[::-1][1:]
        return np.stack([1.0 + ranked_sizes[:-1], self.concentration + later])

    def bound(self, sizes: np.ndarray) -> float:
        """Return this part of the ELBO: E log p(z) + E log p(v) - E log q(v), nats."""
        g, prior = self.g, self.concentration
        divergence = (g[0] - 1) * self._log_v + (g[1] - prior) * self._log_rest - betaln(*g)
        value = product(sizes, self.log_weights) - divergence.sum()
        return float(value + g.shape[1] * np.log(prior))


# ---- Merges of clusters that raise the ELBO, which the ascent does not find by itself --------
#
# Coordinate ascent empties a cluster one entity at a time, and every entity alone prefers to
# stay. A merge moves all of them at once (Ueda et al. 2000; Hughes & Sudderth 2013).

#: Least expected number of entities of a cluster that is considered for a merge.
_OCCUPIED = 1e-3


def merge_clusters(ascent: Ascent, least: float) -> dict[str, np.ndarray] | None:
    """Merge pairs of clusters that fit best, each gaining `least` nats; return None for no gain."""
    merges = Merges(ascent)
    found = False
    for kind in ascent.problem.types:
        while merges.pass_over(kind, least):
            found = True
    return merges.memberships if found else None


class Merges:
    """Memberships after all merges so far, and the expected numbers of observations under them."""

    def __init__(self, ascent: Ascent):
        problem = ascent.problem
        self.problem, self.sticks = problem, ascent.sticks
        self.memberships = {kind: q.copy() for kind, q in ascent.memberships.items()}
        self._expected = [
            np.stack(ascent.expected(relation)) for relation in range(len(problem.relations))
        ]

    def pass_over(self, kind: str, least: float) -> bool:
        """Try one merge for each cluster of a type, the best first; return whether any was made."""
        tables = self._tables(kind)
        occupied = np.flatnonzero(self.memberships[kind].sum(axis=0) > _OCCUPIED)
        pairs = []
        for place, one in enumerate(occupied[:-1]):
            others = occupied[place + 1 :]
            gains = sum(self._gains(table, one, others) for table in tables)
            best = int(on_grid(gains, TIE_BITS).argmax())
            pairs.append((one, others[best], gains[best]))
        exact = [(gain + self._own(kind, one, other), one, other) for one, other, gain in pairs]
        merged = set()
        # Merges of one gain are made in the order of their clusters.
        for _, one, other in sorted(exact, key=lambda pair: -float(rounded(pair[0], TIE_BITS))):
            if merged & {one, other}:
                continue
            # Merges made before this one in the same pass may have changed what it gains.
            if self.gain(kind, one, other) > least:
                self._merge(kind, tables, one, other)
                merged |= {one, other}
        return bool(merged)

    def gain(self, kind: str, one: int, other: int) -> float:
        """Return the gain in the ELBO by a merge, with sticks and links at their optimum, nats."""
        links = [self._gains(table, one, np.array([other]))[0] for table in self._tables(kind)]
        return sum(links) + self._own(kind, one, other)

    def _tables(self, kind: str) -> list[tuple[np.ndarray, int]]:
        """Return the numbers of a type's relations, (2, T, ...), and its number of places."""
        tables = []
        for relation, numbers in zip(self.problem.relations, self._expected, strict=True):
            places = [1 + place for place, own in enumerate(relation.types) if own == kind]
            if places:
                turned = np.moveaxis(numbers, places, range(1, 1 + len(places)))
                tables.append((turned, len(places)))
        return tables

    def _gains(self, table, one: int, others: np.ndarray) -> np.ndarray:
        """Return the gains of the links of a relation if one cluster merges with each of others."""
        numbers, n_places = table
        if n_places == 1:
            return self._by_cell(numbers, one, others).reshape(len(others), -1).sum(axis=1)
        # Cells of the two clusters with every third one, at either place; then the four cells of
        # the two clusters with each other and themselves.
        at = np.arange(len(others))
        gains = np.zeros(len(others))
        for turned in (numbers, np.swapaxes(numbers, 1, 2)):
            cells = self._by_cell(turned, one, others)
            cells[:, one] = 0
            cells[at, others] = 0
            gains += cells.reshape(len(others), -1).sum(axis=1)
        between = [numbers[:, one, one][:, None], numbers[:, one][:, others],
                   numbers[:, others, one], numbers[:, others, others]]  # fmt: skip
        cells = self._value(sum(between)) - sum(map(self._value, between))
        return gains + cells.reshape(len(others), -1).sum(axis=1)

    def _by_cell(self, numbers, one: int, others: np.ndarray) -> np.ndarray:
        first, second = numbers[:, one][:, None], numbers[:, others]
        return self._value(first + second) - self._value(first) - self._value(second)

    def _value(self, numbers: np.ndarray) -> np.ndarray:
        """Return the bound of combinations of clusters at their optimum; 0 without entities."""
        beta = self.problem.beta
        return betaln(beta + numbers[0], beta + numbers[1]) - betaln(beta, beta)

    def _own(self, kind: str, one: int, other: int) -> float:
        """Return the gain of sticks and entropy from a merge."""
        q, reorder = self.memberships[kind], self.problem.reorder
        sizes = q.sum(axis=0)
        after = sizes.copy()
        after[one] += after[other]
        after[other] = 0
        sticks = self.sticks[kind]
        gain = sticks.optimum(after, reorder) - sticks.optimum(sizes, reorder)
        both = q[:, one] + q[:, other]
        parts = xlogy(q[:, one], q[:, one]) + xlogy(q[:, other], q[:, other])
        return gain + float((parts - xlogy(both, both)).sum())

    def _merge(self, kind: str, tables, one: int, other: int) -> None:
        q = self.memberships[kind]
        q[:, one] += q[:, other]
        q[:, other] = 0
        for numbers, n_places in tables:
            for axis in range(1, 1 + n_places):
                rows = np.moveaxis(numbers, axis, 0)
                rows[one] += rows[other]
                rows[other] = 0
