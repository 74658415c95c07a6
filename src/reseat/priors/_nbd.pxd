from reseat.priors._prior cimport PartitionPrior


cdef class DirichletSizes(PartitionPrior):
    """Block sizes from a law with a Dirichlet prior, integrated out."""

    cdef object _arrays
    cdef Py_ssize_t n_blocks
    cdef long long* counts      # [m] number of blocks of size m
    cdef double* shape          # [m] Dirichlet parameter of size m
    cdef double* log_shape
    cdef double* log_now        # [m] log(shape + counts)
    cdef double* log_less       # [m] log(shape + counts - 1)
    cdef double* log_after      # [m] log(m + 1)
    cdef double* log_beside     # [K] the part of log_open that depends on the number of blocks

    cdef double log_total(self, Py_ssize_t m, long long n) noexcept nogil
    cdef void patch(self, Py_ssize_t m) noexcept nogil
