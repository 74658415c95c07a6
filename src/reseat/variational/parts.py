"""Relations as the ascent reads them: parts whose cells hold distinct entities.

A cell's expectation is linear in memberships only if no entity occurs twice.  A relation with a
type at two places is therefore cut in two, by whether these hold the same entity.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from reseat.variational import _gather
from reseat.variational.relations import Relation

# ---- Memberships of one type, both dense and with their zeros left out -----------------------


class Rows:
    """q(z) of the entities of a type; after a few iterations nearly all of it is 0.

    The first n_active[e] numbers of row e of `packed` are the positive ones of `q`, and of `active`
    their clusters, in order; all three have shape (n_entities, n_clusters).
    """

    def __init__(self, q: np.ndarray):
        self.q = np.ascontiguousarray(q, dtype=float)
        zero = ~(self.q > 0)
        self.active = np.argsort(zero, axis=1, kind="stable").astype(np.int32)
        self.packed = np.take_along_axis(self.q, self.active, axis=1)
        self.n_active = np.count_nonzero(~zero, axis=1).astype(np.int32)

    @property
    def n_clusters(self) -> int:
        """Number of columns."""
        return self.q.shape[1]

    def set(self, rows: slice, scores: np.ndarray) -> float:
        """Set some rows from their logarithms up to constants; return their entropy in nats."""
        return _gather.normalise(
            scores, self.q[rows], self.packed[rows], self.active[rows], self.n_active[rows]
        )

    def entropy(self) -> float:
        """Return the entropy of all rows, nats."""
        return -float((self.q * np.log(np.where(self.q > 0, self.q, 1.0))).sum())


_ONE = Rows(np.ones((1, 1)))


@dataclass(frozen=True, eq=False)
class Site:
    """The observed cells of a part, by the entity at one of its axes."""

    axis: int
    #: The other axes, in order.
    others: tuple[int, ...]
    #: First cell of each entity, and the end of its cells with an excess.
    starts: np.ndarray
    splits: np.ndarray
    #: Shape (n_cells, n_others).
    partners: np.ndarray
    #: Count minus 1. Shape (n_cells,).
    excess: np.ndarray
    #: Whether any excess is not 0.
    weighted: bool

    @classmethod
    def of(cls, axis: int, cells: np.ndarray, counts: np.ndarray, n_entities: int) -> Site:
        """Sort the cells by entity, those with an excess first."""
        excess = counts - 1.0
        order = np.lexsort((*np.delete(cells, axis, axis=1).T[::-1], excess == 0, cells[:, axis]))
        entity, excess = cells[order, axis], excess[order]
        partners = np.delete(cells[order], axis, axis=1)
        if not partners.shape[1]:  # a cell with one entity gets `_ONE` as its partner
            partners = np.zeros((len(cells), 1), dtype=cells.dtype)
        starts = np.zeros(n_entities + 1, dtype=np.int64)
        np.cumsum(np.bincount(entity, minlength=n_entities), out=starts[1:])
        n_excess = np.bincount(entity[excess != 0], minlength=n_entities)
        others = tuple(other for other in range(cells.shape[1]) if other != axis)
        partners, splits = np.ascontiguousarray(partners), starts[:-1] + n_excess
        return cls(axis, others, starts, splits, partners, excess, bool(n_excess.any()))

    def width(self, tables) -> int:
        """Return the number of columns of `sums`, given the `Rows` of each axis."""
        n = int(np.prod([tables[axis].n_clusters for axis in self.others]))
        return n * (1 + self.weighted)

    def sums(self, tables, first: int, out: np.ndarray) -> None:
        """Write sums over the cells of the entities from `first` on into `out`, (n_rows, width)."""
        others = [tables[axis] for axis in self.others] or [_ONE]
        _gather.gather(self.starts, self.splits, self.partners, self.excess, others, first, out)


@dataclass(frozen=True, eq=False)
class Part:
    """Cells of a relation in which each axis holds a different entity."""

    #: The axis of each place of the relation; two places with the same entity share theirs.
    axes: tuple[int, ...]
    #: The type of each axis.
    types: tuple[str, ...]
    #: Pairs of axes of the same type, whose entities differ.
    twins: tuple[tuple[int, int], ...]
    #: One for each axis.
    sites: tuple[Site, ...]
    #: Of what the counts are: ``links``, others being none, or ``successes`` or ``failures``.
    of: str

    def twin(self, axis: int) -> int | None:
        """Return the other axis of the same type, or None if there is none."""
        return next((sum(pair) - axis for pair in self.twins if axis in pair), None)

    def of_table(self, table: np.ndarray) -> np.ndarray:
        """Return the entries of a table over the places that belong to this part, as a view."""
        return np.einsum(table, list(self.axes), list(range(len(self.types))))

    def weights(self, site: Site, links) -> np.ndarray:
        """Return the matrix that turns the sums of a site into scores, (width, n_clusters)."""
        link, none = self.of_table(links.log_link), self.of_table(links.log_none)
        halves = {"links": (link - none, link), "successes": (link,) * 2, "failures": (none,) * 2}
        halves = halves[self.of][: 1 + site.weighted]
        flat = [np.moveaxis(half, site.axis, -1).reshape(-1, half.shape[site.axis])
                for half in halves]  # fmt: skip
        return np.concatenate(flat)

    def totals(self, sizes, overlaps, kept=()) -> list:
        """Return the numbers of cells as operands of `einsum`; `overlaps` are Q'Q of twin types."""
        operands, done = [], set(kept)
        for one, two in self.twins:
            if one not in done and two not in done:
                size = sizes[self.types[one]]
                operands += [np.multiply.outer(size, size) - overlaps[self.types[one]], [one, two]]
                done |= {one, two}
        for axis, kind in enumerate(self.types):
            if axis not in done:
                operands += [sizes[kind], [axis]]
        return operands

    def unfold(self, flat: np.ndarray, site: Site, n_clusters) -> np.ndarray:
        """Return sums by the clusters of a site's axis, (T, n_others), as a table over all axes."""
        shape = [n_clusters[self.types[axis]] for axis in (site.axis, *site.others)]
        return np.moveaxis(flat.reshape(shape), 0, site.axis)


