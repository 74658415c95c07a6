from reseat.likelihoods._record_index cimport RecordIndex


cdef class SimilarityIndex:
    """Levels of records, and those that each may be mistaken for."""

    cdef readonly RecordIndex records
    cdef readonly Py_ssize_t n_neighbours   # pairs of a level and one near it
    cdef readonly object n_near             # of each field, how many of them, shape (n_fields,)
    cdef readonly tuple changing            # groups of fields that change together
    cdef object _arrays, _starts, _other, _log_gain, _mass, _unseen, _log_beside, _surplus_array
    cdef Py_ssize_t* starts     # of each level, where its neighbours begin
    cdef int* neighbours        # levels of the same field, ascending
    cdef double* gamma          # of each level, its marginal probability
    cdef double* log_gamma
    cdef double* log_surplus    # of each field, how much more frequent true values are than seen
    cdef bint* rigid            # of each field, whether it has one value only
    cdef bint* frequent         # of each level, whether it is among the most frequent of its field
    cdef int* ranked            # most frequent levels, field after field
    cdef Py_ssize_t* first_ranked   # of each field and of one more
