"""Pointers to the elements of contiguous arrays, which their users must keep alive."""

from cpython.buffer cimport PyBUF_C_CONTIGUOUS, PyBuffer_Release, PyObject_GetBuffer


cdef inline void* start_of(array, Py_ssize_t width) except NULL:
    """Return where an array of elements of `width` bytes begins."""
    cdef Py_buffer view
    PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS)
    PyBuffer_Release(&view)
    if view.itemsize != width:
        raise TypeError(f"The elements have {view.itemsize} bytes, not {width}.")
    return view.buf


cdef inline double* doubles(array) except NULL:
    return <double*> start_of(array, sizeof(double))


cdef inline int* ints(array) except NULL:
    return <int*> start_of(array, sizeof(int))


cdef inline Py_ssize_t* longs(array) except NULL:
    return <Py_ssize_t*> start_of(array, sizeof(Py_ssize_t))
