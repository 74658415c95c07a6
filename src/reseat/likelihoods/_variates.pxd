from numpy.random cimport bitgen_t

cdef bitgen_t* source_of(rng) except NULL
cdef double draw_precision(double nu, double beta, double chi, bitgen_t* rng) noexcept nogil
