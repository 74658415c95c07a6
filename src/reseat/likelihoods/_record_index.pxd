cdef class RecordIndex:
    cdef readonly Py_ssize_t n_items, n_fields, n_levels
    cdef readonly Py_ssize_t n_values       # number of values that are not missing
    cdef readonly bint has_missing
    cdef readonly object field_starts       # first level of each field, shape (n_fields + 1,)
    cdef Py_ssize_t* first_level            # the same, for compiled code
    cdef object _code_array, _gamma_array, _field_array, _empty_array, _level_starts_array
    cdef Py_ssize_t* level_starts           # of each level, number of values of earlier levels
    cdef int* codes                         # (item, field): level, or -1 if missing
    cdef double* gamma                      # marginal probability of each level
    cdef double* empty                      # log predictive of each item in a new block
