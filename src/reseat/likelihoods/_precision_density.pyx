"""The density of the precisions of all types given the means of all blocks."""

import numpy as np

from libc.math cimport INFINITY, exp, fmax, log, sqrt
from libc.string cimport memcpy

from reseat.likelihoods._log_bessel cimport log_bessel
from reseat.likelihoods._mean_spread cimport MeanSpread
from reseat.likelihoods._pointers cimport doubles
from reseat.likelihoods._precision_law cimport (
    COVARIANCE, PRECISION, Moments, Precision, PrecisionLaw,
)

cdef double GOLDEN = 0.6180339887498949
cdef double NEAR = 0.01    # relative distance of the points of a numerical derivative
cdef enum:
    N_STEPS = 48    # steps of a golden-section search, which find the maximum to 1e-9 of the range


cdef class PrecisionDensity:
    """Psi: the density of the precisions of all types given the means of all blocks."""

    def __init__(self, data, PrecisionLaw law, Py_ssize_t n_groups):
        self._work = work = np.zeros((7, data.n_features))
        self.law, self.n_features, self.n_coordinates = law, data.n_features, data.n_coordinates
        self.pairs = MeanSpread(data, n_groups, law.kind == "between")
        self.log_sum, self.sum = doubles(work[0]), doubles(work[1])
        self.inverse_sum, self.now = doubles(work[2]), doubles(work[3])
        self.base, self.peak, self.summit = doubles(work[4]), doubles(work[5]), doubles(work[6])
        self.rise = self.rise_now = INFINITY
        self.take(np.ones((1, data.n_features)))

    def take(self, precisions):
        """Take in the precisions of the types, shape (n_types, n_features)."""
        self._work[0] = np.log(precisions).sum(axis=0)
        self._work[1] = precisions.sum(axis=0)
        self._work[2] = (1 / precisions).sum(axis=0)
        self.n_types = len(precisions)
        cdef int f
        with nogil:
            for f in range(self.n_features):
                self._climb(f)

    cdef void _climb(self, int feature) noexcept nogil:
        """Find the sum of squared distances under which one feature is likeliest."""
        cdef double shape = self.law.shape, rate = self.law.rate, strength = self.law.strength
        cdef double low, high, left, right, at_left, at_right
        cdef int _step
        if self.law.code == PRECISION:
            high = (shape * self.n_types / self.sum[feature] - rate) / strength
            self.summit[feature] = high if high > 0.0 else 0.0
            self.peak[feature] = self.at_distance(feature, 0, high)
            return
        if self.law.code != COVARIANCE:
            self.summit[feature] = self.peak[feature] = INFINITY
            return
        # Search on the log scale, over the whole range of the table of the normaliser.
        low, high = -80.0 - log(rate * strength), 40.0 - log(rate * strength)
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        at_left = self.at_distance(feature, 0, exp(left))
        at_right = self.at_distance(feature, 0, exp(right))
        for _step in range(N_STEPS):
            if at_left > at_right:
                high, right, at_right = right, left, at_left
                left = high - GOLDEN * (high - low)
                at_left = self.at_distance(feature, 0, exp(left))
            else:
                low, left, at_left = left, right, at_right
                right = low + GOLDEN * (high - low)
                at_right = self.at_distance(feature, 0, exp(right))
        self.summit[feature] = exp(high)
        self.peak[feature] = max(at_left, at_right)

    cdef double _rise(self, int feature, double count, Moments moments, double here) noexcept nogil:
        """Return a bound on what one more mean, at best their average, adds to `here`."""
        cdef double least = moments.first
        if not self.law.averages and least >= self.summit[feature]:
            if self.pairs.n_groups == 1 and count > 0.0:
                least += least / count
            return self.at_distance(feature, 0, least) - here
        return self.peak[feature] - here

    cdef double at_distance(self, int feature, double n_pairs, double apart) noexcept nogil:
        """Return what `at` gives for laws that depend on the sum of the squared distances alone."""
        # The arguments are numbers, as compilers pass structures through memory, which stalls.
        cdef double shape = self.law.shape, rate = self.law.rate, chi = 0.0
        cdef double log_rate = self.law.log_rate, left = self.law.log_gamma, z
        apart = apart if apart > 0.0 else 0.0
        if self.law.averages and n_pairs > 0:
            apart /= n_pairs
        if self.law.code == COVARIANCE:
            chi = self.law.strength * apart
            if chi > 0.0:
                z = 2 * sqrt(rate * chi)
                left = (1 - shape) * 0.6931471805599453 - z + log_bessel(self.law.bessel, z)
        else:
            rate += self.law.strength * apart
            if rate != self.law.rate:
                log_rate = log(rate)
        return (
            (shape - 1) * self.log_sum[feature] - rate * self.sum[feature]
            - chi * self.inverse_sum[feature] - self.n_types * (left - shape * log_rate)
        )

    cdef double at(self, int feature, Moments moments) noexcept nogil:
        """Return the log density of one feature of all precisions, for means with these moments."""
        cdef Precision law
        if self.law.code == COVARIANCE or self.law.code == PRECISION:
            return self.at_distance(feature, moments.n_pairs, moments.first)
        law = self.law.at(moments)
        return (
            (law.shape - 1) * self.log_sum[feature] - law.rate * self.sum[feature]
            - law.chi * self.inverse_sum[feature] - self.n_types * self.law.log_normaliser(law)
        )

    def given(self, means, sizes, groups):
        """Return the log density given the means of all slots, and the laws of all features."""
        found = np.empty((self.n_features, 3))
        cdef Precision* laws = <Precision*> doubles(found)
        cdef double total = 0.0
        cdef int f
        self.pairs.assign(means, sizes, groups)
        for f in range(self.n_features):
            laws[f] = self.law.at(self.pairs.moments(f))
            total += self.at(f, self.pairs.moments(f))
        return total, found

    cdef void renew(self) noexcept nogil:
        """Recompute the log density given the current means."""
        cdef Moments moments
        cdef int f
        self.rise_now = 0.0
        for f in range(self.n_features):
            moments = self.pairs.moments(f)
            self.now[f] = self.at(f, moments)
            self.rise_now += self._rise(f, self.pairs.n_means, moments, self.now[f])

    cdef void leave_out(self, Py_ssize_t group, const double* mean) noexcept nogil:
        """Leave a mean of a group, or NULL, out; `rise` is then an upper bound on `log_ratio`."""
        cdef double* without = self.pairs.without
        cdef Moments moments
        cdef double first, second
        cdef int f
        self.row, self.count = self.pairs.row_of(group), self.pairs.count[group]
        if mean == NULL:
            memcpy(self.base, self.now, self.n_features * sizeof(double))
            self.rise = self.rise_now
            return
        memcpy(without, self.row, self.pairs.stride * sizeof(double))
        self.row, self.count = without, self.count - 1
        self.rise = 0.0
        for f in range(self.n_features):
            self.pairs.shift(without, f, mean, -1.0)
            self.pairs.measure(without, self.count, f, NULL, &first, &second)
            moments = self.pairs.replace(group, self.count, f, first, second)
            self.base[f] = self.at(f, moments)
            self.rise += self._rise(f, moments.n_means, moments, self.base[f])

    cdef double log_ratio(self, Py_ssize_t group, const double* mean) noexcept nogil:
        """Return the log ratio of the density with a mean added, after `leave_out`."""
        cdef double count = self.count + 1
        cdef double first, second, total = 0.0, n_pairs, here, value
        cdef int f, i, D = self.n_coordinates
        cdef const double* middle = self.row + self.pairs.middle
        cdef const double* row = self.row
        cdef Py_ssize_t place
        if self.law.code == COVARIANCE or self.law.code == PRECISION:
            # As below, but without calls, because a sweep spends most of its time on these sums.
            n_pairs = self.pairs.n_pairs + (
                count * (count - 1) - self.pairs.count[group] * (self.pairs.count[group] - 1)
            ) / 2
            place = group * self.n_features
            for f in range(self.n_features):
                first = 0.0
                if count >= 2:
                    for i in range(self.pairs.starts[f], self.pairs.starts[f + 1]):
                        here = mean[i] - middle[i]
                        value = row[i] + here
                        first += count * (row[D + i] + here * here) - value * value
                first = self.pairs.total_first[f] - self.pairs.first[place + f] + first
                total += self.at_distance(f, n_pairs, first)
                total -= self.base[f]
            return total
        for f in range(self.n_features):
            self.pairs.measure(self.row, count, f, mean, &first, &second)
            total += self.at(f, self.pairs.replace(group, count, f, first, second))
            total -= self.base[f]
        return total

    cdef void pull_of_others(
        self, Py_ssize_t group, const double** lost, double* base
    ) noexcept nogil:
        """Add to `base` the precisions with which the other means hold those of their group."""
        # They are twice the derivatives by the square of a mean, if its density decreases at all.
        cdef double* row = self.pairs.without
        cdef double count = self.pairs.count[group], first, second, slope
        cdef Moments moments
        cdef int f, k
        if self.law.code != COVARIANCE and self.law.code != PRECISION:
            return
        memcpy(row, self.pairs.row_of(group), self.pairs.stride * sizeof(double))
        for k in range(2):
            count -= lost[k] != NULL
        for f in range(self.n_features):
            for k in range(2):
                if lost[k] != NULL:
                    self.pairs.shift(row, f, lost[k], -1.0)
            self.pairs.measure(row, count, f, NULL, &first, &second)
            moments = self.pairs.replace(group, count, f, first, second)
            if moments.first > 0.0:
                slope = self.at_distance(f, moments.n_pairs, moments.first * (1 - NEAR))
                slope -= self.at_distance(f, moments.n_pairs, moments.first * (1 + NEAR))
                base[f] += fmax(count * slope / (NEAR * moments.first), 0.0)

    cdef double log_exchange(
        self, Py_ssize_t group, const double** lost, const double** gained
    ) noexcept nogil:
        """Return the log ratio of the density with up to two means replaced by as many, or NULL."""
        cdef double* row = self.pairs.without
        cdef double count = self.pairs.count[group], total = 0.0, first, second
        cdef int f, k
        memcpy(row, self.pairs.row_of(group), self.pairs.stride * sizeof(double))
        for k in range(2):
            count += (gained[k] != NULL) - (lost[k] != NULL)
        for f in range(self.n_features):
            for k in range(2):
                if lost[k] != NULL:
                    self.pairs.shift(row, f, lost[k], -1.0)
                if gained[k] != NULL:
                    self.pairs.shift(row, f, gained[k], 1.0)
            self.pairs.measure(row, count, f, NULL, &first, &second)
            total += self.at(f, self.pairs.replace(group, count, f, first, second)) - self.now[f]
        return total

    cdef void change(
        self, Py_ssize_t group, const double* removed, const double* added
    ) noexcept nogil:
        """Remove one mean and add another; either may be NULL."""
        if removed != NULL:
            self.pairs.change(group, removed, -1.0)
        if added != NULL:
            self.pairs.change(group, added, 1.0)
        self.renew()

    cdef double exchange(
        self, Py_ssize_t group, int feature, const double* old, const double* new
    ) noexcept nogil:
        """Return the log ratio of the densities with the `new` feature of a mean and the `old`."""
        # The sums are left without that feature of the mean until `commit` is called.
        cdef double* row = self.pairs.row_of(group)
        cdef double count = self.pairs.count[group]
        cdef double first, second, before
        self.pairs.shift(row, feature, old, -1.0)
        self.pairs.measure(row, count, feature, old, &first, &second)
        before = self.at(feature, self.pairs.replace(group, count, feature, first, second))
        self.pairs.measure(row, count, feature, new, &first, &second)
        return self.at(feature, self.pairs.replace(group, count, feature, first, second)) - before

    cdef void commit(self, Py_ssize_t group, int feature, const double* mean) noexcept nogil:
        """Put one feature of a mean back into the sums."""
        self.pairs.shift(self.pairs.row_of(group), feature, mean, 1.0)
        self.pairs.renew(group, feature)
