"""Relations between entities: what was observed, as sparse coordinates."""

from __future__ import annotations

import warnings

import numpy as np
import scipy.sparse as sp

from reseat.errors import ConfigError, DataError
from reseat.variational._gather import MAX_PLACES

__all__ = ["Relation"]


class Relation:
    """Counts of one relation; a cell of its table that is not given was observed once as no link.

    Kurihara, Kameya & Sato (2006), eq. 8: a pair that occurs c times stands
    for c observations of a link, and a pair that never occurs for one
    observation of none.  Here a relation has two or more places.

    Parameters
    ----------
    types : sequence of str
        The type of entity at each place.  A type may occur twice, as in
        ("person", "person"); not more often.
    coordinates : array_like of int, (n_observed, n_places)
        The entity at each place, counted from 0.  Cells that are given more
        than once are added up, with a warning.
    counts : array_like, (n_observed,), optional
        Whole numbers; 1 everywhere if left out.  A count of 0 is as good as
        none.
    missing : array_like of int, (n_missing, n_places), optional
        Cells that were not observed at all, neither as a link nor as none.
    name : str
        For messages and tables.

    Attributes
    ----------
    types : tuple of str
    coordinates : ndarray of int32, (n_cells, n_places)
        The cells with a link, then those that are missing.
    counts : ndarray of float64, (n_cells,)
        Positive; 0 for the missing cells.

    Raises
    ------
    DataError
        If a count is negative, not whole or not a number, if coordinates do
        not fit the places, or nothing was observed; the sentence names the row.
    ConfigError
        If the places cannot be those of a relation.

    Examples
    --------
    >>> from reseat.variational import Relation
    >>> relation = Relation.from_matrix([[3, 0], [0, 1]])
    >>> relation.types, relation.n_places
    (('row', 'column'), 2)
    >>> relation.binary().counts.tolist()
    [1.0, 1.0]
    """

    def __init__(self, types, coordinates, counts=None, *, missing=None, name="relation"):
        self.types = _check_types(types, name)
        self.name = str(name)
        coordinates = self._coordinates(coordinates, "coordinates")
        counts = np.ones(len(coordinates)) if counts is None else np.asarray(counts)
        if counts.shape != (len(coordinates),) or counts.dtype.kind not in "iufb":
            raise DataError(
                f"{self.name}: counts must hold one number for each of the {len(coordinates)} "
                f"rows of coordinates, not {counts.dtype} of shape {counts.shape}."
            )
        counts = counts.astype(float)
        # The comparisons are false for a value that is not a number.
        wrong = np.flatnonzero(~((counts >= 0) & (counts < 2**53) & (counts == np.floor(counts))))
        if wrong.size:
            row = wrong[0]
            raise DataError(
                f"{self.name}: row {row}, cell {tuple(coordinates[row].tolist())}, has the count "
                f"{counts[row]:g}; counts must be whole numbers, 0 or more."
            )
        cells, counts, n_repeated = _added_up(coordinates[counts > 0], counts[counts > 0])
        if not len(cells):
            raise DataError(f"{self.name}: no cell has a positive count; there is nothing to fit.")
        if n_repeated:
            warnings.warn(
                f"{self.name}: {n_repeated} rows repeat a cell; their counts were added up.",
                stacklevel=2,
            )
        self.n_observed = len(cells)
        if missing is not None:
            gaps, _, _ = _added_up(self._coordinates(missing, "missing"), None)
            cells = np.concatenate([cells, gaps])
            counts = np.concatenate([counts, np.zeros(len(gaps))])
            if len(np.unique(cells, axis=0)) < len(cells):
                raise DataError(f"{self.name}: a missing cell also has a count; drop one of them.")
        self.coordinates, self.counts = cells, counts

    @classmethod
    def from_matrix(cls, matrix, types=("row", "column"), name="relation") -> Relation:
        """The relation of two types that a matrix of counts is.

        Parameters
        ----------
        matrix : sparse or dense array of counts, (n_rows, n_columns)
        types : pair of str
        name : str
        """
        try:
            # Coordinates keep duplicates apart, so that a bad count is not added away.
            cells = sp.coo_array(matrix)
        except (TypeError, ValueError) as error:
            raise DataError(f"{name}: counts must be a numeric matrix: {error}.") from None
        if cells.ndim != 2 or cells.dtype.kind not in "iufb":
            raise DataError(f"{name}: counts must be a matrix of numbers, not {cells.dtype}.")
        return cls(types, np.stack(cells.coords, axis=1), cells.data, name=name)

    @property
    def n_places(self) -> int:
        """Number of places, 2 for pairs."""
        return len(self.types)

    def binary(self) -> Relation:
        """The same cells, each with the count 1: what the IRM sees."""
        observed = slice(self.n_observed)
        gaps = self.coordinates[self.n_observed :]
        return Relation(
            self.types, self.coordinates[observed], missing=gaps if len(gaps) else None,
            name=self.name,
        )  # fmt: skip

    def _coordinates(self, coordinates, what: str) -> np.ndarray:
        coordinates = np.asarray(coordinates)
        if coordinates.ndim != 2 or coordinates.shape[1] != self.n_places:
            raise DataError(
                f"{self.name}: {what} must have one column for each of the {self.n_places} places, "
                f"but has shape {coordinates.shape}."
            )
        if coordinates.size and coordinates.dtype.kind not in "iu":
            raise DataError(f"{self.name}: {what} must be whole numbers, not {coordinates.dtype}.")
        wrong = np.flatnonzero(((coordinates < 0) | (coordinates >= 2**31)).any(axis=1))
        if wrong.size:
            raise DataError(
                f"{self.name}: row {wrong[0]} of {what} is {tuple(coordinates[wrong[0]].tolist())};"
                " entities are counted from 0."
            )
        return np.ascontiguousarray(coordinates, dtype=np.int32)


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


def _added_up(coordinates: np.ndarray, counts: np.ndarray | None):
    """Distinct cells in order, their counts, and how many rows were too many."""
    order = np.lexsort(coordinates.T[::-1])
    coordinates = coordinates[order]
    new = np.ones(len(coordinates), dtype=bool)
    new[1:] = (coordinates[1:] != coordinates[:-1]).any(axis=1)
    if counts is not None and len(counts):
        counts = np.add.reduceat(counts[order], np.flatnonzero(new))
    return coordinates[new], counts, int(len(new) - new.sum())
