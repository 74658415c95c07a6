"""The interface of a likelihood to moves and models."""

import numpy as np

from reseat.checks import as_labels, as_whole
from reseat.errors import DataError

from reseat.likelihoods._pointers cimport doubles
from reseat.stamps cimport stamp_of


cdef class Likelihood:
    """Base class of the likelihoods, which are written in Cython.

    A subclass implements, without the GIL,

    ``score(item, own, n_slots, out)``
        writes to ``out`` the log predictive of `item` in each slot below `n_slots`, as if it had
        been removed from its slot `own`, and to ``out[n_slots]`` that in a new block.  Slots
        without members may get any finite value.
    ``score_block(item, own, slot)``
        returns the same for one slot, or for a new block if `slot` is -1, for moves that consider
        few blocks.  By default, all blocks are scored.
    ``weigh(item, own, n_slots, power, prior, weight)``
        writes to ``weight`` the log prior weights plus `power` times what ``score`` gives, for
        sweeps.  Blocks that a bound shows to be improbable may get ``-INFINITY``; the return value
        (by default 0) bounds the sum of their weights, relative to the greatest one.
    ``weigh_slots(item, own, slots, n_slots, weight)``
        adds what ``score_block`` gives for the listed slots and, at the end, a new block to the log
        prior weights in ``weight``, for moves that consider some of the blocks.  A block whose
        weight is ``NEGLIGIBLE`` beside that of another may get ``-INFINITY``.
    ``move(item, source, target)``
        updates the statistics; called only when the item actually changes its block.
    ``prefetch_item(item)``
        says that the item will be scored soon, so that its data can be prefetched.

    and, for Python, the methods below.  Statistics that include the members of each block keep them
    in ``members``, so that a move need not track them itself.

    Examples
    --------
    >>> from reseat.likelihoods import DirichletMultinomial, Likelihood
    >>> isinstance(DirichletMultinomial([[1, 0], [0, 1]]), Likelihood)
    True
    """

    #: Whether blocks are scored with their parameters integrated out.
    collapsed = True

    cdef int reserve(self) except -1:
        """Make room for the scores of all slots, and of those that a move may add."""
        # There are never more blocks than items, and a partition grows to one slot more at most.
        cdef Py_ssize_t wanted = max(self.capacity, self.n_items + 1) + 1
        if self._buffer is None or self._buffer.size < wanted:
            try:
                self._buffer = np.empty(wanted)
            except MemoryError:
                raise MemoryError(f"There is no memory for the scores of {wanted} slots.") from None
            self.scratch = doubles(self._buffer)
        return 0

    cdef void score(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t n_slots, double* out
    ) noexcept nogil:
        pass

    cdef double score_block(self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t slot) noexcept nogil:
        # Score all slots, because what an item adds to one block may depend on the others.
        self.score(item, own, self.capacity, self.scratch)
        return self.scratch[self.capacity if slot < 0 else slot]

    cdef double weigh(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t n_slots, double power,
        const double* prior, double* weight
    ) noexcept nogil:
        cdef Py_ssize_t k
        self.score(item, own, n_slots, weight)
        for k in range(n_slots + 1):
            weight[k] = power * weight[k] + prior[k]
        return 0.0

    cdef void weigh_slots(
        self, Py_ssize_t item, Py_ssize_t own, const int* slots, Py_ssize_t n_slots,
        double* weight
    ) noexcept nogil:
        cdef Py_ssize_t j
        for j in range(n_slots):
            weight[j] += self.score_block(item, own, slots[j])
        weight[n_slots] += self.score_block(item, own, -1)

    cdef void move(self, Py_ssize_t item, Py_ssize_t source, Py_ssize_t target) noexcept nogil:
        pass

    cdef void prefetch_item(self, Py_ssize_t item) noexcept nogil:
        pass

    def assign(self, labels, capacity):
        """Rebuild the statistics from `labels`, with room for `capacity` slots."""
        raise TypeError(f"{type(self).__name__} does not build statistics.")

    def _checked_labels(self, labels, capacity):
        """Return labels as `as_labels` does; moves then refuse to run with another partition."""
        labels = as_labels(labels, self.n_items, capacity)
        cdef const int[::1] slots = labels
        cdef Py_ssize_t item
        self.stamp = 0
        for item in range(slots.shape[0]):
            self.stamp += stamp_of(item, slots[item])
        return labels

    def grow(self, capacity):
        """Make room for `capacity` slots, keeping the statistics."""
        raise TypeError(f"{type(self).__name__} cannot grow.")

    def begin(self, rng):
        """Prepare for a move that draws from this generator; every move calls this first.

        The lock of the generator is held while a move runs.  A subclass that overrides this
        method and does not implement `score_block` must call this one, which reserves memory.
        """
        self.reserve()

    def condition(self, others):
        """Take in the state of the other parts of a coupled model; call `assign` afterwards.

        Parameters
        ----------
        others : mapping of str
            The model of each part, by name; it has a `partition` and a `likelihood`.
        """
        raise TypeError(f"{type(self).__name__} does not depend on other partitions.")

    def sizes_of(self, partition):
        """Return the block sizes of a partition of the items, as the prior counts them."""
        return partition.block_sizes()

    def log_marginal(self):
        """Return the log marginal likelihood of the data given the partition."""
        raise TypeError(f"{type(self).__name__} has no marginal likelihood.")

    def log_hyperprior(self):
        """Return the log density of the hyperparameters that are sampled (0 if none are)."""
        return 0.0

    @property
    def hyperparameters(self):
        """Current values of the hyperparameters, as a dict from name to float."""
        return {}

    def log_predictive(self, Py_ssize_t item, Py_ssize_t own, slots=None):
        """Return the log predictive of `item` in each slot and in a new block.

        Parameters
        ----------
        item, own : int
            The slot `own`, which the item is in, is scored as if it had been removed.
        slots : sequence of int, optional
            Slots to score one by one, with -1 for a new block, instead of all at once.

        Returns
        -------
        ndarray, shape (capacity + 1,), or one entry for each of `slots`

        Raises
        ------
        DataError
            If there is no such item or slot, the item cannot be in `own`, or no
            partition has been assigned.
        """
        self._check_seat(item, own)
        self.reserve()
        if slots is not None:
            listed = as_whole(slots, "The slots", -1, self.capacity - 1)
            return np.array([self.score_block(item, own, slot) for slot in listed])
        cdef double[::1] out = np.empty(self.capacity + 1)
        self.score(item, own, self.capacity, &out[0])
        return np.asarray(out)

    def log_weights(self, Py_ssize_t item, Py_ssize_t own, slots, log_prior):
        """Return the log weights of `item` in given slots and in a new block, as moves do.

        Parameters
        ----------
        item, own : int
            An item and its slot.
        slots : sequence of int
        log_prior : array_like, shape (n_slots + 1,)
            Log prior weights of the slots and of a new block.

        Returns
        -------
        ndarray, shape (n_slots + 1,)
            Weights that are negligible beside the greatest may be ``-inf``.

        Raises
        ------
        DataError
            As for `log_predictive`.
        ValueError
            If there is another number of prior weights.
        """
        self._check_seat(item, own)
        self.reserve()
        slots = as_whole(slots, "The slots", 0, self.capacity - 1)
        cdef const int[::1] listed = np.append(slots, -1).astype(np.intc)
        cdef double[::1] weight = np.array(log_prior, dtype=float)
        if weight.shape[0] != listed.shape[0]:
            raise ValueError(f"{listed.shape[0]} prior weights are needed, not {weight.shape[0]}.")
        self.weigh_slots(item, own, &listed[0], listed.shape[0] - 1, &weight[0])
        return np.asarray(weight)

    def reseat(self, Py_ssize_t item, Py_ssize_t source, Py_ssize_t target):
        """Move an item, as a compiled move does.

        Parameters
        ----------
        item, source, target : int
            An item, the slot that it is in, and the one that it goes to.

        Raises
        ------
        ValueError
            If there is no such item or slot, the slots are the same, or it cannot be in the first.
        """
        if not (0 <= item < self.n_items and 0 <= min(source, target) != max(source, target)
                and max(source, target) < self.capacity):
            raise ValueError(f"Item {item} cannot go from slot {source} to slot {target}.")
        self._check_seat(item, source)
        self.move(item, source, target)
        if self.stamp:
            self.stamp += stamp_of(item, target) - stamp_of(item, source)

    def _check_assigned(self):
        """Raise DataError unless a partition has been assigned."""
        if self.capacity == 0:
            raise DataError(f"{type(self).__name__} has no partition yet; call assign first.")

    def _check_seat(self, Py_ssize_t item, Py_ssize_t own):
        """Raise DataError unless an item may be in a slot; compiled moves skip this check."""
        if not 0 <= item < self.n_items:
            raise DataError(f"There is no item {item}; they run from 0 to {self.n_items - 1}.")
        self._check_assigned()
        if not 0 <= own < self.capacity:
            raise DataError(f"There is no slot {own}; they run from 0 to {self.capacity - 1}.")
        if not self._may_hold(item, own):
            raise DataError(f"Item {item} does not sit in slot {own}.")

    def _may_hold(self, Py_ssize_t item, Py_ssize_t slot):
        """Return whether a slot can hold this item, if looking it up would otherwise fail."""
        return True

    def restore(self, hyperparameters):
        """Set the hyperparameters to saved values."""
        for name, value in hyperparameters.items():
            setattr(self, name, float(value))

    @property
    def parameters(self):
        """Sampled parameters of the blocks, as a dict from name to array (none by default)."""
        return {}

    def restore_parameters(self, parameters):
        """Set the parameters of the blocks to saved values; call `assign` afterwards."""

    def update(self, partition, rng):
        """Resample the hyperparameters given the partition (none by default)."""


def resized(old, shape, value=0.0, dtype=float):
    """Return a filled array, with the rows of an `old` one (if not None) except its last row."""
    new = np.full(shape, value, dtype=dtype)
    if old is not None:
        kept = min(len(new), len(old)) - 1
        new[:kept] = old[:kept]
    return new


cdef class SlotwiseLikelihood(Likelihood):
    """Blocks scored one by one: a subclass implements `score_block` and keeps ``sizes``."""

    def _may_hold(self, Py_ssize_t item, Py_ssize_t slot):
        return self.sizes[slot] > 0

    cdef void score(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t n_slots, double* out
    ) noexcept nogil:
        cdef Py_ssize_t k
        for k in range(n_slots):
            out[k] = self.score_block(item, own, k) if self.sizes[k] > 0 else 0.0
        out[n_slots] = self.score_block(item, own, -1)
