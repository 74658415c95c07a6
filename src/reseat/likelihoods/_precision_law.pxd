cimport cython
from libc.math cimport fmax, lgamma, log, sqrt

from reseat.likelihoods._log_bessel cimport BesselTable, LogBessel, log_bessel


cdef enum:
    FIXED = 0       # the kinds, in the order of KINDS
    BETWEEN = 1
    WITHIN = 2
    COVARIANCE = 3
    PRECISION = 4


cdef struct Precision:
    double shape        # of the density proportional to t^(shape-1) exp(-rate t - chi / t)
    double rate
    double chi


cdef struct Moments:
    double n_means      # number of means, or of blocks with a variance
    double n_pairs      # number of pairs of means, or again of these blocks
    double first        # sum of the squared distances, or of the variances
    double second       # sum of their squares


@cython.final
cdef class PrecisionLaw:
    cdef readonly str kind, pairs
    cdef readonly double shape, rate, strength
    cdef int code
    cdef bint averages
    cdef double log_rate, log_gamma     # log of the rate, and log Gamma of the shape
    cdef LogBessel _bessel
    cdef const BesselTable* bessel      # table for the order `shape`, if needed

    cdef inline Precision at(self, Moments moments) noexcept nogil:
        """Return the law of one feature."""
        cdef Precision law
        cdef double mean, variance, distance
        law.shape, law.rate, law.chi = self.shape, self.rate, 0.0
        if self.code == COVARIANCE or self.code == PRECISION:
            distance = fmax(moments.first, 0.0)
            if self.averages and moments.n_pairs > 0:
                distance /= moments.n_pairs
            if self.code == COVARIANCE:
                law.chi = self.strength * distance
            else:
                law.rate += self.strength * distance
        elif self.code != FIXED:
            law.shape = law.rate = 1.0
            if moments.n_means >= 3:
                mean = moments.first / moments.n_pairs
                variance = moments.second / moments.n_pairs - mean * mean
                # A smaller variance is only rounding error.
                if variance > 1e-12 * mean * mean:
                    law.shape = mean * mean / (4 * variance)
                    law.rate = mean / (2 * variance)
        return law

    cdef inline double log_normaliser(self, Precision law) noexcept nogil:
        """Return the log of the integral of ``t^(a-1) exp(-b t - chi / t)``."""
        cdef double z, left
        cdef double log_rate = self.log_rate if law.rate == self.rate else log(law.rate)
        if law.chi > 0.0:
            z = 2 * sqrt(law.rate * law.chi)
            left = (1 - law.shape) * 0.6931471805599453 - z + log_bessel(self.bessel, z)
        else:
            left = self.log_gamma if law.shape == self.shape else lgamma(law.shape)
        return left - law.shape * log_rate
