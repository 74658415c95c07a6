"""Splits and merges of whole blocks, by restricted Gibbs sampling."""

import numpy as np

from libc.math cimport INFINITY, exp, log, log1p
from numpy.random cimport bitgen_t

from reseat.checks import as_whole, check_whole
from reseat.errors import ConfigError
from reseat.moves._seating import as_groups

from reseat.members cimport Members
from reseat.moves._pairs cimport Pairs, below
from reseat.moves._seating cimport Seating, check_size
from reseat.sorting cimport sort


cdef class SplitMerge:
    """A move that proposes to split the block of two items, or to merge their two blocks.

    If two items share a block, its items are divided between them: first at random, then by Gibbs
    scans that keep the two apart, the last of which is the proposal.  Otherwise, a merge is
    proposed, whose reverse is such a scan.  Parameters of blocks must be integrated out; combine
    the move with a sweep.

    Parameters
    ----------
    items : array_like of int, shape (n_movable,), optional
        Items that may move.  A block that also has others is neither split nor merged.
    groups : array_like, shape (n_items,), optional
        Group of each item, as for `RestrictedSweep`.
    n_proposals, n_scans : int
        Number of pairs per call, and of Gibbs scans before the last one.
    pairs : Pairs, optional
        Distribution of the two items instead of `items` and `groups`; by default uniform.

    Attributes
    ----------
    proposed_, accepted_ : dict of str to int
        Counts of ``split`` and ``merge`` since the move was created.

    Raises
    ------
    ConfigError
        If a number is out of range, or `pairs` is combined with `items` or `groups`.
    DataError
        If the groups have the wrong shape, or an item is not a whole number.

    References
    ----------
    Jain and Neal (2004), section 4.3.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat import chains, likelihoods, moves, priors
    >>> likelihood = likelihoods.DirichletMultinomial([[5, 0], [4, 1], [0, 6], [0, 4]])
    >>> both = [moves.gibbs_sweep, moves.SplitMerge()]
    >>> model = chains.MixtureModel(priors.DirichletProcess(1.0), likelihood, both)
    >>> model.start([0, 0, 0, 0])
    >>> n_moved = model.sweep(np.random.default_rng(1))
    """

    cdef readonly object items, groups, proposed_, accepted_
    cdef readonly Pairs pairs
    cdef readonly Py_ssize_t n_proposals, n_scans

    def __init__(self, items=None, groups=None, n_proposals=10, n_scans=5, Pairs pairs=None):
        if pairs is not None and (items is not None or groups is not None):
            raise ConfigError("SplitMerge takes either pairs, or items and groups; leave one out.")
        self.pairs = pairs
        self.n_proposals = check_whole("n_proposals", n_proposals, 1)
        self.n_scans = check_whole("n_scans", n_scans)
        self.items = None if items is None else np.unique(as_whole(items, "The items"))
        self.groups = as_groups(groups)
        self.proposed_ = {"split": 0, "merge": 0}
        self.accepted_ = {"split": 0, "merge": 0}

    def __call__(self, partition, prior, likelihood, rng):
        """Make the proposals, with the arguments of `gibbs_sweep`; return how many items moved."""
        cdef Proposals state = Proposals(partition, prior, likelihood, self.groups)
        if not likelihood.collapsed:
            raise TypeError(
                f"{type(likelihood).__name__} holds parameters of the blocks; integrate them out."
            )
        state.n_scans, state.listing = self.n_scans, False
        if self.pairs is not None:
            check_size("The pairs", self.pairs.n_items, partition)
            state.pairs, state.members = self.pairs, state.likelihood.members
        if not state.take_free(self.items):
            return 0
        likelihood.begin(rng)
        return state.make(self.n_proposals, rng, self)


