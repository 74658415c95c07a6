"""Scores of co-clusters against labelled pairs: coverage and purity.

Kurihara, Kameya & Sato (2006), eq. 9 and 10. A cell is a pair of a row cluster and a column
cluster, and d(j, cell) is the number of its (row, column) pairs with label j.
"""

import logging

import numpy as np
import scipy

from reseat.checks import check_unmasked
from reseat.counts import checked_sparse
from reseat.errors import DataError
from reseat.metrics.contingency import factorise

__all__ = ["cell_counts", "covered_share", "coverage", "dominant_labels", "purity_curve"]

_log = logging.getLogger(__name__)

# Number of pairs whose cells and labels are in memory at a time.
_CHUNK = 2**19


def cell_counts(row_labels, column_labels, pair_labels, observed=None, n_labels=None):
    """Count the labels of the pairs in each cell.

    Parameters
    ----------
    row_labels, column_labels : array_like of hashable, (n_rows,) and (n_columns,)
    pair_labels : ndarray of int, (n_rows, n_columns)
        The label of every pair, counted from 0.
    observed : sparse or dense matrix, (n_rows, n_columns), optional
        Count only the pairs that are not 0 here; all by default, as in footnote 3 of the paper.
    n_labels : int, optional
        Number of labels; by default one more than the largest.

    Returns
    -------
    ndarray of int64, (n_row_clusters, n_column_clusters, n_labels)
        Clusters in the order in which they first appear, none of them empty.

    Raises
    ------
    DataError
        If shapes do not match, a label is out of range, or entries are masked or NaN.
    """
    rows, n_row_clusters = factorise(row_labels, "row_labels")
    columns, n_column_clusters = factorise(column_labels, "column_labels")
    check_unmasked("pair_labels", pair_labels)
    pair_labels = np.asarray(pair_labels)
    shape = (rows.size, columns.size)
    if pair_labels.shape != shape or pair_labels.dtype.kind not in "iu":
        raise DataError(
            f"pair_labels must hold a whole number for each of {shape[0]} x {shape[1]} pairs, not "
            f"{pair_labels.dtype} of shape {pair_labels.shape}."
        )
    largest = int(pair_labels.max())
    n_labels = largest + 1 if n_labels is None else int(n_labels)
    if pair_labels.min() < 0 or largest >= n_labels:
        raise DataError(f"pair_labels must run from 0 to {n_labels - 1}.")
    if pair_labels.dtype == np.uint64:  # its sums with signed numbers would be doubles
        pair_labels = pair_labels.astype(np.int64)
    counts = np.zeros(n_row_clusters * n_column_clusters * n_labels, dtype=np.int64)
    base, width = columns * n_labels, n_column_clusters * n_labels
    if observed is None:
        step = max(_CHUNK // columns.size, 1)
        # One row cluster after another, so that the counters stay in the cache.
        order = np.argsort(rows, kind="stable")
        for first in range(0, rows.size, step):
            chosen = order[first : first + step]
            low = rows[chosen[0]]
            keys = pair_labels[chosen] + base + (rows[chosen, None] - low) * width
            found = np.bincount(keys.ravel())
            counts[low * width :][: found.size] += found
    else:
        check_unmasked("observed", observed)
        if scipy.sparse.issparse(observed):
            observed = checked_sparse(observed, "observed: ")
        pairs = scipy.sparse.coo_array(observed)
        unknown = np.isnan(pairs.data)
        if unknown.any():
            row, column = (axis[unknown][0] for axis in pairs.coords)
            raise DataError(
                f"observed is NaN in row {row}, column {column}; mark a pair that was not observed "
                "by 0."
            )
        pairs.sum_duplicates()
        if pairs.shape != shape:
            raise DataError(f"observed must have the shape {shape}, not {pairs.shape}.")
        i, j = (axis[pairs.data != 0] for axis in pairs.coords)
        keys = rows[i] * width + base[j] + pair_labels[i, j]
        counts += np.bincount(keys, minlength=counts.size)
    return counts.reshape(n_row_clusters, n_column_clusters, n_labels)


def dominant_labels(counts) -> np.ndarray:
    """Return the commonest label of each cell, the lowest if tied, -1 for a cell without pairs.

    Parameters
    ----------
    counts : array_like of int, (n_row_clusters, n_column_clusters, n_labels)
        The number of cells with a tie is logged.

    Returns
    -------
    ndarray of int64, (n_row_clusters, n_column_clusters)
    """
    counts = _checked(counts)
    best = counts.max(axis=-1, keepdims=True)
    ties = ((counts == best).sum(axis=-1) > 1) & (best[..., 0] > 0)
    if ties.any():
        _log.info("%d of %d cells have two or more most common labels; the lowest one is used",
                  ties.sum(), (best > 0).sum())  # fmt: skip
    return np.where(best[..., 0] > 0, counts.argmax(axis=-1), -1)


def covered_share(counts) -> np.ndarray:
    """Return the share of the cells with pairs in which each label is the commonest (Figure 4).

    Parameters
    ----------
    counts
        As for `dominant_labels`.

    Returns
    -------
    ndarray of float64, (n_labels,)
        Adds up to 1.
    """
    dominant = dominant_labels(counts)
    found = np.bincount(dominant[dominant >= 0], minlength=np.shape(counts)[-1])
    return found / found.sum()


def coverage(counts) -> float:
    """Return the share of the labels that are the commonest one of some cell.

    Parameters
    ----------
    counts
        As for `dominant_labels`.
    """
    return float(np.mean(covered_share(counts) > 0))


def purity_curve(counts) -> np.ndarray:
    """Return S_i (eq. 9 and 10), the share of pairs with one of their cell's i commonest labels.

    Parameters
    ----------
    counts
        As for `dominant_labels`.

    Returns
    -------
    ndarray of float64, (n_labels,)
        For i = 1, ..., n_labels; non-decreasing, and the last value is 1.
    """
    counts = _checked(counts)
    by_rank = np.sort(counts, axis=-1)[..., ::-1]  # an unsigned number has no negative
    found = by_rank.reshape(-1, counts.shape[-1]).sum(axis=0)
    return np.cumsum(found) / found.sum()


def _checked(counts) -> np.ndarray:
    check_unmasked("counts", counts)
    counts = np.asarray(counts)
    counts = counts.astype(int) if counts.dtype == bool else counts
    fine = counts.ndim == 3 and counts.size and counts.any() and np.isfinite(counts).all()
    if not fine or counts.min() < 0:
        raise DataError(
            "counts must hold the pairs of each row cluster, column cluster and label, finite, "
            f"with none negative and at least one positive, but has shape {counts.shape}."
        )
    return counts
