"""Which two items act as chaperones."""

import numpy as np

from numpy.random cimport bitgen_t

from reseat.errors import ConfigError, DataError


cdef class Pairs:
    """Uniform pairs of different items, and the base of other distributions.

    Every pair must have a positive probability, and none may depend on the
    partition: then the chaperones leave the posterior invariant and reach
    every partition.

    Parameters
    ----------
    n_items : int

    Raises
    ------
    DataError
        If there are fewer than two items.
    """

    def __init__(self, Py_ssize_t n_items):
        if n_items < 2:
            raise DataError(f"There is only {n_items} item; pairs need at least two.")
        self.n_items = n_items

    cdef void draw(self, bitgen_t* rng, Py_ssize_t* first, Py_ssize_t* second) noexcept nogil:
        uniform_pair(rng, self.n_items, first, second)

    def probabilities(self):
        """Probability of each ordered pair, shape (n_items, n_items)."""
        n = self.n_items
        return (1 - np.eye(n)) / (n * (n - 1))


cdef class SimilarPairs(Pairs):
    """Pairs of items that agree on a random subset of their fields, in O(1) a draw.

    Some subsets of the fields are drawn once; for each, the items that agree
    on all its fields share a bucket.  A pair is drawn by a uniform subset, a
    uniform item and a uniform other item of its bucket, or of all items if it
    is alone there.  The first subset is empty, which makes every pair
    possible.

    Parameters
    ----------
    codes : array_like of int, shape (n_items, n_fields)
        Levels; a missing value, -1, is a level of its own here.
    rng : numpy.random.Generator
        Draws the subsets.
    n_subsets : int
        Subsets, the empty one included.
    field_probability : float
        Probability of a field to be in a subset.

    Raises
    ------
    DataError
        If there are fewer than two items.
    ConfigError
        If there is no subset, or the probability lies outside [0, 1].
    """

    def __init__(self, codes, rng, Py_ssize_t n_subsets=31, double field_probability=0.75):
        codes = np.asarray(codes)
        super().__init__(codes.shape[0])
        if n_subsets < 1:
            raise ConfigError(f"n_subsets is {n_subsets}; it must be at least 1.")
        if not 0 <= field_probability <= 1:
            raise ConfigError(f"field_probability is {field_probability}; it must lie in [0, 1].")
        self.n_subsets = n_subsets
        self.subsets = rng.random((n_subsets, codes.shape[1])) < field_probability
        self.subsets[0] = False
        n = self.n_items
        self._order_array = np.empty((n_subsets, n), dtype=np.intc)
        self._bucket_array = np.empty((n_subsets, n), dtype=np.intc)
        starts, n_starts = [], []
        for subset, fields in enumerate(self.subsets):
            bucket = np.zeros(n, dtype=np.int64)
            for column in np.flatnonzero(fields):
                # Renumbered after every field, so that the product stays small.
                level = codes[:, column].astype(np.int64) + 1
                pairs = bucket * (level.max() + 1) + level
                bucket = np.unique(pairs, return_inverse=True)[1]
            self._bucket_array[subset] = bucket
            self._order_array[subset] = np.argsort(bucket, kind="stable")
            sizes = np.bincount(bucket)
            starts.append(np.concatenate([[0], np.cumsum(sizes)]))
            n_starts.append(sizes.size + 1)
        self._start_array = np.concatenate(starts).astype(np.intc)
        self._first_array = np.concatenate([[0], np.cumsum(n_starts)]).astype(np.intp)
        cdef int[:, ::1] order = self._order_array, bucket_view = self._bucket_array
        cdef int[::1] start_view = self._start_array
        cdef Py_ssize_t[::1] first_view = self._first_array
        self.order, self.bucket = &order[0, 0], &bucket_view[0, 0]
        self.starts, self.first = &start_view[0], &first_view[0]

    cdef void draw(self, bitgen_t* rng, Py_ssize_t* first, Py_ssize_t* second) noexcept nogil:
        cdef Py_ssize_t subset = below(rng, self.n_subsets)
        cdef Py_ssize_t item = below(rng, self.n_items)
        cdef Py_ssize_t bucket = self.bucket[subset * self.n_items + item]
        cdef int* starts = self.starts + self.first[subset] + bucket
        cdef Py_ssize_t size = starts[1] - starts[0]
        cdef int* members = self.order + subset * self.n_items + starts[0]
        cdef Py_ssize_t other
        first[0] = item
        if size == 1:
            other = below(rng, self.n_items - 1)
            second[0] = other + (other >= item)
            return
        # The last member takes the place of the item itself.
        other = members[below(rng, size - 1)]
        second[0] = members[size - 1] if other == item else other

    def probabilities(self):
        """Probability of each ordered pair, shape (n_items, n_items)."""
        n = self.n_items
        total = np.zeros((n, n))
        for bucket in self._bucket_array:
            same = (bucket[:, None] == bucket[None, :]) & ~np.eye(n, dtype=bool)
            others = same.sum(axis=1, keepdims=True)
            total += np.where(others > 0, same / np.maximum(others, 1), (1 - np.eye(n)) / (n - 1))
        return total / (n * self.n_subsets)
