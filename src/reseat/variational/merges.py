"""Merges of clusters that raise the ELBO, which the ascent does not find by itself.

Coordinate ascent empties a cluster one entity at a time, and every entity alone prefers to stay.
A merge moves all of them at once: Ueda et al. (2000), "SMEM algorithm for mixture models", and
Hughes & Sudderth (2013), "Memoized online variational inference for Dirichlet process mixture
models".
"""

from __future__ import annotations

import numpy as np
from scipy.special import betaln, xlogy

from reseat.numerics import TIE_BITS, on_grid, rounded
from reseat.variational.ascent import Ascent

__all__ = ["Merges", "merge_clusters"]

#: Least expected number of entities of a cluster that is considered for a merge.
_OCCUPIED = 1e-3


def merge_clusters(ascent: Ascent, least: float) -> dict[str, np.ndarray] | None:
    """Merge clusters as long as there is a pair whose merge raises the ELBO.

    Each cluster is paired with the one that fits its links best. A merge must gain `least` nats.
    Clusters that were merged into others have empty columns; the result is None if no pair gains
    that much.
    """
    merges = Merges(ascent)
    found = False
    for kind in ascent.problem.types:
        while merges.pass_over(kind, least):
            found = True
    return merges.memberships if found else None


class Merges:
    """Memberships, and the expected numbers of observations with and without a link under them.

    All of these numbers are sums over the members of clusters, so those of two clusters add up to
    those of the merged cluster. `memberships` are those of every type after all merges made so far.
    """

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
        ranked = np.argsort([-rounded(pair[0], TIE_BITS) for pair in exact], kind="stable")
        for _, one, other in (exact[place] for place in ranked):
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
        """Return the expected numbers of each relation with a type, and its number of places there.

        The arrays, of shape (2, T, ...) or (2, T, T, ...), are views of those of all types; the
        first axis is for observations with and without a link.
        """
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
