"""Kernels for memberships: from scores to probabilities, and packing without zeros."""

from libc.math cimport exp, log

# Probabilities below exp(-46), 1e-20, of the largest are set to 0.  Added to the pseudo-counts
# of the priors they would be lost to rounding, and most exponentials need not be computed.
cdef double LOWEST = -46.0


cdef extern from *:
    """
    /* Four partial maxima: with one, each comparison would have to wait for the last. */
    static double reseat_softmax_largest(const double *restrict x, long n) {
        double m0 = x[0], m1 = x[0], m2 = x[0], m3 = x[0];
        long t = 0;
        for (; t + 4 <= n; t += 4) {
            m0 = x[t] > m0 ? x[t] : m0;
            m1 = x[t + 1] > m1 ? x[t + 1] : m1;
            m2 = x[t + 2] > m2 ? x[t + 2] : m2;
            m3 = x[t + 3] > m3 ? x[t + 3] : m3;
        }
        for (; t < n; t++) m0 = x[t] > m0 ? x[t] : m0;
        m0 = m1 > m0 ? m1 : m0;
        m2 = m3 > m2 ? m3 : m2;
        return m2 > m0 ? m2 : m0;
    }
    """
    double largest "reseat_softmax_largest"(const double *x, long n) noexcept nogil


def normalise(
    const double[:, ::1] scores, double[:, ::1] out, double[:, ::1] packed,
    int[:, ::1] active, int[::1] n_active,
):
    """Write rows proportional to exp(scores), dense and packed; return their entropy, nats."""
    cdef long n_clusters = scores.shape[1]
    cdef long long row
    cdef long t, k
    cdef int n
    cdef double best, score, p, total, weighted
    cdef double entropy = 0.0
    with nogil:
        for row in range(scores.shape[0]):
            best = largest(&scores[row, 0], n_clusters)
            total = weighted = 0.0
            n = 0
            for t in range(n_clusters):
                out[row, t] = 0.0
                score = scores[row, t] - best
                if score >= LOWEST:
                    p = exp(score)
                    total += p
                    weighted += p * score
                    packed[row, n] = p
                    active[row, n] = <int> t
                    n += 1
            n_active[row] = n
            for k in range(n):
                packed[row, k] /= total
                out[row, active[row, k]] = packed[row, k]
            entropy += log(total) - weighted / total
    return entropy


def pack(const double[:, ::1] q, double[:, ::1] packed, int[:, ::1] active, int[::1] n_active):
    """Write the positive numbers of each row, and their columns."""
    cdef long long row
    cdef long t
    cdef int n
    with nogil:
        for row in range(q.shape[0]):
            n = 0
            for t in range(q.shape[1]):
                if q[row, t] > 0.0:
                    packed[row, n] = q[row, t]
                    active[row, n] = <int> t
                    n += 1
            n_active[row] = n
