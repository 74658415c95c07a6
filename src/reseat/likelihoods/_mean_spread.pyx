"""Sums of the squared distances of all pairs of means, from power sums, in O(1) per mean.

For the ``K`` means ``x`` of one feature, with ``n = |x|^2``, the sums over all unordered pairs are

    sum |x - y|^2 = K sum n - |sum x|^2,
    sum |x - y|^4 = K sum n^2 + (sum n)^2 + 2 |sum x x'|^2 - 4 (sum n x)'(sum x).

A row holds, side by side, the sums of ``x`` and of ``x^2`` for every coordinate and, if fourth
powers are wanted, those of ``n x`` for every coordinate, of ``n^2`` for every feature, and of the
products ``x x'`` for every feature.  It ends with what is subtracted from ``x``: 0 or, for fourth
powers, the average of the means at the last rebuild, without which those of means that lie close
together and far from 0 would be lost to cancellation.
"""

import numpy as np

from libc.string cimport memset

from reseat.checks import as_whole
from reseat.errors import DataError
from reseat.likelihoods._pointers cimport doubles, ints


cdef class MeanSpread:
    """Power sums of the means of each group; `fourth` powers as well, if these are wanted."""

    def __init__(self, data, Py_ssize_t n_groups=1, bint fourth=False):
        self.n_features, self.n_coordinates = data.n_features, data.n_coordinates
        self.n_groups, self.width = n_groups, self.n_features if fourth else 0
        first = 3 * self.n_coordinates + self.n_features
        squares = np.cumsum(np.append(first, data.widths**2)).astype(np.intc)
        self.middle = squares[self.n_features] if fourth else 2 * self.n_coordinates
        self.stride = self.middle + self.n_coordinates
        held = n_groups * (self.stride + 2 * self.n_features + 1) + 2 * self.n_features
        sums = np.zeros(held + self.stride)
        self._arrays = data.starts, squares, sums
        self.starts, self.squares, self.sums = ints(data.starts), ints(squares), doubles(sums)
        self.count = self.sums + n_groups * self.stride
        self.first = self.count + n_groups
        self.second = self.first + n_groups * self.n_features
        self.total_first = self.second + n_groups * self.n_features
        self.total_second = self.total_first + self.n_features
        self.without = self.total_second + self.n_features

    cdef void shift(self, double* row, int feature, const double* mean, double sign) noexcept nogil:
        """Add one feature of a mean to a row of sums, or subtract it."""
        cdef int D = self.n_coordinates, start = self.starts[feature]
        cdef int end = self.starts[feature + 1], i, j
        cdef const double* middle = row + self.middle
        cdef double here, norm = 0.0
        cdef double* products
        for i in range(start, end):
            here = mean[i] - middle[i]
            row[i] += sign * here
            row[D + i] += sign * here * here
            norm += here * here
        if self.width == 0:
            return
        row[3 * D + feature] += sign * norm * norm
        products = row + self.squares[feature]
        for i in range(start, end):
            here = mean[i] - middle[i]
            row[2 * D + i] += sign * norm * here
            for j in range(start, end):
                products[0] += sign * here * (mean[j] - middle[j])
                products += 1

    cdef void measure(
        self, const double* row, double count, int feature, const double* added,
        double* first, double* second,
    ) noexcept nogil:
        """Compute the moments of one feature of `count` means, of which the sums lack `added`."""
        cdef int D = self.n_coordinates, start = self.starts[feature]
        cdef int end = self.starts[feature + 1], i, j
        cdef double here, norm = 0.0, mass = 0.0, fourth, value
        cdef const double* middle = row + self.middle
        cdef const double* products
        first[0] = second[0] = 0.0
        if count < 2:
            return
        for i in range(start, end):
            here = added[i] - middle[i] if added != NULL else 0.0
            value = row[i] + here
            first[0] += count * (row[D + i] + here * here) - value * value
            mass += row[D + i] + here * here
            norm += here * here
        if self.width == 0:
            return
        fourth = count * (row[3 * D + feature] + norm * norm) + mass * mass
        products = row + self.squares[feature]
        for i in range(start, end):
            here = added[i] - middle[i] if added != NULL else 0.0
            fourth -= 4 * (row[2 * D + i] + norm * here) * (row[i] + here)
            for j in range(start, end):
                value = products[0] + (here * (added[j] - middle[j]) if added != NULL else 0.0)
                fourth += 2 * value * value
                products += 1
        second[0] = fourth

    cdef void renew(self, Py_ssize_t group, int feature) noexcept nogil:
        """Recompute the moments of a group from its sums, and adjust the totals."""
        cdef Py_ssize_t place = group * self.n_features + feature
        cdef double first, second
        self.measure(self.row_of(group), self.count[group], feature, NULL, &first, &second)
        if self.n_groups == 1:
            self.total_first[feature], self.total_second[feature] = first, second
        else:
            self.total_first[feature] += first - self.first[place]
            self.total_second[feature] += second - self.second[place]
        self.first[place], self.second[place] = first, second

    cdef void change(self, Py_ssize_t group, const double* mean, double sign) noexcept nogil:
        """Add a mean to a group (`sign` 1), or remove it (-1)."""
        cdef double old = self.count[group]
        cdef int f
        self.count[group] += sign
        self.n_means += sign
        self.n_pairs += old if sign > 0 else 1 - old
        for f in range(self.n_features):
            self.shift(self.row_of(group), f, mean, sign)
            self.renew(group, f)

    cdef void rebuild(
        self, const double* means, const int* sizes, const int* group_of, Py_ssize_t n_slots
    ) noexcept nogil:
        """Compute all sums from the means of the occupied slots, in the order of the slots."""
        cdef Py_ssize_t slot, group
        cdef double* middle
        cdef int f, d
        memset(self.sums, 0, <char*> self.without - <char*> self.sums)
        self.n_means = self.n_pairs = 0.0
        for slot in range(n_slots):
            if sizes[slot] > 0:
                group = group_of[slot]
                self.n_pairs += self.count[group]
                self.n_means += 1
                self.count[group] += 1
                if self.width > 0:
                    middle = self.row_of(group) + self.middle
                    for d in range(self.n_coordinates):
                        middle[d] += means[slot * self.n_coordinates + d]
        for group in range(self.n_groups):
            middle = self.row_of(group) + self.middle
            for d in range(self.n_coordinates):
                middle[d] /= max(self.count[group], 1.0)
        for slot in range(n_slots):
            if sizes[slot] > 0:
                for f in range(self.n_features):
                    self.shift(
                        self.row_of(group_of[slot]), f, means + slot * self.n_coordinates, 1.0
                    )
        for group in range(self.n_groups):
            for f in range(self.n_features):
                self.renew(group, f)

    def assign(self, means, sizes, groups):
        """Take in the means of the slots that have members.

        Return the numbers of means and of pairs within groups, and by feature the sum of the
        squared distances of these pairs, and of their squares (0 if it is not kept).
        """
        cdef const double[:, ::1] mean = means
        cdef const int[::1] size = sizes
        cdef const int[::1] group_of = as_whole(groups, "The groups", 0, self.n_groups - 1, np.intc)
        if mean.shape[1] != self.n_coordinates or size.shape[0] != group_of.shape[0]:
            raise DataError(
                f"Means of {mean.shape[1]} coordinates, {size.shape[0]} sizes and "
                f"{group_of.shape[0]} groups do not fit; give {self.n_coordinates} coordinates, "
                "and a size and a group for each slot."
            )
        self.rebuild(&mean[0, 0], &size[0], &group_of[0], min(mean.shape[0], size.shape[0]))
        totals = np.array(<double[:2 * self.n_features]> self.total_first)
        return self.n_means, self.n_pairs, totals[:self.n_features], totals[self.n_features:]
