from numpy.random cimport bitgen_t

cdef double draw_precision(double nu, double beta, double chi, bitgen_t* rng) noexcept nogil
