from numpy.random cimport bitgen_t


cdef class Pairs:
    """A distribution of pairs of different items that does not depend on the partition."""

    cdef readonly Py_ssize_t n_items

    cdef void draw(
        self, bitgen_t* rng, Py_ssize_t n, Py_ssize_t* first, Py_ssize_t* second
    ) noexcept nogil


cdef struct Entry:
    int item
    int bucket          # place where its bucket begins; there, minus the size of the bucket


cdef class SimilarPairs(Pairs):
    """Pairs that agree on a random subset of fields."""

    cdef readonly object subsets
    cdef Py_ssize_t n_subsets
    cdef object _entry_array
    cdef Entry* entries         # (subset, place): items, bucket after bucket


cdef class ListedPairs(Pairs):
    """Pairs of a list in a share of the draws, otherwise those of another distribution."""

    cdef readonly Pairs others
    cdef readonly double share
    cdef readonly object pairs, log_odds
    cdef readonly Py_ssize_t n_listed   # entries: a pair has as many as it has weight
    cdef object _listed
    cdef int* listed            # (entry, 2): items


cdef inline Py_ssize_t below(bitgen_t* rng, Py_ssize_t n) noexcept nogil:
    """A uniform whole number from 0 to n - 1."""
    return <Py_ssize_t>(rng.next_double(rng.state) * n)


cdef inline Py_ssize_t other_than(bitgen_t* rng, Py_ssize_t n, Py_ssize_t place) noexcept nogil:
    """A uniform whole number from 0 to n - 1 that is not `place`."""
    cdef Py_ssize_t found = below(rng, n - 1)
    return found + (found >= place)
