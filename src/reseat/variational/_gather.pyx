"""Kernels for memberships: sums of them by entity, and probabilities from scores.

For one place of a relation and each of its entities, `gather` adds up the memberships of the other
places over its cells, plainly and weighted by the excess of the counts over 1: `P @ Q` and `(C - P)
@ Q` in one pass, with products of memberships as the rows of `Q` for more places.  Sums run in the
order of the cells, so that skipped memberships of 0 do not matter.
"""

from libc.math cimport exp, log
from libc.stdlib cimport free, malloc

from reseat.prefetch cimport prefetch


cdef extern from *:
    """
    /* The rows never alias the sums, which only C can express. */
    static void reseat_gather_four(double *restrict sums,
                                   const double *restrict a, const double *restrict b,
                                   const double *restrict c, const double *restrict d, long n) {
        for (long t = 0; t < n; t++) sums[t] = (((sums[t] + a[t]) + b[t]) + c[t]) + d[t];
    }

    static void reseat_gather_one(double *restrict sums, const double *restrict row, long n) {
        for (long t = 0; t < n; t++) sums[t] += row[t];
    }

    static void reseat_gather_both(double *restrict sums, double *restrict excesses,
                                   const double *restrict row, double excess, long n) {
        for (long t = 0; t < n; t++) {
            sums[t] += row[t];
            excesses[t] += excess * row[t];
        }
    }

    static void reseat_gather_both_four(double *restrict sums, double *restrict excesses,
                                        const double *restrict a, const double *restrict b,
                                        const double *restrict c, const double *restrict d,
                                        const double *restrict x, long n) {
        double xa = x[0], xb = x[1], xc = x[2], xd = x[3];
        for (long t = 0; t < n; t++) {
            double va = a[t], vb = b[t], vc = c[t], vd = d[t];
            sums[t] = (((sums[t] + va) + vb) + vc) + vd;
            excesses[t] = (((excesses[t] + xa * va) + xb * vb) + xc * vc) + xd * vd;
        }
    }
    """
    void add_four "reseat_gather_four"(
        double *sums, const double *a, const double *b, const double *c, const double *d, long n,
    ) noexcept nogil
    void add_one "reseat_gather_one"(double *sums, const double *row, long n) noexcept nogil
    void add_both "reseat_gather_both"(
        double *sums, double *excesses, const double *row, double excess, long n,
    ) noexcept nogil
    void add_both_four "reseat_gather_both_four"(
        double *sums, double *excesses, const double *a, const double *b, const double *c,
        const double *d, const double *x, long n) noexcept nogil


cdef enum:
    MAX_OTHERS = 7
    AHEAD = 8  # cells between a prefetch and its use

# Most places of a relation: the one that the sums are for, and the others.
MAX_PLACES = MAX_OTHERS + 1

# The zeros are skipped unless more than this share of the memberships is not 0.
cdef double DENSE = 0.25


cdef struct Factors:
    int n
    const double *packed[MAX_OTHERS]
    const int *active[MAX_OTHERS]
    const int *n_active[MAX_OTHERS]
    long widths[MAX_OTHERS]


cdef inline void fetch_rows(
    const int *partners, long long begin, long long end, const double *table, long width,
) noexcept nogil:
    cdef long long i
    cdef long byte
    for i in range(begin, end):
        for byte in range(0, width, 8):
            prefetch(table + partners[i] * <long long> width + byte)


cdef inline void sum_rows(
    const int *partners, const double *excess, long long begin, long long split, long long end,
    long long n_cells, const double *table, long width, double *sums, double *excesses,
) noexcept nogil:
    """Add the rows of `table` that cells name, those before `split` to `excesses` as well."""
    cdef long long i = begin
    while i < end:
        fetch_rows(partners, min(i + AHEAD, n_cells), min(i + AHEAD + 4, n_cells), table, width)
        if i + 4 <= split:
            add_both_four(sums, excesses,
                          table + partners[i] * <long long> width,
                          table + partners[i + 1] * <long long> width,
                          table + partners[i + 2] * <long long> width,
                          table + partners[i + 3] * <long long> width, excess + i, width)
            i += 4
        elif i < split:
            add_both(sums, excesses, table + partners[i] * <long long> width, excess[i], width)
            i += 1
        elif i + 4 <= end:
            add_four(sums, table + partners[i] * <long long> width,
                     table + partners[i + 1] * <long long> width,
                     table + partners[i + 2] * <long long> width,
                     table + partners[i + 3] * <long long> width, width)
            i += 4
        else:
            add_one(sums, table + partners[i] * <long long> width, width)
            i += 1


cdef struct Terms:
    long n
    long *places
    double *weights


