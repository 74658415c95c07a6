cimport cython

from reseat.likelihoods._mean_spread cimport MeanSpread
from reseat.likelihoods._precision_law cimport Moments, PrecisionLaw


@cython.final
cdef class PrecisionDensity:
    cdef PrecisionLaw law
    cdef MeanSpread pairs
    cdef int n_features, n_coordinates
    cdef object _work
    # sums over the types, by feature
    cdef double* log_sum
    cdef double* sum
    cdef double* inverse_sum
    cdef double n_types
    cdef double* now            # [feature] log density given the current means
    cdef double* base           # [feature] the same without the mean that was left out
    cdef double* peak           # [feature] the greatest under any means
    cdef double* summit         # [feature] sum of the squared distances at or just past it
    cdef double rise            # greatest increase of the log density by another mean
    cdef double rise_now        # the same with no mean left out
    cdef const double* row      # the sums without it, and the number of means in them
    cdef double count

    cdef void _climb(self, int feature) noexcept nogil
    cdef double _rise(self, int feature, double count, Moments moments, double here) noexcept nogil
    cdef double at_distance(self, int feature, double n_pairs, double apart) noexcept nogil
    cdef double at(self, int feature, Moments moments) noexcept nogil
    cdef void renew(self) noexcept nogil
    cdef void leave_out(self, Py_ssize_t group, const double* mean) noexcept nogil
    cdef double log_ratio(self, Py_ssize_t group, const double* mean) noexcept nogil
    cdef void pull_of_others(
        self, Py_ssize_t group, const double** lost, double* base
    ) noexcept nogil
    cdef double log_exchange(
        self, Py_ssize_t group, const double** lost, const double** gained
    ) noexcept nogil
    cdef void change(
        self, Py_ssize_t group, const double* removed, const double* added
    ) noexcept nogil
    cdef double exchange(
        self, Py_ssize_t group, int feature, const double* old, const double* new
    ) noexcept nogil
    cdef void commit(self, Py_ssize_t group, int feature, const double* mean) noexcept nogil
