"""The blocks of each group of items, for moves that keep the groups apart."""

import numpy as np

from libc.string cimport memmove
from numpy.random cimport bitgen_t

from reseat.checks import numbered_names
from reseat.errors import DataError

from reseat.generators cimport source_of
from reseat.likelihoods._likelihood cimport Likelihood
from reseat.likelihoods._pointers cimport ints, longs
from reseat.moves._pairs cimport other_than
from reseat.partition cimport Partition
from reseat.priors._prior cimport PartitionPrior


def as_groups(groups):
    """Return the groups, numbered from 0 in the order of their names; all are one for None."""
    if groups is None:
        return None
    if np.ndim(groups) != 1 or np.size(groups) == 0:
        raise DataError("The groups must be a one-dimensional array, one entry an item.")
    return numbered_names(groups, "groups").astype(np.intc)


def check_seated(
    Partition partition not None, PartitionPrior prior not None, Likelihood likelihood not None
):
    """Check the parts of a model as compiled moves do, for moves in Python."""
    check_parts(partition, prior, likelihood)


cdef class Run:
    """Steps that are made one after the other, each of which may need more slots."""

    def make(self, Py_ssize_t n_steps, rng, move=None):
        """Make the steps, count proposals in a `move`, if given; return how many items moved."""
        cdef Py_ssize_t number = 0
        cdef bitgen_t* source = source_of(rng)
        while True:
            with rng.bit_generator.lock, nogil:
                while number < n_steps and self.step(number, source):
                    number += 1
            if number == n_steps:
                break
            self.grow()
        if move is not None:
            for kind, name in enumerate(move.proposed_):
                move.proposed_[name] += self.proposed[kind]
                move.accepted_[name] += self.accepted[kind]
        return self.n_moved

    cdef bint step(self, Py_ssize_t number, bitgen_t* rng) noexcept nogil:
        """Make a step; return False, leaving everything as it was, if there is no free slot."""
        return True


