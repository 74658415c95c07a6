"""The raw generator behind a `numpy.random.Generator`, and a draw by weight, without the GIL."""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.math cimport exp
from numpy.random cimport bitgen_t

cdef enum:
    # A weight this far (in logs) below the greatest is less than half a unit in the
    # last place of the sum of a hundred million weights: leaving it out changes nothing.
    NEGLIGIBLE = -56
    NOWHERE = -1    # a place that is none


cdef inline bitgen_t* source_of(rng) except NULL:
    """The raw generator; hold the lock of its `bit_generator` while drawing from it."""
    return <bitgen_t*> PyCapsule_GetPointer(rng.bit_generator.capsule, "BitGenerator")


cdef inline Py_ssize_t draw_place(
    double* weight, Py_ssize_t n, double best, bitgen_t* rng
) noexcept nogil:
    """A place below `n` by log weights of which `best` is the greatest; NOWHERE if all vanish.

    The weights are overwritten.
    """
    cdef double total = 0.0
    cdef double u
    cdef Py_ssize_t k
    for k in range(n):
        weight[k] -= best
        weight[k] = exp(weight[k]) if weight[k] > NEGLIGIBLE else 0.0
        total += weight[k]
    u = rng.next_double(rng.state) * total
    for k in range(n):
        u -= weight[k]
        if u < 0.0:
            return k
    # Rounding can leave u at zero after the last place: take the last with any weight.
    for k in range(n - 1, -1, -1):
        if weight[k] > 0.0:
            return k
    return NOWHERE
