cdef class PartitionPrior:
    """A prior in product form, seen by the engine as two tables."""

    cdef object _join_array, _open_array
    cdef double* log_join       # [n]: log weight of joining a block of n others
    cdef double* log_open       # [K]: log weight of opening a block beside K others
    cdef readonly Py_ssize_t n_items
    cdef public object entered  # partition of the model that last entered its sizes, or None
    cdef bint tracks_sizes      # whether the engine must report every change of a block size

    cdef void block_resized(self, Py_ssize_t before, Py_ssize_t after) noexcept nogil
