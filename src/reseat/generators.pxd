"""The raw generator behind a `numpy.random.Generator`, and weighted draws without the GIL."""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.math cimport exp
from numpy.random cimport bitgen_t

cdef enum:
    # Weights this far (in logs) below the greatest can be left out without changing anything:
    # even a hundred million of them add up to less than half a unit in the last place of the sum.
    NEGLIGIBLE = -56
    NOWHERE = -1    # there is no place, as all weights are zero
    UNSURE = -2     # the place depends on weights that were left out


cdef inline bitgen_t* source_of(rng) except NULL:
    """Return the raw generator; hold the lock of `rng.bit_generator` while drawing from it."""
    return <bitgen_t*> PyCapsule_GetPointer(rng.bit_generator.capsule, "BitGenerator")


cdef inline Py_ssize_t draw_place(
    double* weight, Py_ssize_t n, double best, bitgen_t* rng
) noexcept nogil:
    """Draw a place by its log weight, which is overwritten; `best` is the greatest of them."""
    return place_at(weight, n, best, rng.next_double(rng.state), 0.0)


cdef inline Py_ssize_t place_at(
    double* weight, Py_ssize_t n, double best, double u, double left_out
) noexcept nogil:
    """Return the place that `draw_place` takes for the uniform number `u`.

    `left_out` bounds the sum of the weights that were replaced by ``-INFINITY``, relative to the
    greatest.  UNSURE is returned if `u` is too close to a boundary to tell the place.
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
