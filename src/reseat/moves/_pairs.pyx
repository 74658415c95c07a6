"""Distributions of the pairs of items that act as chaperones."""

import numpy as np

from numpy.random cimport bitgen_t

from reseat.checks import as_whole, check_between, check_whole
from reseat.errors import DataError

from reseat.generators cimport source_of
from reseat.prefetch cimport prefetch

# Largest key of a bucket before the keys are renumbered, and attempts per requested subset, after
# which fewer are accepted.
cdef object MAX_KEY = 2**62, TRIES = 20

# Weight of a listed pair that is as likely as not to be together; the smallest weight is 1.
MOST_WEIGHT = 10


cdef class Pairs:
    """Uniform pairs of different items, and the Cython base class of other distributions.

    Every pair must have a positive probability, which must not depend on the partition.

    Parameters
    ----------
    n_items : int

    Raises
    ------
    ConfigError
        If `n_items` is not a whole number.
    DataError
        If there are fewer than two items.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.moves import Pairs
    >>> Pairs(3).sample(np.random.default_rng(1), 5).shape
    (5, 2)
    """

    def __init__(self, n_items):
        n_items = check_whole("n_items", n_items)
        if n_items < 2:
            raise DataError(f"There is only {n_items} item; pairs need at least two.")
        self.n_items = n_items

    cdef void draw(
        self, bitgen_t* rng, Py_ssize_t n, Py_ssize_t* first, Py_ssize_t* second
    ) noexcept nogil:
        """Draw `n` pairs at once, so that memory can be prefetched for all of them."""
        cdef Py_ssize_t k
        for k in range(n):
            first[k] = below(rng, self.n_items)
            second[k] = other_than(rng, self.n_items, first[k])

    def sample(self, rng, Py_ssize_t size):
        """Draw independent pairs.

        Parameters
        ----------
        rng : numpy.random.Generator
        size : int
            Number of pairs.

        Returns
        -------
        ndarray of int, shape (size, 2)
        """
        cdef Py_ssize_t[:, ::1] found = np.empty((2, size), dtype=np.intp)
        cdef bitgen_t* source = source_of(rng)
        if size > 0:
            with rng.bit_generator.lock, nogil:
                self.draw(source, size, &found[0, 0], &found[1, 0])
        return np.asarray(found).T

    def probabilities(self):
        """Return the probability of each ordered pair, shape (n_items, n_items)."""
        n = self.n_items
        return (1 - np.eye(n)) / (n * (n - 1))


cdef struct Entry:
    int item
    int bucket          # first place of its bucket; at that place, minus the size of the bucket


