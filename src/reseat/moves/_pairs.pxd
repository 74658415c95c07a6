from numpy.random cimport bitgen_t


cdef class Pairs:
    """A distribution of pairs of different items that does not depend on the partition."""

    cdef readonly Py_ssize_t n_items

    cdef void draw(self, bitgen_t* rng, Py_ssize_t* first, Py_ssize_t* second) noexcept nogil


cdef class SimilarPairs(Pairs):
    """Pairs that agree on a random subset of fields."""

    cdef readonly object subsets
    cdef Py_ssize_t n_subsets
    cdef object _order_array, _bucket_array, _start_array, _first_array
    cdef int* order             # (subset, place): items, bucket after bucket
    cdef int* bucket            # (subset, item): its bucket
    cdef int* starts            # first place of each bucket, subset after subset
    cdef Py_ssize_t* first      # of each subset, where its buckets begin in `starts`


cdef inline Py_ssize_t below(bitgen_t* rng, Py_ssize_t n) noexcept nogil:
    """A uniform whole number from 0 to n - 1."""
    return <Py_ssize_t>(rng.next_double(rng.state) * n)


cdef inline void uniform_pair(
    bitgen_t* rng, Py_ssize_t n, Py_ssize_t* first, Py_ssize_t* second
) noexcept nogil:
    first[0] = below(rng, n)
    second[0] = below(rng, n - 1)
    if second[0] >= first[0]:
        second[0] += 1
