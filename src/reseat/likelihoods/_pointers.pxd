"""Pointers to the elements of contiguous arrays, which their users must keep alive."""

from cpython.buffer cimport PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBuffer_Release, PyObject_GetBuffer


cdef inline void* start_of(array, Py_ssize_t width, kinds="") except NULL:
    """Return where an array begins, of elements of `width` bytes and one of the `kinds`, if any."""
    cdef Py_buffer view
    PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)
    kind = view.format.decode()
    PyBuffer_Release(&view)
    if view.itemsize != width or (kinds and kind not in kinds):
        raise TypeError(f"The elements are {kind!r} of {view.itemsize} bytes, not {width}.")
    return view.buf


cdef inline double* doubles(array) except NULL:
    return <double*> start_of(array, sizeof(double), "d")


cdef inline int* ints(array) except NULL:
    return <int*> start_of(array, sizeof(int), "iI")


cdef inline Py_ssize_t* longs(array) except NULL:
    return <Py_ssize_t*> start_of(array, sizeof(Py_ssize_t), "lq")
