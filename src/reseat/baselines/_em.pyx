"""Kernels of expectation-maximisation for the mixture of multinomials.

Tables over words are word-major: row v holds the K numbers of word v side by side.
"""

import numpy as np

from libc.math cimport INFINITY, exp, log
from libc.stdlib cimport free, malloc

from reseat.prefetch cimport prefetch


cdef extern from *:
    """
    /* The row pointers never alias the scores; only C can be told so. */
    static void reseat_em_add_row(double *restrict scores, const double *restrict row,
                                  double count, int K) {
        for (int k = 0; k < K; k++) scores[k] += count * row[k];
    }

    static void reseat_em_scatter(double *restrict sums, const int *restrict words,
                                  const int *restrict counts, long long n_terms, int K,
                                  const int *restrict clusters, const double *restrict shares,
                                  int n_shares) {
        if (n_shares == 1) {
            double share = shares[0];
            sums += clusters[0];
            for (long long t = 0; t < n_terms; t++)
                sums[(long long)words[t] * K] += share * counts[t];
        } else {
            for (long long t = 0; t < n_terms; t++) {
                double *row = sums + (long long)words[t] * K;
                double count = counts[t];
                for (int i = 0; i < n_shares; i++) row[clusters[i]] += shares[i] * count;
            }
        }
    }

    static void reseat_em_add_two(double *restrict scores,
                                  const double *restrict row_a, double count_a,
                                  const double *restrict row_b, double count_b, int K) {
        for (int k = 0; k < K; k++)
            scores[k] = (scores[k] + count_a * row_a[k]) + count_b * row_b[k];
    }
    """
    void add_row "reseat_em_add_row"(
        double *scores, const double *row, double count, int K) noexcept nogil
    void scatter "reseat_em_scatter"(
        double *sums, const int *words, const int *counts, long long n_terms, int K,
        const int *clusters, const double *shares, int n_shares) noexcept nogil
    void add_two "reseat_em_add_two"(
        double *scores, const double *row_a, double count_a,
        const double *row_b, double count_b, int K) noexcept nogil


cdef enum:
    AHEAD = 16      # terms between a prefetch and its use


cdef inline void score_document(
    const int *words, const int *counts, long long n_terms, long long n_visible,
    const double *log_theta, const double *log_weights, double *scores, int K,
) noexcept nogil:
    """Set scores[k] to log_weights[k] + sum_v d_v log theta_kv, added in the order of the terms."""
    cdef long long t = 0
    cdef long long i
    cdef int k
    cdef const char *row
    for k in range(K):
        scores[k] = log_weights[k]
    while t + 1 < n_terms:
        for i in range(t + AHEAD, t + AHEAD + 2):
            # The terms after this document are the first ones of the next.
            if i < n_visible:
                row = <const char *> (log_theta + <long long> words[i] * K)
                for k in range(0, K * 8, 64):
                    prefetch(row + k)
        add_two(scores,
                log_theta + <long long> words[t] * K, counts[t],
                log_theta + <long long> words[t + 1] * K, counts[t + 1], K)
        t += 2
    if t < n_terms:
        add_row(scores, log_theta + <long long> words[t] * K, counts[t], K)


cdef inline double normalise(
    double *scores, const double *log_weights, int K, double log_cutoff,
) noexcept nogil:
    """Turn scores into responsibilities in place; return their log normaliser."""
    cdef double best = -INFINITY
    cdef double total = 0.0
    cdef double shift
    cdef int k
    for k in range(K):
        if scores[k] > best:
            best = scores[k]
    if best == -INFINITY:
        # No cluster can have produced this document, which is then shared out by the weights.
        for k in range(K):
            scores[k] = exp(log_weights[k])
            total += scores[k]
        for k in range(K):
            scores[k] /= total
        return -INFINITY
    for k in range(K):
        # The largest term is exp(0): nothing overflows, and at least one cluster is kept.
        shift = scores[k] - best
        if shift < log_cutoff:
            scores[k] = 0.0
        else:
            scores[k] = exp(shift)
            total += scores[k]
    for k in range(K):
        scores[k] /= total
    return best + log(total)


def expectation(
    const long long[::1] indptr,
    const int[::1] indices,
    const int[::1] counts,
    const double[:, ::1] log_theta,
    const double[::1] log_weights,
    double pseudo_count,
    const double[::1] log_cutoffs,
    double[:, ::1] term_sums,
    double[::1] document_sums,
    int[::1] labels,
    double[:, ::1] responsibilities=None,
):
    """Make one pass over the documents: the E-step, and the sums that the M-step needs.

    Return ``sum_d log sum_k lambda_k prod_v theta_kv^d_v``; -inf if some document is impossible.
    `log_theta` is word-major and may hold -inf.  `term_sums` and `document_sums` get
    ``pseudo_count + sum_d g_dk d_v`` and ``pseudo_count + sum_d g_dk``, where g_dk is set to 0 if
    the log of its ratio to the largest one of d is below that of `log_cutoffs`.
    """
    cdef long long n_documents = indptr.shape[0] - 1
    cdef int K = <int> log_weights.shape[0]
    cdef long long n_words = log_theta.shape[0]
    cdef long long d, t, start, n_terms, n_left
    cdef long long n_stored = indices.shape[0]
    cdef int k, best
    cdef double log_likelihood = 0.0
    cdef bint keep = responsibilities is not None
    # Empty tables have no first element whose address could be taken.
    cdef const int *words = &indices[0] if n_stored > 0 else NULL
    cdef const int *numbers = &counts[0] if n_stored > 0 else NULL
    cdef const double *table = &log_theta[0, 0]
    cdef double *sums = &term_sums[0, 0]
    cdef int n_shares
    cdef double *g = <double *> malloc(2 * K * sizeof(double))
    cdef double *shares = g + K
    cdef int *clusters = <int *> malloc(K * sizeof(int))
    if g == NULL or clusters == NULL:
        free(g)
        free(clusters)
        raise MemoryError("no memory for the scores of one document")
    with nogil:
        for t in range(n_words * K):
            sums[t] = pseudo_count
        for k in range(K):
            document_sums[k] = pseudo_count
        for d in range(n_documents):
            start = indptr[d]
            n_terms = indptr[d + 1] - start
            n_left = n_stored - start
            score_document(words + start, numbers + start, n_terms, n_left,
                           table, &log_weights[0], g, K)
            log_likelihood += normalise(g, &log_weights[0], K, log_cutoffs[d])
            best = 0
            for k in range(K):
                if g[k] > g[best]:
                    best = k
                if keep:
                    responsibilities[d, k] = g[k]
            labels[d] = best
            n_shares = 0
            for k in range(K):
                if g[k] > 0.0:
                    document_sums[k] += g[k]
                    clusters[n_shares] = k
                    shares[n_shares] = g[k]
                    n_shares += 1
            scatter(sums, words + start, numbers + start, n_terms, K, clusters, shares, n_shares)
    free(g)
    free(clusters)
    return log_likelihood


def column_sums(const double[:, ::1] table):
    """Return sum_v table[v, k], added in the order of the rows, shape (K,)."""
    cdef double[::1] out = np.zeros(table.shape[1])
    cdef long long v
    cdef int k
    with nogil:
        for v in range(table.shape[0]):
            for k in range(<int> table.shape[1]):
                out[k] += table[v, k]
    return np.asarray(out)
