"""Blocks of records: lists of their members, and tables of counts for the few that are large."""

import numpy as np

from libc.math cimport INFINITY
from libc.stdlib cimport calloc, free, realloc

from reseat.checks import as_whole, check_growth
from reseat.errors import DataError

from reseat.likelihoods._likelihood cimport Likelihood
from reseat.likelihoods._pointers cimport ints
from reseat.likelihoods._record_index cimport RecordIndex
from reseat.members cimport Members
from reseat.prefetch cimport prefetch

cdef enum:
    LARGE = 48      # a block of more records gets a table of counts …
    SMALL = 24      # … until it has fewer than this


cdef void forget(RecordBlocks blocks):
    # A function, as an object whose construction failed has no method table when deallocated.
    cdef Py_ssize_t slot
    if blocks.counts != NULL:
        for slot in range(blocks.capacity):
            free(blocks.counts[slot])
        free(blocks.counts)
        blocks.counts = NULL


cdef class RecordBlocks(Likelihood):
    """Base class of the likelihoods of categorical records."""

    def __init__(self, records, hyperprior=None):
        self.index = records if isinstance(records, RecordIndex) else RecordIndex(records)
        self.n_items, self.hyperprior = self.index.n_items, hyperprior
        self._match_array = np.zeros(2 * self.index.n_fields, dtype=np.intc)
        self.match = ints(self._match_array)

    def __dealloc__(self):
        forget(self)

    def keep_apart(self, groups):
        """Give every block with two records of one group the probability 0.

        The partition at which a chain starts must not have such a block.

        Parameters
        ----------
        groups : array_like of int, shape (n_items,)
            Group of each record, from 0, such as the file that it is from; -1 for a record that
            may be with any other.

        Raises
        ------
        DataError
            If there is not one whole number of at least -1 for each record.
        """
        groups = as_whole(groups, "The groups", -1, dtype=np.intc).copy()
        if groups.shape != (self.n_items,):
            raise DataError(f"{groups.size} groups are given for {self.n_items} records.")
        self._apart_array, self.apart = groups, ints(groups)

    def assign(self, labels, capacity):
        """Rebuild the statistics from `labels`, shape (n_items,), for `capacity` slots."""
        cdef Py_ssize_t slot
        labels = self._checked_labels(labels, capacity)
        forget(self)
        self.changed = True
        self.members = Members(labels, capacity)
        self._hold(np.bincount(labels, minlength=capacity).astype(np.intc))
        self.counts = <int**> calloc(capacity, sizeof(int*))
        if self.counts == NULL:
            raise MemoryError
        for slot in range(capacity):
            if self.sizes[slot] > LARGE:
                self._count_up(slot)

    def grow(self, capacity):
        """Make room for `capacity` slots, keeping the statistics."""
        cdef Py_ssize_t slot
        cdef int** counts
        check_growth(self.capacity, capacity)
        counts = <int**> realloc(self.counts, capacity * sizeof(int*))
        if counts == NULL:
            raise MemoryError
        self.counts = counts
        for slot in range(self.capacity, capacity):
            counts[slot] = NULL
        self.members.grow(capacity)
        self._hold(np.pad(self._size_array, (0, capacity - self.capacity)))

    def _hold(self, sizes):
        self._size_array, self.sizes, self.capacity = sizes, ints(sizes), len(sizes)

    def log_hyperprior(self):
        """Return the log density of the hyperparameters, or 0 if they are not sampled."""
        if self.hyperprior is None:
            return 0.0
        return sum(map(self.hyperprior.log_density, self.hyperparameters.values()))

    def _may_hold(self, Py_ssize_t item, Py_ssize_t slot):
        cdef Py_ssize_t other = self.members.head[slot]
        while other >= 0 and other != item:
            other = self.members.next[other]
        return other == item

    cdef void _count_up(self, Py_ssize_t slot) noexcept nogil:
        """Give a block a table of counts, or none if there is no memory for it."""
        cdef Py_ssize_t item = self.members.head[slot]
        cdef int* counts = <int*> calloc(self.index.n_levels + self.index.n_fields, sizeof(int))
        self.counts[slot] = counts
        while counts != NULL and item >= 0:
            self._count(item, counts, 1)
            item = self.members.next[item]

    cdef void _count(self, Py_ssize_t item, int* counts, int sign) noexcept nogil:
        """Add a record to a table of counts, or subtract it."""
        cdef int* row = self.index.codes + item * self.index.n_fields
        cdef Py_ssize_t field
        for field in range(self.index.n_fields):
            if row[field] >= 0:
                counts[row[field]] += sign
                counts[self.index.n_levels + field] += sign

    cdef void count_matches(self, Py_ssize_t item, bint inside, Py_ssize_t slot) noexcept nogil:
        """Write to `match` and `known`, by field, how many others agree and have a value."""
        cdef Py_ssize_t n_fields = self.index.n_fields
        cdef Py_ssize_t field, other
        cdef int* row = self.index.codes + item * n_fields
        cdef int* theirs
        cdef int* match = self.match
        cdef int* known = match + n_fields
        cdef int* counts = self.counts[slot]
        cdef int n = self.sizes[slot] - inside
        if counts != NULL:
            for field in range(n_fields):
                match[field] = counts[row[field]] - inside if row[field] >= 0 else 0
                known[field] = counts[self.index.n_levels + field] - inside
            return
        for field in range(n_fields):
            match[field] = 0
            known[field] = n
        other = self.members.head[slot]
        while other >= 0:
            if other != item:
                theirs = self.index.codes + other * n_fields
                for field in range(n_fields):
                    match[field] += theirs[field] == row[field]
                if self.index.has_missing:
                    for field in range(n_fields):
                        known[field] -= theirs[field] < 0
            other = self.members.next[other]

    cdef double predictive(self, Py_ssize_t item, bint inside, Py_ssize_t slot) noexcept nogil:
        """Return the log predictive of `item` in a block with others; `inside` if it is in it."""
        return 0.0

    cdef bint barred(self, Py_ssize_t item, Py_ssize_t slot) noexcept nogil:
        """Return whether a block has another record of the group of `item`."""
        cdef Py_ssize_t other
        if self.apart == NULL or self.apart[item] < 0:
            return False
        other = self.members.head[slot]
        while other >= 0 and (other == item or self.apart[other] != self.apart[item]):
            other = self.members.next[other]
        return other >= 0

    cdef void score(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t n_slots, double* out
    ) noexcept nogil:
        cdef Py_ssize_t slot
        for slot in range(n_slots):
            if self.sizes[slot] == (slot == own):
                out[slot] = 0.0
            elif self.barred(item, slot):
                out[slot] = -INFINITY
            else:
                out[slot] = self.predictive(item, slot == own, slot)
        out[n_slots] = self.index.empty[item]

    cdef double score_block(self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t slot) noexcept nogil:
        if slot < 0 or self.sizes[slot] == (slot == own):
            return self.index.empty[item]
        return -INFINITY if self.barred(item, slot) else self.predictive(item, slot == own, slot)

    cdef void prefetch_item(self, Py_ssize_t item) noexcept nogil:
        cdef int* row = self.index.codes + item * self.index.n_fields
        prefetch(row)
        prefetch(row + self.index.n_fields - 1)
        prefetch(self.index.empty + item)

    cdef void move(self, Py_ssize_t item, Py_ssize_t source, Py_ssize_t target) noexcept nogil:
        self.changed = True
        self.members.move(item, source, target)
        self.sizes[source] -= 1
        self.sizes[target] += 1
        if self.counts[source] != NULL:
            self._count(item, self.counts[source], -1)
            if self.sizes[source] < SMALL:
                free(self.counts[source])
                self.counts[source] = NULL
        if self.counts[target] != NULL:
            self._count(item, self.counts[target], 1)
        elif self.sizes[target] > LARGE:
            self._count_up(target)
