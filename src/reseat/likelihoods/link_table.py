"""The links between entities of two types, and predictions of held-out cells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.special import betaln, gammaln

from reseat.checks import as_labels, check_strength, check_unmasked
from reseat.counts import canonical_counts, keys_of, missed_of
from reseat.errors import ConfigError, DataError

#: Numbers whose log gamma is looked up; for larger ones, Stirling's series is exact.
TABULATED = 2**20


@dataclass(frozen=True, eq=False)
class Side:
    """The observed cells of a type's entities as compressed rows; others are non-links."""

    starts: np.ndarray  # where the cells of each entity begin, shape (n_entities + 1,)
    others: np.ndarray  # entity of the other type in each cell, shape (n_cells,)
    counts: np.ndarray  # observed links of each cell; 0 if it is held out
    missed: np.ndarray  # observed non-links of each cell; 0 if it is held out


class LinkTable:
    """Counts of links between the entities of two types; a pair that never occurs is a non-link.

    A pair that occurs ``c`` times stands for ``c`` observations of a link, and one that never
    occurs for one observation of a non-link.  With `trials`, a pair stands for as many
    observations; with one trial for every pair, this is the table of the IRM.  Built once and
    shared, read-only, by the likelihoods of both types and by all chains of a process.

    Parameters
    ----------
    counts : sparse or dense array of int, shape (n_rows, n_columns)
        Duplicates are added up.
    held_out : array_like of int, shape (n_held_out, 2), optional
        Cells (row, column) that count as not observed; their `counts` are only for comparison.
    types : pair of str
        Names of the rows and of the columns.
    trials : sparse or dense array of int, shape (n_rows, n_columns), optional
        How often each pair was observed, at least as often as its count; 0 means never.

    Attributes
    ----------
    shape : tuple of int
    sides : tuple of Side
        By row and by column.
    held_out : ndarray of int64, shape (n_held_out, 2)
    held_out_counts, held_out_missed : ndarray of int64, shape (n_held_out,)
        Links and non-links of these cells.
    blank : int
        Non-links of a pair that is not among the cells: 1, or 0 with trials.

    Raises
    ------
    DataError
        If there are no rows or columns, a count is negative, not whole or above the trials, no link
        is left, or a held-out cell is outside the table or given twice.
    ConfigError
        If there are not two types with different names.

    References
    ----------
    Kurihara, Kameya and Sato (2006), section 4.1 and eq. 8.

    Examples
    --------
    >>> from reseat.likelihoods import LinkTable
    >>> links = LinkTable([[3, 0], [0, 2]])
    >>> links.shape
    (2, 2)
    >>> linked, unlinked = links.cell_counts([0, 1], [0, 1])
    >>> linked.tolist(), unlinked.tolist()
    ([[3, 0], [0, 2]], [[0, 1], [1, 0]])
    """

    def __init__(self, counts, held_out=None, types=("row", "column"), trials=None):
        self.types = tuple(types)
        if len(self.types) != 2 or self.types[0] == self.types[1]:
            raise ConfigError(
                f"types is {types!r}; it must have two different names, one for the rows and one "
                "for the columns."
            )
        self._counts = canonical_counts(counts, "links: ", "row {}".format)
        self._missed = None if trials is None else missed_of(self._counts, trials)
        self.blank = int(trials is None)
        self.shape = self._counts.shape
        self.held_out = np.zeros((0, 2), dtype=np.int64)
        if held_out is not None:
            self.held_out = check_cells(held_out, self.shape, "held_out")
        n_columns = self.shape[1]
        hidden = self.held_out[:, 0] * n_columns + self.held_out[:, 1]
        if np.unique(hidden).size < hidden.size:
            raise DataError("held_out lists a cell twice; list each cell only once.")
        observed = [keys_of(table) for table in (self._counts, self._missed) if table is not None]
        keys = np.unique(np.concatenate([*(key for key, _ in observed), hidden]))
        data, missed = np.zeros((2, keys.size), dtype=np.int64)
        for values, (key, given) in zip((data, missed), observed, strict=False):
            values[np.searchsorted(keys, key)] = given
        place = np.searchsorted(keys, hidden)
        self.held_out_counts = data[place]
        self.held_out_missed = missed[place] if trials is not None else 1 - np.sign(data[place])
        data[place] = missed[place] = 0
        if not data.any():
            raise DataError("No pair is linked; at least one count must be positive.")
        self.n_links = int(data.sum())
        self.n_observations = self.n_links + int(missed.sum())
        self.n_observations += self.blank * self.shape[0] * n_columns
        rows, columns = np.divmod(keys, n_columns)
        across = np.argsort(columns, kind="stable")
        self.sides = (
            _side(rows, columns, data, missed, self.shape[0]),
            _side(columns[across], rows[across], data[across], missed[across], n_columns),
        )
        self._tables: dict[float, np.ndarray] = {}

    def binary(self) -> LinkTable:
        """Return the same table with every count set to 1, as the IRM sees it."""
        ones = self._counts.copy()
        ones.data[:] = 1
        return LinkTable(ones, self.held_out, self.types)

    def log_factorials(self) -> float:
        """Return the sum of the log factorials of all counts."""
        return float(gammaln(1.0 + self._counts.data).sum())

    def log_gamma(self, offset: float) -> np.ndarray:
        """Return log Gamma(offset + n) for n from 0, as far as n can occur or is tabulated."""
        if offset not in self._tables:
            n = np.arange(min(self.n_observations + 1, TABULATED))
            # Chains of several threads ask at once, and compiled code points at what is returned.
            self._tables.setdefault(offset, gammaln(offset + n))
        return self._tables[offset]

    def cell_counts(self, row_labels, column_labels) -> tuple[np.ndarray, np.ndarray]:
        """Count the observed links and non-links between blocks of rows and blocks of columns.

        Parameters
        ----------
        row_labels : array_like of int, shape (n_rows,)
        column_labels : array_like of int, shape (n_columns,)

        Returns
        -------
        linked, unlinked : ndarray of int64, shape (largest row label + 1, largest column label + 1)

        Raises
        ------
        DataError
            If there is not one label for each row and column, or one is not a whole
            number from 0.
        """
        # The numbers of cells can exceed the range of the type of labels.
        a, b = (
            as_labels(labels, n).astype(np.int64)
            for labels, n in zip((row_labels, column_labels), self.shape, strict=True)
        )
        side = self.sides[0]
        sizes = [np.bincount(labels) for labels in (a, b)]
        shape = (sizes[0].size, sizes[1].size)
        cell = np.repeat(a, np.diff(side.starts)) * shape[1] + b[side.others]
        n_cells = shape[0] * shape[1]
        linked = np.bincount(cell, weights=side.counts, minlength=n_cells).astype(np.int64)
        more = np.bincount(cell, weights=side.missed - self.blank, minlength=n_cells)
        unlinked = self.blank * np.multiply.outer(*sizes) + more.astype(np.int64).reshape(shape)
        return linked.reshape(shape), unlinked


