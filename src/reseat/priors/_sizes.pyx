"""Gibbs sampling from a partition prior that keeps only the histogram of block sizes."""

import numpy as np

from libc.math cimport INFINITY, exp
from numpy.random cimport bitgen_t

from reseat.checks import as_whole

from reseat.generators cimport source_of
from reseat.priors._prior cimport PartitionPrior


cdef class SizeHistogram:
    """The number of blocks of each size, and the sizes that occur."""

    cdef object _arrays
    cdef readonly Py_ssize_t n_items, n_blocks
    cdef Py_ssize_t n_present
    cdef long long* counts      # [m] number of blocks of size m
    cdef Py_ssize_t* present    # [place] sizes that occur, in no particular order
    cdef Py_ssize_t* place      # [m] place of size m among them
    cdef double* weight         # [place] weight of all blocks of that size

    def __init__(self, sizes):
        sizes = as_whole(sizes, "The block sizes", 1)
        cdef Py_ssize_t room = sizes.sum() + 1, m
        cdef long long[::1] counts = np.bincount(sizes, minlength=room).astype(np.int64)
        cdef Py_ssize_t[:, ::1] places = np.empty((2, room), dtype=np.intp)
        cdef double[::1] weights = np.empty(room)
        self._arrays = [counts, places, weights]    # keeps the memory alive
        self.counts = &counts[0]
        self.present, self.place = &places[0, 0], &places[1, 0]
        self.weight = &weights[0]
        self.n_items, self.n_blocks, self.n_present = room - 1, sizes.size, 0
        for m in range(1, room):
            if self.counts[m] > 0:
                self.enlist(m)

    @property
    def sizes(self):
        """Sizes of the blocks in increasing order, shape (n_blocks,)."""
        counts = np.asarray(self._arrays[0])
        return np.repeat(np.arange(counts.size), counts)

    cdef void enlist(self, Py_ssize_t m) noexcept nogil:
        self.present[self.n_present] = m
        self.place[m] = self.n_present
        self.n_present += 1

    cdef void resize(self, Py_ssize_t before, Py_ssize_t after) noexcept nogil:
        cdef Py_ssize_t last
        if before > 0:
            self.counts[before] -= 1
            if self.counts[before] == 0:
                self.n_present -= 1
                last = self.present[self.n_present]
                self.present[self.place[before]] = last
                self.place[last] = self.place[before]
        else:
            self.n_blocks += 1
        if after > 0:
            self.counts[after] += 1
            if self.counts[after] == 1:
                self.enlist(after)
        else:
            self.n_blocks -= 1

    cdef Py_ssize_t draw_source(self, bitgen_t* rng) noexcept nogil:
        """Draw an item uniformly, and return the size of its block."""
        cdef long long item = <long long> (rng.next_double(rng.state) * self.n_items)
        cdef Py_ssize_t j
        for j in range(self.n_present):
            item -= self.present[j] * self.counts[self.present[j]]
            if item < 0:
                return self.present[j]
        return self.present[self.n_present - 1]

    cdef Py_ssize_t draw_target(self, PartitionPrior prior, bitgen_t* rng) noexcept nogil:
        """Draw the size of the block that an item joins, or 0 for a new block."""
        cdef double log_open = prior.log_open[self.n_blocks]
        cdef double best = log_open, total, u
        cdef Py_ssize_t j, m
        for j in range(self.n_present):
            if prior.log_join[self.present[j]] > best:
                best = prior.log_join[self.present[j]]
        total = exp(log_open - best)
        for j in range(self.n_present):
            m = self.present[j]
            self.weight[j] = self.counts[m] * exp(prior.log_join[m] - best)
            total += self.weight[j]
        u = rng.next_double(rng.state) * total
        for j in range(self.n_present):
            u -= self.weight[j]
            if u < 0.0:
                return self.present[j]
        # Rounding may leave a rest of `u`, also where there can be no further block.
        return 0 if log_open > -INFINITY else self.present[self.n_present - 1]

    cdef void reseat(self, PartitionPrior prior, Py_ssize_t n_steps, bitgen_t* rng) noexcept nogil:
        cdef bint tracks = prior.tracks_sizes
        cdef Py_ssize_t _step, m
        for _step in range(n_steps):
            m = self.draw_source(rng)
            self.resize(m, m - 1)
            if tracks:
                prior.block_resized(m, m - 1)
            m = self.draw_target(prior, rng)
            self.resize(m, m + 1)
            if tracks:
                prior.block_resized(m, m + 1)

    def sweep(self, PartitionPrior prior not None, rng):
        """Reseat `n_items` items drawn at random, by the prior that was prepared for the sizes."""
        cdef bitgen_t* source = source_of(rng)
        if prior.n_items != self.n_items:
            raise ValueError(
                f"There are {self.n_items} items, but the prior was prepared for {prior.n_items}."
            )
        prior.check_entered(self.sizes)
        with rng.bit_generator.lock, nogil:
            self.reseat(prior, self.n_items, source)
