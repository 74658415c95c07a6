"""Splits and merges of publications that also redraw the types of their items."""

import numpy as np

from libc.math cimport INFINITY, log
from numpy.random cimport bitgen_t

from reseat.checks import as_whole, check_between, check_whole
from reseat.moves._restricted import as_neighbours
from reseat.moves._seating import as_groups, free_lists

from reseat.generators cimport draw_place, source_of
from reseat.likelihoods._pointers cimport ints, longs
from reseat.moves._joint_seating cimport JointSeating
from reseat.moves._pairs cimport below, other_than


# Largest `share`: some pairs of publications must be merged, or splits would have no reverse move.
cdef double MAX_SHARED = 0.9

# How often redrawn types of the two items are drawn blindly if means are held.
cdef double BLIND = 0.5


cdef class JointSplitMerge:
    """A move that proposes to split, merge or redistribute the publications of two items.

    All items of their publication or publications are taken out and put back one by one, first the
    two and then the others in random order.  Each goes to a type and, if there are two sides and it
    is not one of the two items, to a side, with the weights that it would have in a Gibbs sweep
    among the items that are already back.  The reverse path is followed in the same order, and the
    acceptance ratio is the ratio of the products of the sums of these weights.

    If a type has hardly any other items, none can leave it unless the two items keep their types,
    as they sometimes do (`redraw`).  If means are held, half of the redrawn types of the two are
    drawn by their sizes alone: the type that suits many items may cost the first of them too much.
    If all items of a type are among those taken out, they keep it.

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
    near : float
        Probability that the second item is drawn from the neighbours of the first, if it has any.
    share : float
        Probability that two publications are redistributed instead of merged, at most 0.9.
    redraw : float
        Probability that the types of the two items are redrawn.

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
    Dahl (2005), Sequentially-allocated merge-split sampler for conjugate and nonconjugate
    Dirichlet process mixture models.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.likelihoods import GaussianReferences
    >>> from reseat.models.references import build_supervised
    >>> from reseat.moves import JointSplitMerge
    >>> rng, known = np.random.default_rng(1), np.zeros(12, dtype=int)
    >>> data = GaussianReferences(np.repeat([[-3.0], [0.0], [3.0]], 4, axis=0))
    >>> model = build_supervised(data, "scdp1", rng, test=known == 0, known=known)
    >>> model.publications.condition({"type": model.types})
    >>> move = JointSplitMerge(n_proposals=10)
    >>> n_moved = move(model.publications, model.types, rng)
    >>> sum(move.proposed_.values())
    10
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
        cdef Py_ssize_t left = self.n_proposals
        cdef bitgen_t* source = source_of(rng)
        if not state.take_free(self.items, self.neighbours):
            return 0
        state.near, state.shares, state.redraw = self.near, self.share, self.redraw
        publications.likelihood.begin(rng)
        types.likelihood.begin(rng)
        while True:
            with rng.bit_generator.lock, nogil:
                while left > 0 and state.blocks.partition.has_room():
                    state.propose(source)
                    left -= 1
            if left == 0:
                break
            state.grow()
        state.finish()
        for kind, name in enumerate(self.proposed_):
            self.proposed_[name] += state.proposed[kind]
            self.accepted_[name] += state.accepted[kind]
        return state.n_moved


cdef class Proposals(JointSeating):
    """Both seatings, and working memory for the union of two publications."""

    cdef double near, shares, redraw
    cdef Py_ssize_t n_free, n_union, n_moved
    cdef Py_ssize_t[3] proposed, accepted   # splits, merges and shares
    cdef int* free_items            # items that may move, group by group, ascending in each
    cdef Py_ssize_t* first_free     # [group, and one more] its first place among these
    cdef int* union_items           # items of the two publications, without the pair
    cdef int* sides                 # of each of these, the slot where it sits
    cdef int* drawn_sides           # of each of these, the slot that is drawn for it
    cdef int* drawn_places          # of each of these, the place of the type drawn for it
    cdef int[2] pair_places         # the same for the pair
    cdef bint draws_pair            # whether the types of the pair are redrawn
    cdef bint blind                 # and then by their sizes alone
    cdef const int* indptr          # of the neighbours, or NULL
    cdef const int* indices
    cdef object _free               # keeps the memory alive

    def take_free(self, items, neighbours):
        """Store the items that may move; return whether there is a pair of them."""
        group = self.blocks._held[0]
        found = free_lists(items, group, 5)
        if found is None:
            return False
        lists, first = found
        self._free = lists, first, neighbours
        self.free_items, self.union_items = ints(lists[0]), ints(lists[1])
        self.sides, self.drawn_sides = ints(lists[2]), ints(lists[3])
        self.drawn_places, self.first_free = ints(lists[4]), longs(first)
        self.n_free = lists.shape[1]
        if neighbours is None:
            return True
        indptr, indices = neighbours
        if indptr.size != group.size + 1:
            raise ValueError(
                f"The neighbours are of {indptr.size - 1} items, the partition has {group.size}."
            )
        free = np.zeros(group.size, dtype=bool)
        free[lists[0]] = True
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

    cdef void propose(self, bitgen_t* rng) noexcept nogil:
        """Draw two items of a group, and propose to split, merge or redistribute."""
        cdef Py_ssize_t place = below(rng, self.n_free)
        cdef int i = self.free_items[place], j
        cdef Py_ssize_t group = self.blocks.group_of[i]
        cdef Py_ssize_t first = self.first_free[group]
        cdef Py_ssize_t n = self.first_free[group + 1] - first
        cdef Py_ssize_t n_near = 0
        if self.indptr != NULL:
            n_near = self.indptr[i + 1] - self.indptr[i]
        if n_near > 0 and rng.next_double(rng.state) < self.near:
            j = self.indices[self.indptr[i] + below(rng, n_near)]
        else:
            j = self.free_items[first + other_than(rng, n, place - first)]
        if not self.gather(i, j, rng):
            return
        self.draws_pair = rng.next_double(rng.state) < self.redraw
        self.blind = self.draws_pair and self.held is not self.means
        self.blind = self.blind and rng.next_double(rng.state) < BLIND
        if self.blocks.partition.labels[i] == self.blocks.partition.labels[j]:
            self.proposed[0] += 1
            self.accepted[0] += self.split(i, j, rng)
        elif self.shares > 0.0 and rng.next_double(rng.state) < self.shares:
            self.proposed[2] += 1
            self.accepted[2] += self.share(i, j, rng)
        else:
            self.proposed[1] += 1
            self.accepted[1] += self.merge(i, j, rng)

    cdef bint gather(self, int i, int j, bitgen_t* rng) noexcept nogil:
        """List the other items of the publications of `i` and `j`; return False if one is held."""
        cdef int* labels = self.blocks.partition.labels
        cdef int one = labels[i], two = labels[j], item
        cdef Py_ssize_t group = self.blocks.group_of[i], place, k
        cdef Py_ssize_t n = self.blocks.partition.sizes[one]
        if two != one:
            n += self.blocks.partition.sizes[two]
        self.n_union = 0
        for place in range(self.first_free[group], self.first_free[group + 1]):
            item = self.free_items[place]
            if (labels[item] == one or labels[item] == two) and item != i and item != j:
                k = below(rng, self.n_union + 1)
                self.union_items[self.n_union] = self.union_items[k]
                self.union_items[k] = item
                self.n_union += 1
        if self.n_union + 2 != n:
            return False
        for k in range(self.n_union):
            self.sides[k] = labels[self.union_items[k]]
        return True

    cdef bint split(self, int i, int j, bitgen_t* rng) noexcept nogil:
        """Propose to move `i` and some others to a new publication; return whether they moved."""
        cdef Py_ssize_t group = self.blocks.group_of[i]
        cdef Py_ssize_t old = self.blocks.partition.labels[j]
        cdef Py_ssize_t new = self.blocks.partition.next_free()
        cdef double log_ratio, log_open = self.blocks.prior.log_open[self.blocks.n_blocks[group]]
        cdef Py_ssize_t[2] lost = [old, -1]
        cdef Py_ssize_t[2] gained = [old, new]
        if new < 0 or log_open == -INFINITY:
            return False
        self.held.leave_out(self.means, i, lost)
        log_ratio = log(1 - self.shares) - self.allocate(i, j, old, old, log_open, True, rng)
        log_ratio += self.allocate(i, j, new, old, log_open, False, rng)
        if not self.accept(i, lost, gained, log_ratio, rng):
            self.undo(i, j, old, old, new)
            return False
        self.blocks.open(group, new)
        self.reseat(i, new)
        self.commit(i, j)
        self.n_moved += self.blocks.partition.sizes[new]
        return True

    cdef bint merge(self, int i, int j, bitgen_t* rng) noexcept nogil:
        """Propose to merge the publication of `i` into that of `j`; return whether it was done."""
        cdef Py_ssize_t group = self.blocks.group_of[i]
        cdef Py_ssize_t lost = self.blocks.partition.labels[i]
        cdef Py_ssize_t kept = self.blocks.partition.labels[j]
        cdef Py_ssize_t n = self.blocks.partition.sizes[lost]
        cdef double log_ratio
        cdef double log_open = self.blocks.prior.log_open[self.blocks.n_blocks[group] - 1]
        cdef Py_ssize_t[2] both = [kept, lost]
        cdef Py_ssize_t[2] one = [kept, -1]
        self.held.leave_out(self.means, i, both)
        log_ratio = -log(1 - self.shares) - self.allocate(i, j, lost, kept, log_open, True, rng)
        log_ratio += self.allocate(i, j, kept, kept, log_open, False, rng)
        if not self.accept(i, both, one, log_ratio, rng):
            self.undo(i, j, lost, kept, -1)
            return False
        self.means._clear(lost)
        self.means._derive(lost)
        self.blocks.close(group, lost)
        self.reseat(i, kept)
        self.commit(i, j)
        self.n_moved += n
        return True

    cdef bint share(self, int i, int j, bitgen_t* rng) noexcept nogil:
        """Propose to redistribute the items of two publications; return whether it was done."""
        cdef Py_ssize_t one = self.blocks.partition.labels[i]
        cdef Py_ssize_t two = self.blocks.partition.labels[j]
        cdef Py_ssize_t k
        cdef Py_ssize_t[2] both = [one, two]
        cdef double log_ratio
        self.held.leave_out(self.means, i, both)
        log_ratio = -self.allocate(i, j, one, two, 0.0, True, rng)
        log_ratio += self.allocate(i, j, one, two, 0.0, False, rng)
        if not self.accept(i, both, both, log_ratio, rng):
            self.undo(i, j, one, two, -1)
            return False
        for k in range(self.n_union):
            self.n_moved += self.drawn_sides[k] != self.sides[k]
        self.commit(i, j)
        return True

    cdef double allocate(
        self, int i, int j, Py_ssize_t one, Py_ssize_t two, double log_open, bint back,
        bitgen_t* rng,
    ) noexcept nogil:
        """Put the items into the slots `one`, with `i`, and `two`, with `j`, which may be equal.

        On the path `back`, they go where they were; otherwise, where they are drawn to go.
        Return the log of the product of the sums of their weights.  Afterwards, the sums of both
        slots are those of the items put there.  In the likelihood, only these sums and the types
        of the items are changed; the partitions are not.
        """
        cdef Py_ssize_t k, m, place, here, n_slots = 1 if one == two else 2
        cdef Py_ssize_t n_one = 1, n_two = 1
        cdef double log_total, best, total
        cdef int item
        for m in range(self.n_kinds):
            self.others[m] = self.kinds.partition.sizes[self.kind[m]]
        if self.draws_pair:
            self.others[self.place_of[self.kinds.partition.labels[i]]] -= 1
            self.others[self.place_of[self.kinds.partition.labels[j]]] -= 1
        for k in range(self.n_union):
            self.others[self.place_of[self.kinds.partition.labels[self.union_items[k]]]] -= 1
        self.means._clear(two)
        log_total = self.allocate_pair_item(j, two, -1, 0.0, 1, back, rng)
        if n_slots == 1:
            log_total += self.allocate_pair_item(
                i, one, one, self.blocks.prior.log_join[1], 0, back, rng
            )
            n_two = 2
        else:
            self.means._clear(one)
            log_total += self.allocate_pair_item(i, one, -1, log_open, 0, back, rng)
        self.slots[0], self.slots[1] = <int> two, <int> one
        for k in range(self.n_union):
            item = self.union_items[k]
            here = self.place_of[self.kinds.partition.labels[item]]
            self.seat_weight[0] = self.blocks.prior.log_join[n_two]
            self.seat_weight[1] = self.blocks.prior.log_join[n_one]
            self._weigh_kinds(here)
            place = here
            if back and self.sides[k] != two:
                place += self.n_kinds
            best = self.weigh(item, -2, n_slots, place)
            total = self._sum_weights(n_slots * self.n_kinds, best)
            log_total += best + log(total)
            if not back:
                place = draw_place(self.weight, n_slots * self.n_kinds, best, rng)
            m = place % self.n_kinds
            self.drawn_sides[k] = self.slots[place // self.n_kinds]
            self.drawn_places[k] = <int> m
            self.add_item(item, self.drawn_sides[k], m)
            if self.drawn_sides[k] == two:
                n_two += 1
            else:
                n_one += 1
        return log_total

    cdef double allocate_pair_item(
        self, int item, Py_ssize_t slot, int seen, double log_seat, Py_ssize_t which, bint back,
        bitgen_t* rng,
    ) noexcept nogil:
        """Put an item of the pair into its slot, with its or a drawn type; return the log sum."""
        cdef Py_ssize_t place = self.place_of[self.kinds.partition.labels[item]], m
        cdef double best, log_total
        if not self.draws_pair:
            self.pair_places[which] = <int> place
            log_total = log_seat
            log_total += self.means.score_typed(item, -2, self.kind[place], seen, INFINITY)
            self.means._add(item, slot, 1.0)
            self.means._derive(slot)
            return log_total
        self.slots[0], self.seat_weight[0] = seen, log_seat
        self._weigh_kinds(place)
        if self.blind:
            best = -INFINITY
            for m in range(self.n_kinds):
                self.weight[m] = self.kind_weight[m]
                best = max(best, self.weight[m])
        else:
            best = self.weigh(item, -2, 1, place)
        log_total = best + log(self._sum_weights(self.n_kinds, best))
        if not back:
            place = draw_place(self.weight, self.n_kinds, best, rng)
        if self.blind:
            log_total += log_seat
            log_total += self.means.score_typed(item, -2, self.kind[place], seen, INFINITY)
        self.pair_places[which] = <int> place
        self.add_item(item, slot, place)
        return log_total

    cdef void add_item(self, int item, Py_ssize_t slot, Py_ssize_t place) noexcept nogil:
        """Count an item among the members of a type, and add it to the sums of a slot."""
        if self.others[place] > 0:
            self.others[place] += 1
        self.means.type_of[item] = self.kind[place]
        self.means._add(item, slot, 1.0)
        self.means._derive(slot)

    cdef void undo(
        self, int i, int j, Py_ssize_t one, Py_ssize_t two, Py_ssize_t spare
    ) noexcept nogil:
        """Restore the sums of the slots where the items sit, and clear those of a spare slot."""
        cdef Py_ssize_t k
        cdef int item
        self.means._clear(one)
        self.means._clear(two)
        if spare >= 0:
            self.means._clear(spare)
            self.means._derive(spare)
        self.means.type_of[i] = self.kinds.partition.labels[i]
        self.means.type_of[j] = self.kinds.partition.labels[j]
        self.means._add(i, one, 1.0)
        self.means._add(j, two, 1.0)
        for k in range(self.n_union):
            item = self.union_items[k]
            self.means.type_of[item] = self.kinds.partition.labels[item]
            self.means._add(item, self.sides[k], 1.0)
        self.means._derive(one)
        self.means._derive(two)

    cdef void commit(self, int i, int j) noexcept nogil:
        """Move the items in both partitions to where they were drawn; the sums need no change."""
        cdef Py_ssize_t k
        self.commit_type(i, self.pair_places[0])
        self.commit_type(j, self.pair_places[1])
        for k in range(self.n_union):
            self.commit_type(self.union_items[k], self.drawn_places[k])
            self.reseat(self.union_items[k], self.drawn_sides[k])

    cdef void commit_type(self, int item, Py_ssize_t place) noexcept nogil:
        """Move an item to the type that was drawn for it."""
        if self.kind[place] != self.kinds.partition.labels[item]:
            self.kinds.move(item, self.kind[place])

    cdef void reseat(self, int item, Py_ssize_t target) noexcept nogil:
        cdef Py_ssize_t own = self.blocks.partition.labels[item]
        cdef int* sizes = self.means.sizes
        if target != own:
            sizes[own] -= 1
            sizes[target] += 1
            self.blocks.partition.reseat(item, target)
            self.means.stamp = self.blocks.partition.stamp
