cdef class BlockSums:
    cdef readonly Py_ssize_t n_items
    cdef readonly Py_ssize_t capacity
    cdef readonly bint cached       # whether the sums of every row are kept
    cdef bint vanishes              # whether all entries are 0
    cdef bint taken                 # whether a likelihood already uses these sums
    cdef object _matrix, _row_array, _sum_array, _label_array
    cdef const float* single        # the matrix in single precision, or NULL
    cdef const double* wide         # the matrix in double precision, or NULL
    cdef double* rows               # [item][slot], or one row for the last item requested
    cdef double* sums               # [slot][slot]
    cdef int* labels

    cdef double* row(self, Py_ssize_t item) noexcept nogil
    cdef double entry(self, Py_ssize_t item, Py_ssize_t other) noexcept nogil
    cdef void reseat(self, Py_ssize_t item, Py_ssize_t source, Py_ssize_t target) noexcept nogil
    cdef void _sum_row(self, Py_ssize_t item, double* out) noexcept nogil
    cdef void _sum_all(self) noexcept nogil
    cdef void _point(self)
