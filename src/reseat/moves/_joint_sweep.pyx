"""Sweeps over items that draw publication and type together, and over publications."""

import numpy as np

from libc.math cimport INFINITY, log
from numpy.random cimport bitgen_t

from reseat.checks import as_whole
from reseat.moves._seating import as_groups

from reseat.generators cimport NEGLIGIBLE, draw_place
from reseat.likelihoods._pointers cimport ints, longs
from reseat.likelihoods._residuals cimport squares, weighed
from reseat.moves._joint_seating cimport JointSeating
from reseat.moves._pairs cimport below


cdef class JointSweep:
    """A sweep of both partitions at once, given the precisions of the types in use.

    Item ``n`` goes to publication k and type l with weight
    ``(items of k) (items of l) N(r_n; m_k, 1 / t_l + 1 / q_k)``, where ``m_k`` and ``q_k`` are the
    posterior mean and precision of the mean of k; if means are held, the density is that given the
    mean, and no publication is opened or closed.  An item that is alone in its type keeps it.

    Parameters
    ----------
    groups : array_like, shape (n_items,), optional
        Group of each item, as for `RestrictedSweep`.
    items : array_like of int, shape (n_items_free,), optional
        Items whose publications are drawn, in this order; by default, all.  Only the types of the
        others are drawn, after them.

    Raises
    ------
    DataError
        If the groups have the wrong shape, or an item is not a whole number.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat import likelihoods, moves
    >>> from reseat.models.references import build_supervised
    >>> rng, data = np.random.default_rng(1), likelihoods.GaussianReferences([[-3.0], [3.0], [2.9]])
    >>> model = build_supervised(data, "scdp1", rng, test=[True] * 3, known=[0, 0, 0])
    >>> model.joint = [moves.JointSweep()]
    >>> n_moved = model.sweep(rng)
    """

    cdef readonly object groups, items

    def __init__(self, groups=None, items=None):
        self.groups = as_groups(groups)
        self.items = None if items is None else as_whole(items, "The items")

    def __call__(self, publications, types, rng):
        """Visit all items once; return how many changed their publication.

        The arguments are parts of a `SupervisedModel`, the first conditioned on the second.
        """
        cdef Visits visits = Visits(publications, types, self.groups, False)
        n_items = visits.blocks.partition.n_items
        items = np.arange(n_items) if self.items is None else self.items
        if items.size and not 0 <= items.min() <= items.max() < n_items:
            raise ValueError(f"The items must lie between 0 and {n_items - 1}.")
        order = np.concatenate([items, np.delete(np.arange(n_items), items)])
        visits.order, visits.n_free = longs(order), items.size
        publications.likelihood.begin(rng)
        types.likelihood.begin(rng)
        return visits.make(order.size, rng)


