"""Lists of the items in each block, for likelihoods and moves that visit the members."""

import numpy as np

from reseat.checks import as_labels, check_growth
from reseat.errors import DataError


cdef class Members:
    """The items of each block, as linked lists; no result may depend on the order in a list."""

    def __init__(self, labels, Py_ssize_t capacity):
        cdef int[::1] label = as_labels(labels, None, capacity)
        cdef int[::1] next_view, previous_view
        cdef Py_ssize_t item, first
        self._next_array = np.empty(label.shape[0], dtype=np.intc)
        self._previous_array = np.empty(label.shape[0], dtype=np.intc)
        next_view, previous_view = self._next_array, self._previous_array
        self.next, self.previous = &next_view[0], &previous_view[0]
        self._make_room(np.full(capacity, -1, dtype=np.intc))
        for item in range(label.shape[0] - 1, -1, -1):
            first = self.head[label[item]]
            self.previous[item] = -1
            self.next[item] = <int>first
            if first >= 0:
                self.previous[first] = <int>item
            self.head[label[item]] = <int>item

    def _make_room(self, heads):
        cdef int[::1] head = heads
        self._head_array = heads
        self.capacity = heads.size
        self.head = &head[0]

    def grow(self, Py_ssize_t capacity):
        """Make room for `capacity` slots."""
        check_growth(self.capacity, capacity)
        added = np.full(capacity - self.capacity, -1, dtype=np.intc)
        self._make_room(np.concatenate([self._head_array, added]))

    def of(self, Py_ssize_t slot):
        """Return the items of a slot in ascending order."""
        if not 0 <= slot < self.capacity:
            raise DataError(f"There is no slot {slot}; they run from 0 to {self.capacity - 1}.")
        items = []
        cdef Py_ssize_t item = self.head[slot]
        while item >= 0:
            items.append(item)
            item = self.next[item]
        return sorted(items)
