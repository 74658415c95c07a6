from reseat.likelihoods._record_index cimport RecordIndex


cdef class Tally:
    """How often a level met itself in a block, by field."""

    cdef RecordIndex index
    cdef object _arrays
    cdef double* log_gamma          # of each field, what does not depend on delta
    cdef double* opened             # of each field, the power of delta
    cdef double* gamma              # of each distinct (level, matches), by field
    cdef double* matches
    cdef double* times              # how often it occurs
    cdef double* others             # of each distinct (field, others)
    cdef double* others_times
    cdef Py_ssize_t* join_starts    # of each field, its first among the former
    cdef Py_ssize_t* others_starts  # … and among the latter

    cdef double _log_marginal(self, Py_ssize_t field, double delta) noexcept nogil
