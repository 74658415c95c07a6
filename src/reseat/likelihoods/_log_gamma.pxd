"""log Gamma at whole steps from an offset: looked up as far as tabulated, else Stirling's series.

For arguments above a million, the first term that the series leaves out is below 1e-20.
"""

from libc.math cimport log


cdef struct LogGamma:
    const double* table     # [size] log Gamma(offset + n)
    long long size
    double offset


cdef inline double at(LogGamma gamma, long long n) noexcept nogil:
    cdef double z
    if n < gamma.size:
        return gamma.table[n]
    z = gamma.offset + n
    # Half the logarithm of 2 pi.
    return (z - 0.5) * log(z) - z + 0.9189385332046727 + 1 / (12 * z)


cdef inline LogGamma view_of(const double[::1] table, double offset):
    return LogGamma(&table[0], table.shape[0], offset)
