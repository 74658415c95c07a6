"""Sums of the links of each entity over the blocks of the other type."""

import numpy as np

from reseat.checks import as_labels


cdef class LinkSums:
    """Immutable sums of the cells of each item over the blocks of the other type.

    `blank`: number of non-links of a pair without a cell.
    """

    def __init__(self, side, labels, Py_ssize_t n_others, long long blank=1):
        cdef const int[::1] label = as_labels(labels, n_others)
        cdef const long long[::1] first = side.starts
        cdef const int[::1] other = side.others, links = side.counts
        cdef const int[::1] missed = side.missed
        cdef Py_ssize_t n_items = first.shape[0] - 1, n_cells = other.shape[0]
        cdef Py_ssize_t item, j, b, n = 0
        sizes = blank * np.bincount(label).astype(np.int64)
        self.n_blocks = sizes.size
        cdef const long long[::1] size = sizes
        cdef long long[::1] starts = np.zeros(n_items + 1, dtype=np.int64)
        # One element more than needed, so that there is always one to point at.
        cdef int[::1] block = np.empty(n_cells + 1, dtype=np.intc)
        cdef long long[::1] count = np.empty(n_cells + 1, dtype=np.int64)
        cdef long long[::1] known = np.empty(n_cells + 1, dtype=np.int64)
        cdef long long[:, ::1] sums = np.zeros((self.n_blocks, 3), dtype=np.int64)
        with nogil:
            for item in range(n_items):
                for j in range(first[item], first[item + 1]):
                    b = label[other[j]]
                    sums[b, 0] += links[j]
                    sums[b, 1] += blank - missed[j]
                    sums[b, 2] = 1
                for b in range(self.n_blocks):
                    if sums[b, 2] > 0:
                        block[n], count[n], known[n] = <int>b, sums[b, 0], sums[b, 1]
                        sums[b, 0] = sums[b, 1] = sums[b, 2] = 0
                        n += 1
                starts[item + 1] = n
        self._arrays = size, starts, block, count, known
        self.size, self.starts, self.block = &size[0], &starts[0], &block[0]
        self.count, self.known = &count[0], &known[0]
