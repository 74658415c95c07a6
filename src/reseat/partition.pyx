"""The partition, which is the state that every move changes."""

import numpy as np

from reseat.checks import as_labels, as_whole, check_whole
from reseat.errors import DataError

from reseat.stamps cimport stamp_of


cdef class Partition:
    """A partition of items into blocks, each of which keeps its slot while it is not empty.

    `capacity` is the number of slots to make room for, by default as many as the labels need.
    """

    def __init__(self, labels, capacity=None, max_capacity=None):
        cdef Py_ssize_t item
        labels = as_labels(labels).copy()
        needed = int(labels.max()) + 1
        capacity = needed if capacity is None else max(check_whole("capacity", capacity), needed)
        if max_capacity is not None:
            max_capacity = check_whole("max_capacity", max_capacity, 1)
            if needed > max_capacity:
                raise DataError(
                    f"Label {needed - 1} is beyond the {max_capacity} blocks of the prior; "
                    "use labels below that number."
                )
            capacity = min(capacity, max_capacity)
        self.max_capacity = max_capacity
        self.n_items = labels.size
        self.capacity = capacity
        self._label_array = labels
        try:
            self._size_array = np.bincount(labels, minlength=capacity).astype(np.intc)
            self._free_array = np.empty(capacity, dtype=np.intc)
        except MemoryError:
            raise DataError(
                f"There is no memory for {capacity} slots; number the blocks from 0 without gaps."
            ) from None
        free = np.flip(np.flatnonzero(self._size_array == 0))
        self._free_array[: free.size] = free
        self.n_free = free.size
        self.n_blocks = capacity - free.size
        self.n_slots = needed
        self._point()
        for item in range(self.n_items):
            self.stamp += stamp_of(item, self.labels[item])

    cdef void _point(self):
        cdef int[::1] labels = self._label_array
        cdef int[::1] sizes = self._size_array
        cdef int[::1] free = self._free_array
        self.labels = &labels[0]
        self.sizes = &sizes[0]
        self.free = &free[0]
        self.bounded = self.max_capacity is not None and self.capacity >= self.max_capacity

    cdef void reseat(self, Py_ssize_t item, Py_ssize_t target) noexcept nogil:
        """Move `item` to slot `target`, which must be `next_free()` if it is free."""
        cdef Py_ssize_t source = self.labels[item]
        if source == target:
            return
        if self.sizes[target] == 0:
            self.n_free -= 1
            self.n_blocks += 1
            if target >= self.n_slots:
                self.n_slots = target + 1
        self.sizes[target] += 1
        self.sizes[source] -= 1
        self.labels[item] = <int>target
        self.stamp += stamp_of(item, target) - stamp_of(item, source)
        if self.sizes[source] == 0:
            self.free[self.n_free] = <int>source
            self.n_free += 1
            self.n_blocks -= 1
            while self.n_slots > 0 and self.sizes[self.n_slots - 1] == 0:
                self.n_slots -= 1

    def grow(self, capacity=None):
        """Make room for `capacity` slots, by default for about twice as many as now."""
        if capacity is None:
            capacity = max(2 * self.capacity, 8)
            if self.max_capacity is not None:
                capacity = min(capacity, self.max_capacity)
            capacity = min(capacity, max(self.n_items + 1, self.capacity + 1))
        capacity = check_whole("capacity", capacity)
        bound = capacity if self.max_capacity is None else self.max_capacity
        if not self.capacity < capacity <= bound:
            raise ValueError(f"Cannot grow from {self.capacity} to {capacity} slots.")
        added = capacity - self.capacity
        self._size_array = np.concatenate([self._size_array, np.zeros(added, dtype=np.intc)])
        # New slots go to the bottom of the stack of free slots, so that low slots are used first.
        fresh = np.arange(capacity - 1, self.capacity - 1, -1, dtype=np.intc)
        stack = np.concatenate([fresh, self._free_array[: self.n_free]])
        self._free_array = np.empty(capacity, dtype=np.intc)
        self._free_array[: stack.size] = stack
        self.n_free = stack.size
        self.capacity = capacity
        self._point()

    @property
    def label_array(self):
        """Slot of each item: a copy, int32, shape (n_items,)."""
        return self._label_array.copy()

    @property
    def size_array(self):
        """Size of each slot, 0 if it is free: a copy, int32, shape (capacity,)."""
        return self._size_array.copy()

    def block_sizes(self):
        """Return the sizes of the occupied slots, in slot order, shape (n_blocks,)."""
        return self._size_array[self._size_array > 0]

    def state(self):
        """Return everything a checkpoint needs, as a dict of arrays."""
        return {
            "labels": self.label_array,
            "free": self._free_array[: self.n_free].copy(),
            "capacity": np.asarray(self.capacity, dtype=np.int64),
        }

    @classmethod
    def from_state(cls, state, max_capacity=None):
        """Return the partition that `state` was taken from."""
        cdef Partition self = cls(
            state["labels"], capacity=int(state["capacity"]), max_capacity=max_capacity
        )
        free = as_whole(state["free"], "The free slots", dtype=np.intc)
        if sorted(free) != sorted(self._free_array[: self.n_free]):
            raise DataError("The free slots of the saved partition do not fit its labels.")
        self._free_array[: free.size] = free
        return self