cdef class SimilarPairs(Pairs):
    """Pairs of items that agree on a random subset of their fields, drawn in O(1) each.

    Subsets of the fields are drawn once.  A pair consists of a uniform item and a uniform other one
    that agrees on all fields of a uniform subset, or any other if none does.  The first subset is
    empty.  Each of the others takes fields in random order until the number of items that are
    expected to agree by chance is below a limit, which is drawn uniformly on the log scale.

    Parameters
    ----------
    codes : array_like of int, shape (n_items, n_fields)
        Levels of the fields; a missing value, -1, counts as a level of its own here.
    rng : numpy.random.Generator
    n_subsets, most_alike : int, float
        Largest number of subsets, including the empty one, and largest value of this limit.
    field_probability : float, optional
        If given, each field is in each subset with this probability instead.
    groups : array_like of int, shape (n_fields,), optional
        A subset takes at most one field of each group (`record_keys`), unless the above is given.

    Raises
    ------
    DataError
        If there are fewer than two items, a code is not a whole number of at least -1, or
        there is not exactly one group per field.
    ConfigError
        If a number is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.moves import SimilarPairs
    >>> pairs = SimilarPairs([[0, 1], [0, 1], [1, 0], [1, 2]], np.random.default_rng(1))
    >>> first, second = pairs.sample(np.random.default_rng(2), 1000).T
    >>> bool((first // 2 == second // 2).mean() > 0.4)  # by chance, one in three
    True
    """

    cdef readonly object subsets
    cdef Py_ssize_t n_subsets
    cdef object _entry_array
    cdef Entry* entries         # [subset][place] items, bucket by bucket

    def __init__(
        self, codes, rng, n_subsets=31, most_alike=30.0, field_probability=None, groups=None
    ):
        codes = np.asanyarray(codes)
        if codes.ndim != 2:
            raise DataError(
                f"The codes have the shape {codes.shape}; give a table with one item a row."
            )
        codes = as_whole(codes, "The codes", -1)
        super().__init__(codes.shape[0])
        n_subsets = check_whole("n_subsets", n_subsets, 1)
        most_alike = check_between("most_alike", most_alike, 1)
        groups = np.arange(codes.shape[1]) if groups is None else as_whole(groups, "The groups")
        if groups.shape != (codes.shape[1],):
            raise DataError(f"{groups.size} groups are given for {codes.shape[1]} fields.")
        if field_probability is None:
            self.subsets = draw_subsets(codes, rng, n_subsets, most_alike, groups)
        else:
            check_between("field_probability", field_probability, 0, 1)
            self.subsets = rng.random((n_subsets, codes.shape[1])) < field_probability
            self.subsets[0] = False
        self.n_subsets = n_subsets = len(self.subsets)
        cdef int[:, :, ::1] entries = np.empty((n_subsets, self.n_items, 2), dtype=np.intc)
        self._entry_array = entries.base
        self.entries = <Entry*> &entries[0, 0, 0]
        for subset, fields in enumerate(self.subsets):
            key = bucket_keys(codes[:, fields])
            order = np.argsort(key, kind="stable")
            starts = np.flatnonzero(np.diff(key[order], prepend=-1))
            sizes = np.diff(starts, append=self.n_items)
            self._entry_array[subset, :, 0] = order
            self._entry_array[subset, :, 1] = np.repeat(starts, sizes)
            self._entry_array[subset, starts, 1] = -sizes

    cdef void draw(
        self, bitgen_t* rng, Py_ssize_t n, Py_ssize_t* first, Py_ssize_t* second
    ) noexcept nogil:
        cdef Py_ssize_t k, place, start, size
        cdef Entry* entries
        for k in range(n):
            first[k] = below(rng, self.n_subsets) * self.n_items
            second[k] = below(rng, self.n_items)    # a place: every item has exactly one
            prefetch(self.entries + first[k] + second[k])
        for k in range(n):
            entries = self.entries + first[k]
            place = second[k]
            start = entries[place].bucket if entries[place].bucket >= 0 else place
            size = -entries[start].bucket
            first[k] = entries[place].item
            if size > 1:
                second[k] = entries[start + other_than(rng, size, place - start)].item
            else:
                second[k] = other_than(rng, self.n_items, first[k])

    def probabilities(self):
        """Return the probability of each ordered pair, shape (n_items, n_items)."""
        n = self.n_items
        total = np.zeros((n, n))
        places = np.arange(n)
        for entries in self._entry_array:
            start = np.empty(n, dtype=int)
            start[entries[:, 0]] = np.where(entries[:, 1] < 0, places, entries[:, 1])
            same = (start[:, None] == start[None, :]) & ~np.eye(n, dtype=bool)
            others = same.sum(axis=1, keepdims=True)
            total += np.where(others > 0, same / np.maximum(others, 1), (1 - np.eye(n)) / (n - 1))
        return total / (n * self.n_subsets)


cdef class ListedPairs(Pairs):
    """Pairs from a list in a share of the draws, and from another distribution otherwise.

    Parameters
    ----------
    others : Pairs
        Distribution of the other draws; every pair should be possible in it.
    pairs : array_like of int, shape (n_pairs, 2)
        The list.  If it is empty, all draws come from `others`.
    share : float
        Probability of a draw from the list, in (0, 1).
    log_odds : array_like of float, shape (n_pairs,), optional
        Rough log odds that each pair is together, which must not depend on the partition; pairs in
        doubt are drawn up to ten times as often as the others.

    Attributes
    ----------
    n_listed : int
        Sum of the weights of the pairs, which are whole numbers from 1 to `MOST_WEIGHT`.

    Raises
    ------
    DataError
        If the list or `log_odds` has the wrong shape, or a pair is not of two different items.
    ConfigError
        If `share` is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.moves import ListedPairs, Pairs
    >>> drawn = ListedPairs(Pairs(100), [[3, 7]], 0.5).sample(np.random.default_rng(1), 1000)
    >>> bool(450 < (drawn == [3, 7]).all(axis=1).sum() < 550)
    True
    """

    cdef readonly Pairs others
    cdef readonly double share
    cdef readonly object pairs, log_odds
    cdef readonly Py_ssize_t n_listed   # number of entries; that of a pair is its weight
    cdef object _listed
    cdef int* listed            # [entry][2] items

    def __init__(self, Pairs others not None, pairs, share=0.75, log_odds=None):
        super().__init__(others.n_items)
        pairs = as_whole(pairs, "The items of the pairs")
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise DataError(f"The pairs have the shape {pairs.shape}; give one pair a row.")
        wrong = (pairs >= self.n_items).any(axis=1) | (pairs[:, 0] == pairs[:, 1])
        if wrong.any():
            raise DataError(
                f"The pair {pairs[wrong.argmax()].tolist()} is not of two different items below "
                f"{self.n_items}."
            )
        self.others, self.pairs = others, pairs
        self.log_odds = np.full(len(pairs), np.inf) if log_odds is None else np.asarray(log_odds)
        if self.log_odds.shape != (len(pairs),):
            raise DataError(f"{self.log_odds.size} log odds are given for {len(pairs)} pairs.")
        # Pairs are repeated by their weights, so that a draw takes one step however they differ.
        doubt = 1.0 / np.cosh(np.clip(self.log_odds, -100, 100) / 2)    # 2 sqrt(p (1 - p))
        weights = 1 + np.rint((MOST_WEIGHT - 1) * doubt).astype(np.intp)
        entries = np.repeat(pairs, weights, axis=0)
        self.n_listed = len(entries)
        self.share = check_between("share", share, 0, 1, "()") if self.n_listed else 0.0
        # There is one row more than entries, so that there is always a first row to point at.
        cdef int[:, ::1] listed = np.zeros((self.n_listed + 1, 2), dtype=np.intc)
        np.asarray(listed)[: self.n_listed] = entries
        self._listed, self.listed = listed, &listed[0, 0]

    cdef void draw(
        self, bitgen_t* rng, Py_ssize_t n, Py_ssize_t* first, Py_ssize_t* second
    ) noexcept nogil:
        cdef Py_ssize_t _k, m = 0, place
        for _k in range(n):
            if rng.next_double(rng.state) < self.share:
                place = 2 * below(rng, self.n_listed)
                first[m], second[m] = self.listed[place], self.listed[place + 1]
                m += 1
        if m < n:
            self.others.draw(rng, n - m, first + m, second + m)

    def probabilities(self):
        """Return the probability of each ordered pair, shape (n_items, n_items)."""
        total = (1 - self.share) * self.others.probabilities()
        listed = np.asarray(self._listed)[: self.n_listed]
        np.add.at(total, tuple(listed.T), self.share / max(1, self.n_listed))
        return total


