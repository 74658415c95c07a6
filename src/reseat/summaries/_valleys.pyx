"""How deep the density of two components of a mixture falls between them."""

import numpy as np

from libc.math cimport exp, log1p
from libc.string cimport memcpy

from reseat.numerics._cholesky cimport factorise, log_determinant, solve, solve_back

cdef enum:
    STEPS = 20      # parts of the line between two components

# Depth, in logs, beyond which a valley is not measured exactly.
cdef double DEEP = 12.0


cdef double quadratic(const double* d, const double* matrix, int q) noexcept nogil:
    """Return d'Md."""
    cdef double total = 0.0
    cdef int i, j
    for i in range(q):
        for j in range(q):
            total += d[i] * matrix[i * q + j] * d[j]
    return total


cdef class _Pair:
    """Two components, and working memory."""

    cdef int q
    cdef double tails
    cdef const double* mean[2]
    cdef const double* precision[2]
    cdef double top[2]          # log density at the mean, with the share of the component
    cdef double pull[2]         # precision along the line between the means
    cdef double[::1] work

    def __init__(self, int q, double tails):
        self.q, self.tails = q, tails
        self.work = np.empty(3 * q + q * q)

    cdef double density(self, double place) noexcept nogil:
        """Return the log density of both at a place of the ridge line, from 0 to 1.

        Near a component of large precision, the line is slow in the shares of the precisions;
        those are chosen so that places on it are about evenly spread.
        """
        cdef int q = self.q, i, j, k
        cdef double first = (1 - place) * self.pull[1], second = place * self.pull[0]
        cdef double share = second / (first + second) if first + second > 0 else place
        cdef double* x = &self.work[0]
        cdef double* d = x + q
        cdef double* inverse = d + q
        cdef double* matrix = inverse + q
        cdef double part, t, value[2]
        for i in range(q):
            x[i] = 0.0
            for j in range(i, q):
                matrix[i * q + j] = (
                    (1 - share) * self.precision[0][i * q + j]
                    + share * self.precision[1][i * q + j]
                )
        for k in range(2):
            part = share if k else 1 - share
            for i in range(q):
                t = part * self.mean[k][i]
                for j in range(q):
                    x[j] += t * self.precision[k][i * q + j]
        factorise(matrix, inverse, q)
        solve(matrix, inverse, x, q)
        solve_back(matrix, inverse, x, q)
        for k in range(2):
            for i in range(q):
                d[i] = x[i] - self.mean[k][i]
            t = quadratic(d, self.precision[k], q)
            value[k] = self.top[k] - 0.5 * (self.tails + q) * log1p(t / self.tails)
        return max(value[0], value[1]) + log1p(exp(-abs(value[0] - value[1])))

    cdef double depth(self) noexcept nogil:
        """Return how far the log density falls, at most, below the lower of two peaks."""
        cdef double along[STEPS + 1]
        cdef double left, right, found
        cdef int s, u
        for s in range(self.q):
            self.work[s] = self.mean[1][s] - self.mean[0][s]
        for s in range(2):
            self.pull[s] = quadratic(&self.work[0], self.precision[s], self.q)
        along[0], along[STEPS] = self.density(0.0), self.density(1.0)
        along[STEPS // 2] = self.density(0.5)
        found = min(along[0], along[STEPS]) - along[STEPS // 2]
        if found > DEEP:
            return found
        found = 0.0
        for s in range(1, STEPS):
            if s != STEPS // 2:
                along[s] = self.density(s / <double>STEPS)
        left = along[0]
        for s in range(1, STEPS):
            left = max(left, along[s])
            right = along[s]
            for u in range(s, STEPS + 1):
                right = max(right, along[u])
            found = max(found, min(left, right) - along[s])
        return found


def valley_depths(means, precisions, sizes, double tails):
    """Return how deep the valley between each pair of Student-t components is.

    Along the ridge line of two components, on which all peaks of their density lie, this is the log
    of the lower of two peaks minus that of the lowest point between them; 0 if there is one peak.
    See Ray and Lindsay (2005), The topography of multivariate normal mixtures.

    `means` has the shape (n, q), `precisions` (n, q, q), and `sizes` are those of the components.
    """
    cdef const double[:, ::1] mean = np.ascontiguousarray(means, dtype=float)
    cdef const double[:, :, ::1] precision = np.ascontiguousarray(precisions, dtype=float)
    cdef Py_ssize_t n = mean.shape[0], a, b
    cdef int q = <int>mean.shape[1]
    cdef double[:, ::1] depth = np.zeros((n, n))
    cdef double[::1] top = np.log(np.asarray(sizes, dtype=float))
    cdef double[:, ::1] factor = np.empty((q, q))
    cdef double[::1] inverse = np.empty(q)
    cdef _Pair pair = _Pair(q, tails)
    with nogil:
        for a in range(n):
            memcpy(&factor[0, 0], &precision[a, 0, 0], q * q * sizeof(double))
            factorise(&factor[0, 0], &inverse[0], q)
            top[a] += 0.5 * log_determinant(&factor[0, 0], q)
        for a in range(n):
            for b in range(a):
                pair.mean[0], pair.mean[1] = &mean[a, 0], &mean[b, 0]
                pair.precision[0], pair.precision[1] = &precision[a, 0, 0], &precision[b, 0, 0]
                pair.top[0], pair.top[1] = top[a], top[b]
                depth[a, b] = depth[b, a] = pair.depth()
    return np.asarray(depth)
