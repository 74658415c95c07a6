"""Kernels of the aspect model: the E-step of EM, and the classes of pairs."""

from libc.math cimport log


cdef extern from *:
    """
    /* Four partial sums in a fixed order; the rows never alias. */
    static double reseat_aspect_dot(const double *restrict a, const double *restrict b, long n) {
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        long c = 0;
        for (; c + 4 <= n; c += 4) {
            s0 += a[c] * b[c];
            s1 += a[c + 1] * b[c + 1];
            s2 += a[c + 2] * b[c + 2];
            s3 += a[c + 3] * b[c + 3];
        }
        for (; c < n; c++) s0 += a[c] * b[c];
        return (s0 + s1) + (s2 + s3);
    }

    static void reseat_aspect_add(double *restrict sums, const double *restrict row,
                                  double weight, long n) {
        for (long c = 0; c < n; c++) sums[c] += weight * row[c];
    }

    /* labels[j] = c wherever weight * row[j] beats the best so far. */
    static void reseat_aspect_beat(double *restrict best, int *restrict labels,
                                   const double *restrict row, double weight, int c, long n) {
        for (long j = 0; j < n; j++) {
            double value = weight * row[j];
            int better = value > best[j];
            best[j] = better ? value : best[j];
            labels[j] = better ? c : labels[j];
        }
    }
    """
    double dot "reseat_aspect_dot"(const double *a, const double *b, long n) noexcept nogil
    void add "reseat_aspect_add"(
        double *sums, const double *row, double weight, long n) noexcept nogil
    void beat "reseat_aspect_beat"(
        double *best, int *labels, const double *row, double weight, int c, long n,
    ) noexcept nogil


def expectation(
    const long long[::1] indptr, const int[::1] indices, const double[::1] counts,
    const double[:, ::1] rows, const double[:, ::1] columns,
    double[:, ::1] row_sums, double[:, ::1] column_sums,
):
    """Compute the expected counts of one E-step; return the log likelihood of the pairs, nats.

    `rows`, (n_rows, n_classes), is p(c) p(a|c) and `columns`, (n_columns, n_classes), is p(n|c).
    `row_sums` and `column_sums` get the sums of C r_c over columns and rows.
    """
    cdef long n_classes = rows.shape[1]
    cdef long long i, a, n
    cdef long c
    cdef double p, weight
    cdef double log_likelihood = 0.0
    with nogil:
        column_sums[:, :] = 0.0
        for a in range(rows.shape[0]):
            row_sums[a, :] = 0.0
            for i in range(indptr[a], indptr[a + 1]):
                n = indices[i]
                p = dot(&rows[a, 0], &columns[n, 0], n_classes)
                log_likelihood += counts[i] * log(p)
                weight = counts[i] / p
                add(&row_sums[a, 0], &columns[n, 0], weight, n_classes)
                add(&column_sums[n, 0], &rows[a, 0], weight, n_classes)
            for c in range(n_classes):
                row_sums[a, c] *= rows[a, c]
        for n in range(columns.shape[0]):
            for c in range(n_classes):
                column_sums[n, c] *= columns[n, c]
    return log_likelihood


def label_pairs(const double[:, ::1] rows, const double[:, ::1] columns_by_class,
                double[::1] best, int[:, ::1] labels):
    """Return the class of largest rows[a, c] * columns_by_class[c, n], the lowest among equals."""
    cdef long n_columns = labels.shape[1]
    cdef long long a
    cdef long c
    with nogil:
        for a in range(rows.shape[0]):
            labels[a, :] = 0
            best[:] = 0.0
            for c in range(<long> rows.shape[1]):
                beat(&best[0], &labels[a, 0], &columns_by_class[c, 0], rows[a, c], <int> c,
                     n_columns)
    return labels
