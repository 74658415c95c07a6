"""The raw generator behind a `numpy.random.Generator`, for kernels that draw without the GIL."""

from cpython.pycapsule cimport PyCapsule_GetPointer
from numpy.random cimport bitgen_t


cdef inline bitgen_t* source_of(rng) except NULL:
    """The raw generator; hold the lock of its `bit_generator` while drawing from it."""
    return <bitgen_t*> PyCapsule_GetPointer(rng.bit_generator.capsule, "BitGenerator")
