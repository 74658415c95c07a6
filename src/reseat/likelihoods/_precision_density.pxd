cimport cython
from libc.math cimport log, sqrt

from reseat.likelihoods._log_bessel cimport log_bessel
from reseat.likelihoods._mean_spread cimport MeanSpread
from reseat.likelihoods._precision_law cimport COVARIANCE, Moments, PrecisionLaw


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
    cdef double* now            # [feature] log density given the current means
    cdef double* base           # [feature] the same without the mean that was left out
    cdef double* peak           # [feature] the greatest under any means
    cdef double* summit         # [feature] sum of the squared distances at or just past it
    cdef double rise            # greatest increase of the log density by another mean
    cdef double rise_now        # the same with no mean left out
    cdef const double* row      # the sums without it, and the number of means in them
    cdef double count

    cdef double at(self, int feature, Moments moments) noexcept nogil
    cdef void _climb(self, int feature) noexcept nogil
    cdef double _rise(self, int feature, double count, Moments moments, double here) noexcept nogil

    cdef inline double at_distance(
        self, int feature, double n_pairs, double distance
    ) noexcept nogil:
        """Return what `at` gives, for laws that depend on the sum of the squared distances alone.

        The arguments are numbers, because compilers pass structures through memory, which stalls.
        """
        cdef double shape = self.law.shape, rate = self.law.rate, chi = 0.0
        cdef double log_rate = self.law.log_rate, left = self.law.log_gamma, z
        distance = distance if distance > 0.0 else 0.0
        if self.law.averages and n_pairs > 0:
            distance /= n_pairs
        if self.law.code == COVARIANCE:
            chi = self.law.strength * distance
            if chi > 0.0:
                z = 2 * sqrt(rate * chi)
                left = (1 - shape) * 0.6931471805599453 - z + log_bessel(self.law.bessel, z)
        else:
            rate += self.law.strength * distance
            if rate != self.law.rate:
                log_rate = log(rate)
        return (
            (shape - 1) * self.log_sum[feature] - rate * self.sum[feature]
            - chi * self.inverse_sum[feature]
            - self.n_types * (left - shape * log_rate)
        )

    cdef void renew(self) noexcept nogil
    cdef void leave_out(self, Py_ssize_t group, const double* mean) noexcept nogil
    cdef double log_ratio(self, Py_ssize_t group, const double* mean) noexcept nogil
    cdef void change(
        self, Py_ssize_t group, const double* removed, const double* added
    ) noexcept nogil
    cdef double exchange(
        self, Py_ssize_t group, int feature, const double* old, const double* new
    ) noexcept nogil
    cdef void commit(self, Py_ssize_t group, int feature, const double* mean) noexcept nogil
