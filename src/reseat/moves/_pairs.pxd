from numpy.random cimport bitgen_t


cdef class Pairs:
    cdef readonly Py_ssize_t n_items

    cdef void draw(
        self, bitgen_t* rng, Py_ssize_t n, Py_ssize_t* first, Py_ssize_t* second
    ) noexcept nogil


cdef inline Py_ssize_t below(bitgen_t* rng, Py_ssize_t n) noexcept nogil:
    """Draw a uniform whole number from 0 to n - 1."""
    return <Py_ssize_t>(rng.next_double(rng.state) * n)


cdef inline Py_ssize_t other_than(bitgen_t* rng, Py_ssize_t n, Py_ssize_t place) noexcept nogil:
    """Draw a uniform whole number from 0 to n - 1 that is not `place`."""
    cdef Py_ssize_t found = below(rng, n - 1)
    return found + (found >= place)
