"""In-place sorting of short lists of integers."""

from libc.stdlib cimport qsort

cdef enum:
    FEW = 24        # longest list that is sorted by insertion


cdef inline int ascending(const void* a, const void* b) noexcept nogil:
    return (<int*> a)[0] - (<int*> b)[0]


cdef inline void sort(int* numbers, Py_ssize_t n) noexcept nogil:
    """Sort non-negative numbers in ascending order (`ascending` could overflow for others)."""
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
