cimport cython

from reseat.likelihoods._mean_spread cimport MeanSpread
from reseat.likelihoods._precision_law cimport Moments, PrecisionLaw


@cython.final
cdef class PrecisionDensity:
    """Density of the precisions of all types as a function of the means of all blocks."""

    cdef PrecisionLaw law
    cdef MeanSpread pairs
    cdef int n_features, n_coordinates
    cdef object _work
    # sums over the types, by feature
    cdef double* log_sum
    cdef double* sum
    cdef double* inverse_sum
    cdef double n_types
    cdef double* now            # [feature] log density given the present means
    cdef double* base           # [feature] the same without the mean that was left out
    cdef const double* row      # the sums without it, and how many means they are of
    cdef double count

    cdef double at(self, int feature, Moments moments) noexcept nogil
    cdef void renew(self) noexcept nogil
    cdef void leave_out(self, Py_ssize_t group, const double* mean) noexcept nogil
    cdef double log_ratio(self, Py_ssize_t group, const double* mean) noexcept nogil
    cdef void change(
        self, Py_ssize_t group, const double* removed, const double* added
    ) noexcept nogil
    cdef double exchange(
        self, Py_ssize_t group, int feature, const double* old, const double* new
    ) noexcept nogil
    cdef void settle(self, Py_ssize_t group, int feature, const double* mean) noexcept nogil
