"""What the engine asks of a likelihood."""

import numpy as np

from libc.stdlib cimport free, realloc

from reseat.checks import as_whole, refuse_overrides
from reseat.errors import DataError


cdef class Likelihood:
    """Base of the likelihoods, which are written in Cython.

    A subclass answers, without the GIL,

    ``score(item, own, n_slots, out)``
        the log predictive of `item` in each slot below `n_slots`, as if it
        had been taken out of its `own`, and in ``out[n_slots]`` that of a new
        block.  Slots without members may hold any finite value.
    ``score_block(item, own, slot)``
        the same for one slot, or for a new block if `slot` is -1: what moves
        ask that look at few blocks.  Unless a subclass knows better, all
        blocks are scored and one is taken.
    ``weigh(item, own, n_slots, power, prior, weight)``
        the sum of the log prior weights and of `power` times what ``score`` gives:
        what a sweep asks.  Improbable blocks may be given ``-INFINITY``, so that a
        subclass need not score what it can bound for less; what is returned is a bound
        on the sum of the weights so left out, relative to the greatest weight.  Unless
        it knows better, all are scored, and that is 0.
    ``weigh_slots(item, own, slots, n_slots, weight)``
        the same for the slots of a list, and for a new block at the end, added
        to the log prior weights that ``weight`` holds: what moves ask that
        look at some of the blocks.  A block whose weight is ``NEGLIGIBLE``
        beside that of another may be given ``-INFINITY``.  Unless a subclass
        knows better, all are scored one by one.
    ``move(item, source, target)``
        called only when the item really changes its block.
    ``announce(item)``
        the item will be scored soon: a chance to prefetch what that needs.

    and, from Python, the methods below.  Statistics that include who sits
    in each block keep it in ``members``, so that a move need not keep it too.

    Examples
    --------
    >>> from reseat.likelihoods import DirichletMultinomial, Likelihood
    >>> isinstance(DirichletMultinomial([[1, 0], [0, 1]]), Likelihood)
    True
    """

    #: What a subclass in Python cannot define: only compiled code would know of it.
    COMPILED = frozenset((
        "alone", "announce", "count_matches", "log_predictive", "log_weights", "middle", "move",
        "predictive", "reseat", "reserve", "retype", "score", "score_block", "score_new",
        "score_typed", "take_out", "weigh", "weigh_slots", "weights_of",
    ))

    #: Whether blocks are scored with their parameters integrated out.
    collapsed = True

    def __cinit__(self, *args, **kwargs):
        refuse_overrides(type(self), self.COMPILED)

    def __dealloc__(self):
        free(self.scratch)

    cdef int reserve(self) except -1:
        """Make room for the scores of all slots, and of those that a move may add."""
        # There are never more blocks than items; a partition grows by one slot beyond them.
        cdef Py_ssize_t wanted = max(self.capacity, self.n_items + 1) + 1
        cdef double* larger
        if wanted > self.room:
            larger = <double*> realloc(self.scratch, wanted * sizeof(double))
            if larger == NULL:
                raise MemoryError(f"There is no memory for the scores of {wanted} slots.")
            self.scratch, self.room = larger, wanted
        return 0

    cdef void score(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t n_slots, double* out
    ) noexcept nogil:
        pass

    cdef double score_block(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t slot
    ) noexcept nogil:
        # All slots: what an item adds to one block may depend on the others.
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

    cdef void announce(self, Py_ssize_t item) noexcept nogil:
        pass

    def assign(self, labels, capacity):
        """Rebuild the statistics from `labels`, with room for `capacity` slots."""
        raise TypeError(f"{type(self).__name__} does not build statistics.")

    def grow(self, capacity):
        """Make room for `capacity` slots, keeping the statistics."""
        raise TypeError(f"{type(self).__name__} cannot grow.")

    def begin(self, rng):
        """Every move calls this first with the generator that it draws from.

        A likelihood that holds parameters of the blocks draws those of a new
        one from it; the lock of the generator is held while a move runs.  One
        that overrides this method without having a `score_block` calls this one.
        """
        self.reserve()

    def condition(self, others):
        """Take in what the other parts of a coupled model stand at; `assign` comes after.

        Parameters
        ----------
        others : mapping of str
            Name of each part to its model, which has a `partition` and a `likelihood`.
        """
        raise TypeError(f"{type(self).__name__} does not depend on other partitions.")

    def log_marginal(self):
        """Log marginal likelihood of the data given the partition."""
        raise TypeError(f"{type(self).__name__} has no marginal likelihood.")

    def log_hyperprior(self):
        """Log density of the hyperparameters that are sampled (0 if none is)."""
        return 0.0

    @property
    def hyperparameters(self):
        """Present values of the hyperparameters, name to float."""
        return {}

    def log_predictive(self, Py_ssize_t item, Py_ssize_t own, slots=None):
        """Log predictive of `item` in each slot and in a new block.

        Parameters
        ----------
        item : int
        own : int
            The slot it sits in; the others are scored as they are, this one
            as if the item had been taken out.
        slots : sequence of int, optional
            Score these one by one, -1 for a new block, instead of all at once.

        Returns
        -------
        ndarray, shape (capacity + 1,), or one entry for each of `slots`

        Raises
        ------
        DataError
            If there is no such item or slot, or the item cannot sit in `own`.
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
        """Log weights of `item` in the slots of a list and in a new block, as moves ask for them.

        Parameters
        ----------
        item : int
        own : int
            The slot it sits in.
        slots : sequence of int
        log_prior : array_like, shape (n_slots + 1,)
            Log prior weights of the slots and of a new block.

        Returns
        -------
        ndarray, shape (n_slots + 1,)
            Those that are negligible beside the greatest may be ``-inf``.

        Raises
        ------
        DataError
            As for `log_predictive`.
        ValueError
            If there is not one prior weight for each.
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
        item : int
        source, target : int
            The slot it sits in and the one it goes to, which differ.

        Raises
        ------
        ValueError
            If there is no such item or slot, the two slots are one, or the item cannot sit in
            the first.
        """
        if not (0 <= item < self.n_items and 0 <= min(source, target) != max(source, target)
                and max(source, target) < self.capacity):
            raise ValueError(f"Item {item} cannot go from slot {source} to slot {target}.")
        self._check_seat(item, source)
        self.move(item, source, target)

    def _check_assigned(self):
        """Raise DataError unless there are statistics of a partition."""
        if self.capacity == 0:
            raise DataError(f"{type(self).__name__} has no partition yet; call assign first.")

    def _check_seat(self, Py_ssize_t item, Py_ssize_t own):
        """Raise DataError unless an item may sit in a slot; moves know that it does."""
        if not 0 <= item < self.n_items:
            raise DataError(f"There is no item {item}; they run from 0 to {self.n_items - 1}.")
        self._check_assigned()
        if not 0 <= own < self.capacity:
            raise DataError(f"There is no slot {own}; they run from 0 to {self.capacity - 1}.")
        if not self._may_hold(item, own):
            raise DataError(f"Item {item} does not sit in slot {own}.")

    def _may_hold(self, Py_ssize_t item, Py_ssize_t slot):
        """Whether the statistics of a slot can be those of a block with this item.

        A subclass that looks up what is left of a block without the item says so here.
        """
        return True

    def restore(self, hyperparameters):
        """Set the hyperparameters to saved values."""
        for name, value in hyperparameters.items():
            setattr(self, name, float(value))

    @property
    def parameters(self):
        """Parameters of the blocks that were drawn, name to array (none by default)."""
        return {}

    def restore_parameters(self, parameters):
        """Set the parameters of the blocks to saved ones; `assign` comes after."""

    def update(self, partition, rng):
        """Resample the hyperparameters given the partition (none by default)."""


cdef class SlotwiseLikelihood(Likelihood):
    """Blocks that are scored one by one: a subclass has `score_block`, and keeps ``sizes``."""

    def _may_hold(self, Py_ssize_t item, Py_ssize_t slot):
        return self.sizes[slot] > 0

    cdef void score(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t n_slots, double* out
    ) noexcept nogil:
        cdef Py_ssize_t k
        for k in range(n_slots):
            out[k] = self.score_block(item, own, k) if self.sizes[k] > 0 else 0.0
        out[n_slots] = self.score_block(item, own, -1)
