"""Sums of a symmetric matrix over the blocks of a partition, updated as objects move."""

import numpy as np

from libc.string cimport memset

from reseat.checks import as_labels, check_growth, check_unmasked
from reseat.dissimilarities.checks import ROUNDING, check_symmetry
from reseat.errors import DataError
from reseat.likelihoods._fixed_point import fixed_point, unit_of
from reseat.likelihoods._pointers cimport doubles, ints, start_of
from reseat.numerics import product


cdef class BlockSums:
    """Block sums of the rows of a symmetric matrix, exact by `fixed_point`; kept if `cached`."""

    def __init__(self, matrix, dtype=np.float32, bint cached=True):
        matrix = np.asanyarray(matrix)  # keeps a mask or a memory map
        self._matrix = np.ascontiguousarray(fixed_point(matrix, dtype))
        largest = max(float(self._matrix.max()), -float(self._matrix.min()))
        check_symmetry(self._matrix, ROUNDING * largest, "the matrix")
        self.n_items = len(matrix)
        self.vanishes = largest == 0
        self.cached = cached
        if self._matrix.dtype == np.float32:
            self.single = <const float*> start_of(self._matrix, sizeof(float))
        else:
            self.wide = doubles(self._matrix)

    @property
    def matrix(self):
        """The rounded matrix."""
        return self._matrix

    cdef double entry(self, Py_ssize_t item, Py_ssize_t other) noexcept nogil:
        cdef Py_ssize_t at = item * self.n_items + other
        return self.single[at] if self.single != NULL else self.wide[at]

    cdef void _sum_row(self, Py_ssize_t item, double* out) noexcept nogil:
        cdef Py_ssize_t n = self.n_items, j
        cdef const float* single = self.single + item * n
        cdef const double* wide = self.wide + item * n
        memset(out, 0, self.capacity * sizeof(double))
        if self.single != NULL:
            for j in range(n):
                out[self.labels[j]] += single[j]
        else:
            for j in range(n):
                out[self.labels[j]] += wide[j]

    cdef double* row(self, Py_ssize_t item) noexcept nogil:
        """Return the sums of a row over the slots."""
        if self.cached:
            return self.rows + item * self.capacity
        self._sum_row(item, self.rows)
        return self.rows

    cdef void reseat(self, Py_ssize_t item, Py_ssize_t source, Py_ssize_t target) noexcept nogil:
        """Move an object from one slot to another."""
        cdef Py_ssize_t n = self.n_items, capacity = self.capacity, j
        cdef double* row = self.row(item)
        cdef double* sums = self.sums
        cdef double own = self.entry(item, item)
        cdef const float* single = self.single + item * n
        cdef const double* wide = self.wide + item * n
        cdef double* rows = self.rows
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
        labels = as_labels(labels, self.n_items, capacity)
        self.capacity = capacity
        self._label_array = labels.copy()
        self._row_array = np.zeros((self.n_items if self.cached else 1, capacity))
        self._sum_array = np.zeros((capacity, capacity))
        self._point()
        with nogil:
            self._sum_all()

    cdef void _sum_all(self) noexcept nogil:
        cdef double* row
        cdef double* into
        cdef Py_ssize_t item, slot
        for item in range(self.n_items):
            row = self.rows + (item * self.capacity if self.cached else 0)
            into = self.sums + self.labels[item] * self.capacity
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
        self.rows, self.sums = doubles(self._row_array), doubles(self._sum_array)
        self.labels = ints(self._label_array)

    @property
    def row_sums(self):
        """Sums of every row over the slots: a copy, shape (n_items or 1, capacity)."""
        return self._row_array.copy()

    @property
    def pair_sums(self):
        """Sums over pairs of slots: a copy, shape (capacity, capacity)."""
        return self._sum_array.copy()


