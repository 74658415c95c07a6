"""Lloyd's algorithm on sparse rows, with every sum in a fixed order."""

import numpy as np

from libc.math cimport INFINITY

# Squared distances between all points are kept if there are at most this many points.
KEPT_UP_TO = 3000


cdef class Lloyd:
    """Points in compressed rows, and the centres and labels of one run.

    The squared distance of x to a centre c is ``|x|^2 - 2 x'c + |c|^2``.  Centres are stored by
    coordinate, so that the inner loop runs over all centres of one coordinate.
    """

    cdef readonly object labels
    cdef object _points, _distances
    cdef double[::1] data, norm
    cdef int[::1] indices, indptr
    cdef Py_ssize_t n, d, k
    cdef double[:, ::1] centre    # [coordinate, cluster]
    cdef int[::1] label
    cdef double[::1] nearest      # [item] squared distance to the nearest centre

    def __init__(self, points):
        points.sum_duplicates()
        self._points = points
        self.n, self.d = points.shape
        self.data = np.ascontiguousarray(points.data, dtype=np.float64)
        self.indices = np.ascontiguousarray(points.indices, dtype=np.int32)
        self.indptr = np.ascontiguousarray(points.indptr, dtype=np.int32)
        # numpy.bincount adds up in order; of nothing, it returns whole numbers.
        rows = np.repeat(np.arange(self.n), np.diff(self.indptr))
        self.norm = np.bincount(rows, np.square(self.data), self.n).astype(float)
        self.labels = np.zeros(self.n, dtype=np.int32)
        self.label = self.labels
        self.nearest = np.empty(self.n)
        self._distances = None
        if self.n <= KEPT_UP_TO:
            distances = np.empty((self.n, self.n))
            for i in range(self.n):
                distances[i] = self._distances_to(i)
            self._distances = distances

    def _distances_to(self, Py_ssize_t item):
        """Return the squared distances of all points to one of them."""
        if self._distances is not None:
            return self._distances[item]
        cdef double[::1] dense = np.zeros(self.d)
        cdef double[::1] out = np.empty(self.n)
        cdef Py_ssize_t i, at
        cdef double product
        with nogil:
            for at in range(self.indptr[item], self.indptr[item + 1]):
                dense[self.indices[at]] = self.data[at]
            for i in range(self.n):
                product = 0.0
                for at in range(self.indptr[i], self.indptr[i + 1]):
                    product += self.data[at] * dense[self.indices[at]]
                out[i] = self.norm[i] - 2 * product + self.norm[item]
                if out[i] < 0:  # by rounding
                    out[i] = 0.0
            out[item] = 0.0
        return np.asarray(out)

    def start(self, Py_ssize_t n_clusters, Py_ssize_t n_trials, rng):
        """Choose the first centres among the points by greedy k-means++."""
        chosen = [int(rng.integers(self.n))]
        closest = self._distances_to(chosen[0])
        while len(chosen) < n_clusters:
            reached = np.cumsum(closest)
            draws = rng.random(n_trials) * reached[self.n - 1]
            candidates = np.minimum(np.searchsorted(reached, draws, side="right"), self.n - 1)
            best, least = None, INFINITY
            for candidate in candidates.tolist():
                distances = np.minimum(closest, self._distances_to(candidate))
                total = distances.sum()
                if total < least:
                    best, least, after = candidate, total, distances
            chosen.append(best)
            closest = after
        self.k = n_clusters
        self.centre = np.ascontiguousarray(self._points[chosen].toarray().T)

    def run(self, double tolerance, int max_iterations):
        """Iterate until the labels stay or the centres hardly move; return the sum of squares."""
        cdef double[::1] half = np.empty(self.k)
        cdef double[::1] score = np.empty(self.k)
        cdef double[::1] count = np.empty(self.k)
        cdef double bound = tolerance * self._mean_variance()
        cdef double moved
        cdef int step
        cdef bint same
        for step in range(max_iterations):
            with nogil:
                same = self._assign(half, score)
            if same and step > 0:
                break
            moved = self._update(count)
            if moved <= bound:
                with nogil:
                    self._assign(half, score)
                break
        return float(np.sum(self.nearest))

    def _mean_variance(self):
        means = np.bincount(self.indices, self.data, self.d) / self.n
        return (np.cumsum(self.norm)[self.n - 1] / self.n - np.sum(means * means)) / self.d

    cdef bint _assign(self, double[::1] half, double[::1] score) noexcept nogil:
        """Label every point by its nearest centre; return whether no label has changed."""
        cdef Py_ssize_t i, f, j, at
        cdef double x, least
        cdef int best
        cdef bint same = True
        cdef double* row
        cdef double* sums = &score[0]
        for j in range(self.k):
            half[j] = 0.0
        for f in range(self.d):
            row = &self.centre[f, 0]
            for j in range(self.k):
                half[j] += row[j] * row[j]
        for j in range(self.k):
            half[j] *= 0.5
        for i in range(self.n):
            for j in range(self.k):
                sums[j] = half[j]
            for at in range(self.indptr[i], self.indptr[i + 1]):
                x = self.data[at]
                row = &self.centre[self.indices[at], 0]
                for j in range(self.k):
                    sums[j] -= x * row[j]
            best = 0
            least = sums[0]
            for j in range(1, self.k):
                if sums[j] < least:
                    least = sums[j]
                    best = <int> j
            if best != self.label[i]:
                same = False
                self.label[i] = best
            x = self.norm[i] + 2 * least
            self.nearest[i] = x if x > 0 else 0.0
        return same

    def _update(self, double[::1] count):
        """Move centres to their means, or empty ones to the farthest point; return the shift."""
        cdef Py_ssize_t i, f, j, at, far
        cdef double[:, ::1] before = self.centre
        cdef double shift = 0.0, step
        empty = np.flatnonzero(np.bincount(self.labels, minlength=self.k) == 0)
        for j in empty.tolist():
            far = int(np.argmax(self.nearest))
            if self.nearest[far] > 0 and np.count_nonzero(self.labels == self.label[far]) > 1:
                self.label[far] = <int> j
                self.nearest[far] = 0.0
        self.centre = np.zeros((self.d, self.k))
        with nogil:
            for j in range(self.k):
                count[j] = 0.0
            for i in range(self.n):
                j = self.label[i]
                count[j] += 1
                for at in range(self.indptr[i], self.indptr[i + 1]):
                    self.centre[self.indices[at], j] += self.data[at]
            for f in range(self.d):
                for j in range(self.k):
                    if count[j] > 0:
                        self.centre[f, j] /= count[j]
                    else:
                        self.centre[f, j] = before[f, j]
                    step = self.centre[f, j] - before[f, j]
                    shift += step * step
        return shift
