"""Publications of references, with explicit means that are kept from move to move."""

import numpy as np

cimport cython
from libc.math cimport INFINITY, exp, log, sqrt
from libc.string cimport memcpy
from numpy.random cimport bitgen_t
from numpy.random.c_distributions cimport random_standard_normal

from reseat.checks import check_whole
from reseat.errors import ConfigError, DataError

from reseat.generators cimport source_of
from reseat.likelihoods._log_bessel cimport log_bessel
from reseat.likelihoods._mean_blocks cimport MeanBlocks
from reseat.likelihoods._mean_spread cimport MeanSpread
from reseat.likelihoods._precision_law cimport (
    COVARIANCE, PRECISION, Moments, Precision, PrecisionLaw,
)
from reseat.likelihoods._residuals cimport deviance, distance
from reseat.likelihoods.references import TYPE, groups_of

cdef double HALF_LOG_TWO_PI = 0.9189385332046727
cdef double GOLDEN = 0.6180339887498949
cdef enum:
    N_STEPS = 48    # steps of a golden-section search, which find the maximum to 1e-9 of the range

AUXILIARIES = ("posterior", "prior")


@cython.final
cdef class PrecisionDensity:
    """Psi: the density of the precisions of all types given the means of all blocks.

    It is a product over features, and depends on the precisions through three sums over the types
    and on the means through their `MeanSpread`. Pairs across groups do not count.
    """

    cdef PrecisionLaw law
    cdef MeanSpread pairs
    cdef int n_features, n_coordinates
    cdef object _work
    # sums over the types, by feature
    cdef double* log_sum
    cdef double* sum
    cdef double* inverse_sum
    cdef double n_types
    cdef double* now            # [feature] log density given the current means
    cdef double* base           # [feature] the same without the mean that was left out
    cdef double* peak           # [feature] the greatest under any means
    cdef double* summit         # [feature] sum of the squared distances at or just past it
    cdef double rise            # greatest increase of the log density by another mean
    cdef double rise_now        # the same with no mean left out
    cdef const double* row      # the sums without it, and the number of means in them
    cdef double count

    def __init__(self, data, PrecisionLaw law, Py_ssize_t n_groups):
        cdef double[:, ::1] work = np.zeros((7, data.n_features))
        self.law, self._work = law, work
        self.n_features, self.n_coordinates = data.n_features, data.n_coordinates
        self.pairs = MeanSpread(data, n_groups, law.kind == "between")
        self.log_sum, self.sum, self.inverse_sum = &work[0, 0], &work[1, 0], &work[2, 0]
        self.now, self.base = &work[3, 0], &work[4, 0]
        self.peak, self.summit = &work[5, 0], &work[6, 0]
        self.rise = self.rise_now = INFINITY
        self.row, self.count = NULL, 0.0
        self.take(np.ones((1, data.n_features)))

    def take(self, precisions):
        """Take in the precisions of the types, shape (n_types, n_features)."""
        work = np.asarray(self._work)
        work[0] = np.log(precisions).sum(axis=0)
        work[1] = precisions.sum(axis=0)
        work[2] = (1 / precisions).sum(axis=0)
        self.n_types = len(precisions)
        cdef int f
        with nogil:
            for f in range(self.n_features):
                self._climb(f)

    cdef void _climb(self, int feature) noexcept nogil:
        """Find the sum of squared distances under which one feature is likeliest."""
        cdef double shape = self.law.shape, rate = self.law.rate, strength = self.law.strength
        cdef double low, high, left, right, at_left, at_right
        cdef int _step
        if self.law.code == PRECISION:
            high = (shape * self.n_types / self.sum[feature] - rate) / strength
            self.summit[feature] = high if high > 0.0 else 0.0
            self.peak[feature] = self.at_distance(feature, 0, high)
            return
        if self.law.code != COVARIANCE:
            self.summit[feature] = self.peak[feature] = INFINITY
            return
        # Search on the log scale, over the whole range of the table of the normaliser.
        low, high = -80.0 - log(rate * strength), 40.0 - log(rate * strength)
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        at_left = self.at_distance(feature, 0, exp(left))
        at_right = self.at_distance(feature, 0, exp(right))
        for _step in range(N_STEPS):
            if at_left > at_right:
                high, right, at_right = right, left, at_left
                left = high - GOLDEN * (high - low)
                at_left = self.at_distance(feature, 0, exp(left))
            else:
                low, left, at_left = left, right, at_right
                right = low + GOLDEN * (high - low)
                at_right = self.at_distance(feature, 0, exp(right))
        self.summit[feature] = exp(high)
        self.peak[feature] = max(at_left, at_right)

    cdef double _rise(self, int feature, double count, Moments moments, double here) noexcept nogil:
        """Return a bound on what one more mean, at best their average, adds to `here`."""
        cdef double least = moments.first
        if not self.law.averages and least >= self.summit[feature]:
            if self.pairs.n_groups == 1 and count > 0.0:
                least += least / count
            return self.at_distance(feature, 0, least) - here
        return self.peak[feature] - here

    cdef inline double at_distance(
        self, int feature, double n_pairs, double apart
    ) noexcept nogil:
        """Return what `at` gives, for laws that depend on the sum of the squared distances alone.

        The arguments are numbers, because compilers pass structures through memory, which stalls.
        """
        cdef double shape = self.law.shape, rate = self.law.rate, chi = 0.0
        cdef double log_rate = self.law.log_rate, left = self.law.log_gamma, z
        apart = apart if apart > 0.0 else 0.0
        if self.law.averages and n_pairs > 0:
            apart /= n_pairs
        if self.law.code == COVARIANCE:
            chi = self.law.strength * apart
            if chi > 0.0:
                z = 2 * sqrt(rate * chi)
                left = (1 - shape) * 0.6931471805599453 - z + log_bessel(self.law.bessel, z)
        else:
            rate += self.law.strength * apart
            if rate != self.law.rate:
                log_rate = log(rate)
        return (
            (shape - 1) * self.log_sum[feature] - rate * self.sum[feature]
            - chi * self.inverse_sum[feature]
            - self.n_types * (left - shape * log_rate)
        )

    cdef double at(self, int feature, Moments moments) noexcept nogil:
        """Return the log density of one feature of all precisions, for means with these moments."""
        cdef Precision law
        if self.law.code == COVARIANCE or self.law.code == PRECISION:
            return self.at_distance(feature, moments.n_pairs, moments.first)
        law = self.law.at(moments)
        return (
            (law.shape - 1) * self.log_sum[feature] - law.rate * self.sum[feature]
            - law.chi * self.inverse_sum[feature]
            - self.n_types * self.law.log_normaliser(law)
        )

    cdef void renew(self) noexcept nogil:
        """Recompute the log density given the current means."""
        cdef Moments moments
        cdef int f
        self.rise_now = 0.0
        for f in range(self.n_features):
            moments = self.pairs.moments(f)
            self.now[f] = self.at(f, moments)
            self.rise_now += self._rise(f, self.pairs.n_means, moments, self.now[f])

    cdef void leave_out(self, Py_ssize_t group, const double* mean) noexcept nogil:
        """Leave a mean of a group, or NULL, out; `rise` is then an upper bound on `log_ratio`."""
        cdef double* without = self.pairs.without
        cdef Moments moments
        cdef double first, second
        cdef int f
        self.row, self.count = self.pairs.row_of(group), self.pairs.count[group]
        if mean == NULL:
            memcpy(self.base, self.now, self.n_features * sizeof(double))
            self.rise = self.rise_now
            return
        memcpy(without, self.row, self.pairs.stride * sizeof(double))
        self.row, self.count = without, self.count - 1
        self.rise = 0.0
        for f in range(self.n_features):
            self.pairs.shift(without, f, mean, -1.0)
            self.pairs.measure(without, self.count, f, NULL, &first, &second)
            moments = self.pairs.replace(group, self.count, f, first, second)
            self.base[f] = self.at(f, moments)
            self.rise += self._rise(f, moments.n_means, moments, self.base[f])

    cdef double log_ratio(self, Py_ssize_t group, const double* mean) noexcept nogil:
        """Return the log ratio of the density with a mean added, after `leave_out`."""
        cdef double count = self.count + 1
        cdef double first, second, total = 0.0, n_pairs, here, value
        cdef int f, i, D = self.n_coordinates
        cdef const double* middle = self.row + self.pairs.middle
        cdef const double* row = self.row
        cdef Py_ssize_t place
        if self.law.code == COVARIANCE or self.law.code == PRECISION:
            # As below, but without calls, because a sweep spends most of its time on these sums.
            n_pairs = self.pairs.n_pairs + (
                count * (count - 1)
                - self.pairs.count[group] * (self.pairs.count[group] - 1)
            ) / 2
            place = group * self.n_features
            for f in range(self.n_features):
                first = 0.0
                if count >= 2:
                    for i in range(self.pairs.starts[f], self.pairs.starts[f + 1]):
                        here = mean[i] - middle[i]
                        value = row[i] + here
                        first += count * (row[D + i] + here * here) - value * value
                first = self.pairs.total_first[f] - self.pairs.first[place + f] + first
                total += self.at_distance(f, n_pairs, first)
                total -= self.base[f]
            return total
        for f in range(self.n_features):
            self.pairs.measure(self.row, count, f, mean, &first, &second)
            total += self.at(f, self.pairs.replace(group, count, f, first, second))
            total -= self.base[f]
        return total

    cdef void change(
        self, Py_ssize_t group, const double* removed, const double* added
    ) noexcept nogil:
        """Remove one mean and add another; either may be NULL."""
        if removed != NULL:
            self.pairs.change(group, removed, -1.0)
        if added != NULL:
            self.pairs.change(group, added, 1.0)
        self.renew()

    cdef double exchange(
        self, Py_ssize_t group, int feature, const double* old, const double* new
    ) noexcept nogil:
        """Return the log ratio of the densities if a feature of a mean is `new` and if it is `old`.

        The sums are left without that feature of the mean until `commit` is called.
        """
        cdef double* row = self.pairs.row_of(group)
        cdef double count = self.pairs.count[group]
        cdef double first, second, before
        self.pairs.shift(row, feature, old, -1.0)
        self.pairs.measure(row, count, feature, old, &first, &second)
        before = self.at(feature, self.pairs.replace(group, count, feature, first, second))
        self.pairs.measure(row, count, feature, new, &first, &second)
        return self.at(
            feature, self.pairs.replace(group, count, feature, first, second)
        ) - before

    cdef void commit(self, Py_ssize_t group, int feature, const double* mean) noexcept nogil:
        """Put one feature of a mean back into the sums."""
        self.pairs.shift(self.pairs.row_of(group), feature, mean, 1.0)
        self.pairs.renew(group, feature)