def coincidences(types, coordinates: np.ndarray):
    """Yield axes of places, places of axes, twin axes and cells, by coincidences of entities."""
    pairs = [
        tuple(place for place, other in enumerate(types) if other == kind)
        for kind in dict.fromkeys(types)
        if types.count(kind) == 2
    ]
    for merged in product((False, True), repeat=len(pairs)):
        place_of = list(range(len(types)))
        belongs = np.ones(len(coordinates), dtype=bool)
        for (one, two), same in zip(pairs, merged, strict=True):
            belongs &= (coordinates[:, one] == coordinates[:, two]) == same
            if same:
                place_of[two] = one
        places = sorted(set(place_of))
        axes = tuple(places.index(place) for place in place_of)
        apart = [pair for pair, same in zip(pairs, merged, strict=True) if not same]
        twins = tuple((axes[one], axes[two]) for one, two in apart)
        yield axes, places, twins, belongs


def cut(relation: Relation, n_entities) -> list[Part]:
    """Return the parts of a relation: one, unless a type has two places, and twice with trials."""
    parts, observed = [], {"links": relation.counts}
    if relation.missed is not None:
        observed = {"successes": relation.counts, "failures": relation.missed}
    for axes, places, twins, belongs in coincidences(relation.types, relation.coordinates):
        types = tuple(relation.types[place] for place in places)
        for of, counts in observed.items():
            chosen = belongs if of == "links" else belongs & (counts > 0)
            cells = relation.coordinates[chosen][:, places]
            sites = tuple(
                Site.of(axis, cells, counts[chosen], n_entities[kind])
                for axis, kind in enumerate(types)
            )
            parts.append(Part(axes, types, twins, sites, of))
    return parts
