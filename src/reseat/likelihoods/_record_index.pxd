cdef class RecordIndex:
    """Categorical records as references to the levels of all fields, numbered through."""

    cdef readonly Py_ssize_t n_items, n_fields, n_levels
    cdef readonly Py_ssize_t n_values       # that are not missing
    cdef readonly bint has_missing
    cdef readonly object field_starts       # first level of each field, shape (n_fields + 1,)
    cdef Py_ssize_t* first_level            # the same
    cdef object _code_array, _gamma_array, _field_array, _empty_array, _level_starts_array
    cdef Py_ssize_t* level_starts           # of each level, the values of the levels before it
    cdef int* codes                         # (item, field): level, or -1 if missing
    cdef int* field                         # of each level
    cdef double* gamma                      # of each level, its marginal probability
    cdef double* empty                      # of each item, its log predictive in a new block
