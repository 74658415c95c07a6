"""A Gibbs sweep in which each item may join only some of the blocks."""

import numpy as np
from scipy import sparse

from libc.math cimport INFINITY
from numpy.random cimport bitgen_t

from reseat.checks import as_whole
from reseat.counts import checked_sparse
from reseat.errors import DataError
from reseat.moves._seating import as_groups

from reseat.generators cimport draw_place
from reseat.likelihoods._pointers cimport doubles, ints, longs
from reseat.moves._seating cimport Seating, check_size
from reseat.sorting cimport sort


cdef class RestrictedSweep:
    """A sweep that reseats items from their full conditionals among the blocks they may join.

    An item joins a block of its group or opens a new one, and only the blocks of the group count
    for the prior weights.  With canopies, a block must contain a neighbour; an item whose own block
    has none stays.  That move alone may not reach every partition (see `CanopySweep`).

    Parameters
    ----------
    groups : array_like, shape (n_items,), optional
        Group of each item; by default, all items are in one group.
    items : array_like of int, shape (n_visits,), optional
        Items to visit, in this order; the others keep their block.
    canopies : scipy.sparse or dense matrix, or tuple (indptr, indices), optional
        Neighbours of each item, shape (n_items, n_items); the values do not matter.

    Raises
    ------
    DataError
        If the groups or canopies have the wrong shape, or an item is not a whole number.

    References
    ----------
    Neal (2000), Algorithm 3; McCallum, Nigam and Ungar (2000) for canopies.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat import chains, likelihoods, moves, priors
    >>> likelihood = likelihoods.DirichletMultinomial([[5, 0], [4, 1], [0, 6], [0, 4]])
    >>> prior, groups = priors.DirichletProcess(1.0), [0, 1, 0, 1]
    >>> model = chains.GroupedModel(prior, likelihood, [moves.RestrictedSweep(groups)], groups)
    >>> model.start([0, 1, 0, 1])
    >>> n_moved = model.sweep(np.random.default_rng(1))
    >>> bool(set(model.labels[::2]) & set(model.labels[1::2]))  # no block has items of two groups
    False
    """

    cdef readonly object groups, items, canopies
    cdef Py_ssize_t last            # largest of the items to visit, or -1

    def __init__(self, groups=None, items=None, canopies=None):
        self.groups = as_groups(groups)
        # Copied, because it is not checked again later whether the items exist.
        self.items = None if items is None else as_whole(items, "The items to visit").copy()
        self.last = -1 if self.items is None else self.items.max(initial=-1)
        self.canopies = None if canopies is None else as_neighbours(canopies)

    def __call__(self, partition, prior, likelihood, rng):
        """Visit the items once; the arguments and the result are those of `gibbs_sweep`."""
        cdef Visits visits = Visits(partition, prior, likelihood, self.groups)
        order = np.arange(partition.n_items) if self.items is None else self.items
        if order.size == 0:
            return 0
        if self.last >= partition.n_items:
            raise ValueError(f"The items to visit must lie between 0 and {partition.n_items - 1}.")
        visits.order = longs(order)
        if self.canopies is not None:
            indptr, indices = self.canopies
            check_size("The canopies", indptr.size - 1, partition)
            visits.indptr, visits.indices = ints(indptr), ints(indices)
        likelihood.begin(rng)
        return visits.make(order.size, rng)