cdef inline void combine(
    const int *partners, const Factors *factors, Terms *terms, Terms *other,
) noexcept nogil:
    """Compute the products of the memberships of all other places but the last, at one cell."""
    cdef Terms swap
    cdef long long row
    cdef long s, k
    terms.n = 1
    terms.places[0] = 0
    terms.weights[0] = 1.0
    for i in range(factors.n - 1):
        row = partners[i] * <long long> factors.widths[i]
        other.n = 0
        for s in range(terms.n):
            for k in range(factors.n_active[i][partners[i]]):
                other.places[other.n] = (
                    terms.places[s] * factors.widths[i] + factors.active[i][row + k])
                other.weights[other.n] = terms.weights[s] * factors.packed[i][row + k]
                other.n += 1
        swap = terms[0]
        terms[0] = other[0]
        other[0] = swap


cdef inline void add_cell(
    const int *partners, const Factors *factors, const Terms *terms,
    double excess, double *sums, double *excesses,
) noexcept nogil:
    """Add the products of the memberships of all other places at one cell, skipping zeros."""
    cdef int partner = partners[factors.n - 1]
    cdef long width = factors.widths[factors.n - 1]
    cdef int n = factors.n_active[factors.n - 1][partner]
    cdef const double *packed = factors.packed[factors.n - 1] + partner * <long long> width
    cdef const int *active = factors.active[factors.n - 1] + partner * <long long> width
    cdef long s, place
    cdef int k
    cdef double value
    for s in range(terms.n):
        place = terms.places[s] * width
        if excess == 0.0:
            for k in range(n):
                sums[place + active[k]] += terms.weights[s] * packed[k]
        else:
            for k in range(n):
                value = terms.weights[s] * packed[k]
                sums[place + active[k]] += value
                excesses[place + active[k]] += excess * value


def gather(
    const long long[::1] starts, const long long[::1] splits, const int[:, ::1] partners,
    const double[::1] excess, tables, long long first, double[:, ::1] out,
):
    """Sum over the cells of the entities first, first + 1, ..., one for each row of `out`.

    Cells starts[e]..splits[e]-1 of entity e have an excess, cells splits[e]..starts[e+1]-1 have
    none.  `tables` holds the `Rows` of the other places.  The first half of a row of `out` gets the
    plain sums, the second the weighted ones, if any cell has an excess.
    """
    cdef Factors factors
    cdef Terms terms, other
    cdef const double[:, ::1] table, packed
    cdef const int[:, ::1] active
    cdef const int[::1] n_active
    cdef long n_outer = 1, size = 1, s
    cdef long long row, entity, i, ahead
    cdef long *places
    cdef double *weights
    cdef double *sums
    cdef double *excesses
    cdef bint dense
    factors.n = 0
    for rows in tables:
        table, packed, active, n_active = rows.q, rows.packed, rows.active, rows.n_active
        factors.packed[factors.n] = &packed[0, 0]
        factors.active[factors.n] = &active[0, 0]
        factors.n_active[factors.n] = &n_active[0]
        factors.widths[factors.n] = table.shape[1]
        n_outer = size
        size *= table.shape[1]
        factors.n += 1
    dense = factors.n == 1 and rows.n_active.mean() > DENSE * rows.n_clusters
    terms.places = <long *> malloc(2 * n_outer * sizeof(long))
    terms.weights = <double *> malloc(2 * n_outer * sizeof(double))
    if terms.places == NULL or terms.weights == NULL:
        free(terms.places)
        free(terms.weights)
        raise MemoryError
    places, weights = terms.places, terms.weights
    other.places = terms.places + n_outer
    other.weights = terms.weights + n_outer
    with nogil:
        for row in range(out.shape[0]):
            entity = first + row
            sums = &out[row, 0]
            excesses = sums + size
            for s in range(<long> out.shape[1]):
                sums[s] = 0.0
            if starts[entity] == starts[entity + 1]:
                continue
            if dense:
                sum_rows(&partners[0, 0], &excess[0], starts[entity], splits[entity],
                         starts[entity + 1], partners.shape[0], &table[0, 0], size,
                         sums, excesses)
                continue
            for i in range(starts[entity], starts[entity + 1]):
                ahead = min(i + AHEAD, partners.shape[0] - 1)
                s = factors.n - 1
                prefetch(factors.packed[s] + partners[ahead, s] * <long long> factors.widths[s])
                prefetch(factors.active[s] + partners[ahead, s] * <long long> factors.widths[s])
                combine(&partners[i, 0], &factors, &terms, &other)
                add_cell(&partners[i, 0], &factors, &terms, excess[i], sums, excesses)
    free(places)
    free(weights)


# ---- Memberships from scores, dense and without zeros ------------------------------------------

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
