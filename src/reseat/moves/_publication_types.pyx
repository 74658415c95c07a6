"""A move that redraws the types of all items of a publication."""

import numpy as np

from libc.math cimport log
from numpy.random cimport bitgen_t

from reseat.generators cimport draw_place, source_of
from reseat.moves._joint_seating cimport JointSeating
from reseat.moves._pairs cimport below


cdef class PublicationTypes:
    """A move that proposes new types for all items of a publication, its mean integrated out.

    If most items of a publication agree closely, its mean should be at their values, and the
    others should be of a type that allows differences.  If the mean is at the values of a minority
    instead, no item can change its type by itself, because it would be far from the mean.  Here
    all items of a publication are taken out and put back one by one, in random order: each draws
    its type with the weights of a Gibbs sweep among the items that are already back.  The reverse
    path is followed in the same order, and the acceptance ratio is the ratio of the products of
    the sums of these weights.

    Types are neither opened nor closed: items whose type has no items elsewhere keep it.
    Publications of one item are left to `JointSweep`.

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
    >>> from reseat.models.references import build_supervised
    >>> from reseat.likelihoods import GaussianReferences
    >>> from reseat.moves import PublicationTypes
    >>> rng = np.random.default_rng(1)
    >>> points = np.repeat([[-3.0], [0.0], [3.0]], 4, axis=0) + 0.1 * rng.normal(size=(12, 1))
    >>> test, known = np.ones(12, dtype=bool), np.zeros(12, dtype=int)
    >>> data = GaussianReferences(points)
    >>> model = build_supervised(data, "scdp1", rng, test=test, known=known)
    >>> move = PublicationTypes()
    >>> for sweep in range(20):
    ...     moved = model.sweep(rng)
    ...     model.publications.condition({"type": model.types})
    ...     moved = move(model.publications, model.types, rng)
    >>> 0 < move.accepted_["types"] <= move.proposed_["types"]
    True
    """

    cdef readonly object proposed_, accepted_

    def __init__(self):
        self.proposed_ = {"types": 0}
        self.accepted_ = {"types": 0}

    def __call__(self, publications, types, rng):
        """Make a proposal for each publication; return 0, because no item moves."""
        if not publications.likelihood.collapsed:
            raise TypeError(
                f"{type(publications.likelihood).__name__} holds parameters of the blocks; "
                "integrate them out."
            )
        cdef Draws state = Draws(publications, types, None)
        cdef bitgen_t* source = source_of(rng)
        state.list_items()
        types.likelihood.begin(rng)
        with rng.bit_generator.lock, nogil:
            state.run(source)
        self.proposed_["types"] += state.n_proposed
        self.accepted_["types"] += state.n_accepted
        return 0


cdef class Draws(JointSeating):
    """Both seatings, and the items listed publication by publication."""

    cdef Py_ssize_t n_listed, n_proposed, n_accepted
    cdef int* order             # items, publication by publication
    cdef int* drawn             # of each of these, the place of the type drawn for it
    cdef const Py_ssize_t* first    # [publication with items, and one more] its first place
    cdef object _lists          # keeps the memory alive

    def list_items(self):
        """List the items of each publication."""
        cdef int[:, ::1] lists
        cdef const Py_ssize_t[::1] first
        labels = self.blocks.partition.label_array
        order = np.argsort(labels, kind="stable")
        edges = np.flatnonzero(np.diff(np.asarray(labels)[order], prepend=-1, append=-1))
        lists = np.stack([order, order]).astype(np.intc)
        first = edges.astype(np.intp)
        self._lists = lists, first
        self.order, self.drawn, self.first = &lists[0, 0], &lists[1, 0], &first[0]
        self.n_listed = first.shape[0] - 1

    cdef void run(self, bitgen_t* rng) noexcept nogil:
        cdef Py_ssize_t k
        if self.n_kinds < 2:
            return
        for k in range(self.n_listed):
            if self.first[k + 1] - self.first[k] > 1:
                self.n_proposed += 1
                self.n_accepted += self.propose(self.first[k], self.first[k + 1], rng)

    cdef bint propose(self, Py_ssize_t begin, Py_ssize_t end, bitgen_t* rng) noexcept nogil:
        """Propose new types for the items listed between two places; return whether accepted."""
        cdef Py_ssize_t slot = self.blocks.partition.labels[self.order[begin]], place, other
        cdef int item, kind
        cdef double log_ratio
        for place in range(begin + 1, end):
            other = begin + below(rng, place - begin + 1)
            item = self.order[place]
            self.order[place] = self.order[other]
            self.order[other] = item
        log_ratio = -self.allocate(slot, begin, end, True, rng)
        log_ratio += self.allocate(slot, begin, end, False, rng)
        if log(1.0 - rng.next_double(rng.state)) < log_ratio:
            for place in range(begin, end):
                item, kind = self.order[place], self.kind[self.drawn[place]]
                if kind != self.kinds.partition.labels[item]:
                    self.kinds.move(item, kind)
            return True
        self.means._clear(slot)
        for place in range(begin, end):
            item = self.order[place]
            self.means.type_of[item] = self.kinds.partition.labels[item]
            self.means._add(item, slot, 1.0)
        self.means._derive(slot)
        return False

    cdef double allocate(
        self, Py_ssize_t slot, Py_ssize_t begin, Py_ssize_t end, bint back, bitgen_t* rng
    ) noexcept nogil:
        """Give types to the items listed between two places, on the path `back` those they have.

        Return the log product of the sums of their weights; the slot then has these items' sums.
        """
        cdef Py_ssize_t place, m, here
        cdef double total = 0.0, best
        cdef int item
        for m in range(self.n_kinds):
            self.others[m] = self.kinds.partition.sizes[self.kind[m]]
        for place in range(begin, end):
            self.others[self.place_of[self.kinds.partition.labels[self.order[place]]]] -= 1
        self.means._clear(slot)
        self.means._derive(slot)
        self.slots[0], self.seat_weight[0] = <int> slot, 0.0
        for place in range(begin, end):
            item = self.order[place]
            here = self.place_of[self.kinds.partition.labels[item]]
            self._weigh_kinds(here)
            best = self.weigh(item, -2, 1, here)
            total += best + log(self._sum_weights(self.n_kinds, best))
            m = here if back else draw_place(self.weight, self.n_kinds, best, rng)
            self.drawn[place] = <int> m
            if self.others[m] > 0:
                self.others[m] += 1
            self.means.type_of[item] = self.kind[m]
            self.means._add(item, slot, 1.0)
            self.means._derive(slot)
        return total
