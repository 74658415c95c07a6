"""One Gibbs sweep: score, add the two tables, draw, move if it changed."""

import numpy as np

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.math cimport INFINITY, exp
from numpy.random cimport bitgen_t

from reseat.likelihoods._likelihood cimport Likelihood
from reseat.partition cimport Partition
from reseat.priors._prior cimport PartitionPrior

# A weight this far (in logs) below the greatest is less than half a unit in the
# last place of the sum of a hundred million weights: leaving it out changes nothing.
cdef double NEGLIGIBLE = -56.0

cdef enum:
    NO_ROOM = -1


cdef Py_ssize_t draw_block(
    Partition partition,
    PartitionPrior prior,
    Likelihood likelihood,
    Py_ssize_t item,
    double* weight,
    bitgen_t* rng,
) noexcept nogil:
    """Draw the slot of `item` from its full conditional; NO_ROOM if slots ran out."""
    cdef Py_ssize_t own = partition.labels[item]
    cdef Py_ssize_t n_slots = partition.n_slots
    cdef bint alone = partition.sizes[own] == 1
    cdef double log_open = prior.log_open[partition.n_blocks - alone]
    cdef Py_ssize_t fresh = own if alone else partition.next_free()
    cdef double* log_join = prior.log_join
    cdef int* sizes = partition.sizes
    cdef double best, total, u
    cdef Py_ssize_t k

    if fresh < 0 and log_open > -INFINITY:
        return NO_ROOM
    likelihood.score(item, own, n_slots, weight)

    sizes[own] -= 1  # as if the item had been taken out
    best = weight[n_slots] = weight[n_slots] + log_open
    for k in range(n_slots):
        weight[k] += log_join[sizes[k]]
        if weight[k] > best:
            best = weight[k]
    sizes[own] += 1

    total = 0.0
    for k in range(n_slots + 1):
        weight[k] -= best
        weight[k] = exp(weight[k]) if weight[k] > NEGLIGIBLE else 0.0
        total += weight[k]
    u = rng.next_double(rng.state) * total
    for k in range(n_slots + 1):
        u -= weight[k]
        if u < 0.0:
            return fresh if k == n_slots else k
    # Rounding can leave u at zero after the last block: take the last with any weight.
    for k in range(n_slots, -1, -1):
        if weight[k] > 0.0:
            return fresh if k == n_slots else k
    return own


cdef Py_ssize_t sweep_from(
    Partition partition,
    PartitionPrior prior,
    Likelihood likelihood,
    Py_ssize_t first,
    double* weight,
    bitgen_t* rng,
    Py_ssize_t* n_moved,
) noexcept nogil:
    """Visit the items from `first` on; return the one where room ran out, or n_items."""
    cdef Py_ssize_t item, own, target, n_own, n_target
    cdef bint tracks = prior.tracks_sizes
    for item in range(first, partition.n_items):
        own = partition.labels[item]
        n_own = partition.sizes[own]
        if tracks:
            prior.block_resized(n_own, n_own - 1)
        target = draw_block(partition, prior, likelihood, item, weight, rng)
        if target == NO_ROOM:
            if tracks:
                prior.block_resized(n_own - 1, n_own)
            return item
        n_target = n_own - 1 if target == own else partition.sizes[target]
        if tracks:
            prior.block_resized(n_target, n_target + 1)
        if target != own:
            likelihood.move(item, own, target)
            partition.reseat(item, target)
            n_moved[0] += 1
    return partition.n_items


def gibbs_sweep(Partition partition, PartitionPrior prior, Likelihood likelihood, rng):
    """Reseat every item once, in order, from its full conditional.

    Written once for all pairs of prior and likelihood; runs without the GIL.

    Parameters
    ----------
    partition : Partition
        Changed in place.
    prior : PartitionPrior
        Prepared for the items of the partition.
    likelihood : Likelihood
        With the statistics of the partition; changed in place.
    rng : numpy.random.Generator
        Its lock is held for the whole sweep, so give each chain its own.

    Returns
    -------
    int
        How many items changed their block.

    References
    ----------
    Neal (2000), Algorithm 3; Walker and Ringger (2008), Algorithm 1.
    """
    cdef Py_ssize_t item = 0, n_moved = 0
    cdef double[::1] weight
    cdef bitgen_t* source
    bit_generator = rng.bit_generator
    source = <bitgen_t*> PyCapsule_GetPointer(bit_generator.capsule, "BitGenerator")
    if prior.n_items != partition.n_items or likelihood.n_items != partition.n_items:
        raise ValueError(
            f"The partition has {partition.n_items} items, the prior was prepared for "
            f"{prior.n_items} and the likelihood holds {likelihood.n_items}."
        )
    while True:
        weight = np.empty(partition.capacity + 1)
        with bit_generator.lock, nogil:
            item = sweep_from(
                partition, prior, likelihood, item, &weight[0], source, &n_moved
            )
        if item == partition.n_items:
            return n_moved
        partition.grow()
        likelihood.grow(partition.capacity)