def _side(entities, others, counts, missed, n_entities) -> Side:
    starts = np.zeros(n_entities + 1, dtype=np.int64)
    starts[1:] = np.cumsum(np.bincount(entities, minlength=n_entities))
    return Side(starts, *(array.astype(np.int32) for array in (others, counts, missed)))


def check_cells(cells, shape: tuple[int, int], what: str) -> np.ndarray:
    """Return cells of a table as an int64 array, shape (n_cells, 2)."""
    check_unmasked(what, cells)
    cells = np.asarray(cells)
    if cells.ndim != 2 or cells.shape[1] != 2 or (cells.size and cells.dtype.kind not in "iu"):
        raise DataError(
            f"{what} must have two columns of whole numbers, row and column of each cell, not "
            f"{cells.dtype} of shape {cells.shape}."
        )
    outside = np.flatnonzero(((cells < 0) | (cells >= shape)).any(axis=1))
    if outside.size:
        raise DataError(
            f"{what}: entry {outside[0]} is the cell {tuple(cells[outside[0]].tolist())}, which "
            f"is outside the table of {shape[0]} rows and {shape[1]} columns."
        )
    return cells.astype(np.int64)


def link_log_predictive(
    links: LinkTable, draws: Iterable[tuple], beta: float = 0.1, cells=None, values=None
) -> np.ndarray:
    """Return the log of the mean predictive probability of further cells over draws.

    Parameters
    ----------
    links : LinkTable
        The observations from which the partitions were drawn.
    draws : iterable of (row labels, column labels)
        Both partitions, as arrays of shapes (n_rows,) and (n_columns,).
    beta : float
        Both parameters of the beta prior of the probability of a link, which is integrated out.
    cells : array_like of int, shape (n_cells, 2), optional
        Row and column of each; by default, the cells that `links` holds out.
    values : int or array_like of int, shape (n_cells,), optional
        0 for one observation of no link, c > 0 for c observations of a link, which share one
        probability; by default the held-out counts.

    Returns
    -------
    ndarray of float64, shape (n_cells,)
        In nats.

    Raises
    ------
    ConfigError
        If `beta` is not between 1e-9 and 1e9.
    DataError
        If there is no draw, a draw has wrong labels, a cell is outside the table, or a value
        is missing, negative or not whole.
    """
    beta = check_strength("beta", beta)
    if values is None and cells is not None:
        raise DataError("The cells to predict have no values; each cell needs one.")
    cells = links.held_out if cells is None else check_cells(cells, links.shape, "cells")
    misses = links.held_out_missed if values is None else np.equal(values, 0)
    values = np.broadcast_to(links.held_out_counts if values is None else values, len(cells))
    wrong = np.flatnonzero(~((values >= 0) & (values < np.inf) & (values == np.floor(values))))
    if wrong.size:
        raise DataError(
            f"Cell {wrong[0]} has the value {values[wrong[0]]}; values must be whole numbers, 0 "
            "or more."
        )
    total, n_draws = np.full(len(cells), -np.inf), 0
    for row_labels, column_labels in draws:
        linked, unlinked = (
            beta + counts for counts in links.cell_counts(row_labels, column_labels)
        )
        place = as_labels(row_labels)[cells[:, 0]], as_labels(column_labels)[cells[:, 1]]
        here, missed = linked[place], unlinked[place]
        more = betaln(here + values, missed + misses) - betaln(here, missed)
        np.logaddexp(total, more, out=total)
        n_draws += 1
    if n_draws == 0:
        raise DataError("There are no draws to predict from; at least one is needed.")
    return total - np.log(n_draws)
