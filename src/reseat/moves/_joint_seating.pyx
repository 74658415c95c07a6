"""What the moves that change publications and types at once have in common."""

import numpy as np

from libc.math cimport INFINITY, exp

from reseat.generators cimport NEGLIGIBLE
from reseat.likelihoods._mean_blocks cimport MeanBlocks
from reseat.moves._seating cimport Seating


cdef class JointSeating:
    """The seating in both partitions, and memory to weigh pairs of a publication and a type.

    The publications must have block means and be conditioned on the current types.
    """

    def __init__(self, publications, types, groups):
        if not isinstance(publications.likelihood, MeanBlocks):
            raise TypeError(
                f"{type(publications.likelihood).__name__} has no means of blocks; joint moves "
                "are of references."
            )
        self.blocks = Seating(
            publications.partition, publications.prior, publications.likelihood, groups
        )
        self.kinds = Seating(types.partition, types.prior, types.likelihood, None)
        self.means = publications.likelihood
        self.opens = publications.likelihood.collapsed
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
        cdef int[::1] counts = np.zeros(room + 2 * n + self.kinds.partition.capacity, np.intc)
        cdef Py_ssize_t most = min(room, self.blocks.partition.capacity + 2)   # candidates
        cdef double[::1] weights = np.zeros(n + room + most * n + self.means.n_features)
        self._held = counts, weights
        self.n_kinds = n
        self.slots, self.kind = &counts[0], &counts[0] + room
        self.others, self.place_of = self.kind + n, self.kind + 2 * n
        self.kind_weight = &weights[0]
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
        self._make_room()

    cdef double weigh(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t n_slots, Py_ssize_t near
    ) noexcept nogil:
        """Fill in the weights of all pairs, beginning with `near`, and return the greatest.

        The item sits in the slot `own`, or in none if that is -2; a slot of -1 stands for a new
        publication.  Most weights that are negligible relative to the greatest one are set to
        -INFINITY.
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
