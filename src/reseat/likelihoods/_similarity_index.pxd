from reseat.likelihoods._record_index cimport RecordIndex


cdef class SimilarityIndex:
    cdef readonly RecordIndex records
    cdef readonly object n_near             # ordered pairs of near levels, shape (n_fields,)
    cdef readonly tuple changing            # groups of fields that change together
    cdef object _arrays, _starts, _other, _log_gain, _mass, _unseen, _log_beside, _surplus_array
    cdef Py_ssize_t* starts     # where the neighbours of each level begin
    cdef int* neighbours        # levels of the same field, ascending
    cdef double* log_gamma      # log marginal probability of each level
    cdef double* log_surplus    # log of how much true values are more frequent than observed
    cdef bint* rigid            # whether each field has only one value
    cdef bint* frequent         # whether each level is among the most frequent of its field
    cdef int* ranked            # most frequent levels, field after field
    cdef Py_ssize_t* first_ranked   # where the levels of each field begin, and the end