cdef class ExplicitMeans(MeanBlocks):
    """Normal blocks with sampled means, on which the law of the precisions may depend.

    Let ``Psi(p)`` be the density of the precisions of all types given the means p of all
    blocks.  An item joins block k with weight ``N(r_n; p_k, 1 / t_n)``.  For a new block, M
    candidate means are drawn, and the block is opened with weight

        1 / M sum_m w_m Psi(p with p_m) / Psi(p),

    where ``w_m`` is the likelihood of the item times the ratio of the prior density of
    ``p_m`` to the density that it was drawn from.  The mean of the new block is one of the
    candidates.  If the item is alone in its block, the mean of that block is one of the M,
    and an item that stays alone keeps it.

    `update` draws all means.  If the law depends on them, it makes a Metropolis step for
    each feature of each block, which proposes the draw under a law that does not.

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
        Whether the candidates are drawn from the posterior given the item, or from the prior,
        as in the paper.
    groups : array_like of int, shape (n_items,), optional
        Group of each item, used if the law considers only pairs of blocks of the same group.

    Raises
    ------
    ConfigError
        If a parameter is out of range, or the law is ``within``, which
        depends on the partition and not on the means.
    DataError
        If there is not one group for each item.

    References
    ----------
    Neal (2000), Algorithm 8; Daume and Marcu (2005), sections 4.2 and 5.2.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.chains import MixtureModel, SupervisedModel
    >>> from reseat.likelihoods import ExplicitMeans, GaussianReferences, ReferencePrecisions
    >>> from reseat.priors import DirichletProcess
    >>> data = GaussianReferences([[0.3], [0.5], [-3.0]])
    >>> publications = MixtureModel(DirichletProcess(1.0), ExplicitMeans(data))
    >>> types = MixtureModel(DirichletProcess(1.0), ReferencePrecisions(data))
    >>> model = SupervisedModel(publications, types)
    >>> model.start({"publication": [0, 0, 1], "type": [0, 0, 0]})
    >>> n_moved = model.sweep(np.random.default_rng(1))
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
    cdef Py_ssize_t asked       # the item that the candidates were drawn for, or -1

    def __init__(
        self, data, law=None, sigma=1.0, n_candidates=8, aux="posterior", groups=None
    ):
        super().__init__(data, sigma)
        self.law = PrecisionLaw() if law is None else law
        if self.law.kind == "within":
            raise ConfigError("The law 'within' does not depend on the means; choose another.")
        n_candidates = check_whole("n_candidates", n_candidates, 1)
        if aux not in AUXILIARIES:
            raise ConfigError(f"aux is {aux!r}; it must be one of {AUXILIARIES}.")
        cdef const int[::1] group_of = groups_of(groups, self.law, self.n_items)
        cdef double[:, ::1] work = np.zeros((n_candidates, self.n_coordinates + 1))
        self.n_candidates, self.blind = n_candidates, aux == "prior"
        self.plain = not self.law.depends_on_means
        self._group_array, self.group_of, self._work = np.asarray(group_of), &group_of[0], work
        self.density = PrecisionDensity(self.data, self.law, np.max(group_of) + 1)
        self.log_weight = &work[0, 0]
        self.candidate = self.log_weight + self.n_candidates
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
        cdef int[::1] groups
        super()._make_room(capacity)
        old = self._slot_group_array
        self._slot_group_array = groups = np.zeros(capacity + 1, dtype=np.intc)
        if old is not None:
            kept = min(capacity + 1, len(old))
            self._slot_group_array[:kept] = old[:kept]
        self.slot_group = &groups[0]

    def assign(self, labels, Py_ssize_t capacity):
        """Rebuild the sums over the means from `labels`; the means stay in their slots."""
        labels = self._checked_labels(labels, capacity)
        self._count(labels, capacity)
        self._slot_group_array[labels] = self._group_array
        self.asked = -1
        if not self.plain:
            with nogil:
                self.density.pairs.rebuild(
                    self.mean, self.sizes, self.slot_group, self.capacity
                )
                self.density.renew()

    cdef double score_block(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t slot
    ) noexcept nogil:
        if slot < 0:
            return self.score_new(item, own, -INFINITY)
        return self._log_density(item, self.mean + slot * self.n_coordinates)

    cdef double score_typed(
        self, Py_ssize_t item, Py_ssize_t own, int kind, Py_ssize_t slot, double limit
    ) noexcept nogil:
        return self.log_scale[kind] - 0.5 * distance(
            self.point + item * self.n_coordinates, self.mean + slot * self.n_coordinates,
            self.precision + kind * self.n_features, self.starts, self.n_features,
            self.n_coordinates, limit,
        )

    cdef inline double _log_density(
        self, Py_ssize_t item, const double* mean
    ) noexcept nogil:
        return self.log_scale[self.type_of[item]] - 0.5 * distance(
            self.point + item * self.n_coordinates, mean, self._precision_of(item), self.starts,
            self.n_features, self.n_coordinates, INFINITY,
        )

    cdef double score_new(self, Py_ssize_t item, Py_ssize_t own, double floor) noexcept nogil:
        """Return the log weight of a new block; candidates are kept for the move that may follow.

        If no means could bring it up to the floor, none are drawn and the result is -INFINITY.
        """
        cdef bint alone = self.sizes[own] == 1
        cdef double alike = 0.0, best = -INFINITY, total = 0.0
        cdef double* mean
        cdef int m
        if not self.blind:
            alike = self._log_marginal(item)
            if self.plain:
                return alike
        if self._ceiling(item, own, alike) < floor:
            self.asked = -1
            return -INFINITY
        for m in range(self.n_candidates):
            mean = self.candidate + m * self.n_coordinates
            if m == 0 and alone:
                memcpy(
                    mean, self.mean + own * self.n_coordinates,
                    self.n_coordinates * sizeof(double),
                )
            else:
                self._propose(item, mean)
            self.log_weight[m] = self._log_density(item, mean) if self.blind else alike
            if not self.plain:
                self.log_weight[m] += self.density.log_ratio(self.group_of[item], mean)
            if self.log_weight[m] > best:
                best = self.log_weight[m]
        for m in range(self.n_candidates):
            total += exp(self.log_weight[m] - best)
        self.asked = item
        return best + log(total / self.n_candidates)

    cdef double _log_marginal(self, Py_ssize_t item) noexcept nogil:
        """Return the log density of an item in a block of its own, with its mean integrated out."""
        return -0.5 * deviance(
            self.point + item * self.n_coordinates,
            self.centre + self.capacity * self.n_coordinates, self._variance_of(item),
            self.spread + self.capacity * self.n_features, self.starts, self.n_features,
            self.n_coordinates, INFINITY,
        ) - self.n_coordinates * HALF_LOG_TWO_PI

    cdef double _ceiling(self, Py_ssize_t item, Py_ssize_t own, double alike) noexcept nogil:
        """Return the bound of `ceiling`; leave the base of the density ratio for `score_new`."""
        cdef bint alone = self.sizes[own] == 1
        if self.blind:
            alike = self.log_scale[self.type_of[item]]
        if self.plain:
            return alike
        self.density.leave_out(
            self.group_of[item], self.mean + own * self.n_coordinates if alone else NULL
        )
        return alike + self.density.rise

    def ceiling(self, Py_ssize_t item, Py_ssize_t own):
        """Return an upper bound on the log weight of a new block, whatever means are drawn for it.

        Moves draw no means if the bound is negligible beside the weight of an existing block.

        Parameters
        ----------
        item : int
        own : int
            The slot that the item is in.

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
        return self._ceiling(item, own, self._log_marginal(item))

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
        self.sizes[source] -= 1
        self.sizes[target] += 1
        if self.sizes[source] == 0:
            removed = self.mean + source * self.n_coordinates
        if self.sizes[target] == 1:
            added = self.mean + target * self.n_coordinates
            self._choose(item, added)
            self.slot_group[target] = self.group_of[item]
        if not self.plain and (removed != NULL or added != NULL):
            self.density.change(self.group_of[item], removed, added)
        self.asked = -1

    cdef void _choose(self, Py_ssize_t item, double* mean) noexcept nogil:
        """Set the mean of a new block: a candidate drawn by weight, or a fresh draw."""
        cdef double best = -INFINITY, total = 0.0
        cdef int m
        if self.asked != item:
            self._propose(item, mean)
            return
        for m in range(self.n_candidates):
            best = max(best, self.log_weight[m])
        for m in range(self.n_candidates):
            total += exp(self.log_weight[m] - best)
        total *= self.rng.next_double(self.rng.state)
        for m in range(self.n_candidates):
            total -= exp(self.log_weight[m] - best)
            if total < 0.0:
                break
        memcpy(
            mean, self.candidate + m * self.n_coordinates, self.n_coordinates * sizeof(double)
        )

    def update(self, partition, rng):
        """Draw every mean, by Metropolis steps if the law of the precisions depends on them."""
        cdef double[::1] proposal = np.empty(self.n_coordinates)
        cdef double* mean
        cdef Py_ssize_t slot
        self.begin(rng)
        self.sum_up(partition.label_array)
        if self.plain:
            self.draw_means(rng)
            return
        with rng.bit_generator.lock, nogil:
            for slot in range(self.capacity):
                if self.sizes[slot] > 0:
                    mean = self.mean + slot * self.n_coordinates
                    self._draw(slot, &proposal[0], self.rng)
                    self._step(self.slot_group[slot], mean, &proposal[0])
            self.density.renew()

    cdef void _step(self, Py_ssize_t group, double* mean, const double* proposal) noexcept nogil:
        """Accept or reject each feature of a proposal."""
        cdef double log_ratio
        cdef int f, d
        for f in range(self.n_features):
            log_ratio = self.density.exchange(group, f, mean, proposal)
            if log(1 - self.rng.next_double(self.rng.state)) < log_ratio:
                for d in range(self.starts[f], self.starts[f + 1]):
                    mean[d] = proposal[d]
            self.density.commit(group, f, mean)

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