cdef class Visits(JointSeating):
    """Both seatings, and the items to visit."""

    cdef const Py_ssize_t* order
    cdef Py_ssize_t n_free      # number of the first of these whose publications are drawn

    cdef double weigh_all(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t n_slots, Py_ssize_t near
    ) noexcept nogil:
        """Do as `weigh`, with the precisions of each type in each publication from a cache."""
        cdef int n_features = self.means.n_features
        cdef const double* x = self.means.point + item * self.means.n_coordinates
        cdef const double* weights
        cdef Py_ssize_t k, m, slot, n = self.n_kinds
        cdef double best = -INFINITY, prior, log_top, limit
        cdef double* weight
        self.means.take_out(item, own)
        k, m = near // n, near % n
        if self.kind_weight[m] > -INFINITY and self.seat_weight[k] > -INFINITY:
            best = self.seat_weight[k] + self.kind_weight[m] + self.means.score_typed(
                item, own, self.kind[m], self.slots[k], INFINITY
            )
        self.weight[near] = best
        for k in range(n_slots):
            slot, weight = self.slots[k], self.weight + k * n
            if slot < 0:
                slot = self.means.capacity   # whose row is always that of an empty block
            if slot != own:
                squares(
                    x, self.means.middle(slot), self.means.starts, n_features,
                    self.means.n_coordinates, self.squares,
                )
            for m in range(n):
                if k * n + m == near:
                    continue
                prior = self.seat_weight[k] + self.kind_weight[m]
                weight[m] = -INFINITY
                if slot == own:
                    # The density is greatest for an item at its mean, which bounds the weight.
                    limit = 2 * (prior + self.means.log_scale[self.kind[m]] - NEGLIGIBLE - best)
                    if limit >= 0.0:
                        weight[m] = prior + self.means.score_typed(
                            item, own, self.kind[m], slot, limit
                        )
                else:
                    weights = self.means.weights_of(self.kind[m], slot, &log_top)
                    limit = 2 * (prior + log_top - NEGLIGIBLE - best)
                    if limit >= 0.0:
                        weight[m] = prior + log_top - 0.5 * weighed(
                            self.squares, weights, n_features, limit
                        )
                if weight[m] > best:
                    best = weight[m]
        return best

    cdef bint step(self, Py_ssize_t number, bitgen_t* rng) noexcept nogil:
        """Draw the type of an item and, if it is free, its publication."""
        cdef int* sizes = self.blocks.partition.sizes
        cdef Py_ssize_t item = self.order[number]
        cdef Py_ssize_t group = self.blocks.group_of[item]
        cdef Py_ssize_t own = self.blocks.partition.labels[item]
        cdef bint alone = sizes[own] == 1
        cdef Py_ssize_t fresh = own if alone else self.blocks.partition.next_free()
        cdef const int* found = self.blocks.of(group)
        cdef Py_ssize_t here = self.place(item)
        cdef Py_ssize_t n = 0, near = 0, k, m, place, target
        cdef bint free = number < self.n_free and (self.opens or not alone)
        cdef double best

        for k in range(self.blocks.n_blocks[group]):
            if found[k] == own:
                if alone and free:
                    continue
                near = n
            elif not free:
                continue
            self.slots[n] = found[k]
            self.seat_weight[n] = self.blocks.prior.log_join[sizes[found[k]] - (found[k] == own)]
            n += 1
        if not free:
            self.seat_weight[0] = 0.0
        elif self.opens:
            if alone:
                near = n
            self.slots[n] = -1
            self.seat_weight[n] = self.blocks.prior.log_open[self.blocks.n_blocks[group] - alone]
            if fresh < 0 and self.seat_weight[n] > -INFINITY:
                return False
            n += 1
        for m in range(self.n_kinds):
            if self.others[here] == 1:
                self.kind_weight[m] = 0.0 if m == here else -INFINITY
            else:
                self.kind_weight[m] = self.kinds.prior.log_join[self.others[m] - (m == here)]

        best = self.weigh_all(item, own, n, near * self.n_kinds + here)
        place = draw_place(self.weight, n * self.n_kinds, best, rng)
        if place < 0:
            return True
        k, m = place // self.n_kinds, place % self.n_kinds
        if m != here:
            self.means.retype(item, own, self.kind[m])
            self.kinds.move(item, self.kind[m])
            self.others[here] -= 1
            self.others[m] += 1
        target = self.slots[k]
        if target < 0:
            target = fresh
        if target != own:
            self.blocks.move(item, target)
            self.n_moved += 1
        return True