cdef class Proposals(Seating):
    """The seating, and working memory for the union of two blocks."""

    cdef Pairs pairs
    cdef Members members            # the lists of the likelihood if `pairs` is given, or None
    cdef Py_ssize_t n_scans
    cdef double log_ratio           # log joint of the current partition minus that before

    cdef bint step(self, Py_ssize_t number, bitgen_t* rng) noexcept nogil:
        """Draw two items of a group, and propose to split or merge; the union leaves them out."""
        cdef Py_ssize_t place, first
        cdef int i, j
        if not self.partition.has_room():
            return False
        if self.pairs is None:
            place = below(rng, self.n_free)
            i, j = self.free_items[place], self.partner(place, rng)
        else:
            self.pairs.draw(rng, 1, &first, &place)
            i, j = <int>first, <int>place
        self.n_union = 0
        if self.members is not None:
            self.gather_members(i, j)
        elif not self.gather(i, j):
            return True
        if self.partition.labels[i] == self.partition.labels[j]:
            self.proposed[0] += 1
            self.accepted[0] += self.split(i, j, rng)
        else:
            self.proposed[1] += 1
            self.accepted[1] += self.merge(i, j, rng)
        return True

    cdef void gather_members(self, int i, int j) noexcept nogil:
        """Do the same with the lists of the likelihood, if all items may move."""
        cdef int* labels = self.partition.labels
        cdef Py_ssize_t k
        cdef int item
        for k in range(1 if labels[i] == labels[j] else 2):
            item = self.members.head[labels[j] if k else labels[i]]
            while item >= 0:
                if item != i and item != j:
                    self.union_items[self.n_union] = item
                    self.n_union += 1
                item = self.members.next[item]
        # The order is ascending, however the union is divided.
        sort(self.union_items, self.n_union)
        for k in range(self.n_union):
            self.sides[k] = labels[self.union_items[k]]

    cdef bint split(self, int i, int j, bitgen_t* rng) noexcept nogil:
        """Propose to move `i` and some others to a new block; return whether they moved."""
        cdef int* labels = self.partition.labels
        cdef Py_ssize_t old = labels[j], new = self.partition.next_free()
        cdef double log_way
        if new < 0 or self.prior.log_open[self.n_blocks[self.group_of[i]]] == -INFINITY:
            return False
        self.log_ratio = 0.0
        self.shift(i, new)
        self.launch(new, rng)
        log_way = self.scan(old, new, False, rng)
        if log(rng.next_double(rng.state)) >= self.log_ratio - log_way:
            self.join(new, old, i)
            return False
        self.n_moved += self.partition.sizes[new]
        return True

    cdef bint merge(self, int i, int j, bitgen_t* rng) noexcept nogil:
        """Propose to merge the smaller of the two blocks into the other; return whether done."""
        cdef int* labels = self.partition.labels
        cdef int* sizes = self.partition.sizes
        cdef Py_ssize_t kept, lost, k
        cdef double log_merged, log_u
        if sizes[labels[i]] > sizes[labels[j]]:
            i, j = j, i
        lost, kept = labels[i], labels[j]
        self.log_ratio = 0.0
        for k in range(self.n_union):
            if self.sides[k] == lost:
                self.shift(self.union_items[k], kept)
        self.shift(i, kept)
        log_merged = self.log_ratio
        log_u = log(rng.next_double(rng.state))
        self.move(i, lost)
        # The log probability of the reverse path is at most 0, so the merge is refused in any case.
        if log_u >= log_merged:
            for k in range(self.n_union):
                if self.sides[k] == lost:
                    self.move(self.union_items[k], lost)
            return False
        self.launch(lost, rng)
        if log_u >= log_merged + self.scan(kept, lost, True, rng):
            return False
        self.n_moved += sizes[lost]
        self.join(lost, kept, i)
        return True

    cdef void launch(self, Py_ssize_t new, bitgen_t* rng) noexcept nogil:
        """Move each item of the union to the slot `new` with probability 1/2."""
        cdef Py_ssize_t k
        for k in range(self.n_union):
            if rng.next_double(rng.state) < 0.5:
                self.shift(self.union_items[k], new)

    cdef double scan(self, Py_ssize_t one, Py_ssize_t two, bint back, bitgen_t* rng) noexcept nogil:
        """Scan the union, at last as before if `back`; return the log probability of that scan."""
        cdef Py_ssize_t _scan, k
        cdef double log_way = 0.0
        for _scan in range(self.n_scans):
            for k in range(self.n_union):
                self.visit(self.union_items[k], one, two, -1, rng)
        for k in range(self.n_union):
            log_way += self.visit(self.union_items[k], one, two, self.sides[k] if back else -1, rng)
        return log_way

    cdef double visit(
        self, int item, Py_ssize_t one, Py_ssize_t two, Py_ssize_t target, bitgen_t* rng
    ) noexcept nogil:
        """Reseat an item in one of two blocks, or in `target`; return the log probability."""
        cdef Py_ssize_t own = self.partition.labels[item]
        cdef double first, second, gain
        self.notify_removed(own)
        first, second = self.weigh(item, own, one), self.weigh(item, own, two)
        if target < 0:
            target = one
            if rng.next_double(rng.state) * (1.0 + exp(first - second)) < 1.0:
                target = two
        gain = first - second if target == one else second - first
        self.notify_added(own, target)
        if target != own:
            self.log_ratio += gain
            self.relabel(item, target)
        # log(1 / (1 + exp(-gain))), without overflow
        return -log1p(exp(-gain)) if gain > 0.0 else gain - log1p(exp(gain))

    cdef void shift(self, int item, Py_ssize_t target) noexcept nogil:
        """Move an item to another slot, and add the gain in the log joint to `log_ratio`."""
        cdef Py_ssize_t own = self.partition.labels[item]
        self.notify_removed(own)
        self.log_ratio += self.weigh(item, own, target) - self.weigh(item, own, own)
        self.notify_added(own, target)
        self.relabel(item, target)

    cdef void join(self, Py_ssize_t lost, Py_ssize_t kept, int last) noexcept nogil:
        """Move the items of the slot `lost` to the slot `kept`, ending with `last`."""
        cdef Py_ssize_t k
        for k in range(self.n_union):
            if self.partition.labels[self.union_items[k]] == lost:
                self.move(self.union_items[k], kept)
        self.move(last, kept)
