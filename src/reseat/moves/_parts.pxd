"""The check of its parts with which every move begins, and a step of one item."""

from reseat.likelihoods._likelihood cimport Likelihood
from reseat.partition cimport Partition
from reseat.priors._prior cimport PartitionPrior


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