cdef class PublicationTypes:
    """A move that proposes new types for all items of a publication, its mean integrated out.

    All items of a publication are taken out and put back one by one, in random order; each draws
    its type with the weights of a Gibbs sweep among the items that are already back.  The
    acceptance ratio is that of the products of the sums of these weights, here and on the reverse
    path.  Items whose type has no items elsewhere keep it.  Publications of one item are left to
    `JointSweep`, unless means are held.

    Attributes
    ----------
    proposed_, accepted_ : dict of str to int
        Counts of ``types`` since the move was created, one per publication.

    References
    ----------
    Dahl (2005), Sequentially-allocated merge-split sampler for conjugate and nonconjugate
    Dirichlet process mixture models.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat import likelihoods, moves
    >>> from reseat.models.references import build_supervised
    >>> rng, data = np.random.default_rng(1), likelihoods.GaussianReferences([[-3.0], [3.0], [2.9]])
    >>> model = build_supervised(data, "scdp1", rng, test=[True] * 3, known=[0, 0, 0])
    >>> model.joint = [moves.PublicationTypes()]
    >>> n_moved = model.sweep(rng)
    """

    cdef readonly object proposed_, accepted_

    def __init__(self):
        self.proposed_ = {"types": 0}
        self.accepted_ = {"types": 0}

    def __call__(self, publications, types, rng):
        """Make a proposal for each publication; return 0, because no item moves."""
        cdef Draws state = Draws(publications, types, None)
        n_publications = state.list_items()
        types.likelihood.begin(rng)
        state.make(n_publications if state.n_kinds > 1 else 0, rng, self)
        state.finish()
        return 0


cdef class Draws(JointSeating):
    """Both seatings, and the items listed publication by publication."""

    cdef int* order             # items, publication by publication
    cdef int* drawn             # of each of these, the place of the type drawn for it
    cdef const Py_ssize_t* first    # [publication with items, and one more] its first place
    cdef object _lists          # keeps the memory alive

    def list_items(self):
        """List the items of each publication; return the number of publications."""
        labels = self.blocks.partition.label_array
        order = np.argsort(labels, kind="stable")
        first = np.flatnonzero(np.diff(labels[order], prepend=-1, append=-1))
        lists = np.stack([order, order]).astype(np.intc)
        self._lists = lists, first
        self.order, self.drawn, self.first = ints(lists[0]), ints(lists[1]), longs(first)
        return first.size - 1

    cdef bint step(self, Py_ssize_t number, bitgen_t* rng) noexcept nogil:
        """Propose new types for the items of a publication."""
        cdef Py_ssize_t begin = self.first[number], end = self.first[number + 1]
        cdef Py_ssize_t slot = self.blocks.partition.labels[self.order[begin]], place, other
        cdef int item
        cdef double log_ratio
        cdef Py_ssize_t[2] slots = [slot, -1]
        if self.held is self.means and end - begin == 1:
            return True
        self.proposed[0] += 1
        for place in range(begin + 1, end):
            other = begin + below(rng, place - begin + 1)
            item = self.order[place]
            self.order[place] = self.order[other]
            self.order[other] = item
        self.held.leave_out(self.means, self.order[begin], slots)
        log_ratio = -self.allocate(slot, begin, end, True, rng)
        log_ratio += self.allocate(slot, begin, end, False, rng)
        if self.accept(self.order[begin], slots, slots, log_ratio, rng):
            self.accepted[0] += 1
            for place in range(begin, end):
                self.commit_type(self.order[place], self.drawn[place])
            return True
        self.means._clear(slot)
        for place in range(begin, end):
            self.put_back(self.order[place], slot)
        self.means._derive(slot)
        return True

    cdef double allocate(
        self, Py_ssize_t slot, Py_ssize_t begin, Py_ssize_t end, bint back, bitgen_t* rng
    ) noexcept nogil:
        """Give types to the items listed between two places, on the path `back` those they have.

        Return the log product of the sums of their weights; the slot then has these items' sums.
        """
        cdef Py_ssize_t place, m, here
        cdef double total = 0.0, best
        cdef int item
        self.take_types_out(self.order + begin, end - begin)
        self.means._clear(slot)
        self.means._derive(slot)
        self.slots[0], self.seat_weight[0] = <int> slot, 0.0
        for place in range(begin, end):
            item = self.order[place]
            here = self.place(item)
            self._weigh_kinds(here)
            best = self.weigh(item, -2, 1, here)
            total += best + log(self._sum_weights(self.n_kinds, best))
            m = here if back else draw_place(self.weight, self.n_kinds, best, rng)
            self.drawn[place] = <int> m
            self.add_item(item, slot, m)
        return total
