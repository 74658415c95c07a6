"""The Gibbs sweep: score each item in all blocks, add the prior weights, and draw its block."""

import numpy as np

from reseat.checks import as_whole, check_between, check_positive

from libc.math cimport INFINITY
from numpy.random cimport bitgen_t

from reseat.generators cimport UNSURE, place_at, source_of
from reseat.likelihoods._likelihood cimport Likelihood
from reseat.moves._seating cimport check_parts, relocate
from reseat.partition cimport Partition
from reseat.priors._prior cimport PartitionPrior

cdef enum:
    NO_ROOM = -1


cdef struct Temper:
    double data        # power of the likelihood
    double prior       # power of the prior
    bint greedy        # take the most probable block instead of drawing one


cdef inline Py_ssize_t place_of_greatest(const double* weight, Py_ssize_t n_slots) noexcept nogil:
    # A new block, which comes last, is preferred to others of the same weight.
    cdef Py_ssize_t k, found = n_slots
    for k in range(n_slots):
        if weight[k] > weight[found]:
            found = k
    return found


cdef Py_ssize_t draw_block(
    Partition partition, PartitionPrior prior, Likelihood likelihood, Py_ssize_t item,
    Temper temper, double* prior_weight, double* weight, bitgen_t* rng,
) noexcept nogil:
    """Draw the slot of `item` from its full conditional, or return NO_ROOM if slots ran out."""
    cdef Py_ssize_t own = partition.labels[item]
    cdef Py_ssize_t n_slots = partition.n_slots
    cdef bint alone = partition.sizes[own] == 1
    cdef double log_open = prior.log_open[partition.n_blocks - alone]
    cdef Py_ssize_t fresh = own if alone else partition.next_free()
    cdef double* log_join = prior.log_join
    cdef int* sizes = partition.sizes
    cdef double best, left_out, u
    cdef Py_ssize_t k, likeliest

    if fresh < 0 and log_open > -INFINITY:
        return NO_ROOM

    sizes[own] -= 1  # as if the item had been taken out
    for k in range(n_slots):
        prior_weight[k] = temper.prior * log_join[sizes[k]]
    prior_weight[n_slots] = temper.prior * log_open
    sizes[own] += 1
    left_out = likelihood.weigh(item, own, n_slots, temper.data, prior_weight, weight)
    likeliest = place_of_greatest(weight, n_slots)
    best = weight[likeliest]
    if temper.greedy:
        # An item moves only to a block that is better than its own.
        if weight[n_slots if alone else own] >= best:
            return own
        return fresh if likeliest == n_slots else likeliest

    u = rng.next_double(rng.state)
    k = place_at(weight, n_slots + 1, best, u, left_out)
    if k == UNSURE:
        Likelihood.weigh(likelihood, item, own, n_slots, temper.data, prior_weight, weight)
        best = weight[place_of_greatest(weight, n_slots)]
        k = place_at(weight, n_slots + 1, best, u, 0.0)
    if k < 0:
        return own
    return fresh if k == n_slots else k


cdef Py_ssize_t sweep_from(
    Partition partition, PartitionPrior prior, Likelihood likelihood, const Py_ssize_t* items,
    Py_ssize_t n_visits, Py_ssize_t first, Temper temper, double* prior_weight, double* weight,
    bitgen_t* rng, Py_ssize_t* n_moved,
) noexcept nogil:
    """Make the visits from `first` on; return the one where slots ran out, or `n_visits`."""
    cdef Py_ssize_t visit, item, own, target, n_own, n_target
    cdef bint tracks = prior.tracks_sizes
    for visit in range(first, n_visits):
        item = visit if items == NULL else items[visit]
        own = partition.labels[item]
        n_own = partition.sizes[own]
        if tracks:
            prior.block_resized(n_own, n_own - 1)
        target = draw_block(partition, prior, likelihood, item, temper, prior_weight, weight, rng)
        if target == NO_ROOM:
            if tracks:
                prior.block_resized(n_own - 1, n_own)
            return visit
        n_target = n_own - 1 if target == own else partition.sizes[target]
        if tracks:
            prior.block_resized(n_target, n_target + 1)
        if target != own:
            relocate(partition, likelihood, item, own, target)
            n_moved[0] += 1
    return n_visits


def gibbs_sweep(
    Partition partition not None, PartitionPrior prior not None, Likelihood likelihood not None,
    rng, items=None, *, likelihood_power=1.0, prior_power=1.0, bint greedy=False,
):
    """Reseat every item once, in order, from its full conditional.

    Parameters
    ----------
    partition : Partition
        Changed in place.
    prior : PartitionPrior
        Prepared for the items of the partition, with the sizes of its blocks entered.
    likelihood : Likelihood
        Assigned the labels of the partition; changed in place.
    rng : numpy.random.Generator
        Locked for the whole sweep.
    items : array_like of int, shape (n_visits,), optional
        Items to visit, in this order; the others keep their block.
    likelihood_power, prior_power : float
        Powers of the two factors of the conditional; greater ones sharpen it.  That of the
        likelihood may be 0; with 0, the prior would no longer rule out any block.
    greedy : bool
        Whether to take the most probable block instead of drawing one.

    Returns
    -------
    int
        Number of items that changed their block.

    Raises
    ------
    ConfigError
        If a power is out of range.
    ValueError
        If the numbers of items differ, the prior lacks the block sizes, or there is no such item.

    References
    ----------
    Neal (2000), Algorithm 3; Walker and Ringger (2008), Algorithm 1.
    """
    cdef Py_ssize_t visit = 0, n_visits = partition.n_items, n_moved = 0
    cdef const Py_ssize_t[::1] order
    cdef const Py_ssize_t* visits = NULL
    cdef double[:, ::1] weights
    cdef bitgen_t* source
    cdef Temper temper
    temper.data = check_between("likelihood_power", likelihood_power, 0)
    temper.prior = check_positive("prior_power", prior_power)
    temper.greedy = greedy
    source = source_of(rng)
    check_parts(partition, prior, likelihood)
    if items is not None:
        order = as_whole(items, "The items to visit", 0, partition.n_items - 1)
        n_visits = order.shape[0]
        if n_visits == 0:
            return 0
        visits = &order[0]
    likelihood.begin(rng)
    while True:
        weights = np.empty((2, partition.capacity + 1))
        with rng.bit_generator.lock, nogil:
            visit = sweep_from(
                partition, prior, likelihood, visits, n_visits, visit, temper,
                &weights[0, 0], &weights[1, 0], source, &n_moved,
            )
        if visit == n_visits:
            return n_moved
        partition.grow()
        likelihood.grow(partition.capacity)
