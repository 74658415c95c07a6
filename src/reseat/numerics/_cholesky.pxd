"""Cholesky factors of small matrices, with every sum in a fixed order.

A symmetric matrix of `n` rows is stored by columns of its lower triangle: entry (i, j) with i >= j
is at ``j * n + i``.  Inner loops run down a column, so that compilers can vectorise them without
changing the order of a sum.  ``inverse`` holds one over the diagonal of a factor.
"""

from libc.math cimport log, sqrt

cdef enum:
    CHUNK = 8       # entries of a diagonal that are multiplied before taking a log

cdef extern from *:
    """
    static inline void reseat_axpy(double *restrict y, const double *restrict x, double a, int n) {
        for (int i = 0; i < n; i++) y[i] -= a * x[i];
    }
    static inline void reseat_turn(double *restrict column, double *restrict v, double added,
                                   double sine, double cosine, double secant, int n) {
        for (int i = 0; i < n; i++) {
            double kept = (column[i] + added * v[i]) * secant;
            v[i] = cosine * v[i] - sine * kept;
            column[i] = kept;
        }
    }
    """
    void take_multiple "reseat_axpy"(double* y, const double* x, double a, int n) noexcept nogil
    void turn "reseat_turn"(
        double* column, double* v, double added, double sine, double cosine, double secant, int n
    ) noexcept nogil


cdef inline void factorise(double* matrix, double* inverse, int n) noexcept nogil:
    """Replace a positive definite matrix by its Cholesky factor."""
    cdef int j, k
    cdef double root
    for j in range(n):
        root = sqrt(matrix[j * n + j])
        inverse[j] = 1.0 / root
        matrix[j * n + j] = root
        for k in range(j + 1, n):
            matrix[j * n + k] *= inverse[j]
        for k in range(j + 1, n):
            take_multiple(
                matrix + k * n + k, matrix + j * n + k, matrix[j * n + k], n - k
            )


cdef inline void add_square(
    double* factor, double* inverse, double* v, int n
) noexcept nogil:
    """Turn the factor of A into that of A + vv'; overwrites `v`."""
    cdef int k
    cdef double old, new
    for k in range(n):
        old = factor[k * n + k]
        new = sqrt(old * old + v[k] * v[k])
        factor[k * n + k], inverse[k] = new, 1.0 / new
        turn(
            factor + k * n + k + 1, v + k + 1, v[k] / old, v[k] / old, new / old, old / new,
            n - k - 1,
        )


cdef inline void take_square(
    double* factor, double* inverse, double* v, int n
) noexcept nogil:
    """Turn the factor of A into that of A - vv', which must be positive definite."""
    cdef int k
    cdef double old, new, left
    for k in range(n):
        old = factor[k * n + k]
        left = (old - v[k]) * (old + v[k])
        # Rounding can hide what is left of a direction that only this vector reached into.
        new = sqrt(left) if left > 1e-14 * old * old else 1e-7 * old
        factor[k * n + k], inverse[k] = new, 1.0 / new
        turn(
            factor + k * n + k + 1, v + k + 1, -(v[k] / old), v[k] / old, new / old, old / new,
            n - k - 1,
        )


cdef inline double solve(
    const double* factor, const double* inverse, double* v, int n
) noexcept nogil:
    """Replace `v` by the solution y of Ly = v, and return its squared length."""
    cdef int j
    cdef double total = 0.0
    for j in range(n):
        v[j] *= inverse[j]
        total += v[j] * v[j]
        take_multiple(v + j + 1, factor + j * n + j + 1, v[j], n - j - 1)
    return total


cdef inline void solve_back(
    const double* factor, const double* inverse, double* v, int n
) noexcept nogil:
    """Replace `v` by the solution y of L'y = v."""
    cdef int i, j
    cdef double total
    for j in range(n - 1, -1, -1):
        total = v[j]
        for i in range(j + 1, n):
            total -= factor[j * n + i] * v[i]
        v[j] = total * inverse[j]


cdef inline double log_determinant(const double* factor, int n) noexcept nogil:
    """Return the log determinant of the matrix with this factor."""
    cdef double total = 0.0, chunk = 1.0
    cdef int k
    for k in range(n):
        chunk *= factor[k * n + k]
        if k % CHUNK == CHUNK - 1:
            total += log(chunk)
            chunk = 1.0
    return 2.0 * (total + log(chunk))