cdef class PairsOfUnits(Pairs):
    """Pairs of the units of the items that another distribution draws (`DecidedModel`).

    Two items of one unit stand for it and a uniform other one.

    Parameters
    ----------
    others : Pairs
    units : array_like of int, shape (n_items,)
        Unit of each item, numbered from 0 without gaps.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.moves import Pairs, PairsOfUnits
    >>> PairsOfUnits(Pairs(3), [0, 1, 0]).sample(np.random.default_rng(1), 4).sum(axis=1).tolist()
    [1, 1, 1, 1]
    """

    cdef Pairs others
    cdef const int[::1] unit

    def __init__(self, Pairs others not None, units):
        super().__init__(np.max(units) + 1)
        self.others, self.unit = others, np.array(units, dtype=np.intc)

    cdef void draw(
        self, bitgen_t* rng, Py_ssize_t n, Py_ssize_t* first, Py_ssize_t* second
    ) noexcept nogil:
        cdef Py_ssize_t k
        self.others.draw(rng, n, first, second)
        for k in range(n):
            first[k], second[k] = self.unit[first[k]], self.unit[second[k]]
            if first[k] == second[k]:
                second[k] = other_than(rng, self.n_items, first[k])

    def probabilities(self):
        """Return the probability of each ordered pair, shape (n_units, n_units)."""
        member = np.arange(self.n_items)[:, None] == np.asarray(self.unit)
        total = member @ self.others.probabilities() @ member.T
        alike = np.diag(total)[:, None] / (self.n_items - 1)
        return np.where(np.eye(self.n_items), 0.0, total + alike)


def draw_subsets(codes, rng, n_subsets, most_alike, groups):
    """Draw different subsets of the fields, shape (<= n_subsets, n_fields), the first one empty."""
    n, n_fields = codes.shape
    # Probability that two items agree on a field by chance.
    counts = [np.unique(column, return_counts=True)[1] for column in codes.T]
    agreement = [np.sum((count / n) ** 2) for count in counts]
    highest = np.log(max(1.0, min(most_alike, n / 2)))
    found = {(False,) * n_fields}
    for _ in range(n_subsets * TRIES):
        if len(found) == n_subsets:
            break
        fields = np.zeros(n_fields, dtype=bool)
        alike, enough = n, np.exp(rng.uniform(0.0, highest))
        for field in rng.permutation(n_fields):
            if alike <= enough:
                break
            if fields[groups == groups[field]].any():
                continue
            fields[field] = True
            alike *= agreement[field]
        found.add(tuple(fields.tolist()))
    return np.array(sorted(found))


def bucket_keys(codes):
    """Return a whole number of at least 0 for each row, the same only for equal rows."""
    key = np.zeros(len(codes), dtype=np.int64)
    bound = 1
    for column in codes.T:
        n_levels = int(column.max()) + 2    # including the level of missing values
        if bound * n_levels > MAX_KEY:
            key = np.unique(key, return_inverse=True)[1]
            bound = int(key.max()) + 1
        key = key * n_levels + (column.astype(np.int64) + 1)
        bound *= n_levels
    # NumPy sorts whole numbers of this type by radix, which is fast.
    return key.astype(np.int16) if bound < 2**15 else key
