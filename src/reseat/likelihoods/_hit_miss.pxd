from reseat.likelihoods._record_blocks cimport RecordBlocks


cdef class HitMissRecords(RecordBlocks):
    """Blocks with one true level per field, which their records hit or miss."""

    cdef readonly object hyperprior
    cdef object _beta, _rise_array, _miss_array, _log_gamma_array
    cdef double* rise               # log R of each level
    cdef double* miss               # log(beta gamma) of each level
    cdef double* log_gamma          # log gamma of each level

    cdef double _log_mixture(
        self, Py_ssize_t slot, Py_ssize_t field, Py_ssize_t without, Py_ssize_t level
    ) noexcept nogil
    cdef double _log_marginal(self, Py_ssize_t field, double beta) noexcept nogil
    cdef void _tabulate(self, Py_ssize_t field, double beta) noexcept nogil
