"""Publications of references, with explicit means that are kept from move to move."""

import numpy as np

from libc.math cimport INFINITY, exp, log, sqrt
from libc.string cimport memcpy
from numpy.random cimport bitgen_t
from numpy.random.c_distributions cimport random_standard_normal

from reseat.checks import check_whole
from reseat.errors import ConfigError, DataError

from reseat.generators cimport draw_place, source_of
from reseat.likelihoods._likelihood import resized
from reseat.likelihoods._mean_blocks cimport MeanBlocks
from reseat.likelihoods._pointers cimport doubles, ints
from reseat.likelihoods._precision_density cimport PrecisionDensity
from reseat.likelihoods._precision_law cimport PrecisionLaw
from reseat.likelihoods._reference_means import ReferenceMeans
from reseat.likelihoods._residuals cimport deviance, distance
from reseat.likelihoods.references import TYPE, groups_of

cdef double HALF_LOG_TWO_PI = 0.9189385332046727

AUXILIARIES = ("posterior", "prior")


cdef class ExplicitMeans(MeanBlocks):
    """Normal blocks with sampled means, on which the law of the precisions may depend.

    Let ``Psi(p)`` be the density of the precisions of all types given the means p of all blocks.
    An item joins block k with weight ``N(r_n; p_k, 1 / t_n)``, and opens a new one, for which M
    candidate means are drawn, with weight

        1 / M sum_m w_m Psi(p with p_m) / Psi(p),

    where ``w_m`` is the likelihood of the item times the prior density of ``p_m`` over that which
    it was drawn from.  The new mean is one of the candidates.  If the item is alone in its block,
    the mean of that block is one of them.

    `update` draws all means.  If the law depends on them, it makes a Metropolis step for each
    feature of each block, which proposes the draw under a law that does not.

    Parameters
    ----------
    data : GaussianReferences
    law : PrecisionLaw, optional
        Law of the precisions; by default one that does not depend on the means.
    sigma : float
        Prior variance of each coordinate of a mean.
    n_candidates : int
        Number M of candidate means for a new block.
    aux : {"posterior", "prior"}
        Whether candidates are drawn given the item, or from the prior, as in the paper.
    groups : array_like of int, shape (n_items,), optional
        Group of each item, used if the law considers only pairs of blocks of the same group.

    Raises
    ------
    ConfigError
        If a parameter is out of range, or the law is ``within``.
    DataError
        If there is not one group for each item.

    References
    ----------
    Neal (2000), Algorithm 8; Daume and Marcu (2005), sections 4.2 and 5.2.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.likelihoods import ExplicitMeans, GaussianReferences
    >>> likelihood = ExplicitMeans(GaussianReferences([[0.3], [0.5], [-3.0]]))
    >>> likelihood.assign([0, 0, 1], 2)
    >>> likelihood.sum_up([0, 0, 1])
    >>> likelihood.draw_means(np.random.default_rng(1))
    >>> likelihood.means.shape
    (2, 1)
    """

    #: Whether blocks are scored with their parameters integrated out.
    collapsed = False

    cdef readonly PrecisionLaw law
    cdef readonly int n_candidates
    cdef bint plain             # whether the law does not depend on the means
    cdef bint blind             # whether candidates are drawn from the prior
    cdef PrecisionDensity density
    cdef object _group_array, _slot_group_array, _work, _generator
    cdef bitgen_t* rng
    cdef const int* group_of    # [item]
    cdef int* slot_group        # [slot]
    cdef double* candidate      # [candidate][coordinate] as last drawn, for `asked`
    cdef double* log_weight     # [candidate]
    cdef double* drawn          # [2][coordinate] as last drawn by `redraw`
    cdef Py_ssize_t asked       # the item that the candidates were drawn for, or -1

    def __init__(self, data, law=None, sigma=1.0, n_candidates=8, aux="posterior", groups=None):
        super().__init__(data, sigma)
        self.law = PrecisionLaw() if law is None else law
        if self.law.kind == "within":
            raise ConfigError("The law 'within' does not depend on the means; choose another.")
        n_candidates = check_whole("n_candidates", n_candidates, 1)
        if aux not in AUXILIARIES:
            raise ConfigError(f"aux is {aux!r}; it must be one of {AUXILIARIES}.")
        self._group_array = groups_of(groups, self.law, self.n_items)
        self._work = np.zeros((n_candidates + 3, self.n_coordinates + 1))
        self.n_candidates, self.blind = n_candidates, aux == "prior"
        self.plain = not self.law.depends_on_means
        self.density = PrecisionDensity(self.data, self.law, self._group_array.max() + 1)
        self.group_of, self.log_weight = ints(self._group_array), doubles(self._work)
        self.candidate = self.log_weight + self.n_candidates
        self.drawn = self.candidate + self.n_candidates * self.n_coordinates
        self.asked = -1

    def _check_seat(self, Py_ssize_t item, Py_ssize_t own):
        super()._check_seat(item, own)
        if self.blind or not self.plain:
            self._check_generator()

    def _check_generator(self):
        if self.rng == NULL:
            raise DataError("Means of new blocks are drawn; call begin with a generator first.")

    def reseat(self, Py_ssize_t item, Py_ssize_t source, Py_ssize_t target):
        """Move an item, as a compiled move does; see `Likelihood.reseat`."""
        self._check_generator()
        super().reseat(item, source, target)

    def begin(self, rng):
        """Keep the generator that the means of new blocks are drawn from."""
        self._generator = rng.bit_generator
        self.rng = source_of(rng)

    def condition(self, others):
        super().condition(others)
        types = others[TYPE]
        self.density.take(types.likelihood.precisions[types.partition.size_array > 0])

    def _make_room(self, Py_ssize_t capacity):
        super()._make_room(capacity)
        self._slot_group_array = resized(self._slot_group_array, capacity + 1, 0, np.intc)
        self.slot_group = ints(self._slot_group_array)

    def assign(self, labels, Py_ssize_t capacity):
        """Rebuild the sums over the means from `labels`; the means stay in their slots."""
        labels = self._checked_labels(labels, capacity)
        self._count(labels, capacity)
        self._slot_group_array[labels] = self._group_array
        self.asked = -1
        if not self.plain:
            with nogil:
                self.density.pairs.rebuild(self.mean, self.sizes, self.slot_group, self.capacity)
                self.density.renew()

    cdef double score_block(self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t slot) noexcept nogil:
        if slot < 0:
            return self.score_new(item, own, -INFINITY)
        return self.score_typed(item, own, self.type_of[item], slot, INFINITY)

    cdef double score_typed(
        self, Py_ssize_t item, Py_ssize_t own, int kind, Py_ssize_t slot, double limit
    ) noexcept nogil:
        return self._log_density(item, kind, self.mean + slot * self.n_coordinates, limit)

    cdef inline double _log_density(
        self, Py_ssize_t item, int kind, const double* mean, double limit
    ) noexcept nogil:
        return self.log_scale[kind] - 0.5 * distance(
            self.point + item * self.n_coordinates, mean, self.precision + kind * self.n_features,
            self.starts, self.n_features, self.n_coordinates, limit,
        )

    cdef double score_new(self, Py_ssize_t item, Py_ssize_t own, double floor) noexcept nogil:
        """Return the log weight of a new block; candidates are kept for the move that may follow.

        If no means could bring it up to the floor, none are drawn and the result is -INFINITY.
        """
        cdef double alike = self._most(item), best = -INFINITY, total = 0.0
        cdef bint alone = self.sizes[own] == 1
        cdef Py_ssize_t D = self.n_coordinates
        cdef double* mean
        cdef int m
        if self.plain and not self.blind:
            return alike
        if self._ceiling(item, own, alike) < floor:
            self.asked = -1
            return -INFINITY
        for m in range(self.n_candidates):
            mean = self.candidate + m * D
            if m == 0 and alone:
                memcpy(mean, self.mean + own * D, D * sizeof(double))
            else:
                self._propose(item, mean)
            self.log_weight[m] = alike
            if self.blind:
                self.log_weight[m] = self._log_density(item, self.type_of[item], mean, INFINITY)
            if not self.plain:
                self.log_weight[m] += self.density.log_ratio(self.group_of[item], mean)
            best = max(best, self.log_weight[m])
        for m in range(self.n_candidates):
            total += exp(self.log_weight[m] - best)
        self.asked = item
        return best + log(total / self.n_candidates)

    cdef double _most(self, Py_ssize_t item) noexcept nogil:
        """Return the greatest log weight of a candidate, but for the density of the precisions."""
        if self.blind:
            return self.log_scale[self.type_of[item]]
        # All candidates from the posterior have this weight.
        return -0.5 * deviance(
            self.point + item * self.n_coordinates,
            self.centre + self.capacity * self.n_coordinates, self._variance_of(item),
            self.spread + self.capacity * self.n_features, self.starts, self.n_features,
            self.n_coordinates, INFINITY,
        ) - self.n_coordinates * HALF_LOG_TWO_PI

    cdef double _ceiling(self, Py_ssize_t item, Py_ssize_t own, double most) noexcept nogil:
        """Return the bound of `ceiling`; leave the base of the density ratio for `score_new`."""
        if self.plain:
            return most
        self.density.leave_out(
            self.group_of[item],
            self.mean + own * self.n_coordinates if self.sizes[own] == 1 else NULL,
        )
        return most + self.density.rise

    def ceiling(self, Py_ssize_t item, Py_ssize_t own):
        """Return an upper bound on the log weight of a new block, whatever means are drawn for it.

        Parameters
        ----------
        item, own : int
            An item and its slot.

        Returns
        -------
        float
            Infinite for the law ``between``.

        Raises
        ------
        DataError
            As for `log_predictive`.
        """
        self._check_seat(item, own)
        return self._ceiling(item, own, self._most(item))

    cdef void _propose(self, Py_ssize_t item, double* mean) noexcept nogil:
        """Draw a mean from the prior, or from the posterior given the item alone."""
        cdef const double* x = self.point + item * self.n_coordinates
        cdef const double* t = self._precision_of(item)
        cdef double share, sd
        cdef int f, d
        for f in range(self.n_features):
            share = 0.0 if self.blind else t[f] / (1 / self.sigma + t[f])
            sd = sqrt(self.sigma * (1 - share))
            for d in range(self.starts[f], self.starts[f + 1]):
                mean[d] = share * x[d] + sd * random_standard_normal(self.rng)

    cdef void move(self, Py_ssize_t item, Py_ssize_t source, Py_ssize_t target) noexcept nogil:
        cdef double* added = NULL
        cdef double* removed = NULL
        cdef double best = -INFINITY
        cdef Py_ssize_t D = self.n_coordinates, m
        self.sizes[source] -= 1
        self.sizes[target] += 1
        if self.sizes[source] == 0:
            removed = self.mean + source * D
        if self.sizes[target] == 1:
            added = self.mean + target * D
            self.slot_group[target] = self.group_of[item]
            if self.asked == item:
                for m in range(self.n_candidates):
                    best = max(best, self.log_weight[m])
                m = max(draw_place(self.log_weight, self.n_candidates, best, self.rng), 0)
                memcpy(added, self.candidate + m * D, D * sizeof(double))
            else:
                self._propose(item, added)
        if not self.plain and (removed != NULL or added != NULL):
            self.density.change(self.group_of[item], removed, added)
        self.asked = -1

    def integrated(self):
        """Return a likelihood of the same blocks whose means are integrated out."""
        sums = ReferenceMeans(self.data, self.sigma)
        sums._give(*self._given[:2])
        return sums

    cdef double redraw(
        self, MeanBlocks sums, Py_ssize_t item, const Py_ssize_t* lost, const Py_ssize_t* gained,
        bitgen_t* rng,
    ) noexcept nogil:
        cdef const double* old[2]
        cdef const double* new[2]
        cdef double* mean
        cdef double log_ratio = 0.0
        cdef int k
        for k in range(2):
            old[k], new[k] = self._held_mean(lost[k]), NULL
            if gained[k] >= 0:
                mean = self.drawn + k * self.n_coordinates
                sums._draw(gained[k], mean, rng)
                new[k] = mean
                log_ratio += self._log_priors(mean, sums.base)
            if old[k] != NULL:
                log_ratio -= self._log_priors(old[k], sums.base)
        if self.plain:
            return log_ratio
        return log_ratio + self.density.log_exchange(self.group_of[item], old, new)

    cdef const double* _held_mean(self, Py_ssize_t slot) noexcept nogil:
        """Return the mean of a slot, or NULL for -1."""
        return self.mean + slot * self.n_coordinates if slot >= 0 else NULL

    cdef double _log_priors(self, const double* mean, const double* base) noexcept nogil:
        """Return the log ratio of the prior density of a mean to that with precisions `base`."""
        cdef double total = 0.0, square, mass = 1 / self.sigma
        cdef int f, d
        for f in range(self.n_features):
            if base[f] != mass:
                square = 0.0
                for d in range(self.starts[f], self.starts[f + 1]):
                    square += mean[d] * mean[d]
                total += (base[f] - mass) * square
                total -= (self.starts[f + 1] - self.starts[f]) * log(base[f] / mass)
        return total / 2

    cdef void leave_out(
        self, MeanBlocks sums, Py_ssize_t item, const Py_ssize_t* lost
    ) noexcept nogil:
        cdef const double* old[2]
        cdef int f
        if not self.plain:
            for f in range(self.n_features):
                sums.base[f] = 1 / self.sigma
            old[0], old[1] = self._held_mean(lost[0]), self._held_mean(lost[1])
            self.density.pull_of_others(self.group_of[item], old, sums.base)
            sums._clear(sums.capacity)
            sums._derive(sums.capacity)

    cdef void take_drawn(
        self, Py_ssize_t item, const Py_ssize_t* lost, const Py_ssize_t* gained
    ) noexcept nogil:
        cdef Py_ssize_t D = self.n_coordinates, group = self.group_of[item]
        cdef int k
        for k in range(2):
            if lost[k] >= 0 and not self.plain:
                self.density.pairs.change(group, self.mean + lost[k] * D, -1.0)
        for k in range(2):
            if gained[k] >= 0:
                memcpy(self.mean + gained[k] * D, self.drawn + k * D, D * sizeof(double))
                if not self.plain:
                    self.density.pairs.change(group, self.drawn + k * D, 1.0)
        if not self.plain:
            self.density.renew()

    def update(self, partition, rng):
        """Draw every mean, by Metropolis steps if the law of the precisions depends on them."""
        cdef double[::1] proposal = np.empty(self.n_coordinates)
        cdef double* mean
        cdef double log_ratio
        cdef Py_ssize_t slot, group
        cdef int f, d
        self.begin(rng)
        self.sum_up(partition.label_array)
        if self.plain:
            self.draw_means(rng)
            return
        with rng.bit_generator.lock, nogil:
            for slot in range(self.capacity):
                if self.sizes[slot] == 0:
                    continue
                mean, group = self.mean + slot * self.n_coordinates, self.slot_group[slot]
                self._draw(slot, &proposal[0], self.rng)
                for f in range(self.n_features):
                    log_ratio = self.density.exchange(group, f, mean, &proposal[0])
                    if log(1 - self.rng.next_double(self.rng.state)) < log_ratio:
                        for d in range(self.starts[f], self.starts[f + 1]):
                            mean[d] = proposal[d]
                    self.density.commit(group, f, mean)
            self.density.renew()

    @property
    def slot_groups(self):
        """Group of each slot with members: a copy, shape (capacity,)."""
        return self._slot_group_array[:self.capacity].copy()

    @property
    def candidates(self):
        """Means last drawn for a new block and the log weight of each: copies."""
        weights = np.asarray(<double[:self.n_candidates]> self.log_weight)
        means = np.asarray(<double[:self.n_candidates, :self.n_coordinates]> self.candidate)
        return means.copy(), weights.copy()
