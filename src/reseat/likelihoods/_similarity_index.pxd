from reseat.likelihoods._record_index cimport RecordIndex


cdef class SimilarityIndex:
    """Levels of records, those that each may be mistaken for, and what that is weighed by."""

    cdef readonly RecordIndex records
    cdef readonly Py_ssize_t n_neighbours   # pairs of a level and one near it
    cdef object _arrays
    cdef Py_ssize_t* starts     # of each level, where its neighbours begin
    cdef int* neighbours        # levels of the same field, ascending
    cdef double* gain           # of each neighbour, exp(c (D - d))
    cdef double* log_gain
    cdef double* gamma          # of each level, its marginal probability
    cdef double* log_gamma
    cdef double* inverse_total  # of each level, 1 / Z
    cdef double* log_total      # of each level, log Z
    cdef double* mistaken       # of each level, probability of it as a mistake for any true one
    cdef bint* rigid            # of each field, whether it has one value only
    cdef bint* frequent         # of each level, whether it is among the most frequent of its field
    cdef int* ranked            # most frequent levels, field after field
    cdef Py_ssize_t* first_ranked   # of each field and of one more
