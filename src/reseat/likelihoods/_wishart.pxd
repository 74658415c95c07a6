from reseat.likelihoods._block_sums cimport BlockSums
from reseat.likelihoods._likelihood cimport Likelihood


cdef class WishartBlocks(Likelihood):
    """Blocks of objects whose covariance comes from a common effect in each block."""

    cdef readonly BlockSums blocks
    cdef readonly double dim        # degrees of freedom
    cdef readonly double shape, scale
    cdef readonly double exponent   # power of the scale, which is integrated out
    cdef double _theta
    cdef readonly object hyperprior
    cdef object _size_array, _lambda_array, _log_lambda_array
    cdef int* sizes                 # number of objects of each slot
    cdef double* eigenvalue         # [n]: eigenvalue of a block of n objects
    cdef double* log_eigenvalue

    cdef void _refresh(self) noexcept nogil
    cdef double _density_at(self, double theta) noexcept
    cdef void _resize(self, Py_ssize_t source, Py_ssize_t target) noexcept nogil
