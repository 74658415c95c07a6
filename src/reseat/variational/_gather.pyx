"""Kernel of the sums over observed cells: rows of memberships, added up for each entity.

For one place of a relation and each of its entities it adds up the memberships
of the other places over the cells of that entity, once plainly and once
weighted by the excess of the counts over 1.  With one other place that is
`P @ Q` and `(C - P) @ Q` in a single pass; with several, the products of the
memberships of all other places take the place of the rows of `Q`.  Sums run in
the order of the cells, and the GIL is not held.
"""

from libc.stdlib cimport free, malloc


cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define RESEAT_PREFETCH(p) __builtin_prefetch((p), 0, 3)
    #else
    #define RESEAT_PREFETCH(p) ((void)0)
    #endif

    /* The rows never alias the sums; only C can be told so. */
    static void reseat_gather_four(double *restrict sums,
                                   const double *restrict a, const double *restrict b,
                                   const double *restrict c, const double *restrict d, long n) {
        for (long t = 0; t < n; t++) sums[t] = (((sums[t] + a[t]) + b[t]) + c[t]) + d[t];
    }

    static void reseat_gather_one(double *restrict sums, const double *restrict row, long n) {
        for (long t = 0; t < n; t++) sums[t] += row[t];
    }

    static void reseat_gather_both(double *restrict sums, double *restrict excesses,
                                   const double *restrict row, double weight, double excess,
                                   long n) {
        for (long t = 0; t < n; t++) {
            double value = weight * row[t];
            sums[t] += value;
            excesses[t] += excess * value;
        }
    }

    static void reseat_gather_scaled(double *restrict sums, const double *restrict row,
                                     double weight, long n) {
        for (long t = 0; t < n; t++) sums[t] += weight * row[t];
    }

    static void reseat_gather_outer(double *out, const double *left, long n_left,
                                    const double *right, long n_right) {
        for (long s = 0; s < n_left; s++)
            for (long t = 0; t < n_right; t++) out[s * n_right + t] = left[s] * right[t];
    }
    """
    void prefetch "RESEAT_PREFETCH"(const void *p) noexcept nogil
    void add_four "reseat_gather_four"(
        double *sums, const double *a, const double *b, const double *c, const double *d, long n,
    ) noexcept nogil
    void add_one "reseat_gather_one"(double *sums, const double *row, long n) noexcept nogil
    void add_both "reseat_gather_both"(
        double *sums, double *excesses, const double *row, double weight, double excess, long n,
    ) noexcept nogil
    void add_scaled "reseat_gather_scaled"(
        double *sums, const double *row, double weight, long n) noexcept nogil
    void outer "reseat_gather_outer"(
        double *out, const double *left, long n_left, const double *right, long n_right,
    ) noexcept nogil


cdef enum:
    MAX_OTHERS = 7
    AHEAD = 8  # cells between a prefetch and its use

# What a relation may have: the place that is summed for, and the others.
MAX_PLACES = MAX_OTHERS + 1


cdef struct Factors:
    int n
    const double *tables[MAX_OTHERS]
    long widths[MAX_OTHERS]
    long n_outer  # product of all widths but the last


cdef inline void sum_rows(
    const int *partners, long long begin, long long end, long long n_visible,
    const double *table, long width, double *sums,
) noexcept nogil:
    """sums += the rows of `table` that the cells begin..end-1 name, four at a time."""
    cdef long long i = begin
    cdef long long ahead
    cdef long byte
    while i + 4 <= end:
        for ahead in range(i + AHEAD, min(i + AHEAD + 4, n_visible)):
            for byte in range(0, width, 8):
                prefetch(table + partners[ahead] * <long long> width + byte)
        add_four(sums, table + partners[i] * <long long> width,
                 table + partners[i + 1] * <long long> width,
                 table + partners[i + 2] * <long long> width,
                 table + partners[i + 3] * <long long> width, width)
        i += 4
    while i < end:
        add_one(sums, table + partners[i] * <long long> width, width)
        i += 1


cdef inline const double *products(
    const int *partners, const Factors *factors, double *now, double *then,
) noexcept nogil:
    """Products of the memberships of all other places but the last, at one cell."""
    cdef long n = 1
    cdef double *swap
    now[0] = 1.0
    for i in range(factors.n - 1):
        outer(then, now, n,
              factors.tables[i] + partners[i] * <long long> factors.widths[i], factors.widths[i])
        n *= factors.widths[i]
        swap = now
        now = then
        then = swap
    return now


def gather(
    const long long[::1] starts, const long long[::1] splits, const int[:, ::1] partners,
    const double[::1] excess, tables, long long first, bint weighted, double[:, ::1] out,
):
    """Sum over the cells of the entities first, first + 1, ..., one for each row of `out`.

    Cells starts[e]..splits[e]-1 of entity e have an excess other than 0, cells
    splits[e]..starts[e+1]-1 have none.  `tables` holds the memberships of the
    other places, (n_entities, n_clusters) each.  The first half of a row of
    `out` gets the plain sums, the second the weighted ones; without `weighted`
    (no cell has an excess) a row is the plain sums alone.
    """
    cdef Factors factors
    cdef const double[:, ::1] table
    cdef long last, size
    cdef long s
    cdef long long row, entity, i
    cdef double *sums
    cdef double *excesses
    cdef double *space = NULL
    cdef const double *left
    cdef const double *right
    factors.n = 0
    factors.n_outer = 1
    for table in tables:
        factors.tables[factors.n] = &table[0, 0]
        factors.widths[factors.n] = table.shape[1]
        factors.n_outer *= table.shape[1]
        factors.n += 1
    last = factors.widths[factors.n - 1]
    size = factors.n_outer
    factors.n_outer //= last
    if factors.n > 1:
        space = <double *> malloc(2 * factors.n_outer * sizeof(double))
        if space == NULL:
            raise MemoryError
    with nogil:
        for row in range(out.shape[0]):
            entity = first + row
            sums = &out[row, 0]
            excesses = sums + size
            for s in range(<long> out.shape[1]):
                sums[s] = 0.0
            if factors.n == 1:
                for i in range(starts[entity], splits[entity]):
                    right = factors.tables[0] + partners[i, 0] * <long long> last
                    add_both(sums, excesses, right, 1.0, excess[i], last)
                if splits[entity] < starts[entity + 1]:
                    sum_rows(&partners[0, 0], splits[entity], starts[entity + 1],
                             partners.shape[0], factors.tables[0], last, sums)
                continue
            for i in range(starts[entity], starts[entity + 1]):
                left = products(&partners[i, 0], &factors, space, space + factors.n_outer)
                right = (factors.tables[factors.n - 1]
                         + partners[i, factors.n - 1] * <long long> last)
                for s in range(factors.n_outer):
                    if left[s] == 0.0:
                        continue
                    if i < splits[entity]:
                        add_both(sums + s * last, excesses + s * last, right,
                                 left[s], excess[i], last)
                    else:
                        add_scaled(sums + s * last, right, left[s], last)
    free(space)
