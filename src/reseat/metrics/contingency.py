"""The sparse contingency table on which every metric of this package is computed."""

import inspect
from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import wraps

import numpy as np
import scipy

from reseat._labels import by_appearance
from reseat.checks import check_unmasked
from reseat.counts import checked_sparse
from reseat.errors import DataError

__all__ = ["Contingency", "as_contingency", "factorise"]

# Up to this many cells per item, counting into a full table is still cheaper than sorting.
_DENSE_CELLS_PER_ITEM = 4
# Labels below this number times the number of items are numbered with a lookup table.
_BOUND_PER_ITEM = 4

# Bound on the items of a table, whose cells are summed in int64.
_MOST = 2.0**62


def factorise(labels, name="labels"):
    """Number the distinct labels 0, 1, ... in the order in which they first appear.

    Codes of equal partitions are equal, so nothing that is computed from them depends on names.

    Parameters
    ----------
    labels : array_like of hashable, shape (n_items,)
    name : str
        What to call the labels in an error message.

    Returns
    -------
    codes : ndarray of int64, shape (n_items,)
    n_labels : int

    Raises
    ------
    DataError
        If the labels are not one-dimensional, empty, unhashable, or missing (NaN, None).
    """
    values = _as_array(labels, name)
    if values.size == 0:
        raise DataError(f"{name} is empty: a metric needs at least one item.")
    if values.dtype.kind in "iu":
        low, high = values.min(), values.max()
        if low >= 0 and high < _BOUND_PER_ITEM * values.size:
            return by_appearance(values.astype(np.int64, order="C", copy=False), int(high) + 1)
    from pandas import factorize  # slow to import, and chains do not need it

    try:
        codes, distinct = factorize(values, use_na_sentinel=True)
    except TypeError as error:
        raise DataError(f"{name} contains labels that cannot be hashed ({error}).") from error
    if codes.min() < 0:
        position = int(np.argmax(codes < 0))
        raise DataError(
            f"{name} has no label (NaN or None) at position {position}: remove the item or give "
            "it a label."
        )
    return codes.astype(np.int64, copy=False), len(distinct)


def _as_array(labels, name):
    if isinstance(labels, (str, bytes, Mapping, Set)):
        raise DataError(
            f"{name} is a {type(labels).__name__}: it must be a list or an array with one label "
            "per item."
        )
    if np.ma.is_masked(labels):
        raise DataError(f"{name} has masked entries: remove these items or label them.")
    labels = labels.data if isinstance(labels, np.ma.MaskedArray) else labels
    labels = labels.to_numpy() if hasattr(labels, "to_numpy") else labels
    if not isinstance(labels, np.ndarray):
        if not hasattr(labels, "__iter__"):
            raise DataError(f"{name} is a single value: it must be a list or an array.")
        items = list(labels)
        # numpy would turn 1 and "1" into one string, and tuples into rows.
        labels = np.empty(len(items), dtype=object)
        labels[:] = items
    if labels.ndim != 1:
        raise DataError(
            f"{name} has shape {labels.shape}: it must have one label per item, shape (n_items,)."
        )
    if labels.dtype.kind == "V":
        raise DataError(f"{name} is a structured array: it must have one plain label per item.")
    if not labels.dtype.isnative:
        labels = labels.astype(labels.dtype.newbyteorder("="))
    return labels


