"""Splits and merges of publications that also redraw the types of their items."""

import numpy as np

from libc.math cimport INFINITY, log
from numpy.random cimport bitgen_t

from reseat.checks import as_whole, check_between, check_whole
from reseat.moves._restricted import as_neighbours
from reseat.moves._seating import as_groups

from reseat.generators cimport draw_place
from reseat.likelihoods._pointers cimport ints
from reseat.moves._joint_seating cimport JointSeating
from reseat.moves._pairs cimport below
from reseat.moves._seating cimport check_size

cdef enum:
    SPLIT, MERGE, SHARE     # kinds of proposals

# Largest `share`: some pairs of publications must be merged, or splits would have no reverse move.
cdef double MAX_SHARED = 0.9

# How often redrawn types of the two items are drawn blindly if means are held.
cdef double BLIND = 0.5


cdef class JointSplitMerge:
    """A move that proposes to split, merge or redistribute the publications of two items.

    All items of their publications are taken out and put back one by one, as in `PublicationTypes`,
    first the two and then the others; these go to a type and to one of the sides at once.  If a
    type has hardly any other items, none can leave it unless the two keep their types, as they
    sometimes do (`redraw`).  If means are held, half of the redrawn types of the two are drawn by
    their sizes alone: the type that suits many items may cost the first of them too much.

    Parameters
    ----------
    items : array_like of int, shape (n_movable,), optional
        Items that may move.  A publication that also has others is neither split nor merged.
    groups : array_like, shape (n_items,), optional
        Group of each item, as for `RestrictedSweep`.
    neighbours : scipy.sparse or dense matrix, or tuple (indptr, indices), optional
        Neighbours of each item in compressed rows, all in its group and free to move.
    n_proposals : int
        Number of pairs per call.
    near, share, redraw : float
        Probabilities that the second item is drawn from the neighbours of the first, if it has any;
        that two publications are redistributed instead of merged, at most 0.9; and that the types
        of the two items are redrawn.

    Attributes
    ----------
    proposed_, accepted_ : dict of str to int
        Counts of ``split``, ``merge`` and ``share`` since the move was created.

    Raises
    ------
    ConfigError
        If a number is out of range.
    DataError
        If the groups or neighbours have the wrong shape, or an item is not a whole number.

    References
    ----------
    Dahl (2005), as for `PublicationTypes`.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat import likelihoods, moves
    >>> from reseat.models.references import build_supervised
    >>> rng, data = np.random.default_rng(1), likelihoods.GaussianReferences([[-3.0], [3.0], [2.9]])
    >>> model = build_supervised(data, "scdp1", rng, test=[True] * 3, known=[0, 0, 0])
    >>> model.joint = [moves.JointSplitMerge(n_proposals=10)]
    >>> n_moved = model.sweep(rng)
    """

    cdef readonly object items, groups, neighbours, proposed_, accepted_
    cdef readonly Py_ssize_t n_proposals
    cdef readonly double near, share, redraw

    def __init__(
        self, items=None, groups=None, neighbours=None, n_proposals=20, near=0.7, share=0.0,
        redraw=0.8,
    ):
        self.n_proposals = check_whole("n_proposals", n_proposals, 1)
        self.near = check_between("near", near, 0, 1)
        self.share = check_between("share", share, 0, MAX_SHARED)
        self.redraw = check_between("redraw", redraw, 0, 1)
        self.items = None if items is None else np.unique(as_whole(items, "The items"))
        self.groups = as_groups(groups)
        self.neighbours = None if neighbours is None else as_neighbours(neighbours)
        self.proposed_ = {"split": 0, "merge": 0, "share": 0}
        self.accepted_ = {"split": 0, "merge": 0, "share": 0}

    def __call__(self, publications, types, rng):
        """Make the proposals, with the arguments of `JointSweep`; return how many items moved."""
        cdef Proposals state = Proposals(publications, types, self.groups)
        if not state.take_free(self.items, self.neighbours):
            return 0
        state.near, state.shares, state.redraw = self.near, self.share, self.redraw
        publications.likelihood.begin(rng)
        types.likelihood.begin(rng)
        n_moved = state.make(self.n_proposals, rng, self)
        state.finish()
        return n_moved


