"""Predictive probabilities of held-out cells, from draws of two partitions."""

from collections.abc import Iterable

import numpy as np
from scipy.special import betaln

from reseat.checks import as_labels, check_strength
from reseat.errors import DataError
from reseat.likelihoods.link_table import LinkTable, check_cells


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
