cdef inline unsigned long long stamp_of(Py_ssize_t item, Py_ssize_t slot) noexcept nogil:
    """Return a number for an item in a slot; the sum over all items identifies a partition."""
    # The finalizer of SplitMix64, so that sums of different partitions hardly ever agree.
    cdef unsigned long long z = (<unsigned long long> item << 32) + <unsigned long long> slot + 1
    z *= 0x9E3779B97F4A7C15ULL
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL
    return z ^ (z >> 31)