cdef class Proposals(JointSeating):
    """Both seatings, and working memory for the union of two publications."""

    cdef double near, shares, redraw
    cdef Py_ssize_t n_union
    cdef int* union_items           # items of the two publications, beginning with the pair
    cdef int* sides                 # of each of these, the slot that is drawn for it
    cdef int* drawn_places          # of each of these, the place of the type drawn for it
    cdef bint draws_pair            # whether the types of the pair are redrawn
    cdef bint blind                 # and then by their sizes alone
    cdef const int* indptr          # of the neighbours, or NULL
    cdef const int* indices
    cdef object _free               # keeps the memory alive

    def take_free(self, items, neighbours):
        """Store the items that may move; return whether there is a pair of them."""
        if not self.blocks.take_free(items):
            return False
        group, free_items = self.blocks._held[0], self.blocks._free[0][0]
        drawn = np.empty(free_items.size, dtype=np.intc)
        self._free = drawn, neighbours
        self.union_items, self.sides = self.blocks.union_items, self.blocks.sides
        self.drawn_places = ints(drawn)
        if neighbours is None:
            return True
        indptr, indices = neighbours
        check_size("The neighbours", indptr.size - 1, self.blocks.partition)
        free = np.zeros(group.size, dtype=bool)
        free[free_items] = True
        owners = np.repeat(np.arange(group.size), np.diff(indptr))
        wrong = free[owners] & (
            ~free[indices] | (group[owners] != group[indices]) | (owners == indices)
        )
        if wrong.any():
            place = np.flatnonzero(wrong)[0]
            raise ValueError(
                f"Item {owners[place]} has the neighbour {indices[place]}; neighbours must be "
                "other items of its group that may move."
            )
        self.indptr, self.indices = ints(indptr), ints(indices)
        return True

    cdef bint step(self, Py_ssize_t number, bitgen_t* rng) noexcept nogil:
        """Draw two items of a group, and propose to split, merge or redistribute."""
        cdef int* labels = self.blocks.partition.labels
        cdef Py_ssize_t place, target, k, n_blocks, n_near = 0
        cdef int i, j, kind
        cdef double log_open = 0.0
        cdef bint whole
        if not self.blocks.partition.has_room():
            return False
        place = below(rng, self.blocks.n_free)
        i = self.blocks.free_items[place]
        if self.indptr != NULL:
            n_near = self.indptr[i + 1] - self.indptr[i]
        if n_near > 0 and rng.next_double(rng.state) < self.near:
            j = self.indices[self.indptr[i] + below(rng, n_near)]
        else:
            j = self.blocks.partner(place, rng)
        self.union_items[0], self.union_items[1], self.blocks.n_union = i, j, 2
        whole = self.blocks.gather(i, j)
        self.n_union = self.blocks.n_union
        for k in range(2, self.n_union):
            place = 2 + below(rng, k - 1)
            self.union_items[k], self.union_items[place] = (
                self.union_items[place], self.union_items[k]
            )
        if not whole:
            return True
        self.draws_pair = rng.next_double(rng.state) < self.redraw
        self.blind = self.draws_pair and self.held is not self.means
        self.blind = self.blind and rng.next_double(rng.state) < BLIND
        n_blocks = self.blocks.n_blocks[self.blocks.group_of[i]]
        if labels[i] == labels[j]:
            kind, target = SPLIT, self.blocks.partition.next_free()
            log_open = self.blocks.prior.log_open[n_blocks]
        elif self.shares > 0.0 and rng.next_double(rng.state) < self.shares:
            kind, target = SHARE, labels[i]
        else:
            kind, target = MERGE, labels[j]
            log_open = self.blocks.prior.log_open[n_blocks - 1]
        self.proposed[kind] += 1
        if kind != SPLIT or (target >= 0 and log_open > -INFINITY):
            self.accepted[kind] += self.propose(kind, target, log_open, rng)
        return True

    cdef bint propose(
        self, int kind, Py_ssize_t target, double log_open, bitgen_t* rng
    ) noexcept nogil:
        """Propose to move the first item to the slot `target`, and others to it or the second's."""
        cdef int* labels = self.blocks.partition.labels
        cdef Py_ssize_t one = labels[self.union_items[0]], two = labels[self.union_items[1]], k
        cdef Py_ssize_t[2] lost = [two, one]
        cdef Py_ssize_t[2] gained = [two, target]
        cdef double log_ratio = 0.0
        if kind == SPLIT:
            lost[1] = -1
            log_ratio = log(1 - self.shares)
        elif kind == MERGE:
            gained[1] = -1
            log_ratio = -log(1 - self.shares)
        else:
            lost[0], lost[1] = one, two
            gained[0], gained[1] = one, two
        self.held.leave_out(self.means, self.union_items[0], lost)
        log_ratio -= self.allocate(one, log_open, True, rng)
        log_ratio += self.allocate(target, log_open, False, rng)
        if not self.accept(self.union_items[0], lost, gained, log_ratio, rng):
            self.undo(one, two, target)
            return False
        if kind == MERGE:
            self.means._clear(one)
            self.means._derive(one)
        for k in range(self.n_union):
            self.commit_type(self.union_items[k], self.drawn_places[k])
            self.reseat(self.union_items[k], self.sides[k])
        return True

    cdef double allocate(
        self, Py_ssize_t one, double log_open, bint back, bitgen_t* rng
    ) noexcept nogil:
        """Put the items into the slots `one`, with the first, and that of the second item.

        On the path `back`, they go where they were.  Return the log product of the sums of their
        weights.  Only the sums of both slots and the types in the likelihood are changed.
        """
        cdef int* labels = self.blocks.partition.labels
        cdef const double* log_join = self.blocks.prior.log_join
        cdef Py_ssize_t two = labels[self.union_items[1]], place, n_slots = 1 if one == two else 2
        cdef Py_ssize_t k = 0 if self.draws_pair else 2, n_one = 1, n_two = 1
        cdef double log_total, best
        cdef int item
        self.take_types_out(self.union_items + k, self.n_union - k)
        self.means._clear(two)
        log_total = self.allocate_pair_item(1, two, -1, 0.0, back, rng)
        if n_slots == 1:
            log_total += self.allocate_pair_item(0, one, <int> one, log_join[1], back, rng)
            n_two = 2
        else:
            self.means._clear(one)
            log_total += self.allocate_pair_item(0, one, -1, log_open, back, rng)
        self.slots[0], self.slots[1] = <int> two, <int> one
        for k in range(2, self.n_union):
            item = self.union_items[k]
            self.seat_weight[0], self.seat_weight[1] = log_join[n_two], log_join[n_one]
            place = self.place(item)
            self._weigh_kinds(place)
            if back and labels[item] != two:
                place += self.n_kinds
            best = self.weigh(item, -2, n_slots, place)
            log_total += best + log(self._sum_weights(n_slots * self.n_kinds, best))
            if not back:
                place = draw_place(self.weight, n_slots * self.n_kinds, best, rng)
            self.sides[k] = self.slots[place // self.n_kinds]
            self.drawn_places[k] = <int> (place % self.n_kinds)
            self.add_item(item, self.sides[k], self.drawn_places[k])
            if self.sides[k] == two:
                n_two += 1
            else:
                n_one += 1
        return log_total

    cdef double allocate_pair_item(
        self, Py_ssize_t k, Py_ssize_t slot, int seen, double log_seat, bint back, bitgen_t* rng
    ) noexcept nogil:
        """Put an item of the pair into its slot, with its or a drawn type; return the log sum."""
        cdef int item = self.union_items[k]
        cdef Py_ssize_t place = self.place(item), m
        cdef double best = -INFINITY, log_total = 0.0
        if self.draws_pair:
            self.slots[0], self.seat_weight[0] = seen, log_seat
            self._weigh_kinds(place)
            if self.blind:
                for m in range(self.n_kinds):
                    self.weight[m] = self.kind_weight[m]
                    best = max(best, self.weight[m])
            else:
                best = self.weigh(item, -2, 1, place)
            log_total = best + log(self._sum_weights(self.n_kinds, best))
            if not back:
                place = draw_place(self.weight, self.n_kinds, best, rng)
        if self.blind or not self.draws_pair:
            log_total += log_seat
            log_total += self.means.score_typed(item, -2, self.kind[place], seen, INFINITY)
        self.sides[k], self.drawn_places[k] = <int> slot, <int> place
        if self.draws_pair:
            self.add_item(item, slot, place)
        else:
            self.means._add(item, slot, 1.0)
            self.means._derive(slot)
        return log_total

    cdef void undo(self, Py_ssize_t one, Py_ssize_t two, Py_ssize_t target) noexcept nogil:
        """Restore the sums of the slots where the items sit, and clear those of a new slot."""
        cdef Py_ssize_t k
        self.means._clear(one)
        self.means._clear(two)
        if self.blocks.partition.sizes[target] == 0:
            self.means._clear(target)
            self.means._derive(target)
        for k in range(self.n_union):
            self.put_back(self.union_items[k], self.blocks.partition.labels[self.union_items[k]])
        self.means._derive(one)
        self.means._derive(two)

    cdef void reseat(self, int item, Py_ssize_t target) noexcept nogil:
        """Move an item to another slot, whose sums already have it."""
        cdef Py_ssize_t own = self.blocks.partition.labels[item]
        cdef int* sizes = self.means.sizes
        if target == own:
            return
        self.blocks.relist(item, own, target)
        sizes[own] -= 1
        sizes[target] += 1
        self.blocks.partition.reseat(item, target)
        self.means.stamp = self.blocks.partition.stamp
        self.n_moved += 1