cdef class Seating(Run):
    """The parts of a model, and the occupied slots of each group, which ascend for equal draws."""

    def __init__(
        self, Partition partition not None, PartitionPrior prior not None,
        Likelihood likelihood not None, groups,
    ):
        cdef Py_ssize_t item, slot
        cdef int* owner
        check_parts(partition, prior, likelihood)
        self.partition, self.prior, self.likelihood = partition, prior, likelihood
        self.listing = True
        if groups is None:
            groups = np.zeros(partition.n_items, dtype=np.intc)
        elif groups.size != partition.n_items:
            raise ValueError(
                f"The partition has {partition.n_items} items, but {groups.size} have groups."
            )
        n_members = np.bincount(groups)
        self.n_groups = n_members.size
        if prior.tracks_sizes and self.n_groups > 1:
            raise ValueError(
                f"{type(prior).__name__} needs the sizes of all blocks, so it cannot serve "
                f"{self.n_groups} groups; choose another prior."
            )
        n_blocks = np.zeros(self.n_groups, dtype=np.intc)
        begin = n_members.cumsum() - n_members
        slots = np.empty(partition.n_items, dtype=np.intc)
        owners = np.full(partition.capacity, -1, dtype=np.intc)
        self._held = groups, n_blocks, begin, slots
        self.group_of, self.n_blocks = ints(groups), ints(n_blocks)
        self.begin, self.slots, owner = longs(begin), ints(slots), ints(owners)
        for item in range(partition.n_items):
            slot = partition.labels[item]
            if owner[slot] >= 0 and owner[slot] != self.group_of[item]:
                raise ValueError(
                    f"Item {item} is of another group than an item of its block; start with "
                    "blocks that have items of one group only."
                )
            owner[slot] = self.group_of[item]
        for slot in range(partition.n_slots):
            if owner[slot] >= 0:
                self.of(owner[slot])[self.n_blocks[owner[slot]]] = <int>slot
                self.n_blocks[owner[slot]] += 1

    def grow(self):
        """Make room for more blocks."""
        self.partition.grow()
        self.likelihood.grow(self.partition.capacity)

    cdef double weigh(self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t slot) noexcept nogil:
        """Return the log weight of an item in a slot, as if taken out of its `own` slot first."""
        cdef Py_ssize_t n_others = self.partition.sizes[slot] - (slot == own)
        cdef Py_ssize_t n_blocks = self.n_blocks[self.group_of[item]]
        if n_others > 0:
            return self.prior.log_join[n_others] + self.likelihood.score_block(item, own, slot)
        n_blocks -= self.partition.sizes[own] == 1
        return self.prior.log_open[n_blocks] + self.likelihood.score_block(item, own, -1)

    cdef void notify_removed(self, Py_ssize_t own) noexcept nogil:
        """Tell a prior that tracks sizes that an item is taken out."""
        if self.prior.tracks_sizes:
            self.prior.block_resized(self.partition.sizes[own], self.partition.sizes[own] - 1)

    cdef void notify_added(self, Py_ssize_t own, Py_ssize_t target) noexcept nogil:
        """Tell such a prior that the item goes to `target`, before the partition is updated."""
        cdef Py_ssize_t n = self.partition.sizes[target] - (target == own)
        if self.prior.tracks_sizes:
            self.prior.block_resized(n, n + 1)

    cdef void relabel(self, Py_ssize_t item, Py_ssize_t target) noexcept nogil:
        """Move an item to another slot, after calls of `notify_removed` and `notify_added`."""
        cdef Py_ssize_t own = self.partition.labels[item]
        self.relist(item, own, target)
        relocate(self.partition, self.likelihood, item, own, target)

    cdef void move(self, Py_ssize_t item, Py_ssize_t target) noexcept nogil:
        """Move an item to another slot, and tell a prior that tracks sizes."""
        cdef Py_ssize_t own = self.partition.labels[item]
        self.notify_removed(own)
        self.notify_added(own, target)
        self.relabel(item, target)

    cdef void relist(self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t target) noexcept nogil:
        """Take the slots that an item will close and open off the list of its group and onto it."""
        cdef Py_ssize_t group = self.group_of[item]
        cdef int* slots = self.of(group)
        cdef int k = 0
        if self.partition.sizes[own] == 1:
            self.n_blocks[group] -= 1
            if self.listing:
                while slots[k] != own:
                    k += 1
                memmove(slots + k, slots + k + 1, (self.n_blocks[group] - k) * sizeof(int))
        if self.partition.sizes[target] == 0:
            k = self.n_blocks[group]
            self.n_blocks[group] += 1
            if self.listing:
                while k > 0 and slots[k - 1] > target:
                    slots[k] = slots[k - 1]
                    k -= 1
                slots[k] = <int>target

    # ---- moves of two blocks at a time ----

    def take_free(self, items):
        """Store the items that may move, by default all; return whether there is a pair of them."""
        n_items, group = self.partition.n_items, self._held[0]
        items = np.arange(n_items) if items is None else items
        if items.size and not 0 <= items[0] <= items[items.size - 1] < n_items:
            raise ValueError(f"The items that may move must lie between 0 and {n_items - 1}.")
        n_free = np.bincount(group[items], minlength=self.n_groups)
        items = items[n_free[group[items]] > 1]
        if items.size == 0:
            return False
        lists = np.empty((3, items.size), dtype=np.intc)
        lists[0] = items[np.argsort(group[items], kind="stable")]
        first = np.append(0, np.cumsum(np.where(n_free > 1, n_free, 0))).astype(np.intp)
        self._free = lists, first
        self.free_items, self.union_items = ints(lists[0]), ints(lists[1])
        self.sides, self.first_free, self.n_free = ints(lists[2]), longs(first), items.size
        return True

    cdef int partner(self, Py_ssize_t place, bitgen_t* rng) noexcept nogil:
        """Draw another item that may move, of the group of the one at a place of their list."""
        cdef Py_ssize_t group = self.group_of[self.free_items[place]]
        cdef Py_ssize_t first = self.first_free[group], n = self.first_free[group + 1] - first
        return self.free_items[first + other_than(rng, n, place - first)]

    cdef bint gather(self, int i, int j) noexcept nogil:
        """Append the other items of both blocks, ascending; return False if one may not move."""
        cdef int* labels = self.partition.labels
        cdef int one = labels[i], two = labels[j], item
        cdef Py_ssize_t group = self.group_of[i], place, left = self.partition.sizes[one] - 2
        if two != one:
            left += self.partition.sizes[two]
        for place in range(self.first_free[group], self.first_free[group + 1]):
            item = self.free_items[place]
            if (labels[item] == one or labels[item] == two) and item != i and item != j:
                self.union_items[self.n_union] = item
                self.sides[self.n_union] = labels[item]
                self.n_union += 1
                left -= 1
        return left == 0
