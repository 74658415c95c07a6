"""The raw generator behind a `numpy.random.Generator`, and a draw by weight, without the GIL."""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.math cimport exp
from numpy.random cimport bitgen_t

cdef enum:
    # A weight this far (in logs) below the greatest is less than half a unit in the
    # last place of the sum of a hundred million weights: leaving it out changes nothing.
    NEGLIGIBLE = -56
    NOWHERE = -1    # a place that is none
    UNSURE = -2     # a place that depends on weights that were left out


cdef inline bitgen_t* source_of(rng) except NULL:
    """The raw generator; hold the lock of its `bit_generator` while drawing from it."""
    return <bitgen_t*> PyCapsule_GetPointer(rng.bit_generator.capsule, "BitGenerator")


cdef inline Py_ssize_t draw_place(
    double* weight, Py_ssize_t n, double best, bitgen_t* rng
) noexcept nogil:
    """A place below `n` by log weights of which `best` is the greatest; NOWHERE if all vanish.

    The weights are overwritten.
    """
    return place_at(weight, n, best, rng.next_double(rng.state), 0.0)


cdef inline Py_ssize_t place_at(
    double* weight, Py_ssize_t n, double best, double u, double left_out
) noexcept nogil:
    """The place that `draw_place` takes for the uniform number `u`.

    Some weights may be missing, that is be ``-INFINITY``.  If together they are at most
    `left_out` times the greatest, they shift the boundaries between places by no more than that:
    the place is still the right one, or else UNSURE is returned.
    """
    cdef double total = 0.0
    cdef Py_ssize_t k
    for k in range(n):
        weight[k] -= best
        weight[k] = exp(weight[k]) if weight[k] > NEGLIGIBLE else 0.0
        total += weight[k]
    u *= total
    for k in range(n):
        u -= weight[k]
        if u < 0.0:
            return UNSURE if left_out > 0.0 and min(-u, weight[k] + u) <= left_out else k
    if left_out > 0.0:
        return UNSURE
    # Rounding can leave u at zero after the last place: take the last with any weight.
    for k in range(n - 1, -1, -1):
        if weight[k] > 0.0:
            return k
    return NOWHERE
