from reseat.likelihoods._likelihood cimport Likelihood
from reseat.likelihoods._record_index cimport RecordIndex


cdef class RecordBlocks(Likelihood):
    cdef readonly RecordIndex index
    cdef readonly object hyperprior
    cdef object _size_array, _match_array, _apart_array
    cdef bint changed               # whether a record has moved since it was last reset
    cdef int* sizes                 # records of each slot
    cdef const int* apart           # group of each record, of which a block has at most one; NULL
    cdef int* match                 # scratch, see count_matches
    cdef int** counts               # records of each level and field of a large block, or NULL

    cdef void count_matches(self, Py_ssize_t item, bint inside, Py_ssize_t slot) noexcept nogil
    cdef bint barred(self, Py_ssize_t item, Py_ssize_t slot) noexcept nogil
    cdef double predictive(self, Py_ssize_t item, bint inside, Py_ssize_t slot) noexcept nogil
    cdef void _count_up(self, Py_ssize_t slot) noexcept nogil
    cdef void _count(self, Py_ssize_t item, int* counts, int sign) noexcept nogil
