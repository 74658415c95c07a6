"""The prior with tables that follow the histogram of block sizes."""

import numpy as np

from libc.math cimport INFINITY, log

from reseat.checks import as_whole
from reseat.errors import DataError

from reseat.priors._prior cimport PartitionPrior


cdef class DirichletSizes(PartitionPrior):
    """Block sizes drawn from a law that has a Dirichlet prior and is integrated out, as in `NBD`.

    A new block has the weight ``h(K) (s_1 + L_1)``; a subclass returns the logs of the parameters
    ``s_m`` of the Dirichlet from `log_shapes`, and ``log h`` from `log_beside_blocks`.
    """

    # The few entries that a change affects are recomputed from the counts, so that rounding errors
    # do not accumulate.  In log_open, only the entry for the current number of blocks is kept.

    cdef object _arrays
    cdef Py_ssize_t n_blocks
    cdef long long* counts      # [m] number of blocks of size m
    cdef double* shape          # [m] Dirichlet parameter of size m
    cdef double* log_shape
    cdef double* log_now        # [m] log(shape + counts)
    cdef double* log_less       # [m] log(shape + counts - 1)
    cdef double* log_after      # [m] log(m + 1)
    cdef double* log_beside     # [K] the part of log_open that depends on the number of blocks

    def __cinit__(self, *args, **kwargs):
        self.tracks_sizes = True

    def prepare(self, n_items):
        """Make room for `n_items` items, and begin without any blocks."""
        self._hold(np.zeros(n_items + 2, dtype=np.int64))
        PartitionPrior.prepare(self, n_items)

    def enter(self, sizes):
        """Count the blocks of each size.

        Raises
        ------
        ValueError
            If the sizes are not whole numbers of at least 1, or do not add up to `n_items`.
        """
        sizes = as_whole(sizes, "The block sizes", 1)
        if np.sum(sizes) != self.n_items:
            raise ValueError(
                f"The blocks have {np.sum(sizes)} items, the prior was prepared for {self.n_items}."
            )
        self._hold(np.bincount(sizes, minlength=self.n_items + 2).astype(np.int64))
        self.tabulate()

    def check_entered(self, sizes):
        """Check the sizes of the blocks; see `PartitionPrior.check_entered`.

        Raises
        ------
        ValueError
            If they are not the sizes that were entered, as changed by every resize since.
        """
        if not np.array_equal(np.bincount(sizes, minlength=self.n_items + 2), self._arrays[0]):
            raise ValueError(
                f"{type(self).__name__} stands at other block sizes than the partition; call "
                "enter with the sizes of its blocks."
            )

    def resize(self, before, after):
        """Record that a block has gained or lost an item; see `PartitionPrior.resize`.

        Raises
        ------
        DataError
            If the sizes are out of range or do not differ by 1, or no such block is there.
        """
        if not (0 <= min(before, after) and max(before, after) <= self.n_items
                and abs(before - after) == 1
                and (self.n_blocks < self.n_items if before == 0 else self.counts[before] > 0)):
            raise DataError(f"No block of {before} items can become one of {after} items.")
        PartitionPrior.resize(self, before, after)

    def _hold(self, count_array):
        cdef long long[::1] counts = count_array
        self._arrays = [count_array]    # keeps the memory alive
        self.counts = &counts[0]
        self.n_blocks = count_array.sum()

    def tabulate(self):
        """Compute all entries of the tables from the counts."""
        cdef Py_ssize_t m
        n = np.arange(self.n_items + 2)
        log_shape = np.append(0.0, self.log_shapes(self.n_items + 1))
        log_beside = self.log_beside_blocks(n)
        cdef double[:, ::1] rows = np.array(
            [np.exp(log_shape), log_shape, 0 * log_shape, 0 * log_shape, np.log(n + 1), log_beside]
        )
        self._arrays[1:] = [rows]
        self.shape, self.log_shape = &rows[0, 0], &rows[1, 0]
        self.log_now, self.log_less = &rows[2, 0], &rows[3, 0]
        self.log_after, self.log_beside = &rows[4, 0], &rows[5, 0]
        for m in range(1, self.n_items + 2):
            self.log_now[m] = self.log_total(m, self.counts[m])
            self.log_less[m] = self.log_total(m, self.counts[m] - 1)
        self.set_tables(
            np.full(self.n_items + 1, -np.inf), log_beside[:self.n_items + 1] + self.log_now[1]
        )
        for m in range(1, self.n_items + 1):
            self.patch(m)

    cdef double log_total(self, Py_ssize_t m, long long n) noexcept nogil:
        if n > 0:
            return log(self.shape[m] + n)
        # The logarithm is stored too, because the parameter itself may underflow.
        return self.log_shape[m] if n == 0 else 0.0

    cdef void patch(self, Py_ssize_t m) noexcept nogil:
        if self.counts[m] > 0:
            self.log_join[m] = self.log_after[m] + self.log_now[m + 1] - self.log_less[m]
        else:
            self.log_join[m] = -INFINITY    # there is no block to join

    cdef void block_resized(self, Py_ssize_t before, Py_ssize_t after) noexcept nogil:
        # When a count changes by one, one of its two logarithms becomes the other, so that only
        # one has to be computed.
        if before > 0:
            self.counts[before] -= 1
            self.log_now[before] = self.log_less[before]
            self.log_less[before] = self.log_total(before, self.counts[before] - 1)
            self.patch(before)
            if before > 1:
                self.patch(before - 1)
        else:
            self.n_blocks += 1
        if after > 0:
            self.counts[after] += 1
            self.log_less[after] = self.log_now[after]
            self.log_now[after] = self.log_total(after, self.counts[after])
            self.patch(after)
            if after > 1:
                self.patch(after - 1)
        else:
            self.n_blocks -= 1
        self.log_open[self.n_blocks] = self.log_beside[self.n_blocks] + self.log_now[1]
