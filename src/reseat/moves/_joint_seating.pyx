"""What the moves that change publications and types at once have in common."""

import numpy as np

from libc.math cimport INFINITY, exp, log
from numpy.random cimport bitgen_t

from reseat.generators cimport NEGLIGIBLE
from reseat.likelihoods._mean_blocks cimport MeanBlocks
from reseat.likelihoods._pointers cimport doubles, ints
from reseat.likelihoods.references import TYPE
from reseat.moves._seating cimport Run, Seating, check_parts


cdef class JointSeating(Run):
    """The seating in both partitions, and memory to weigh pairs of a publication and a type.

    The publications must be conditioned on the current types.  If means are held, a move that
    `integrates` proposes as if none were, but with a prior of the means that includes how the
    others hold them; it redraws those of the blocks that change, and is accepted with the ratio of
    the densities of the precisions given all means, corrected for that prior.
    """

    def __init__(self, publications, types, groups, bint integrates=True):
        if not isinstance(publications.likelihood, MeanBlocks):
            raise TypeError(
                f"{type(publications.likelihood).__name__} has no means of blocks; joint moves "
                "are of references."
            )
        self.publications, self.types = publications, types
        self.held = self.means = publications.likelihood
        if integrates:
            self.means = self.held.integrated()
        self.opens = self.means.collapsed
        if self.means is not self.held:
            check_parts(publications.partition, publications.prior, self.held)
            self.means.assign(publications.partition.label_array, publications.partition.capacity)
        self.blocks = Seating(publications.partition, publications.prior, self.means, groups)
        self.kinds = Seating(types.partition, types.prior, types.likelihood, None)
        for seating in (self.blocks, self.kinds):
            if (<Seating> seating).prior.tracks_sizes:
                raise TypeError(
                    f"{type((<Seating> seating).prior).__name__} needs the sizes of all blocks, "
                    "so it cannot serve joint moves; choose another prior."
                )
        self._make_room()

    def _make_room(self):
        cdef Py_ssize_t room = self.blocks.partition.n_items + 2
        cdef Py_ssize_t n = self.kinds.n_blocks[0], place
        cdef Py_ssize_t most = min(room, self.blocks.partition.capacity + 2)   # candidates
        counts = np.zeros(room + 2 * n + self.kinds.partition.capacity, np.intc)
        weights = np.zeros(n + room + most * n + self.means.n_features)
        self._held = counts, weights
        self.n_kinds, self.slots, self.kind_weight = n, ints(counts), doubles(weights)
        self.kind = self.slots + room
        self.others, self.place_of = self.kind + n, self.kind + 2 * n
        self.seat_weight = self.kind_weight + n
        self.weight = self.seat_weight + room
        self.squares = self.weight + most * n
        for place in range(n):
            self.kind[place] = self.kinds.of(0)[place]
            self.place_of[self.kind[place]] = <int> place
            self.others[place] = self.kinds.partition.sizes[self.kind[place]]
        self.means.check_types(self.kinds.partition.label_array)

    def grow(self):
        """Make room for more publications."""
        self.blocks.grow()
        if self.means is not self.held:
            self.held.grow(self.blocks.partition.capacity)
        self._make_room()

    def finish(self):
        """Take the new partitions in if means are held."""
        if self.means is not self.held:
            self.publications.condition({TYPE: self.types})

    cdef double weigh(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t n_slots, Py_ssize_t near
    ) noexcept nogil:
        """Fill in the weights of all pairs, beginning with `near`, and return the greatest.

        The item sits in the slot `own`, or in none if that is -2; a slot of -1 stands for a new
        publication.  Most negligible weights are set to -INFINITY.
        """
        cdef Py_ssize_t k, m, n = self.n_kinds
        cdef double first = -INFINITY, best, prior, bound
        cdef double* weight = self.weight
        if own >= 0:
            self.means.take_out(item, own)
        k, m = near // n, near % n
        if self.kind_weight[m] > -INFINITY and self.seat_weight[k] > -INFINITY:
            first = self.seat_weight[k] + self.kind_weight[m] + self.means.score_typed(
                item, own, self.kind[m], self.slots[k], INFINITY
            )
        best = first
        for m in range(n):
            # The density is greatest for an item at its mean, which bounds the weight.
            bound = self.means.log_scale[self.kind[m]] - NEGLIGIBLE
            for k in range(n_slots):
                prior = self.seat_weight[k] + self.kind_weight[m]
                if k * n + m == near:
                    weight[near] = first
                elif prior + bound <= best:
                    weight[k * n + m] = -INFINITY
                else:
                    weight[k * n + m] = prior + self.means.score_typed(
                        item, own, self.kind[m], self.slots[k], 2 * (prior + bound - best)
                    )
                if weight[k * n + m] > best:
                    best = weight[k * n + m]
        return best

    cdef bint accept(
        self, Py_ssize_t item, Py_ssize_t[2] lost, Py_ssize_t[2] gained, double log_ratio,
        bitgen_t* rng,
    ) noexcept nogil:
        """Accept or reject a proposal, whose sums are in place; see `MeanBlocks.redraw`."""
        log_ratio += self.held.redraw(self.means, item, lost, gained, rng)
        if log(1.0 - rng.next_double(rng.state)) >= log_ratio:
            return False
        self.held.take_drawn(item, lost, gained)
        return True

    cdef void _weigh_kinds(self, Py_ssize_t here) noexcept nogil:
        """Fill in the prior weights of the types; an item keeps a type that has no others."""
        cdef Py_ssize_t m
        for m in range(self.n_kinds):
            if self.others[here] == 0:
                self.kind_weight[m] = 0.0 if m == here else -INFINITY
            elif self.others[m] == 0:
                self.kind_weight[m] = -INFINITY
            else:
                self.kind_weight[m] = self.kinds.prior.log_join[self.others[m]]

    cdef double _sum_weights(self, Py_ssize_t n, double best) noexcept nogil:
        cdef double total = 0.0
        cdef Py_ssize_t k
        for k in range(n):
            if self.weight[k] - best > NEGLIGIBLE:
                total += exp(self.weight[k] - best)
        return total

    # ---- items that are taken out, and put back one by one ----

    cdef void take_types_out(self, const int* items, Py_ssize_t n) noexcept nogil:
        """Count the members of each type without `n` items."""
        cdef Py_ssize_t k
        for k in range(self.n_kinds):
            self.others[k] = self.kinds.partition.sizes[self.kind[k]]
        for k in range(n):
            self.others[self.place(items[k])] -= 1

    cdef void add_item(self, int item, Py_ssize_t slot, Py_ssize_t place) noexcept nogil:
        """Count an item among the members of a type, and add it to the sums of a slot."""
        if self.others[place] > 0:
            self.others[place] += 1
        self.means.type_of[item] = self.kind[place]
        self.means._add(item, slot, 1.0)
        self.means._derive(slot)

    cdef void put_back(self, int item, Py_ssize_t slot) noexcept nogil:
        """Add an item to the sums of a slot, with the type that it has in the partition."""
        self.means.type_of[item] = self.kinds.partition.labels[item]
        self.means._add(item, slot, 1.0)

    cdef void commit_type(self, int item, Py_ssize_t place) noexcept nogil:
        """Move an item to the type that was drawn for it."""
        if self.kind[place] != self.kinds.partition.labels[item]:
            self.kinds.move(item, self.kind[place])
