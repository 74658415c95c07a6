"""The common base of the two likelihoods of publications."""

import numpy as np

from libc.math cimport INFINITY, log, sqrt
from libc.string cimport memcpy, memset
from numpy.random cimport bitgen_t
from numpy.random.c_distributions cimport random_standard_normal

from reseat.checks import as_labels, as_parameters, check_growth, check_positive
from reseat.errors import ConfigError
from reseat.generators cimport NEGLIGIBLE, source_of
from reseat.likelihoods._likelihood import resized
from reseat.likelihoods._pointers cimport doubles, ints
from reseat.likelihoods._residuals cimport distance
from reseat.likelihoods.references import TYPE, GaussianReferences
from reseat.numerics import product

cdef double LOG_TWO_PI = 1.8378770664093453


cdef class MeanBlocks(SlotwiseLikelihood):
    """Posterior sums, and means drawn from them; all items start with one type of precision 1."""

    def __init__(self, data, sigma=1.0):
        if not isinstance(data, GaussianReferences):
            data = GaussianReferences(data)
        self.sigma = check_positive("sigma", sigma, ", as the variance of means")
        self.data, self.n_items = data, data.n_items
        self.n_features, self.n_coordinates = data.n_features, data.n_coordinates
        self._held = data.coordinates, data.starts     # keeps the memory alive
        self.point, self.starts = doubles(data.coordinates), ints(data.starts)
        self._base_array = np.full(self.n_features, 1 / self.sigma)
        self.base = doubles(self._base_array)
        self._make_room(0)
        self._give(np.zeros(self.n_items, dtype=np.intc), np.ones((1, self.n_features)))

    def condition(self, others):
        """Take in the types of the items and their precisions; call `assign` afterwards."""
        if TYPE not in others:
            raise ConfigError(f"The means need the part {TYPE!r}, but there is {sorted(others)}.")
        types = others[TYPE]
        self._give(types.partition.label_array, types.likelihood.precisions)

    def check_types(self, labels):
        """Raise ValueError unless these are the types that were last taken in.

        Parameters
        ----------
        labels : ndarray of int, shape (n_items,)
        """
        if not np.array_equal(self._given[0], labels):
            raise ValueError(
                f"{type(self).__name__} has not taken in these types; call condition, then assign."
            )

    def _give(self, labels, precisions):
        precisions = np.ascontiguousarray(precisions, dtype=float)
        scale = product(np.log(precisions), self.data.widths)
        scale = (scale - self.n_coordinates * LOG_TWO_PI) / 2
        type_of = as_labels(labels, self.n_items, len(precisions)).copy()
        variance = 1 / precisions
        self._given = type_of, precisions, variance, scale      # keeps the memory alive
        self.type_of, self.precision = ints(type_of), doubles(precisions)
        self.variance, self.log_scale = doubles(variance), doubles(scale)

    def _make_room(self, Py_ssize_t capacity):
        """Allocate rows for `capacity` slots and one empty block, keeping what they hold."""
        n, F, D = capacity + 1, self.n_features, self.n_coordinates
        self._mass_array = resized(self._mass_array, (n, F), self._base_array)
        self._pull_array = resized(self._pull_array, (n, D))
        self._centre_array = resized(self._centre_array, (n, D))
        self._spread_array = resized(self._spread_array, (n, F), self.sigma)
        self._mean_array = resized(self._mean_array, (n, D))
        self._size_array = resized(self._size_array, n, 0, np.intc)
        self.mass, self.pull = doubles(self._mass_array), doubles(self._pull_array)
        self.centre, self.spread = doubles(self._centre_array), doubles(self._spread_array)
        self.mean, self.sizes = doubles(self._mean_array), ints(self._size_array)
        self.capacity = capacity

    def assign(self, labels, Py_ssize_t capacity):
        """Rebuild the sums from `labels`, shape (n_items,); the means stay in their slots."""
        labels = self._checked_labels(labels, capacity)
        self._count(labels, capacity)
        self.sum_up(labels)

    def _count(self, labels, Py_ssize_t capacity):
        if capacity != self.capacity:
            self._make_room(capacity)
        self._size_array[:] = np.bincount(labels, minlength=capacity + 1)

    def grow(self, Py_ssize_t capacity):
        """Make room for `capacity` slots, keeping the statistics."""
        check_growth(self.capacity, capacity)
        self._make_room(capacity)

    def sum_up(self, labels):
        """Rebuild the sums over the items of each block, from which its mean is drawn.

        Parameters
        ----------
        labels : array_like of int, shape (n_items,)
            The labels last given to `assign`, with the moves made since.
        """
        cdef const int[::1] label = as_labels(labels, self.n_items, self.capacity)
        cdef Py_ssize_t item, slot
        self._mass_array[:] = self._base_array
        self._pull_array[:] = 0.0
        with nogil:
            for item in range(self.n_items):
                self._add(item, label[item], 1.0)
            for slot in range(self.capacity):
                if self.sizes[slot] > 0:
                    self._derive(slot)

    cdef const double* middle(self, Py_ssize_t slot) noexcept nogil:
        """Return the point where the density of items in a slot that is not theirs is greatest."""
        return self.mean + slot * self.n_coordinates

    cdef const double* weights_of(self, int kind, Py_ssize_t slot, double* log_top) noexcept nogil:
        """Return the precisions of a type, and set `log_top`, around the middle of a slot."""
        log_top[0] = self.log_scale[kind]
        return self.precision + kind * self.n_features

    cdef void weigh_slots(
        self, Py_ssize_t item, Py_ssize_t own, const int* slots, Py_ssize_t n_slots,
        double* weight
    ) noexcept nogil:
        cdef const double* weights
        cdef double best, log_top, limit
        cdef Py_ssize_t j
        cdef bint alone = self.sizes[own] == 1
        if alone:
            weight[n_slots] += self.score_new(item, own, -INFINITY)
        best = weight[n_slots] if alone else -INFINITY
        # The item's own block first: few others come near its weight, so most of them stop early.
        for j in range(n_slots):
            if slots[j] == own:
                weight[j] += self.score_block(item, own, own)
                best = max(best, weight[j])
        for j in range(n_slots):
            if slots[j] != own:
                weights = self.weights_of(self.type_of[item], slots[j], &log_top)
                limit = 2 * (weight[j] + log_top - NEGLIGIBLE - best)
                if limit < 0.0:
                    weight[j] = -INFINITY
                    continue
                weight[j] += log_top - 0.5 * distance(
                    self.point + item * self.n_coordinates, self.middle(slots[j]), weights,
                    self.starts, self.n_features, self.n_coordinates, limit,
                )
                best = max(best, weight[j])
        # A new block last, because it is rarely chosen and can take the most work.
        if not alone:
            weight[n_slots] += self.score_new(item, own, best + NEGLIGIBLE - weight[n_slots])

    cdef double score_new(self, Py_ssize_t item, Py_ssize_t own, double floor) noexcept nogil:
        """Return the log predictive in a new block; it may be -INFINITY if it is below `floor`."""
        return self.score_block(item, own, -1)

    cdef void take_out(self, Py_ssize_t item, Py_ssize_t own) noexcept nogil:
        """Prepare to score the own block of an item as if the item had been removed."""
        pass

    cdef double score_typed(
        self, Py_ssize_t item, Py_ssize_t own, int kind, Py_ssize_t slot, double limit
    ) noexcept nogil:
        """Return the log predictive of an item in a slot as if it were of the type `kind`.

        Call `take_out` first.  The result is -INFINITY if the squared residuals exceed the limit.
        """
        return -INFINITY

    cdef void retype(self, Py_ssize_t item, Py_ssize_t slot, int kind) noexcept nogil:
        """Change the type of an item to `kind`, leaving it in its slot."""
        self.type_of[item] = kind

    cdef void _clear(self, Py_ssize_t slot) noexcept nogil:
        """Reset the sums of a slot to those of an empty block."""
        memcpy(self.mass + slot * self.n_features, self.base, self.n_features * sizeof(double))
        memset(self.pull + slot * self.n_coordinates, 0, self.n_coordinates * sizeof(double))

    cdef void _add(self, Py_ssize_t item, Py_ssize_t slot, double sign) noexcept nogil:
        cdef const double* x = self.point + item * self.n_coordinates
        cdef const double* t = self._precision_of(item)
        cdef double* mass = self.mass + slot * self.n_features
        cdef double* pull = self.pull + slot * self.n_coordinates
        cdef double weight
        cdef int f, d
        if self.n_features == self.n_coordinates:   # one loop, which compilers can vectorise
            for f in range(self.n_features):
                mass[f] += sign * t[f]
                pull[f] += sign * t[f] * x[f]
            return
        for f in range(self.n_features):
            weight = sign * t[f]
            mass[f] += weight
            for d in range(self.starts[f], self.starts[f + 1]):
                pull[d] += weight * x[d]

    cdef void _derive(self, Py_ssize_t slot) noexcept nogil:
        cdef const double* mass = self.mass + slot * self.n_features
        cdef const double* pull = self.pull + slot * self.n_coordinates
        cdef double* centre = self.centre + slot * self.n_coordinates
        cdef double* spread = self.spread + slot * self.n_features
        cdef int f, d
        if self.n_features == self.n_coordinates:
            for f in range(self.n_features):
                spread[f] = 1 / mass[f]
                centre[f] = pull[f] * spread[f]
            return
        for f in range(self.n_features):
            spread[f] = 1 / mass[f]
            for d in range(self.starts[f], self.starts[f + 1]):
                centre[d] = pull[d] * spread[f]

    cdef void _draw(self, Py_ssize_t slot, double* mean, bitgen_t* rng) noexcept nogil:
        """Draw a mean from its posterior given the items of a slot, for fixed precisions."""
        cdef const double* centre = self.centre + slot * self.n_coordinates
        cdef const double* spread = self.spread + slot * self.n_features
        cdef double sd
        cdef int f, d
        for f in range(self.n_features):
            sd = sqrt(spread[f])
            for d in range(self.starts[f], self.starts[f + 1]):
                mean[d] = centre[d] + sd * random_standard_normal(rng)

    def integrated(self):
        """Return a likelihood of the same blocks whose means are integrated out."""
        return self

    cdef void leave_out(
        self, MeanBlocks sums, Py_ssize_t item, const Py_ssize_t* lost
    ) noexcept nogil:
        """Choose the prior precisions of `sums` for a move that redraws the means of two slots."""
        pass

    cdef double redraw(
        self, MeanBlocks sums, Py_ssize_t item, const Py_ssize_t* lost, const Py_ssize_t* gained,
        bitgen_t* rng,
    ) noexcept nogil:
        """Draw new means for two slots `gained` from their posterior given `sums`.

        Return the log ratio of the densities of the precisions with these means and with those of
        the slots `lost`, corrected for the priors of `sums`; a slot of -1 stands for none.  All
        slots are of the group of `item`.  Nothing is drawn if no means are held.
        """
        return 0.0

    cdef void take_drawn(
        self, Py_ssize_t item, const Py_ssize_t* lost, const Py_ssize_t* gained
    ) noexcept nogil:
        """Hold the means that `redraw` has drawn."""
        pass

    def draw_means(self, rng):
        """Draw the mean of every block as if the law of the precisions did not depend on the means.

        Parameters
        ----------
        rng : numpy.random.Generator

        References
        ----------
        Daume and Marcu (2005), Figure 2, first step.
        """
        cdef bitgen_t* source = source_of(rng)
        cdef Py_ssize_t slot
        with rng.bit_generator.lock, nogil:
            for slot in range(self.capacity):
                if self.sizes[slot] > 0:
                    self._draw(slot, self.mean + slot * self.n_coordinates, source)

    def log_integrated(self):
        """Return the log density of all references given both partitions and the precisions.

        The means are integrated out as if the law of the precisions did not depend on them.  The
        sums must be up to date (`sum_up`).
        """
        cdef double total = 0.0, left
        cdef const double* t
        cdef Py_ssize_t item, slot
        cdef int f, d, width
        with nogil:
            for item in range(self.n_items):
                t = self._precision_of(item)
                total += self.log_scale[self.type_of[item]]
                for f in range(self.n_features):
                    for d in range(self.starts[f], self.starts[f + 1]):
                        total -= t[f] * self.point[item * self.n_coordinates + d] ** 2 / 2
            for slot in range(self.capacity):
                if self.sizes[slot] == 0:
                    continue
                for f in range(self.n_features):
                    width = self.starts[f + 1] - self.starts[f]
                    left = 0.0
                    for d in range(self.starts[f], self.starts[f + 1]):
                        left += self.pull[slot * self.n_coordinates + d] ** 2
                    left *= self.spread[slot * self.n_features + f]
                    left -= width * log(self.sigma * self.mass[slot * self.n_features + f])
                    total += left / 2
        return total

    @property
    def means(self):
        """Mean of each slot as last drawn, shape (capacity, n_coordinates): a copy.

        Means that are set must be finite, and `assign` must be called afterwards.
        """
        return self._mean_array[: self.capacity].copy()

    @means.setter
    def means(self, means):
        shape = self.capacity, self.n_coordinates
        self._mean_array[: self.capacity] = as_parameters(means, "means", shape)

    @property
    def parameters(self):
        return {"means": self.means}

    def restore_parameters(self, parameters):
        """Set the means to saved values; call `assign` afterwards."""
        means = np.asarray(parameters["means"], dtype=float)
        self._make_room(len(means))
        self._mean_array[: len(means)] = means

    def log_parameters(self):
        """Return the log density of the means of the blocks under their prior."""
        means = self._mean_array[self._size_array > 0]
        return float(
            -(means**2).sum() / (2 * self.sigma)
            - means.size * np.log(2 * np.pi * self.sigma) / 2
        )
