from reseat.likelihoods._record_index cimport RecordIndex


cdef class Tally:
    """Counts of how often records join blocks with each number of matches, by field."""

    cdef RecordIndex index
    cdef object _arrays
    cdef double* log_gamma          # of each field, the part that does not depend on delta
    cdef double* opened             # of each field, the power of delta
    cdef double* gamma              # of each distinct pair (level, matches), by field
    cdef double* matches
    cdef double* times              # how often the pair occurs
    cdef double* others             # of each distinct pair (field, others)
    cdef double* others_times
    cdef Py_ssize_t* join_starts    # of each field, its first pair (level, matches)
    cdef Py_ssize_t* others_starts  # … and its first pair (field, others)

    cdef double _log_marginal(self, Py_ssize_t field, double delta) noexcept nogil
