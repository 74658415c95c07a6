from libc.math cimport log


cdef extern from *:
    """
    #include <math.h>
    #include <stdint.h>
    #include <string.h>
    /* frexp of a positive number without a call */
    static inline double reseat_parts(double z, int *exponent) {
        uint64_t bits;
        int e;
        memcpy(&bits, &z, sizeof bits);
        e = (int)(bits >> 52);
        if (e == 0 || e >= 0x7ff) return frexp(z, exponent);
        *exponent = e - 1022;
        bits = (bits & 0x000fffffffffffffULL) | 0x3fe0000000000000ULL;
        memcpy(&z, &bits, sizeof z);
        return z;
    }
    """
    double parts_of "reseat_parts"(double z, int* exponent) noexcept nogil


cdef enum:
    LOWEST = -60        # binary exponents between which the function is tabulated
    HIGHEST = 30
    PIECES = 16         # polynomials for each factor of two
    TERMS = 8           # coefficients of a polynomial


cdef struct BesselTable:
    const double* pieces    # [piece][power]
    double order
    double low              # log of the function at 0


cdef inline double log_bessel(const BesselTable* table, double z) noexcept nogil:
    """Return the function of `LogBessel` at `z`."""
    cdef int exponent, piece
    cdef double order = table.order
    cdef double x, square, mantissa = parts_of(z, &exponent)
    cdef const double* c
    if exponent < LOWEST or z <= 0.0:
        return table.low + z
    if exponent >= HIGHEST:
        return 0.45158270528945486 / 2 + (order - 0.5) * log(z) + (4 * order * order - 1) / (8 * z)
    mantissa = (mantissa - 0.5) * (2 * PIECES)
    piece = <int> mantissa
    x = 2 * (mantissa - piece) - 1
    square = x * x
    c = table.pieces + ((exponent - LOWEST) * PIECES + piece) * TERMS
    return (
        ((c[7] * x + c[6]) * square + (c[5] * x + c[4])) * (square * square)
        + ((c[3] * x + c[2]) * square + (c[1] * x + c[0]))
    )


cdef class LogBessel:
    cdef object _pieces
    cdef BesselTable table
