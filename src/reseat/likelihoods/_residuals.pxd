"""Sums over the coordinates of one point, in lanes that compilers can vectorise.

The lanes are added up in a fixed order, so that the result does not depend on the instruction set.
Where the loader can choose between versions of a function, there is also one for wider vectors.
"""


cdef extern from *:
    """
    #include <math.h>
    #define RESEAT_LANES 8
    #if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) \\
        && !defined(__clang__) && !defined(__AVX2__)
    #define RESEAT_WIDE __attribute__((target_clones("avx2", "default")))
    #else
    #define RESEAT_WIDE
    #endif
    #define RESEAT_CHUNK 32   /* features whose variances are multiplied before taking a log */

    /* four lanes that stay in registers; an array of lanes would go through memory at each step */
    typedef double reseat_four __attribute__((vector_size(32)));
    typedef double reseat_four_at __attribute__((vector_size(32), aligned(8), may_alias));
    #define RESEAT_FOUR(p) (*(const reseat_four_at *)(p))
    #define RESEAT_KEEP(s, a, b) \\
        for (int j = 0; j < 4; j++) { (s)[j] = (a)[j]; (s)[j + 4] = (b)[j]; }
    #define RESEAT_FOLD(a, b) ((((a)[0] + (a)[1]) + ((a)[2] + (a)[3])) \\
                             + (((b)[0] + (b)[1]) + ((b)[2] + (b)[3])))

    static inline double reseat_fold(const double *s) {
        return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
    }

    static inline double reseat_square(const double *restrict x, const double *restrict m,
                                       int from, int to) {
        double sum = 0.0;
        for (int d = from; d < to; d++) {
            double r = x[d] - m[d];
            sum += r * r;
        }
        return sum;
    }

    /* squared residuals of every feature */
    RESEAT_WIDE
    static void reseat_squares(const double *restrict x, const double *restrict m,
                               const int *restrict starts, int n_features, int n_coordinates,
                               double *restrict out) {
        if (n_features == n_coordinates)
            for (int f = 0; f < n_features; f++) out[f] = (x[f] - m[f]) * (x[f] - m[f]);
        else
            for (int f = 0; f < n_features; f++)
                out[f] = reseat_square(x, m, starts[f], starts[f + 1]);
    }

    /* sum over the features of t_f s_f for squared residuals s, or INFINITY above the limit */
    RESEAT_WIDE
    static double reseat_weighed(const double *restrict s, const double *restrict t, int n,
                                 double limit) {
        double sum[RESEAT_LANES];
        reseat_four one = {0.0}, two = {0.0};
        int f = 0;
        for (; f + RESEAT_LANES <= n; f += RESEAT_LANES) {
            one += RESEAT_FOUR(t + f) * RESEAT_FOUR(s + f);
            two += RESEAT_FOUR(t + f + 4) * RESEAT_FOUR(s + f + 4);
            if (f % 16 && RESEAT_FOLD(one, two) > limit) return INFINITY;
        }
        RESEAT_KEEP(sum, one, two)
        for (int j = 0; f < n; f++, j++) sum[j] += t[f] * s[f];
        double total = reseat_fold(sum);
        return total > limit ? INFINITY : total;
    }

    /* sum over the features of t_f |x_f - m_f|^2, or INFINITY above the limit */
    RESEAT_WIDE
    static double reseat_distance(const double *restrict x, const double *restrict m,
                                  const double *restrict t, const int *restrict starts,
                                  int n_features, int n_coordinates, double limit) {
        double sum[RESEAT_LANES] = {0.0};
        int f = 0;
        if (n_features == n_coordinates) {
            reseat_four one = {0.0}, two = {0.0};
            for (; f + RESEAT_LANES <= n_features; f += RESEAT_LANES) {
                reseat_four r = RESEAT_FOUR(x + f) - RESEAT_FOUR(m + f);
                reseat_four s = RESEAT_FOUR(x + f + 4) - RESEAT_FOUR(m + f + 4);
                one += RESEAT_FOUR(t + f) * (r * r);
                two += RESEAT_FOUR(t + f + 4) * (s * s);
                if (f % 16 && RESEAT_FOLD(one, two) > limit) return INFINITY;
            }
            RESEAT_KEEP(sum, one, two)
        }
        for (int j = 0; f < n_features; f++, j = (j + 1) % RESEAT_LANES) {
            sum[j] += t[f] * reseat_square(x, m, starts[f], starts[f + 1]);
            if (reseat_fold(sum) > limit) return INFINITY;
        }
        return reseat_fold(sum);
    }

    RESEAT_WIDE
    static double reseat_dot(const double *restrict a, const double *restrict b, int n) {
        double sum[RESEAT_LANES];
        reseat_four one = {0.0}, two = {0.0};
        int f = 0;
        for (; f + RESEAT_LANES <= n; f += RESEAT_LANES) {
            one += RESEAT_FOUR(a + f) * RESEAT_FOUR(b + f);
            two += RESEAT_FOUR(a + f + 4) * RESEAT_FOUR(b + f + 4);
        }
        RESEAT_KEEP(sum, one, two)
        for (int j = 0; f < n; f++, j++) sum[j] += a[f] * b[f];
        return reseat_fold(sum);
    }

    static double reseat_logs(const double *a, const double *b, const int *starts,
                              int from, int to) {
        double sum = 0.0;
        for (int f = from; f < to; f++)
            sum += (starts[f + 1] - starts[f]) * log(a[f] + b[f]);
        return sum;
    }

    /* write one over the variances a + b of the features to `out`, and return the sum of the
       log variances over the coordinates */
    RESEAT_WIDE
    static double reseat_inverses(const double *restrict a, const double *restrict b,
                                  const int *restrict starts, int n_features,
                                  int n_coordinates, double *restrict out) {
        double product[RESEAT_LANES], logs = 0.0, p;
        for (int f = 0; f < n_features; f++) out[f] = 1.0 / (a[f] + b[f]);
        for (int from = 0, to; from < n_features; from = to) {
            int f = from;
            to = from + RESEAT_CHUNK < n_features ? from + RESEAT_CHUNK : n_features;
            for (int j = 0; j < RESEAT_LANES; j++) product[j] = 1.0;
            if (n_features == n_coordinates)
                for (; f + RESEAT_LANES <= to; f += RESEAT_LANES)
                    for (int j = 0; j < RESEAT_LANES; j++) product[j] *= a[f + j] + b[f + j];
            for (int j = 0; f < to; f++, j = (j + 1) % RESEAT_LANES) {
                double v = a[f] + b[f], power = v;
                int n = starts[f + 1] - starts[f];
                for (n--; n > 0; n >>= 1, power *= power)
                    if (n & 1) product[j] *= power;
                product[j] *= v;
            }
            p = ((product[0] * product[1]) * (product[2] * product[3]))
              * ((product[4] * product[5]) * (product[6] * product[7]));
            logs += p > 1e-280 && p < 1e280 ? log(p) : reseat_logs(a, b, starts, from, to);
        }
        return logs;
    }

    #define RESEAT_PAIR(j, total, power) { \\
        reseat_four r = RESEAT_FOUR(x + (j)) - RESEAT_FOUR(m + (j)); \\
        reseat_four s = RESEAT_FOUR(x + (j) + 8) - RESEAT_FOUR(m + (j) + 8); \\
        reseat_four v = RESEAT_FOUR(a + (j)) + RESEAT_FOUR(b + (j)); \\
        reseat_four w = RESEAT_FOUR(a + (j) + 8) + RESEAT_FOUR(b + (j) + 8), both = v * w; \\
        total += (r * r * w + s * s * v) / both; \\
        power *= both; \\
    }

    /* sum over the coordinates of the log variance (the variance being a + b) and of the squared
       residual over the variance, or INFINITY once the latter sum exceeds the limit; one logarithm
       serves many features, unless their product overflows or underflows, and one division serves
       two features of one coordinate each */
    RESEAT_WIDE
    static double reseat_deviance(const double *restrict x, const double *restrict m,
                                  const double *restrict a, const double *restrict b,
                                  const int *restrict starts, int n_features,
                                  int n_coordinates, double limit) {
        double sum[RESEAT_LANES] = {0.0}, product[RESEAT_LANES], logs = 0.0, p;
        for (int from = 0, to; from < n_features; from = to) {
            int f = from;
            to = from + RESEAT_CHUNK < n_features ? from + RESEAT_CHUNK : n_features;
            for (int j = 0; j < RESEAT_LANES; j++) product[j] = 1.0;
            if (n_features == n_coordinates) {
                reseat_four total[2] = {{0.0}}, power[2];
                for (int h = 0; h < 2; h++)
                    for (int j = 0; j < 4; j++) {
                        total[h][j] = sum[4 * h + j];
                        power[h][j] = 1.0;
                    }
                for (; f + 2 * RESEAT_LANES <= to; f += 2 * RESEAT_LANES) {
                    RESEAT_PAIR(f, total[0], power[0])
                    RESEAT_PAIR(f + 4, total[1], power[1])
                    if (RESEAT_FOLD(total[0], total[1]) > limit) return INFINITY;
                }
                RESEAT_KEEP(sum, total[0], total[1])
                RESEAT_KEEP(product, power[0], power[1])
            }
            for (int j = 0; f < to; f++, j = (j + 1) % RESEAT_LANES) {
                double v = a[f] + b[f], power = v;
                int n = starts[f + 1] - starts[f];
                sum[j] += reseat_square(x, m, starts[f], starts[f + 1]) / v;
                for (n--; n > 0; n >>= 1, power *= power)
                    if (n & 1) product[j] *= power;
                product[j] *= v;
                if (reseat_fold(sum) > limit) return INFINITY;
            }
            p = ((product[0] * product[1]) * (product[2] * product[3]))
              * ((product[4] * product[5]) * (product[6] * product[7]));
            logs += p > 1e-280 && p < 1e280 ? log(p) : reseat_logs(a, b, starts, from, to);
        }
        return logs + reseat_fold(sum);
    }
    """
    void squares "reseat_squares"(
        const double* x, const double* m, const int* starts, int n_features, int n_coordinates,
        double* out) noexcept nogil
    double dot "reseat_dot"(const double* a, const double* b, int n) noexcept nogil
    double weighed "reseat_weighed"(
        const double* s, const double* t, int n, double limit) noexcept nogil
    double inverses "reseat_inverses"(
        const double* a, const double* b, const int* starts, int n_features, int n_coordinates,
        double* out) noexcept nogil
    double distance "reseat_distance"(
        const double* x, const double* m, const double* t, const int* starts,
        int n_features, int n_coordinates, double limit) noexcept nogil
    double deviance "reseat_deviance"(
        const double* x, const double* m, const double* a, const double* b, const int* starts,
        int n_features, int n_coordinates, double limit) noexcept nogil
