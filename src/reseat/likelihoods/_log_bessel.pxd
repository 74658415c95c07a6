cdef struct BesselTable:
    const double* pieces    # [piece][power]
    double order
    double low              # log of the function at 0


cdef double log_bessel(const BesselTable* table, double z) noexcept nogil


cdef class LogBessel:
    """Logarithm of a scaled Bessel function of one order."""

    cdef object _pieces
    cdef BesselTable table
