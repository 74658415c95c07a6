"""Statistics of Student-t blocks, and of points with missing cells, which are drawn."""

import numpy as np
from scipy.special import gammaln

from libc.math cimport log, log1p, sqrt
from libc.string cimport memcpy, memset
from numpy.random cimport bitgen_t
from numpy.random.c_distributions cimport random_standard_gamma, random_standard_normal

from reseat.checks import check_growth
from reseat.errors import DataError

from reseat.generators cimport source_of
from reseat.likelihoods._likelihood cimport Likelihood, SlotwiseLikelihood
from reseat.likelihoods._likelihood import resized
from reseat.likelihoods._pointers cimport doubles, ints, longs
from reseat.numerics._cholesky cimport (
    add_square, factorise, log_determinant, solve, solve_back, take_multiple, take_square,
)

#: The diagonal of the common covariance at the start.
START_SPREAD = 0.5


cdef class StudentSums(SlotwiseLikelihood):
    """Blocks of weighted points; a subclass sets `pull` and `kappa` first (`StudentBlocks`)."""

    def __init__(self, points, missing):
        self._point_array, self.point = points, doubles(points)
        self.n_items, self.q = points.shape
        self._tables = {}
        self._weight_array = np.ones(self.n_items)
        self._constant_array = np.zeros(self.n_items)
        self._label_array = np.zeros(self.n_items, dtype=np.intc)
        self._common_array = START_SPREAD * np.eye(self.q)
        self._work_array = np.zeros(3 * self.q + 4 * self.q * self.q)
        self.weight, self.constant = doubles(self._weight_array), doubles(self._constant_array)
        self.common, self.work = doubles(self._common_array), doubles(self._work_array)
        self.labels = ints(self._label_array)
        self._hold_missing(*missing)
        self._make_room(0)

    def _hold_missing(self, cells, changes):
        cells = np.array(cells, dtype=np.intp)
        changes = np.array(changes, dtype=float, order="C")
        if cells.size and (
            changes.size != cells.size * self.q or (np.diff(cells) < 0).any()
            or cells.min() < 0 or cells.max() >= self.n_items
            or np.bincount(cells).max() > self.q
        ):
            raise DataError(
                f"The missing cells must be those of {self.n_items} items in ascending order, "
                f"each with {self.q} numbers, and at most {self.q} of one item."
            )
        first, n_gaps = np.zeros(self.n_items, dtype=np.intp), np.zeros(self.n_items, dtype=np.intc)
        self._incomplete, places, counts = np.unique(cells, return_index=True, return_counts=True)
        first[self._incomplete], n_gaps[self._incomplete] = places, counts
        self._gaps = changes, first, n_gaps
        self.change, self.first, self.n_gaps = doubles(changes), longs(first), ints(n_gaps)
        self.open_item = -1

    # ---- the blocks --------------------------------------------------------------------------

    def _make_room(self, Py_ssize_t capacity):
        """Allocate rows for `capacity` slots and one empty block, keeping what they hold."""
        n, q = capacity + 1, self.q
        self._size_array = resized(self._size_array, n, 0, np.intc)
        self._mass_array = resized(self._mass_array, n)
        self._log_det_array = resized(self._log_det_array, n)
        self._mean_array = resized(self._mean_array, (n, q))
        self._inverse_array = resized(self._inverse_array, (n, q))
        self._factor_array = resized(self._factor_array, (n, q, q))
        self._sum_array = resized(self._sum_array, (n, q))
        self._scatter_array = resized(self._scatter_array, (n, q, q))
        self.sizes, self.mass = ints(self._size_array), doubles(self._mass_array)
        self.log_det, self.mean = doubles(self._log_det_array), doubles(self._mean_array)
        self.inverse, self.factor = doubles(self._inverse_array), doubles(self._factor_array)
        self.centre, self.scatter = doubles(self._sum_array), doubles(self._scatter_array)
        self.capacity = capacity

    def assign(self, labels, Py_ssize_t capacity):
        """Rebuild the statistics from `labels`, with room for `capacity` slots."""
        labels = self._checked_labels(labels, capacity)
        self._make_room(capacity)
        self._label_array[:] = labels
        self._size_array[:] = np.bincount(labels, minlength=capacity + 1)
        self._sum_up()

    def grow(self, Py_ssize_t capacity):
        """Make room for `capacity` slots, keeping the statistics."""
        check_growth(self.capacity, capacity)
        self._make_room(capacity)
        with nogil:
            self.build(self.capacity)

    def begin(self, rng):
        """Rebuild the statistics, as rounding errors add up, and keep the generator for cells."""
        self.reserve()
        self._sum_up()
        self._generator, self.source, self.open_item = rng, source_of(rng), -1

    def _may_hold(self, Py_ssize_t item, Py_ssize_t slot):
        return self.labels[item] == slot

    def _table(self, double pull):
        """Return log multivariate gamma functions, without their constant, by size of a block."""
        if pull not in self._tables:
            half = gammaln((pull + 2 + np.arange(self.n_items + self.q + 2)) / 2)
            table = sum(half[j : j + self.n_items + 2] for j in range(self.q))
            self._tables[pull] = table, half
        return self._tables[pull][0]

    def _sum_up(self):
        """Rebuild everything from the labels, the weights and the hyperparameters."""
        cdef Py_ssize_t slot
        self.gamma = doubles(self._table(self.pull))
        self.half = doubles(self._tables[self.pull][1])
        self._constant_array[:] = 0.5 * self.q * (np.log(self._weight_array) - np.log(np.pi))
        with nogil:
            self.accumulate()
            for slot in range(self.capacity + 1):
                self.build(slot)

    cdef void accumulate(self) noexcept nogil:
        """Sum up weights, weighted means and scatter of all blocks."""
        cdef int q = self.q, j
        cdef Py_ssize_t item, slot
        cdef const double* x
        cdef double* d = self.work
        cdef double* matrix
        memset(self.mass, 0, (self.capacity + 1) * sizeof(double))
        memset(self.centre, 0, (self.capacity + 1) * q * sizeof(double))
        memset(self.scatter, 0, (self.capacity + 1) * q * q * sizeof(double))
        for item in range(self.n_items):
            slot = self.labels[item]
            self.mass[slot] += self.weight[item]
            take_multiple(self.centre + slot * q, self.point + item * q, -self.weight[item], q)
        for slot in range(self.capacity):
            if self.sizes[slot] > 0:
                for j in range(q):
                    self.centre[slot * q + j] /= self.mass[slot]
        for item in range(self.n_items):
            slot, x = self.labels[item], self.point + item * q
            matrix = self.scatter + slot * q * q
            for j in range(q):
                d[j] = x[j] - self.centre[slot * q + j]
            for j in range(q):
                take_multiple(matrix + j * q + j, d + j, -self.weight[item] * d[j], q - j)

    cdef void posterior(
        self, Py_ssize_t slot, double pull, double kappa, double* matrix
    ) noexcept nogil:
        """Write the posterior scatter of a block to the lower triangle of `matrix`."""
        cdef int q = self.q, j, i
        cdef const double* scatter = self.scatter + slot * q * q
        cdef const double* centre = self.centre + slot * q
        cdef double share = kappa * self.mass[slot] / (kappa + self.mass[slot])
        for j in range(q):
            for i in range(j, q):
                matrix[j * q + i] = (
                    pull * self.common[j * q + i] + scatter[j * q + i]
                    + share * centre[j] * centre[i]
                )

    cdef void build(self, Py_ssize_t slot) noexcept nogil:
        """Derive the posterior of a block from its sums."""
        cdef int q = self.q, j
        cdef double* factor = self.factor + slot * q * q
        self.posterior(slot, self.pull, self.kappa, factor)
        factorise(factor, self.inverse + slot * q, q)
        self.log_det[slot] = log_determinant(factor, q)
        for j in range(q):
            self.mean[slot * q + j] = (
                self.centre[slot * q + j] * self.mass[slot] / (self.kappa + self.mass[slot])
            )

    # ---- scores and moves ----------------------------------------------------------------------

    cdef double score_block(self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t slot) noexcept nogil:
        cdef int q = self.q, j
        cdef const double* x = self.point + item * q
        cdef const double* mean
        cdef double* d = self.work
        cdef double w = self.weight[item], degrees = q + 1 + self.pull, a, t
        cdef Py_ssize_t n
        if slot < 0 or self.sizes[slot] == 0 or (slot == own and self.sizes[slot] == 1):
            slot = self.capacity
        mean = self.mean + slot * q
        for j in range(q):
            d[j] = x[j] - mean[j]
        t = solve(self.factor + slot * q * q, self.inverse + slot * q, d, q)
        n = self.sizes[slot] if slot < self.capacity else 0
        a = self.kappa + self.mass[slot]
        if slot == own:
            # What the item adds to the scatter of its own block is known without taking it out.
            n -= 1
            a -= w
            t = min(t * w * (a + w) / a, 1.0 - 1e-14)
            t = 0.5 * (degrees + n) * log1p(-t)
        else:
            t = -0.5 * (degrees + n + 1) * log1p(t * a * w / (a + w))
        return (
            self.constant[item] + t + 0.5 * q * log(a / (a + w))
            + self.gamma[n + 1] - self.gamma[n] - 0.5 * self.log_det[slot]
        )

    cdef void leave(self, Py_ssize_t item, Py_ssize_t slot) noexcept nogil:
        """Take an item out of the statistics of its slot."""
        self.sizes[slot] -= 1
        if self.sizes[slot] > 0:
            self.shift(item, slot, -1.0)
        else:
            self.copy_empty(slot)

    cdef void join(self, Py_ssize_t item, Py_ssize_t slot) noexcept nogil:
        """Add an item to the statistics of a slot."""
        if self.sizes[slot] == 0:
            self.copy_empty(slot)
        self.sizes[slot] += 1
        self.shift(item, slot, 1.0)

    cdef void copy_empty(self, Py_ssize_t slot) noexcept nogil:
        cdef int q = self.q
        self.mass[slot], self.log_det[slot] = 0.0, self.log_det[self.capacity]
        memset(self.mean + slot * q, 0, q * sizeof(double))
        memcpy(self.inverse + slot * q, self.inverse + self.capacity * q, q * sizeof(double))
        memcpy(
            self.factor + slot * q * q, self.factor + self.capacity * q * q, q * q * sizeof(double)
        )

    cdef void shift(self, Py_ssize_t item, Py_ssize_t slot, double sign) noexcept nogil:
        """Add an item to the statistics of a slot, or take it out if the sign is negative."""
        cdef int q = self.q, j
        cdef const double* x = self.point + item * q
        cdef double* d = self.work
        cdef double* mean = self.mean + slot * q
        cdef double* factor = self.factor + slot * q * q
        cdef double w = self.weight[item]
        cdef double a = self.kappa + self.mass[slot]    # before it comes or goes
        cdef double after = a + sign * w
        cdef double size = sqrt(a * w / after)
        cdef double share = sign * w / after
        for j in range(q):
            d[j] = size * (x[j] - mean[j])
            mean[j] += share * (x[j] - mean[j])
        if sign > 0:
            add_square(factor, self.inverse + slot * q, d, q)
        else:
            take_square(factor, self.inverse + slot * q, d, q)
        self.mass[slot] += sign * w
        self.log_det[slot] = log_determinant(factor, q)

    # ---- missing cells, which only sweeps sum out, and draw anew if an item moves ---------------

    cdef void score(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t n_slots, double* out
    ) noexcept nogil:
        cdef Py_ssize_t k
        if self.n_gaps[item] == 0:
            SlotwiseLikelihood.score(self, item, own, n_slots, out)
            return
        self.leave(item, own)
        for k in range(n_slots):
            out[k] = self.score_gaps(item, k) if self.sizes[k] > 0 else 0.0
        out[n_slots] = self.score_gaps(item, self.capacity)
        self.join(item, own)
        self.open_item = item

    cdef void weigh_slots(
        self, Py_ssize_t item, Py_ssize_t own, const int* slots, Py_ssize_t n_slots, double* weight
    ) noexcept nogil:
        cdef Py_ssize_t j
        if self.n_gaps[item] == 0:
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

    cdef double fit_gaps(self, Py_ssize_t item, Py_ssize_t slot) noexcept nogil:
        """Fit the missing cells of an item to a slot without it; return the squared distance."""
        cdef int q = self.q, j, k
        cdef double* d = self.work
        cdef double* turned = d + 3 * q
        cdef const double* mean = self.mean + slot * q
        cdef const double* factor = self.factor + slot * q * q
        cdef double least
        for j in range(q):
            d[j] = self.point[item * q + j] - mean[j]
        least = solve(factor, self.inverse + slot * q, d, q)
        for k in range(self.n_gaps[item]):
            memcpy(turned + k * q, self.change + (self.first[item] + k) * q, q * sizeof(double))
            solve(factor, self.inverse + slot * q, turned + k * q, q)
        return max(least - self.fit_cells(self.n_gaps[item], 1.0), 0.0)

    cdef double fit_cells(self, int n, double w) noexcept nogil:
        """Fit `n` missing cells of weight `w`, and return what they take off a squared distance.

        The work holds the residuals and, at 3 q, how the cells change them, [cell][coordinate].
        Afterwards, it also holds, at 2 q, what is to be solved for the values of the cells and, at
        3 q + q^2, the factor of their precision, with one over its diagonal at q.
        """
        cdef int q = self.q, i, j, k
        cdef double* d = self.work
        cdef double* inverse = d + q
        cdef double* value = d + 2 * q
        cdef double* turned = d + 3 * q
        cdef double* matrix = turned + q * q
        for k in range(n):
            value[k] = 0.0
            for j in range(q):
                value[k] -= w * turned[k * q + j] * d[j]
            for i in range(k, n):
                matrix[k * n + i] = 0.0
                for j in range(q):
                    matrix[k * n + i] += w * turned[k * q + j] * turned[i * q + j]
        factorise(matrix, inverse, n)
        return solve(matrix, inverse, value, n)

    cdef double score_gaps(self, Py_ssize_t item, Py_ssize_t slot) noexcept nogil:
        """Return the log predictive of an item in a slot that it is not in, without its gaps."""
        cdef double least, share, a
        cdef Py_ssize_t size
        cdef int q = self.q, n = self.n_gaps[item]
        if slot < self.capacity and self.sizes[slot] == 0:
            slot = self.capacity
        least = self.fit_gaps(item, slot)
        size = self.sizes[slot] if slot < self.capacity else 0
        a = self.kappa + self.mass[slot]
        share = a * self.weight[item] / (a + self.weight[item])
        return (
            self.constant[item] + self.gamma[size + 1] - self.gamma[size]
            + self.half[q + size - n] - self.half[q + size]
            - 0.5 * (q + 2 + self.pull + size - n) * log1p(share * least)
            + 0.5 * q * log(a / (a + self.weight[item])) - 0.5 * n * log(share)
            - 0.5 * (self.log_det[slot] + log_determinant(self.work + 3 * q + q * q, n))
        )

    cdef void draw_gaps(self, Py_ssize_t item, Py_ssize_t slot) noexcept nogil:
        """Draw the missing cells of an item given the members of the slot that it goes to."""
        cdef double least, share, spread, a
        cdef int n = self.n_gaps[item], k
        if self.sizes[slot] == 0:
            self.copy_empty(slot)
        least = self.fit_gaps(item, slot)
        a = self.kappa + self.mass[slot]
        share = a * self.weight[item] / (a + self.weight[item])
        spread = random_standard_gamma(
            self.source, 0.5 * (self.q + 2 + self.pull + self.sizes[slot] - n)
        )
        spread = sqrt((1.0 + share * least) / (2.0 * share * spread))
        for k in range(n):
            self.work[2 * self.q + k] += spread * random_standard_normal(self.source)
        self.add_cells(item)

    cdef void add_cells(self, Py_ssize_t item) noexcept nogil:
        """Change a point by values of its missing cells, which are still to be solved for."""
        cdef int q = self.q, n = self.n_gaps[item], k
        cdef double* value = self.work + 2 * q
        solve_back(self.work + 3 * q + q * q, self.work + q, value, n)
        for k in range(n):
            take_multiple(
                self.point + item * q, self.change + (self.first[item] + k) * q, -value[k], q
            )

    cdef void draw_missing(self, bitgen_t* rng) noexcept nogil:
        """Draw the missing cells of each item given mean, precision and weight."""
        cdef int q = self.q, n, i, k
        cdef double* d = self.work
        cdef double* turned = self.work + 3 * q     # changes times the root of the precision
        cdef const double* root
        cdef const double* mean
        cdef const double* change
        cdef double* x
        cdef Py_ssize_t item
        for item in range(self.n_items):
            n, x = self.n_gaps[item], self.point + item * q
            if n == 0:
                continue
            change = self.change + self.first[item] * q
            root = self.factor + self.labels[item] * q * q
            mean = self.mean + self.labels[item] * q
            memset(d, 0, q * sizeof(double))
            memset(turned, 0, n * q * sizeof(double))
            for i in range(q):
                take_multiple(d, root + i * q, mean[i] - x[i], q)
                for k in range(n):
                    take_multiple(turned + k * q, root + i * q, -change[k * q + i], q)
            self.fit_cells(n, self.weight[item])
            for k in range(n):
                self.work[2 * q + k] += random_standard_normal(rng)
            self.add_cells(item)
