"""Sums of a symmetric matrix over the blocks of a partition, kept while objects move."""

import numpy as np

from libc.string cimport memset

from reseat.checks import as_labels, check_growth
from reseat.likelihoods._fixed_point import fixed_point


cdef class BlockSums:
    """Sums over blocks of the rows of a symmetric matrix, and over pairs of blocks.

    Only an object that moves costs a pass over its row of the matrix.  The
    entries are multiples of one unit (`fixed_point`), so that the sums stay
    exact: they have no drift, and do not depend on the moves that led here.

    Parameters
    ----------
    matrix : array_like, shape (n_items, n_items)
        Symmetric.  It is rounded and copied unless it is a rounded memory map.
    dtype : numpy.float32 or numpy.float64
        Precision in which it is kept.
    cached : bool
        Whether the sums of all rows are kept.  If not, those of a row are
        computed whenever they are asked for, for comparison.
    """

    def __init__(self, matrix, dtype=np.float32, bint cached=True):
        matrix = matrix if isinstance(matrix, np.memmap) else np.asarray(matrix)
        self._matrix = np.ascontiguousarray(fixed_point(matrix, dtype))
        self.n_items = len(matrix)
        self.cached = cached
        cdef const float[:, ::1] single
        cdef const double[:, ::1] wide
        if self._matrix.dtype == np.float32:
            single = self._matrix
            self.single = &single[0, 0]
        else:
            wide = self._matrix
            self.wide = &wide[0, 0]

    @property
    def matrix(self):
        """The matrix as it was rounded."""
        return self._matrix

    cdef double entry(self, Py_ssize_t item, Py_ssize_t other) noexcept nogil:
        cdef Py_ssize_t at = item * self.n_items + other
        return self.single[at] if self.single != NULL else self.wide[at]

    cdef void _sum_row(self, Py_ssize_t item, double* out) noexcept nogil:
        cdef Py_ssize_t n = self.n_items
        cdef const float* single = self.single + item * n
        cdef const double* wide = self.wide + item * n
        cdef Py_ssize_t j
        memset(out, 0, self.capacity * sizeof(double))
        if self.single != NULL:
            for j in range(n):
                out[self.labels[j]] += single[j]
        else:
            for j in range(n):
                out[self.labels[j]] += wide[j]

    cdef double* row(self, Py_ssize_t item) noexcept nogil:
        """Sums of a row over the slots."""
        if self.cached:
            return self.rows + item * self.capacity
        self._sum_row(item, self.rows)
        return self.rows

    cdef void reseat(self, Py_ssize_t item, Py_ssize_t source, Py_ssize_t target) noexcept nogil:
        """Take an object from one slot to another."""
        cdef Py_ssize_t n = self.n_items, capacity = self.capacity
        cdef double* row = self.row(item)
        cdef double* sums = self.sums
        cdef double own = self.entry(item, item)
        cdef const float* single = self.single + item * n
        cdef const double* wide = self.wide + item * n
        cdef double* rows = self.rows
        cdef Py_ssize_t j
        for j in range(capacity):
            sums[source * capacity + j] -= row[j]
            sums[j * capacity + source] -= row[j]
        sums[source * capacity + source] += own
        row[source] -= own
        for j in range(capacity):
            sums[target * capacity + j] += row[j]
            sums[j * capacity + target] += row[j]
        sums[target * capacity + target] += own
        row[source] += own
        self.labels[item] = <int> target
        if not self.cached:
            return
        if self.single != NULL:
            for j in range(n):
                rows[j * capacity + source] -= single[j]
                rows[j * capacity + target] += single[j]
        else:
            for j in range(n):
                rows[j * capacity + source] -= wide[j]
                rows[j * capacity + target] += wide[j]

    def assign(self, labels, Py_ssize_t capacity):
        """Compute all sums for a partition."""
        cdef Py_ssize_t item
        labels = as_labels(labels, self.n_items, capacity)
        self.capacity = capacity
        self._label_array = labels.copy()
        self._row_array = np.zeros((self.n_items if self.cached else 1, capacity))
        self._sum_array = np.zeros((capacity, capacity))
        self._point()
        with nogil:
            for item in range(self.n_items):
                self._add_row(item)

    cdef void _add_row(self, Py_ssize_t item) noexcept nogil:
        cdef double* row = self.rows + (item if self.cached else 0) * self.capacity
        cdef double* into = self.sums + self.labels[item] * self.capacity
        cdef Py_ssize_t slot
        self._sum_row(item, row)
        for slot in range(self.capacity):
            into[slot] += row[slot]

    def grow(self, capacity):
        """Make room for `capacity` slots."""
        check_growth(self.capacity, capacity)
        added = capacity - self.capacity
        self._row_array = np.pad(self._row_array, ((0, 0), (0, added)))
        self._sum_array = np.pad(self._sum_array, (0, added))
        self.capacity = capacity
        self._point()

    cdef void _point(self):
        cdef double[:, ::1] rows = self._row_array
        cdef double[:, ::1] sums = self._sum_array
        cdef int[::1] labels = self._label_array
        self.rows, self.sums, self.labels = &rows[0, 0], &sums[0, 0], &labels[0]

    @property
    def row_sums(self):
        """Sums of every row over the slots: a copy, shape (n_items or 1, capacity)."""
        return self._row_array.copy()

    @property
    def pair_sums(self):
        """Sums over pairs of slots: a copy, shape (capacity, capacity)."""
        return self._sum_array.copy()
