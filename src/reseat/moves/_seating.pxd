"""The check of its parts with which every move begins, and what seats items in blocks."""

from numpy.random cimport bitgen_t

from reseat.likelihoods._likelihood cimport Likelihood
from reseat.partition cimport Partition
from reseat.priors._prior cimport PartitionPrior


cdef class Run:
    cdef Py_ssize_t n_moved
    cdef Py_ssize_t[3] proposed, accepted   # by kind of proposal

    cdef bint step(self, Py_ssize_t number, bitgen_t* rng) noexcept nogil


cdef class Seating(Run):
    cdef Partition partition
    cdef PartitionPrior prior
    cdef Likelihood likelihood
    cdef Py_ssize_t n_groups
    cdef object _held, _free    # keep the memory alive
    cdef const int* group_of    # [item]
    cdef int* n_blocks          # [group]
    cdef Py_ssize_t* begin      # [group] where its slots begin
    cdef int* slots             # occupied slots, ascending within a group
    cdef bint listing           # whether `slots` is kept up to date; without it, moves are faster
    # For moves of two blocks at a time.
    cdef Py_ssize_t n_free, n_union
    cdef int* free_items        # items that may move, group by group, ascending in each
    cdef Py_ssize_t* first_free     # [group, and one more] its first place among these
    cdef int* union_items       # items of two blocks, which `gather` lists
    cdef int* sides             # of each of these, the slot where it sat, or is to sit

    cdef inline int* of(self, Py_ssize_t group) noexcept nogil:
        return self.slots + self.begin[group]
    cdef double weigh(self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t slot) noexcept nogil
    cdef void notify_removed(self, Py_ssize_t own) noexcept nogil
    cdef void notify_added(self, Py_ssize_t own, Py_ssize_t target) noexcept nogil
    cdef void move(self, Py_ssize_t item, Py_ssize_t target) noexcept nogil
    cdef void relabel(self, Py_ssize_t item, Py_ssize_t target) noexcept nogil
    cdef void relist(self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t target) noexcept nogil
    cdef int partner(self, Py_ssize_t place, bitgen_t* rng) noexcept nogil
    cdef bint gather(self, int i, int j) noexcept nogil


cdef inline int check_size(str what, Py_ssize_t n_items, Partition partition) except -1:
    """Raise a ValueError unless `what` a move was given is of the items of the partition."""
    if n_items != partition.n_items:
        raise ValueError(
            f"{what} are of {n_items} items, the partition has {partition.n_items}."
        )
    return 0


cdef inline int check_parts(
    Partition partition, PartitionPrior prior, Likelihood likelihood
) except -1:
    """Raise a ValueError if the parts have different numbers of items, or one is not ready."""
    if (
        prior.n_items != partition.n_items + likelihood.n_tied
        or likelihood.n_items != partition.n_items
    ):
        raise ValueError(
            f"The partition has {partition.n_items} items, the prior was prepared for "
            f"{prior.n_items} and the likelihood holds {likelihood.n_items}."
        )
    if prior.log_join == NULL or prior.log_open == NULL:
        raise ValueError(f"{type(prior).__name__} has not set both of its tables.")
    if likelihood.capacity < partition.capacity:
        raise ValueError(
            f"The likelihood has room for {likelihood.capacity} slots, the partition has "
            f"{partition.capacity}; call assign with its labels and capacity."
        )
    if likelihood.stamp not in (0, partition.stamp):
        raise ValueError(
            "The likelihood was assigned other labels than those of the partition; call assign "
            "with its labels and capacity."
        )
    if prior.tracks_sizes:
        prior.check_entered(partition.block_sizes())
    return 0


cdef inline void relocate(
    Partition partition, Likelihood likelihood, Py_ssize_t item, Py_ssize_t own, Py_ssize_t target
) noexcept nogil:
    """Move an item to another slot, in the statistics and in the partition."""
    likelihood.move(item, own, target)
    partition.reseat(item, target)
    if likelihood.stamp != 0:
        likelihood.stamp = partition.stamp
