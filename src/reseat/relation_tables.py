"""The observed counts of one relation."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from reseat.checks import check_unmasked
from reseat.errors import DataError

MAX_SUM = 2**53  # beyond it, doubles cannot represent every whole number


@dataclass(frozen=True, eq=False)
class RelationTable:
    """Counts of one relation; a cell that is not listed was never observed."""

    name: str
    #: The type of entity at each place; the same one may occur twice.
    types: tuple[str, ...]
    #: The entities at the places of each observed cell, numbered from 0; cells are in ascending
    #: order, and repeated ones are summed, with a warning. Shape (n_observed, n_places).
    coordinates: np.ndarray
    #: How often each cell was observed, at least 1; those given with 0 are left out.
    counts: np.ndarray
    #: Cells whose counts are unknown. Shape (n_missing, n_places).
    missing: np.ndarray | None = None

    def __post_init__(self):
        object.__setattr__(self, "types", tuple(str(kind) for kind in self.types))
        if self.n_places < 2:
            raise DataError(
                f"{self._where} has {self.n_places} places; a relation needs at least two."
            )
        cells = self._checked_cells("coordinates", self.coordinates)
        counts = self._checked_counts(cells)
        cells, counts, n_repeated = sum_repeated(cells[counts > 0], counts[counts > 0])
        if not len(cells):
            raise DataError(f"{self._where}: no cell has a count above 0.")
        if n_repeated:
            text = f"{self._where}: {n_repeated} rows repeat a cell; their counts are summed."
            warnings.warn(text, stacklevel=4)
        gaps = np.empty((0, self.n_places), np.int32)
        if self.missing is not None and len(self.missing):
            gaps = self._checked_cells("missing", self.missing)
            gaps, _, _ = sum_repeated(gaps, np.zeros(len(gaps), np.int64))
            both = np.concatenate([cells, gaps])
            _, _, n_shared = sum_repeated(both, np.zeros(len(both), np.int64))
            if n_shared:
                raise DataError(
                    f"{self._where}: {n_shared} missing cells have a count; remove the count."
                )
        for key, value in (("coordinates", cells), ("counts", counts), ("missing", gaps)):
            object.__setattr__(self, key, value)

    @property
    def _where(self) -> str:
        return f"relation {self.name!r}"

    def _checked_cells(self, key: str, given) -> np.ndarray:
        check_unmasked(f"{self._where}, {key}", given)
        given = np.asarray(given)
        if given.ndim != 2 or given.shape[1] != self.n_places or given.dtype.kind not in "iu":
            raise DataError(
                f"{self._where}: {key} must be whole numbers in {self.n_places} columns, one for "
                f"each place, but has the shape {given.shape} and the type {given.dtype}."
            )
        wrong = np.flatnonzero(((given < 0) | (given >= 2**31)).any(axis=1))
        if wrong.size:
            raise DataError(
                f"{self._where}: row {wrong[0]} of {key} is {tuple(given[wrong[0]].tolist())}; "
                "entities must be numbered from 0."
            )
        return np.ascontiguousarray(given, dtype=np.int32)

    def _checked_counts(self, cells: np.ndarray) -> np.ndarray:
        check_unmasked(f"{self._where}, counts", self.counts)
        given = np.asarray(self.counts)
        if given.shape != (len(cells),) or given.dtype.kind not in "iufb":
            raise DataError(
                f"{self._where}: counts must be {len(cells)} numbers, one for each row of "
                f"coordinates, but has the shape {given.shape} and the type {given.dtype}."
            )
        # Comparisons with NaN are false.
        wrong = np.flatnonzero(~((given >= 0) & (given < MAX_SUM) & (given == np.floor(given))))
        if wrong.size:
            raise DataError(
                f"{self._where}: row {wrong[0]}, the cell {tuple(cells[wrong[0]].tolist())}, has "
                f"the count {given[wrong[0]]}; counts must be whole numbers of at least 0."
            )
        # Sums over cells and over entities must not overflow.
        total = given.sum(dtype=np.float64)
        if total >= MAX_SUM:
            raise DataError(
                f"{self._where}: the counts add up to {total:.3g}; scale them down so that the sum "
                f"stays below {MAX_SUM:.0e}."
            )
        return given.astype(np.int64)

    @property
    def n_places(self) -> int:
        """Number of places: 2 for pairs, 3 for triples."""
        return len(self.types)

    @property
    def n_observed(self) -> int:
        """Number of observed cells."""
        return len(self.counts)

    def totals(self, kind: str, n_entities: int, weighted: bool = True) -> np.ndarray:
        """Return how often each entity of a type was observed, or in how many cells."""
        found = np.zeros(n_entities, dtype=np.int64)
        for place, other in enumerate(self.types):
            if other == kind:
                np.add.at(found, self.coordinates[:, place], self.counts if weighted else 1)
        return found

    def restrict(self, kept: Mapping[str, np.ndarray]) -> RelationTable:
        """Return the table of the cells of the entities that are kept, renumbered in this order."""
        cells, chosen = self._renumbered(self.coordinates, kept)
        gaps, known = self._renumbered(self.missing, kept)
        return replace(
            self, coordinates=cells[chosen], counts=self.counts[chosen], missing=gaps[known]
        )

    def _renumbered(self, cells: np.ndarray, kept) -> tuple[np.ndarray, np.ndarray]:
        cells = cells.copy()
        for place, kind in enumerate(self.types):
            if kind in kept and len(cells):
                highest = max(int(cells[:, place].max()), int(np.max(kept[kind], initial=0)))
                number = np.full(highest + 1, -1, dtype=np.int32)
                number[kept[kind]] = np.arange(len(kept[kind]))
                cells[:, place] = number[cells[:, place]]
        return cells, (cells >= 0).all(axis=1)


def sum_repeated(cells: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Sort cells and sum the counts of equal ones; return also how many were repeated."""
    shape = [int(highest) + 1 for highest in cells.max(axis=0, initial=0)]
    if math.prod(shape) < np.iinfo(np.int64).max:
        order = np.argsort(np.ravel_multi_index(tuple(cells.T), shape))
    else:
        order = np.lexsort(cells.T[::-1])
    cells, counts = cells[order], counts[order]
    new = np.logical_or.reduce(cells.T[:, 1:] != cells.T[:, :-1])
    first = np.flatnonzero(np.concatenate([np.ones(min(len(cells), 1), bool), new]))
    return cells[first], np.add.reduceat(counts, first), len(cells) - len(first)
