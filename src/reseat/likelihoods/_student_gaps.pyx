"""Student-t blocks of points with missing cells, which are integrated out or drawn."""

import numpy as np

from libc.math cimport log, log1p, sqrt
from libc.string cimport memcpy, memset
from numpy.random cimport bitgen_t
from numpy.random.c_distributions cimport random_standard_gamma, random_standard_normal

from reseat.errors import DataError
from reseat.generators cimport source_of
from reseat.likelihoods._likelihood cimport Likelihood, SlotwiseLikelihood
from reseat.likelihoods._student_sums cimport StudentSums
from reseat.numerics._cholesky cimport (
    factorise, log_determinant, solve, solve_back, take_multiple,
)


cdef class StudentGaps(StudentSums):
    """Blocks of weighted points, some of which have missing cells.

    The points hold a value of every cell. Sweeps score an item with missing cells by the density
    of the others, and draw the cells anew if it moves; other moves take the values as given.
    """

    def __init__(self, points, missing):
        super().__init__(points)
        cdef const Py_ssize_t[::1] cells = np.array(missing[0], dtype=np.intp)
        cdef const double[::1] changes = np.array(missing[1], dtype=float).ravel()
        self._cell_array, self._change_array = cells.base, changes.base
        self.n_missing = cells.shape[0]
        held = self._cell_array
        if self.n_missing:
            if (changes.shape[0] != held.size * self.q or (np.diff(held) < 0).any()
                    or held.min() < 0 or held.max() >= len(points)
                    or np.bincount(held).max() > self.q):
                raise DataError(
                    f"The missing cells must be those of {len(points)} items in ascending order, "
                    f"each with {self.q} numbers, and at most {self.q} of one item."
                )
            self.cell, self.change = &cells[0], &changes[0]
        first_cells = np.full(self.n_items, -1, dtype=np.intp)
        items, places = np.unique(held, return_index=True)
        first_cells[items] = places
        cdef const Py_ssize_t[::1] firsts = first_cells
        self._first_array, self.first = first_cells, &firsts[0]
        self.open_item, self.source = -1, NULL

    def begin(self, rng):
        """Rebuild the statistics, and remember the generator that missing cells are drawn from."""
        StudentSums.begin(self, rng)
        self._generator, self.source, self.open_item = rng, source_of(rng), -1

    cdef void score(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t n_slots, double* out
    ) noexcept nogil:
        cdef Py_ssize_t k
        if self.first[item] < 0:
            SlotwiseLikelihood.score(self, item, own, n_slots, out)
            return
        self.leave(item, own)
        for k in range(n_slots):
            out[k] = self.score_gaps(item, k) if self.sizes[k] > 0 else 0.0
        out[n_slots] = self.score_gaps(item, self.capacity)
        self.join(item, own)
        self.open_item = item

    cdef void weigh_slots(
        self, Py_ssize_t item, Py_ssize_t own, const int* slots, Py_ssize_t n_slots,
        double* weight
    ) noexcept nogil:
        cdef Py_ssize_t j
        if self.first[item] < 0:
            Likelihood.weigh_slots(self, item, own, slots, n_slots, weight)
            return
        self.leave(item, own)
        for j in range(n_slots):
            weight[j] += self.score_gaps(item, slots[j])
        weight[n_slots] += self.score_gaps(item, self.capacity)
        self.join(item, own)
        self.open_item = item

    cdef void move(self, Py_ssize_t item, Py_ssize_t source, Py_ssize_t target) noexcept nogil:
        self.labels[item] = <int>target
        self.leave(item, source)
        if item == self.open_item and self.source != NULL:
            self.draw_gaps(item, target)
        self.join(item, target)

    cdef int fit_gaps(
        self, Py_ssize_t item, Py_ssize_t slot, double* least, double* share
    ) noexcept nogil:
        """Fit the missing cells of an item to a slot that it is not in; return their number.

        `least` becomes the squared distance from the slot that is left, and `share` its factor.
        The work holds, at 2 q, what is to be solved for the values of the cells, and the factor of
        their precision.
        """
        cdef int q = self.q, n = 0, i, j, k
        cdef double* d = self.work
        cdef double* inverse = d + q
        cdef double* value = d + 2 * q
        cdef double* turned = d + 3 * q
        cdef double* matrix = turned + q * q
        cdef double a = self.kappa + self.mass[slot]
        cdef const double* mean = self.mean + slot * q
        cdef const double* factor = self.factor + slot * q * q
        cdef Py_ssize_t first = self.first[item]
        while first + n < self.n_missing and self.cell[first + n] == item:
            n += 1
        for j in range(q):
            d[j] = self.point[item * q + j] - mean[j]
        least[0] = solve(factor, self.inverse + slot * q, d, q)
        for k in range(n):
            memcpy(turned + k * q, self.change + (first + k) * q, q * sizeof(double))
            solve(factor, self.inverse + slot * q, turned + k * q, q)
        for k in range(n):
            value[k] = 0.0
            for j in range(q):
                value[k] -= turned[k * q + j] * d[j]
            for i in range(k, n):
                matrix[k * n + i] = 0.0
                for j in range(q):
                    matrix[k * n + i] += turned[k * q + j] * turned[i * q + j]
        factorise(matrix, inverse, n)
        least[0] = max(least[0] - solve(matrix, inverse, value, n), 0.0)
        share[0] = a * self.weight[item] / (a + self.weight[item])
        return n

    cdef double score_gaps(self, Py_ssize_t item, Py_ssize_t slot) noexcept nogil:
        """Return the log predictive of an item in a slot that it is not in, without its gaps."""
        cdef double least, share, a
        cdef Py_ssize_t size
        cdef int q = self.q, n
        if slot < self.capacity and self.sizes[slot] == 0:
            slot = self.capacity
        n = self.fit_gaps(item, slot, &least, &share)
        size = self.sizes[slot] if slot < self.capacity else 0
        a = self.kappa + self.mass[slot]
        return (
            self.constant[item] + self.gamma[size + 1] - self.gamma[size]
            + self.half[q + size - n] - self.half[q + size]
            - 0.5 * (q + 2 + self.pull + size - n) * log1p(share * least)
            + 0.5 * q * log(a / (a + self.weight[item])) - 0.5 * n * log(share)
            - 0.5 * (self.log_det[slot] + log_determinant(self.work + 3 * q + q * q, n))
        )

    cdef void draw_gaps(self, Py_ssize_t item, Py_ssize_t slot) noexcept nogil:
        """Draw the missing cells of an item given the members of the slot that it goes to."""
        cdef double least, share, spread
        cdef int q = self.q, n, k
        cdef double* value = self.work + 2 * q
        cdef double* matrix = self.work + 3 * q + q * q
        if self.sizes[slot] == 0:
            self.copy_empty(slot)
        n = self.fit_gaps(item, slot, &least, &share)
        spread = random_standard_gamma(
            self.source, 0.5 * (q + 2 + self.pull + self.sizes[slot] - n)
        )
        spread = sqrt((1.0 + share * least) / (2.0 * share * spread))
        for k in range(n):
            value[k] += spread * random_standard_normal(self.source)
        self.add_cells(item, self.first[item], n, matrix, self.work + q, value)

    cdef void add_cells(
        self, Py_ssize_t item, Py_ssize_t first, int n, const double* matrix,
        const double* inverse, double* value
    ) noexcept nogil:
        """Change a point by values of its missing cells, which are still to be solved for."""
        cdef int k
        solve_back(matrix, inverse, value, n)
        for k in range(n):
            take_multiple(
                self.point + item * self.q, self.change + (first + k) * self.q, -value[k], self.q
            )

    cdef void draw_missing(self, bitgen_t* rng) noexcept nogil:
        """Draw the missing cells of each item given mean, precision and weight."""
        cdef int q = self.q, n, i, j, k
        cdef double* d = self.work
        cdef double* inverse = self.work + q
        cdef double* value = self.work + 2 * q
        cdef double* turned = self.work + 3 * q     # [cell][coordinate] changes times the root
        cdef double* matrix = turned + q * q        # precision of the cells
        cdef const double* root
        cdef const double* mean
        cdef double* x
        cdef double w
        cdef Py_ssize_t first = 0, item
        while first < self.n_missing:
            item, n = self.cell[first], 1
            while first + n < self.n_missing and self.cell[first + n] == item:
                n += 1
            w, x = self.weight[item], self.point + item * q
            root = self.factor + self.labels[item] * q * q
            mean = self.mean + self.labels[item] * q
            memset(d, 0, q * sizeof(double))
            memset(turned, 0, n * q * sizeof(double))
            for i in range(q):
                take_multiple(d, root + i * q, mean[i] - x[i], q)
                for k in range(n):
                    take_multiple(
                        turned + k * q, root + i * q, -self.change[(first + k) * q + i], q
                    )
            for k in range(n):
                value[k] = 0.0
                for j in range(q):
                    value[k] -= w * turned[k * q + j] * d[j]
                for i in range(k, n):
                    matrix[k * n + i] = 0.0
                    for j in range(q):
                        matrix[k * n + i] += w * turned[k * q + j] * turned[i * q + j]
            factorise(matrix, inverse, n)
            solve(matrix, inverse, value, n)
            for k in range(n):
                value[k] += random_standard_normal(rng)
            self.add_cells(item, first, n, matrix, inverse, value)
            first += n