def as_neighbours(canopies):
    """Return compressed rows as two arrays of C integers."""
    if not isinstance(canopies, tuple):
        if sparse.issparse(canopies):
            canopies = checked_sparse(canopies, "The canopies: ")
        canopies = sparse.csr_array(canopies)
        if canopies.shape[0] != canopies.shape[1]:
            raise DataError(f"The canopies must be square; their shape is {canopies.shape}.")
        canopies = canopies.indptr, canopies.indices
    indptr, indices = (
        as_whole(part, name, dtype=np.intc).copy()
        for part, name in zip(canopies, ("The rows of the canopies", "The neighbours"), strict=True)
    )
    n = indptr.size - 1
    if n < 1 or indptr[0] != 0 or indptr[n] != indices.size or np.any(np.diff(indptr) < 0):
        raise DataError("The canopies need compressed rows: indptr from 0 up to all indices.")
    if indices.size and not 0 <= indices.min() <= indices.max() < n:
        raise DataError(f"The neighbours of an item must lie between 0 and {n - 1}.")
    return indptr, indices


cdef class Visits(Seating):
    """The seating, and working memory to weigh the candidates."""

    cdef const Py_ssize_t* order    # items to visit
    cdef const int* indptr          # of the canopies, or NULL
    cdef const int* indices
    cdef int stamp
    cdef int* marks                 # [slot] stamp of the last visit that found it
    cdef int* found                 # slots in the canopy of an item
    cdef double* weight
    cdef object _room

    def __init__(self, partition, prior, likelihood, groups):
        super().__init__(partition, prior, likelihood, groups)
        self._make_room()

    def _make_room(self):
        slots = np.zeros((2, self.partition.capacity), dtype=np.intc)
        weights = np.empty(self.partition.capacity + 1)
        self._room = slots, weights
        self.stamp = 0
        self.marks, self.found, self.weight = ints(slots[0]), ints(slots[1]), doubles(weights)

    def grow(self):
        """Make room for more blocks."""
        super().grow()
        self._make_room()

    cdef Py_ssize_t look(self, Py_ssize_t item) noexcept nogil:
        """List the blocks of the group of `item` that contain a neighbour; return how many."""
        cdef const int* group_of = self.group_of
        cdef Py_ssize_t place, n = 0
        cdef int other, slot
        self.stamp += 1
        for place in range(self.indptr[item], self.indptr[item + 1]):
            other = self.indices[place]
            if other == item or group_of[other] != group_of[item]:
                continue
            slot = self.partition.labels[other]
            if self.marks[slot] != self.stamp:
                self.marks[slot] = self.stamp
                self.found[n] = slot
                n += 1
        sort(self.found, n)
        return n

    cdef bint step(self, Py_ssize_t number, bitgen_t* rng) noexcept nogil:
        """Draw the block of an item and move it there."""
        cdef int* sizes = self.partition.sizes
        cdef Py_ssize_t item = self.order[number]
        cdef Py_ssize_t group = self.group_of[item]
        cdef Py_ssize_t own = self.partition.labels[item]
        cdef bint alone = sizes[own] == 1
        cdef Py_ssize_t fresh = own if alone else self.partition.next_free()
        cdef Py_ssize_t n_beside = self.n_blocks[group] - alone
        cdef const int* slots = self.of(group)
        cdef Py_ssize_t n = self.n_blocks[group]
        cdef double* weight = self.weight
        cdef double best
        cdef Py_ssize_t k, target

        if self.indptr != NULL:
            n = self.look(item)
            slots = self.found
            if not alone and self.marks[own] != self.stamp:
                return True     # it could not come back
        self.notify_removed(own)
        if fresh < 0 and self.prior.log_open[n_beside] > -INFINITY:
            self.notify_added(own, own)
            return False

        sizes[own] -= 1     # as if the item had been taken out
        for k in range(n):
            weight[k] = self.prior.log_join[sizes[slots[k]]]
        sizes[own] += 1
        weight[n] = self.prior.log_open[n_beside]
        self.likelihood.weigh_slots(item, own, slots, n, weight)
        best = weight[n]
        for k in range(n):
            if weight[k] > best:
                best = weight[k]
        k = draw_place(weight, n + 1, best, rng)
        target = own if k < 0 else fresh if k == n else slots[k]

        self.notify_added(own, target)
        if target != own:
            self.relabel(item, target)
            self.n_moved += 1
        return True
