from numpy.random cimport bitgen_t


cdef class Pairs:
    cdef readonly Py_ssize_t n_items

    cdef void draw(
        self, bitgen_t* rng, Py_ssize_t n, Py_ssize_t* first, Py_ssize_t* second
    ) noexcept nogil


cdef struct Entry:
    int item
    int bucket          # first place of its bucket; at that place, minus the size of the bucket


cdef class SimilarPairs(Pairs):
    cdef readonly object subsets
    cdef Py_ssize_t n_subsets
    cdef object _entry_array
    cdef Entry* entries         # [subset][place] items, bucket by bucket


cdef class ListedPairs(Pairs):
    cdef readonly Pairs others
    cdef readonly double share
    cdef readonly object pairs, log_odds
    cdef readonly Py_ssize_t n_listed   # number of entries; that of a pair is its weight
    cdef object _listed
    cdef int* listed            # [entry][2] items


cdef inline Py_ssize_t below(bitgen_t* rng, Py_ssize_t n) noexcept nogil:
    """Draw a uniform whole number from 0 to n - 1."""
    return <Py_ssize_t>(rng.next_double(rng.state) * n)


cdef inline Py_ssize_t other_than(bitgen_t* rng, Py_ssize_t n, Py_ssize_t place) noexcept nogil:
    """Draw a uniform whole number from 0 to n - 1 that is not `place`."""
    cdef Py_ssize_t found = below(rng, n - 1)
    return found + (found >= place)
