"""A likelihood of items about some of which it is known whether they are together."""

import numpy as np

cimport cython
from libc.math cimport INFINITY

from reseat.checks import as_whole
from reseat.errors import ConfigError

from reseat.likelihoods._likelihood cimport Likelihood
from reseat.likelihoods._pointers cimport ints, longs
from reseat.members cimport Members
from reseat.priors._prior cimport PartitionPrior


@cython.final
cdef class Decided(Likelihood):
    """The likelihood of items in units that stay together, some of which stay apart.

    Moves see units in place of items, but the prior counts items: moves add its weight for a block
    of as many items as there are units, and the scores here replace it by that of seating the items
    of a unit one after the other.  Powers of the prior (`gibbs_sweep`) are therefore not possible.

    Parameters
    ----------
    inner : Likelihood
        That of the items, with the parameters of the blocks integrated out.
    prior : PartitionPrior
    units : array_like of int, shape (n_items,)
        Unit of each item, numbered from 0 without gaps.
    apart : array_like of int, shape (n_pairs, 2)
        Units that stay apart.

    Raises
    ------
    ConfigError
        If a unit has several items, and the prior needs the sizes of all blocks.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat import chains, likelihoods, moves, priors
    >>> likelihood = likelihoods.DirichletMultinomial([[5, 0], [4, 1], [0, 6], [0, 4]])
    >>> units, apart = [0, 1, 0, 2], [[0, 1]]
    >>> prior = priors.DirichletProcess(1.0)
    >>> model = chains.DecidedModel(prior, likelihood, units=units, apart=apart)
    >>> model.start([0, 1, 0, 2])
    >>> n_moved = model.sweep(np.random.default_rng(1))
    >>> bool(model.labels[0] == model.labels[2] != model.labels[1])
    True
    """

    cdef readonly Likelihood inner
    cdef PartitionPrior prior
    cdef object _units, _held, _labels, _numbers    # keep the memory alive
    cdef Py_ssize_t* begin_items        # [unit, and one more] its first place in `items`
    cdef int* items
    cdef Py_ssize_t* begin_apart        # [unit, and one more] the same for `others`
    cdef int* others                    # units that a unit stays apart from
    cdef int* label                     # [unit] its slot
    cdef int* n_units                   # [slot]
    cdef int* n_inside                  # [slot] number of items

    def __init__(self, Likelihood inner not None, PartitionPrior prior not None, units, apart=()):
        if not inner.collapsed:
            raise TypeError(f"{type(inner).__name__} holds parameters of the blocks.")
        units = as_whole(units, "The units")
        apart = as_whole(np.reshape(apart, (-1, 2)).astype(int), "The units that stay apart")
        self.inner, self.prior, self._units = inner, prior, units
        self.n_items = int(units.max()) + 1
        self.n_tied = inner.n_items - self.n_items
        if self.n_tied and prior.tracks_sizes:
            raise ConfigError(
                f"{type(prior).__name__} needs the sizes of all blocks, so it cannot be used with "
                "decisions that items are the same; choose another prior."
            )
        both = np.concatenate([apart, np.flip(apart, axis=1)])
        both = both[np.argsort(both[:, 0], kind="stable")]
        begin = np.zeros((2, self.n_items + 1), dtype=np.intp)
        begin[0, 1:] = np.cumsum(np.bincount(units))
        begin[1, 1:] = np.cumsum(np.bincount(both[:, 0], minlength=self.n_items))
        items = np.argsort(units, kind="stable").astype(np.intc)
        others = both[:, 1].astype(np.intc)
        self._held = begin, items, others
        self.begin_items, self.begin_apart = longs(begin[0]), longs(begin[1])
        self.items, self.others = ints(items), ints(others)

    # ---- scores ----

    cdef bint is_single(self, Py_ssize_t unit) noexcept nogil:
        return self.begin_items[unit + 1] - self.begin_items[unit] == 1

    cdef double log_seat(self, Py_ssize_t unit, bint inside, Py_ssize_t slot) noexcept nogil:
        """Return what to add for the prior and the decisions, less a unit `inside`; -1 is new."""
        cdef Py_ssize_t n = self.begin_items[unit + 1] - self.begin_items[unit], k, there
        cdef double total = 0.0
        if slot < 0 or self.n_units[slot] == inside:
            for k in range(1, n):
                total += self.prior.log_join[k]
            return total
        for k in range(self.begin_apart[unit], self.begin_apart[unit + 1]):
            if self.label[self.others[k]] == slot:
                return -INFINITY
        there = self.n_inside[slot] - (n if inside else 0)
        if n == 1 and there == self.n_units[slot] - inside:
            return 0.0
        for k in range(n):
            total += self.prior.log_join[there + k]
        if total > -INFINITY:   # otherwise the weight that moves add may be as low
            total -= self.prior.log_join[self.n_units[slot] - inside]
        return total

    cdef double log_unit(self, Py_ssize_t unit, Py_ssize_t own, Py_ssize_t slot) noexcept nogil:
        """Return the log likelihood with a unit in a block, minus that with it alone.

        Its items are moved there and back by way of the slot beyond those of the partition.
        """
        cdef Py_ssize_t first = self.begin_items[unit], last = self.begin_items[unit + 1] - 1, k
        cdef Py_ssize_t spare = self.capacity
        cdef double total = 0.0
        cdef int item
        if slot < 0:
            return 0.0
        for k in range(first, last + 1):
            self.inner.move(self.items[k], own, spare)
        for k in range(first, last + 1):
            item = self.items[k]
            total += self.inner.score_block(item, spare, slot)
            total -= self.inner.score_block(item, spare, -1 if k == last else spare)
            self.inner.move(item, spare, slot)
        for k in range(last, first - 1, -1):
            self.inner.move(self.items[k], slot, spare)
        for k in range(last, first - 1, -1):
            self.inner.move(self.items[k], spare, own)
        return total

    cdef double score_block(self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t slot) noexcept nogil:
        cdef double log_seat = self.log_seat(item, slot == own, slot)
        if log_seat == -INFINITY:
            return log_seat
        if self.is_single(item):
            return log_seat + self.inner.score_block(self.items[self.begin_items[item]], own, slot)
        return log_seat + self.log_unit(item, own, slot)

    cdef void score(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t n_slots, double* out
    ) noexcept nogil:
        cdef Py_ssize_t slot
        if self.is_single(item):
            self.inner.score(self.items[self.begin_items[item]], own, n_slots, out)
            for slot in range(n_slots):
                if self.n_units[slot] > 0:
                    out[slot] += self.log_seat(item, slot == own, slot)
            return
        for slot in range(n_slots):
            out[slot] = 0.0
            if self.n_units[slot] > (slot == own):
                out[slot] = self.score_block(item, own, slot)
        out[n_slots] = self.score_block(item, own, -1)

    cdef double weigh(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t n_slots, double power,
        const double* prior, double* weight
    ) noexcept nogil:
        cdef Py_ssize_t slot
        if not self.is_single(item):
            return Likelihood.weigh(self, item, own, n_slots, power, prior, weight)
        for slot in range(n_slots):
            self.scratch[slot] = prior[slot]
            if self.n_units[slot] > (slot == own):
                self.scratch[slot] += self.log_seat(item, slot == own, slot)
        self.scratch[n_slots] = prior[n_slots]
        return self.inner.weigh(
            self.items[self.begin_items[item]], own, n_slots, power, self.scratch, weight
        )

    cdef void weigh_slots(
        self, Py_ssize_t item, Py_ssize_t own, const int* slots, Py_ssize_t n_slots,
        double* weight
    ) noexcept nogil:
        cdef Py_ssize_t j
        if not self.is_single(item):
            Likelihood.weigh_slots(self, item, own, slots, n_slots, weight)
            return
        for j in range(n_slots):
            weight[j] += self.log_seat(item, slots[j] == own, slots[j])
        self.inner.weigh_slots(self.items[self.begin_items[item]], own, slots, n_slots, weight)

    cdef void prefetch_item(self, Py_ssize_t item) noexcept nogil:
        self.inner.prefetch_item(self.items[self.begin_items[item]])

    # ---- statistics ----

    cdef void move(self, Py_ssize_t item, Py_ssize_t source, Py_ssize_t target) noexcept nogil:
        cdef Py_ssize_t k
        cdef int n = <int>(self.begin_items[item + 1] - self.begin_items[item])
        for k in range(self.begin_items[item], self.begin_items[item + 1]):
            self.inner.move(self.items[k], source, target)
        self.members.move(item, source, target)
        self.label[item] = <int>target
        self.n_units[source] -= 1
        self.n_units[target] += 1
        self.n_inside[source] -= n
        self.n_inside[target] += n

    def condition(self, others):
        """Condition the likelihood of the items on the other parts of a coupled model."""
        self.inner.condition(others)

    def assign(self, labels, capacity):
        """Rebuild the statistics from the labels of the units, for `capacity` slots.

        Raises
        ------
        ValueError
            If two units that stay apart have the same label.
        """
        labels = self._checked_labels(labels, capacity).copy()
        begin, _, others = self._held
        ours = np.repeat(np.arange(self.n_items), np.diff(begin[1]))
        if (labels[ours] == labels[others]).any():
            raise ValueError("The partition has units in one block that stay apart.")
        self.inner.assign(labels[self._units], capacity + 1)
        self.inner.stamp = 0    # moves here do not keep it
        self.members = Members(labels, capacity)
        self._labels, self.label = labels, ints(labels)
        counted = [np.bincount(x, minlength=capacity) for x in (labels, labels[self._units])]
        self._count(np.array(counted, dtype=np.intc))
        self.capacity = capacity

    def _count(self, numbers):
        self._numbers = numbers
        self.n_units, self.n_inside = ints(numbers[0]), ints(numbers[1])

    def grow(self, capacity):
        """Make room for `capacity` slots, keeping the statistics."""
        self.inner.grow(capacity + 1)
        self.members.grow(capacity)
        self._count(np.pad(self._numbers, ((0, 0), (0, capacity - self.capacity))))
        self.capacity = capacity

    def begin(self, rng):
        """Prepare for a move that draws from this generator."""
        self.reserve()
        self.inner.begin(rng)

    def sizes_of(self, partition):
        """Return the numbers of items of the occupied slots of a partition of the units."""
        sizes = np.bincount(partition.label_array[self._units], minlength=partition.capacity)
        return sizes[sizes > 0].astype(np.intc)

    def _may_hold(self, Py_ssize_t item, Py_ssize_t slot):
        return self.label[item] == slot

    # ---- what is that of the items ----

    def log_marginal(self):
        """Return the log marginal likelihood of the items, as the decisions hold."""
        return self.inner.log_marginal()

    def log_hyperprior(self):
        """Return the log density of the hyperparameters that are sampled."""
        return self.inner.log_hyperprior()

    @property
    def hyperparameters(self):
        return self.inner.hyperparameters

    def restore(self, hyperparameters):
        """Set the hyperparameters to saved values."""
        self.inner.restore(hyperparameters)

    def update(self, partition, rng):
        """Resample the hyperparameters given the partition that was assigned or moved to."""
        self.inner.update(None, rng)
