from reseat.likelihoods._record_index cimport RecordIndex


cdef class Tally:
    """How often a level met itself in a block, by field."""

    cdef RecordIndex index
    cdef object _gamma_of, _matches, _times, _join_starts   # of each distinct (level, matches)
    cdef object _others, _others_times, _others_starts      # of each distinct (field, others)
    cdef object _opened, _log_gamma                         # of each field

    cdef double _log_marginal(self, Py_ssize_t field, double delta)
