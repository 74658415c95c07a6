"""Observed relations between entities, as sparse coordinates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy

from reseat.checks import check_unmasked
from reseat.counts import canonical_counts, checked_sparse, keys_of, missed_of, native
from reseat.errors import ConfigError, DataError
from reseat.relation_tables import RelationTable, sum_repeated
from reseat.variational._gather import MAX_PLACES


class Relation:
    """Counts of one relation; a cell that is not given was observed once, without a link.

    A cell stands for as many observations of a link as its count (Kurihara et al. 2006, equation
    8), and with `trials` for as many as these, with or without one (section 4.1).

    Parameters
    ----------
    types : sequence of str
        The type of entity at each place; one may occur twice, as in ("person", "person").
    coordinates : array_like of int, (n_observed, n_places)
        The entities at the places of each observed cell, numbered from 0.
    counts : array_like of int, (n_observed,), optional
        How often each cell was observed, by default once; those of repeated cells are summed.
    missing : array_like of int, (n_missing, n_places), optional
        Cells whose counts are unknown.
    trials : array_like of int, (n_observed,), optional
        At least as many as the count of the cell.
    name : str

    Attributes
    ----------
    types : tuple of str
    coordinates : ndarray of int32, (n_cells, n_places)
        The cells with a link, then those that are missing; with trials, all that were tried.
    counts : ndarray of float64, (n_cells,)
        Observations with a link; 0 for the missing cells.
    missed : ndarray of float64, (n_cells,), or None
        Observations without a link, if there are trials.

    Raises
    ------
    DataError
        If entities or counts are not whole numbers from 0, or no cell was observed.
    ConfigError
        If there are too few or too many places, or a type occurs more than twice.

    Examples
    --------
    >>> from reseat.variational import Relation
    >>> relation = Relation.from_matrix([[3, 0], [0, 1]])
    >>> relation.types, relation.n_places
    (('row', 'column'), 2)
    >>> relation.binary().counts.tolist()
    [1.0, 1.0]
    """

    def __init__(
        self, types, coordinates, counts=None, *, missing=None, trials=None, name="relation"
    ):
        types, name = _check_types(types, name), str(name)
        counts = np.ones(np.shape(coordinates)[0]) if counts is None else counts
        if trials is None:
            self._read(RelationTable(name, types, coordinates, counts, missing))
            return
        if missing is not None:
            raise ConfigError(f"{name}: a missing cell has no trials; leave out missing.")
        every = RelationTable(name, types, coordinates, trials)
        self._read(RelationTable(name, types, coordinates, counts), every)

    @classmethod
    def of_table(cls, table: RelationTable) -> Relation:
        """Return the relation that a table holds; the table was checked when it was made."""
        _check_types(table.types, table.name)
        relation = cls.__new__(cls)
        relation._read(table)
        return relation

    def _read(self, table: RelationTable, every: RelationTable | None = None) -> None:
        self.name, self.types, self.table, self.missed = table.name, table.types, table, None
        self.coordinates = np.concatenate([table.coordinates, table.missing])
        self.counts = np.concatenate([table.counts, np.zeros(len(table.missing))])
        if every is not None:
            cells = np.concatenate([every.coordinates, table.coordinates])
            counts = np.concatenate([every.counts, -table.counts])
            self.coordinates, missed, _ = sum_repeated(cells, counts)
            wrong = np.flatnonzero(missed < 0)
            if wrong.size:
                cell = tuple(self.coordinates[wrong[0]].tolist())
                raise DataError(
                    f"{table.name}: the cell {cell} has more links than trials; there must be as "
                    "many trials as links, or more."
                )
            self.counts, self.missed = (every.counts - missed).astype(float), missed.astype(float)

    @classmethod
    def from_matrix(cls, matrix, types=("row", "column"), name="relation", trials=None) -> Relation:
        """Return the relation of two types that a matrix of counts represents.

        Parameters
        ----------
        matrix, trials : sparse or dense array of counts, (n_rows, n_columns)
            Without trials, each pair with a count of 0 was observed once; with 0 trials, never.
        types : pair of str
        name : str

        Raises
        ------
        DataError
            As for `Relation`, or if the matrix is not numeric or has masked entries.
        """
        check_unmasked(name, matrix)
        try:
            # Coordinates keep duplicates separate, so that a bad count does not disappear in a sum.
            if scipy.sparse.issparse(matrix):
                cells = checked_sparse(matrix, f"{name}: ").tocoo()
            else:
                cells = scipy.sparse.coo_array(native(matrix))
        except (TypeError, ValueError) as error:
            raise DataError(f"{name}: counts must be a numeric matrix: {error}.") from None
        if cells.ndim != 2 or cells.dtype.kind not in "iufb":
            raise DataError(f"{name}: counts must be a matrix of numbers, not {cells.dtype}.")
        if trials is None:
            return cls(types, np.stack(cells.coords, axis=1), cells.data, name=name)
        counts = canonical_counts(matrix, f"{name}: ", "row {}".format)
        keys, tried = keys_of(counts + missed_of(counts, trials))
        (linked, given), counted = keys_of(counts), np.zeros_like(tried)
        counted[np.searchsorted(keys, linked)] = given
        cells = np.stack(np.divmod(keys, counts.shape[1]), axis=1)
        return cls(types, cells, counted, trials=tried, name=name)

    @property
    def n_places(self) -> int:
        """Number of places, 2 for pairs."""
        return self.table.n_places

    @property
    def n_observed(self) -> int:
        """Number of cells with a link."""
        return self.table.n_observed

    def binary(self) -> Relation:
        """Return the same cells, each with the count 1, which is what the IRM sees."""
        if self.missed is not None:
            raise ConfigError(f"{self.name}: counts with trials cannot be taken for single links.")
        return Relation.of_table(replace(self.table, counts=np.ones_like(self.table.counts)))


def _check_types(types, name: str) -> tuple[str, ...]:
    types = (types,) if isinstance(types, str) else tuple(types)
    if not 2 <= len(types) <= MAX_PLACES or not all(isinstance(kind, str) for kind in types):
        raise ConfigError(
            f"{name}: types must name the type of entity at each of 2 to {MAX_PLACES} places, "
            f"not {types!r}."
        )
    for kind in types:
        if types.count(kind) > 2:
            raise ConfigError(
                f"{name}: the type {kind!r} has {types.count(kind)} places; a type may have at "
                "most two in one relation."
            )
    return types