cdef class PointSums(BlockSums):
    """Block sums of squared distances between points, in memory linear in the number of points.

    Let a block have n points with sum S, whose squared lengths add up to Q.  The squared distances
    from a point x to the block then add up to n |x|^2 + Q - 2 x'S, and those between blocks a and
    b to n_b Q_a + n_a Q_b - 2 S_a'S_b.  All are multiples of fixed units, so S and Q stay exact.

    Parameters
    ----------
    points : array_like, shape (n_items, n_coordinates)
        Coordinates in any Euclidean embedding.  They are centred, which changes no distance.

    Raises
    ------
    DataError
        If the points are not a table of finite numbers, are masked or are all the same, or if they
        or their squares are too large or too small for floating point.

    Examples
    --------
    >>> from reseat.likelihoods import PointSums, WishartDistances
    >>> points = [[0.0, 0.1], [0.1, 0.0], [3.0, 3.1], [3.1, 3.0]]
    >>> likelihood = WishartDistances(PointSums(points), dim=2, theta=10.0)
    >>> likelihood.assign([0, 0, 1, 1], 2)
    >>> int(likelihood.log_predictive(1, 0).argmax())
    0
    """

    cdef readonly Py_ssize_t n_coordinates
    cdef double[:, ::1] items   # [item, n_coordinates + 2] coordinates, their squared length, and 1
    cdef double[:, ::1] slots   # [slot, n_coordinates + 2] sums of these over its items

    def __init__(self, points):
        check_unmasked("The points", points)
        points = np.asarray(points, dtype=np.float64)
        if points.ndim != 2 or 0 in points.shape:
            raise DataError(
                f"Points of shape {points.shape} are no table; give a row a point and a column a "
                "coordinate."
            )
        if not np.isfinite(points).all():
            raise DataError("A coordinate of the points is not finite.")
        points = np.ascontiguousarray(points - points.mean(axis=0))
        largest = np.abs(points).max()
        if largest == 0:
            raise DataError("All points are the same, so nothing tells them apart.")
        unit = unit_of(largest, len(points))
        points = np.rint(points / unit) * unit
        squares = (points**2).sum(axis=1)
        unit = unit_of(squares.max(), len(points))
        squares = np.rint(squares / unit) * unit
        self.n_items, self.n_coordinates = points.shape
        items = np.column_stack([points, squares, np.ones(self.n_items)])
        self.items = np.ascontiguousarray(items)
        self.slots = np.zeros((0, self.n_coordinates + 2))
        self.cached = False

    @property
    def matrix(self):
        """The squared distances: a new array, shape (n_items, n_items)."""
        items = np.asarray(self.items)
        points, squares = items[:, : self.n_coordinates].copy(), items[:, self.n_coordinates]
        found = squares[:, None] + squares - 2 * product(points, points.T)
        np.fill_diagonal(found, 0)
        return found

    cdef double entry(self, Py_ssize_t item, Py_ssize_t other) noexcept nogil:
        cdef Py_ssize_t m = self.n_coordinates, j
        cdef const double* x = &self.items[item, 0]
        cdef const double* y = &self.items[other, 0]
        cdef double total = 0.0
        for j in range(m):
            total += (x[j] - y[j]) * (x[j] - y[j])
        return total

    cdef void _sum_row(self, Py_ssize_t item, double* out) noexcept nogil:
        cdef Py_ssize_t m = self.n_coordinates, slot, j
        cdef const double* x = &self.items[item, 0]
        cdef const double* theirs
        cdef double inner
        for slot in range(self.capacity):
            theirs = &self.slots[slot, 0]
            out[slot] = 0.0
            if theirs[m + 1] > 0:
                inner = 0.0
                for j in range(m):
                    inner += x[j] * theirs[j]
                out[slot] = theirs[m + 1] * x[m] + theirs[m] - 2 * inner

    cdef void _put(self, Py_ssize_t item, Py_ssize_t slot, double sign) noexcept nogil:
        """Add a point to the sums of a slot (`sign` 1), or remove it (-1)."""
        cdef Py_ssize_t j
        for j in range(self.n_coordinates + 2):
            self.slots[slot, j] += sign * self.items[item, j]

    cdef void _sum_slot(self, Py_ssize_t slot) noexcept nogil:
        """Compute the sums between a slot and every slot."""
        cdef Py_ssize_t m = self.n_coordinates, capacity = self.capacity, other, j
        cdef const double* mine = &self.slots[slot, 0]
        cdef const double* theirs
        cdef double inner, total
        for other in range(capacity):
            theirs = &self.slots[other, 0]
            total = 0.0
            if mine[m + 1] > 0 and theirs[m + 1] > 0:
                inner = 0.0
                for j in range(m):
                    inner += mine[j] * theirs[j]
                total = theirs[m + 1] * mine[m]
                total += mine[m + 1] * theirs[m] - 2 * inner
            self.sums[slot * capacity + other] = total
            self.sums[other * capacity + slot] = total

    cdef void reseat(self, Py_ssize_t item, Py_ssize_t source, Py_ssize_t target) noexcept nogil:
        self._put(item, source, -1.0)
        self._put(item, target, 1.0)
        self.labels[item] = <int> target
        self._sum_slot(source)
        self._sum_slot(target)

    cdef void _sum_all(self) noexcept nogil:
        cdef Py_ssize_t item, slot
        self.slots[:, :] = 0.0
        for item in range(self.n_items):
            self._put(item, self.labels[item], 1.0)
        for slot in range(self.capacity):
            self._sum_slot(slot)

    cdef void _point(self):
        BlockSums._point(self)
        kept = np.asarray(self.slots)[:self.capacity]
        self.slots = np.pad(kept, ((0, self.capacity - len(kept)), (0, 0)))
