"""Short lists of whole numbers, sorted where they lie."""

from libc.stdlib cimport qsort

cdef enum:
    FEW = 24        # up to so many are sorted by insertion


cdef inline int ascending(const void* a, const void* b) noexcept nogil:
    return (<int*> a)[0] - (<int*> b)[0]


cdef inline void sort(int* numbers, Py_ssize_t n) noexcept nogil:
    """Sort numbers from 0 up, ascending."""
    cdef Py_ssize_t k, m
    cdef int number
    if n > FEW:
        qsort(numbers, n, sizeof(int), ascending)
        return
    for k in range(1, n):
        number = numbers[k]
        m = k
        while m > 0 and numbers[m - 1] > number:
            numbers[m] = numbers[m - 1]
            m -= 1
        numbers[m] = number
