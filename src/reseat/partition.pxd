cdef class Partition:
    """A partition of items into blocks, each of which keeps its slot."""

    cdef readonly Py_ssize_t n_items
    cdef readonly Py_ssize_t n_blocks  # occupied slots
    cdef readonly Py_ssize_t n_slots   # every occupied slot lies below this one
    cdef readonly Py_ssize_t capacity  # number of slots that there is room for
    cdef readonly object max_capacity  # fixed upper bound of the capacity, or None
    cdef object _label_array, _size_array, _free_array
    cdef int* labels
    cdef int* sizes                    # [slot] number of items, 0 if it is free
    cdef int* free                     # stack of free slots, next one on top
    cdef Py_ssize_t n_free
    cdef unsigned long long stamp      # sum of the stamps of all items
    cdef bint bounded                  # whether the capacity has reached its upper bound

    cdef void _point(self)
    cdef void reseat(self, Py_ssize_t item, Py_ssize_t target) noexcept nogil
    cdef inline bint has_room(self) noexcept nogil:
        """Return whether a block can be opened without growing, if one is allowed at all."""
        return self.n_free > 0 or self.bounded or self.n_blocks == self.n_items

    cdef inline Py_ssize_t next_free(self) noexcept nogil:
        return self.free[self.n_free - 1] if self.n_free > 0 else -1