@dataclass(frozen=True, eq=False)
class Contingency:
    """Numbers of items in class g and cluster h, for the pairs (g, h) that occur.

    Classes are the true blocks, clusters the predicted ones; none is empty.

    Attributes
    ----------
    class_index, cluster_index, counts : ndarray of int64, shape (n_cells,)
        Row, column and number of items of each non-empty cell, sorted by row, then by column.
    class_sizes, cluster_sizes : ndarray of int64, shape (n_classes,) and (n_clusters,)

    Examples
    --------
    >>> from reseat.metrics import Contingency, purity
    >>> table = Contingency.from_labels(["a", "a", "b", "b"], [1, 1, 1, 2])
    >>> table.counts.tolist()
    [2, 1, 1]
    >>> purity(table)
    0.75
    """

    class_index: np.ndarray
    cluster_index: np.ndarray
    counts: np.ndarray
    class_sizes: np.ndarray
    cluster_sizes: np.ndarray

    @classmethod
    def from_labels(cls, labels_true, labels_pred):
        """Count two label vectors against each other, in O(n) or, for many cells, with a sort.

        Parameters
        ----------
        labels_true, labels_pred : array_like of hashable, shape (n_items,)

        Raises
        ------
        DataError
            If the vectors differ in length, or either is no label vector (see `factorise`).
        """
        classes, n_classes = factorise(labels_true, "labels_true")
        clusters, n_clusters = factorise(labels_pred, "labels_pred")
        if classes.size != clusters.size:
            raise DataError(
                f"labels_true has {classes.size} items and labels_pred {clusters.size}: "
                "both must label the same items in the same order."
            )
        cells = classes * n_clusters + clusters
        if n_classes * n_clusters <= _DENSE_CELLS_PER_ITEM * cells.size:
            table = np.bincount(cells)
            cells = np.flatnonzero(table)
            counts = table[cells]
        else:
            cells, counts = np.unique(cells, return_counts=True)
        counts = counts.astype(np.int64, copy=False)
        places = np.divmod(cells, n_clusters)
        return cls(*places, counts, np.bincount(classes), np.bincount(clusters))

    @classmethod
    def from_table(cls, table):
        """Convert a table of counts, with classes in rows and clusters in columns.

        Parameters
        ----------
        table : array_like or scipy sparse array, shape (n_rows, n_columns)
            Non-negative whole numbers. Rows and columns without an item are dropped.

        Raises
        ------
        DataError
            If the table is not one of whole numbers from 0, not all 0 and below 2**62 in all.
        """
        if not scipy.sparse.issparse(table) and np.ndim(table) != 2:
            raise DataError("a contingency table has two dimensions: classes and clusters.")
        check_unmasked("the contingency table", table)
        if scipy.sparse.issparse(table):
            table = checked_sparse(table, "the contingency table: ")
        else:
            table = np.asarray(table)
        if table.dtype.kind not in "biuf":
            raise DataError(f"a contingency table must contain numbers, not {table.dtype}.")
        # scipy's sparse arrays support neither half precision nor the other byte order.
        table = table.astype(
            np.float64 if table.dtype.kind == "f" else table.dtype.newbyteorder("=")
        )
        cells = scipy.sparse.coo_array(table)
        values = cells.data
        if not np.all(np.isfinite(values)) or np.any(values < 0) or np.any(values % 1 != 0):
            raise DataError("a contingency table must contain counts: non-negative whole numbers.")
        total = values.sum(dtype=float)
        if total >= _MOST:
            raise DataError(
                f"the contingency table has {total:.3g} items; there must be fewer than 2**62."
            )
        cells = scipy.sparse.coo_array((values.astype(np.int64), cells.coords), cells.shape)
        cells.sum_duplicates()
        cells.eliminate_zeros()
        if not cells.nnz:
            raise DataError("the contingency table is empty: a metric needs at least one item.")
        order = np.lexsort(cells.coords[::-1])
        counts = cells.data[order]
        classes, clusters = (np.unique(c[order], return_inverse=True)[1] for c in cells.coords)
        # Not numpy.bincount, whose sums of weights are doubles.
        class_sizes = np.zeros(classes.max() + 1, dtype=np.int64)
        cluster_sizes = np.zeros(clusters.max() + 1, dtype=np.int64)
        np.add.at(class_sizes, classes, counts)
        np.add.at(cluster_sizes, clusters, counts)
        return cls(classes, clusters, counts, class_sizes, cluster_sizes)

    @property
    def n_classes(self):
        """Number of classes that have an item."""
        return int(self.class_sizes.size)

    @property
    def n_clusters(self):
        """Number of clusters that have an item."""
        return int(self.cluster_sizes.size)

    @property
    def n_items(self):
        """Number of items."""
        return int(self.class_sizes.sum())

    @property
    def largest_of_class(self):
        """max_h n_gh for every class g, int64, shape (n_classes,)."""
        starts = np.searchsorted(self.class_index, np.arange(self.n_classes))
        return np.maximum.reduceat(self.counts, starts)

    @property
    def largest_of_cluster(self):
        """max_g n_gh for every cluster h, int64, shape (n_clusters,)."""
        largest = np.zeros(self.n_clusters, dtype=np.int64)
        np.maximum.at(largest, self.cluster_index, self.counts)
        return largest

    def transpose(self):
        """Return the same table with the roles of classes and clusters exchanged."""
        order = np.lexsort((self.class_index, self.cluster_index))
        cells = (cell[order] for cell in (self.cluster_index, self.class_index, self.counts))
        return Contingency(*cells, self.cluster_sizes, self.class_sizes)

    def to_sparse(self):
        """Return the table as a scipy CSR array of int64, shape (n_classes, n_clusters)."""
        places = self.class_index, self.cluster_index
        return scipy.sparse.csr_array((self.counts, places), (self.n_classes, self.n_clusters))


def as_contingency(labels_true, labels_pred=None):
    """Return the table of two label vectors, or the table itself if one is given.

    Parameters
    ----------
    labels_true : array_like of hashable, shape (n_items,), or Contingency
        Class of each item, or the table of both labellings.
    labels_pred : array_like of hashable, shape (n_items,), optional
        Cluster of each item; left out if a table is given.

    Returns
    -------
    Contingency

    Raises
    ------
    DataError
        If only one label vector is given, or label vectors together with a table.
    """
    if isinstance(labels_true, Contingency):
        if labels_pred is not None:
            raise DataError("pass either a Contingency or two label vectors, not both.")
        return labels_true
    if labels_pred is None:
        raise DataError("labels_pred is missing: pass two label vectors or one Contingency.")
    return Contingency.from_labels(labels_true, labels_pred)


_PARAMETERS = """\
Parameters
----------
labels_true : array_like of hashable, shape (n_items,), or Contingency
    Class of each item, or the table of both labellings.
labels_pred : array_like of hashable, shape (n_items,)
    Cluster of each item; left out if a table is given."""


def of_labels(function):
    """Wrap a function of a `Contingency` so that it accepts two label vectors as well."""

    @wraps(function)
    def metric(labels_true, labels_pred=None):
        return function(as_contingency(labels_true, labels_pred))

    # Without this, help() would show the signature of the function inside.
    del metric.__wrapped__
    metric.__annotations__ = {}
    summary, _, rest = inspect.cleandoc(function.__doc__).partition("\n\n")
    text, title, returns = rest.partition("Returns\n")
    parts = [summary, text.strip(), _PARAMETERS, title + returns or "Returns\n-------\nfloat"]
    metric.__doc__ = "\n\n".join(filter(None, parts))
    return metric
