"""Blocks of records whose values may be mistaken for similar ones.

Some fields change together: a person who moves gets another address and another telephone number.
In a block ``B`` of ``n`` records, 2 to 12, there is a probability ``rho_g`` that one of them, each
being equally likely, has values of its own in all fields of the group ``g``.  With ``L_l(S)`` for
the probability of the values of records ``S`` in field ``l`` (`_value_sums`), the product of all
``L_l(B)`` is therefore multiplied by ::

    1 - sum_g rho_g  +  sum_g rho_g / n  sum_{i in B} prod_{l in g} R_l(i),
    R_l(i) = L_l(B without i) L_l(i) / L_l(B).
"""

from functools import partial
from math import lgamma

import numpy as np

cimport cython
from libc.math cimport NAN, exp, isnan, log
from numpy.random cimport bitgen_t

from reseat.checks import as_whole, check_between, check_positive, check_start
from reseat.errors import ConfigError, DataError
from reseat.numerics import product

from reseat.generators cimport source_of
from reseat.likelihoods._pointers cimport doubles, ints
from reseat.likelihoods._record_blocks cimport RecordBlocks
from reseat.likelihoods._similarity_index cimport SimilarityIndex
from reseat.likelihoods._value_sums cimport ValueSums
from reseat.prefetch cimport prefetch
from reseat.sorting cimport sort

# Lower bound on the probabilities of changes that are drawn, as their logarithms are taken.
cdef object MIN_CHANGE = 1e-300

cdef enum:
    MAX_CHANGING = 12   # size of the largest block in which a record may have changed
    AHEAD = 8           # pairs between a prefetch and its use


cdef struct Pair:
    long long version       # version of all parameters
    int one, other          # records, the lower one first
    double value            # log marginal of their block


@cython.final
cdef class SimilarRecords(RecordBlocks):
    """Records that copy the true values of their block, or mistake them for similar ones.

    In field ``l`` a block has a latent true value ``y ~ gamma_l``.  A record has that value with
    probability ``1 - beta_l``, and otherwise another one, drawn in proportion to its frequency and
    to ``exp(-c distance)``.  The true values are summed out exactly.

    Parameters
    ----------
    similarity : SimilarityIndex
        Records, distributions of the fields and near values; many likelihoods can share it.
    beta : float or array_like, shape (n_fields,) or (n_sources, n_fields)
        Probability of a mistake, in (0, 1); the initial value if it is sampled.
    hyperprior : BetaHyperprior, optional
        If given, every probability of a mistake is sampled after each sweep.
    steepness : float or array_like, shape (n_fields,)
        Power to which all factors ``G`` of a field are raised; the initial value if sampled.
    steepness_hyperprior : GammaHyperprior, optional
        If given, the steepness of every field with near values is sampled after each sweep.
    sources : array_like of int, shape (n_items,), optional
        Source of each record, from 0.  If given, each source has its own probabilities.
    change : float
        Probability that a record of a block has changed all fields of some group (`changing` of
        the index), in (0, 1), for all groups together; the initial value if it is sampled.
    change_hyperprior : BetaHyperprior, optional
        Prior ``Beta(a, b)`` of this probability, without a bound.  If given, the probabilities of
        the ``K`` groups and of no change are sampled after each sweep; their prior is
        ``Dirichlet(a / K, ..., a / K, b)``.

    Raises
    ------
    ConfigError
        If a probability or a steepness is out of range or above the bound of its prior, their
        number is wrong, or `change_hyperprior` has a bound.
    DataError
        If the sources are not whole numbers from 0, one for each record, or are too large.

    Examples
    --------
    >>> from reseat.likelihoods import Similarity, SimilarRecords, index_columns
    >>> names = ["miller", "millre", "roberts", "mills", "robert", "jones"]
    >>> likelihood = SimilarRecords(index_columns([names], [Similarity("edit", 3.0, 3.0)]), 0.2)
    >>> likelihood.assign([0, 0, 1, 2, 1, 3], 6)
    >>> alike = likelihood.log_marginal()
    >>> likelihood.assign([0, 1, 1, 2, 0, 3], 6)
    >>> alike > likelihood.log_marginal()
    True
    """

    cdef readonly SimilarityIndex similarity
    cdef ValueSums sums
    cdef readonly Py_ssize_t n_sources
    cdef readonly object steepness_hyperprior, change_hyperprior
    cdef readonly Py_ssize_t n_groups   # number of groups of fields that change together
    cdef object _change, _log_change_array
    cdef int* group_starts          # where the fields of each group begin
    cdef int* group_fields
    cdef int* may_change            # whether each field is in a group
    cdef double* log_change         # log probability of a change of each group, and of no change
    cdef int* listed                # records of a block, in order if one may have changed
    cdef double* log_ratio          # (record, field): log L(B without i) L(i) / L(B)
    cdef double* log_whole          # log L(B) of each field
    cdef double* log_changed        # (group, record): log factor of a change
    cdef double[13] log_number      # logarithms of block sizes
    cdef Pair last                  # block of two records that was last computed
    cdef object _beta, _steepness, _arrays, _held_array
    cdef object _steeper            # fields whose steepness is sampled
    cdef double* held               # log marginal of each slot, NaN until it is computed

    def __init__(
        self, SimilarityIndex similarity not None, beta=0.05, hyperprior=None, sources=None,
        steepness=1.0, steepness_hyperprior=None, change=0.05, change_hyperprior=None,
    ):
        super().__init__(similarity.records, hyperprior)
        self.similarity, self.steepness_hyperprior = similarity, steepness_hyperprior
        self.change_hyperprior = change_hyperprior
        self.n_groups = len(similarity.changing)
        check_between("change", change, 0, 1, "()")
        check_start("change", change, change_hyperprior)
        if change_hyperprior is not None and change_hyperprior.upper != 1:
            raise ConfigError("The prior of the probability of a change cannot have a bound.")
        self._change = np.full(self.n_groups, float(change)) / max(1, self.n_groups)
        if sources is None:
            sources = np.zeros(self.n_items, dtype=np.intc)
        sources = as_whole(sources, "The sources")
        if sources.shape != (self.n_items,):
            raise DataError(f"{sources.size} sources are given for {self.n_items} records.")
        self.sums = ValueSums(similarity, sources)
        self.n_sources, n_fields = self.sums.n_sources, self.index.n_fields
        log_ratio = np.zeros((MAX_CHANGING + 1, n_fields))
        log_changed = np.zeros(MAX_CHANGING * self.n_groups)
        for n in range(1, MAX_CHANGING + 1):
            self.log_number[n] = log(n)
        groups = similarity.changing
        group_starts = np.cumsum([0, *map(len, groups)], dtype=np.intc)
        group_fields = np.array(sum(groups, ()), dtype=np.intc)
        may_change = np.zeros(n_fields, dtype=np.intc)
        may_change[group_fields] = 1
        listed = np.empty(self.n_items + 1, dtype=np.intc)
        self._arrays = log_ratio, log_changed, group_starts, group_fields, may_change, listed
        self.log_ratio, self.log_whole = doubles(log_ratio), doubles(log_ratio[MAX_CHANGING])
        self.log_changed, self.listed = doubles(log_changed), ints(listed)
        self.group_starts, self.group_fields = ints(group_starts), ints(group_fields)
        self.may_change = ints(may_change)
        self._steepness = _as_table(
            "steepness", steepness, (n_fields,), check_positive, steepness_hyperprior,
            "The steepness has the shape {}; give one number, or one for each of the "
            f"{n_fields} fields.",
        )
        sampled = steepness_hyperprior is not None
        self._steeper = np.flatnonzero(similarity.n_near * sampled).tolist()
        for field in range(n_fields):
            self.sums.steepen(field, self._steepness[field])
        self._set_beta(_as_table(
            "beta", beta, (self.n_sources, n_fields),
            partial(check_between, low=0, high=1, ends="()"), hyperprior,
            "The probabilities beta have the shape {}; give one, or one for each of the "
            f"{n_fields} fields, or a table of {self.n_sources} sources and {n_fields} fields.",
        ))

    def _set_beta(self, values):
        self._beta = np.array(values, dtype=float).reshape(self.n_sources, self.index.n_fields)
        self.sums.set_beta(self._beta)
        self._log_change_array = np.log([*self._change, 1.0 - self._change.sum()])
        self.log_change = doubles(self._log_change_array)
        self._drop_held()

    @property
    def beta(self):
        """Probability of a mistake, shape (n_sources, n_fields): a copy."""
        return self._beta.copy()

    @property
    def steepness(self):
        """Power to which the factors of each field are raised, shape (n_fields,): a copy."""
        return self._steepness.copy()

    @property
    def change(self):
        """Probability that a record of a block has changed a group, shape (n_groups,): a copy."""
        return self._change.copy()

    @property
    def hyperparameters(self):
        found = {
            f"beta_{field}_{source}" if self.n_sources > 1 else f"beta_{field}": float(x)
            for (source, field), x in np.ndenumerate(self._beta)
        }
        for field in self._steeper:
            found[f"steepness_{field}"] = float(self._steepness[field])
        if self.change_hyperprior is not None:
            found |= {f"change_{group}": float(x) for group, x in enumerate(self._change)}
        return found

    def restore(self, hyperparameters):
        """Set the probabilities and the steepness to saved values."""
        for field in self._steeper:
            self._steepness[field] = hyperparameters[f"steepness_{field}"]
            self.sums.steepen(field, self._steepness[field])
        if self.change_hyperprior is not None:
            for group in range(self.n_groups):
                self._change[group] = hyperparameters[f"change_{group}"]
        self._set_beta(list(hyperparameters.values())[:self._beta.size])

    # ---- blocks ----

    def _hold(self, sizes):
        super()._hold(sizes)
        self._drop_held()

    def _drop_held(self):
        """Discard the cached marginals of the blocks, so that they are recomputed when needed."""
        self._held_array = np.full(self.capacity, NAN)
        self.held = doubles(self._held_array)

    cdef void _count_up(self, Py_ssize_t slot) noexcept nogil:
        pass    # a table of counts would have an entry for each value of each field

    cdef void move(self, Py_ssize_t item, Py_ssize_t source, Py_ssize_t target) noexcept nogil:
        RecordBlocks.move(self, item, source, target)
        self.held[source] = NAN
        self.held[target] = NAN

    cdef void prefetch_item(self, Py_ssize_t item) noexcept nogil:
        cdef Py_ssize_t n_fields = self.index.n_fields, field
        cdef int* row = self.index.codes + item * n_fields
        for field in range(n_fields):
            if row[field] >= 0:
                prefetch(self.sums.levels + row[field])

    cdef double predictive(self, Py_ssize_t item, bint inside, Py_ssize_t slot) noexcept nogil:
        if inside:
            return self._log_whole(slot) - self._log_block(slot, item, -1)
        return self._log_block(slot, -1, item) - self._log_whole(slot)

    cdef double _log_whole(self, Py_ssize_t slot) noexcept nogil:
        """Return the log marginal of a block, which is cached."""
        if isnan(self.held[slot]):
            self.held[slot] = (
                self.index.empty[self.members.head[slot]] if self.sizes[slot] == 1
                else self._log_block(slot, -1, -1)
            )
        return self.held[slot]

    cdef double _log_block(
        self, Py_ssize_t slot, Py_ssize_t without, Py_ssize_t extra
    ) noexcept nogil:
        """Return the log marginal of a block without item `without` and with item `extra`."""
        cdef Py_ssize_t field, n = self._list(slot, without, extra)
        cdef double total = 0.0
        # If no other items are with two chaperones, each in turn asks for their joint marginal.
        if (
            n == 2 and self.last.version == self.sums.n_versions
            and self.last.one == self.listed[0] and self.last.other == self.listed[1]
        ):
            return self.last.value
        for field in range(self.index.n_fields):
            self.log_whole[field] = self.sums.log_values(field, self._gather(field, n, -1))
            total += self.log_whole[field]
        if self.n_groups:
            total += self._log_changes(n)
        if n == 2:
            self.last = Pair(self.sums.n_versions, self.listed[0], self.listed[1], total)
        return total

    cdef Py_ssize_t _list(
        self, Py_ssize_t slot, Py_ssize_t without, Py_ssize_t extra
    ) noexcept nogil:
        """List the records of a block, in order up to `MAX_CHANGING`; return their number."""
        cdef Py_ssize_t n = 0
        cdef Py_ssize_t item = self.members.head[slot]
        while item >= 0:
            if item != without:
                self.listed[n] = <int>item
                n += 1
            item = self.members.next[item]
        if extra >= 0:
            self.listed[n] = <int>extra
            n += 1
        if n <= MAX_CHANGING:
            sort(self.listed, n)    # no sum may depend on the order of the members
        return n

    cdef Py_ssize_t _gather(self, Py_ssize_t field, Py_ssize_t n, Py_ssize_t odd) noexcept nogil:
        """List the known values of `n` records, except the one at `odd`; return their number."""
        cdef Py_ssize_t k, n_known = 0, n_fields = self.index.n_fields
        cdef int* codes = self.index.codes + field
        for k in range(n):
            if k != odd:
                n_known = self.sums.enter(n_known, codes[self.listed[k] * n_fields], self.listed[k])
        return n_known

    cdef double _log_changes(self, Py_ssize_t n) noexcept nogil:
        """Return the log factor of `n` listed records for changes that one may have made.

        Before, `log_whole` must hold the log probability of the values of each field.  Afterwards,
        `log_ratio` holds, by record and field, the log of the factor by which a change multiplies
        it; of two records, only the first, as a change of either counts the same.
        """
        cdef Py_ssize_t n_fields = self.index.n_fields, field, k
        if not 1 < n <= MAX_CHANGING:
            return 0.0
        for field in range(n_fields):
            if self.may_change[field]:
                for k in range(1 if n == 2 else n):
                    self.log_ratio[k * n_fields + field] = self._log_ratio_of(field, n, k)
        return self._sum_changes(n)

    cdef double _log_ratio_of(self, Py_ssize_t field, Py_ssize_t n, Py_ssize_t k) noexcept nogil:
        """Return the log factor of a change of the `k`-th record, once for each value."""
        cdef Py_ssize_t n_fields = self.index.n_fields, before
        cdef int* codes = self.index.codes + field
        cdef int code = codes[self.listed[k] * n_fields]
        cdef int* sources = self.sums.source
        if code < 0:
            return 0.0
        for before in range(k):
            if (
                codes[self.listed[before] * n_fields] == code
                and sources[self.listed[before]] == sources[self.listed[k]]
            ):
                return self.log_ratio[before * n_fields + field]
        return (
            self.similarity.log_gamma[code] + self.sums.log_values(field, self._gather(field, n, k))
            - self.log_whole[field]
        )

    cdef double _sum_changes(self, Py_ssize_t n) noexcept nogil:
        """Return the log factor for changes given `log_ratio`; set that of each, `log_changed`."""
        cdef double none = self.log_change[self.n_groups], largest = none, total, factor
        cdef Py_ssize_t n_different = 1 if n == 2 else n, group, k, j
        for group in range(self.n_groups):
            for k in range(n_different):
                factor = self.log_change[group] - self.log_number[n]
                for j in range(self.group_starts[group], self.group_starts[group + 1]):
                    factor += self.log_ratio[k * self.index.n_fields + self.group_fields[j]]
                self.log_changed[group * n_different + k] = factor
                largest = max(largest, factor)
        total = exp(none - largest)
        for k in range(self.n_groups * n_different):
            factor = exp(self.log_changed[k] - largest)
            total += factor
            if n == 2:
                total += factor
        return largest + log(total)

    def log_ratios(self, pairs):
        """Return the log marginals of two records in one block, minus those of each alone.

        Parameters
        ----------
        pairs : array_like of int, shape (n_pairs, 2)
            Pairs of different items.

        Returns
        -------
        ndarray of float, shape (n_pairs,)
            These do not depend on the current partition.

        Raises
        ------
        DataError
            If the array does not have two columns, or there is no such item.
        """
        pairs = as_whole(pairs, "The items of the pairs", 0, self.n_items - 1, np.intc)
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise DataError(f"The pairs must have the shape (n_pairs, 2), not {pairs.shape}.")
        cdef const int[:, ::1] items = pairs
        cdef double[::1] found = np.zeros(len(items))
        cdef Py_ssize_t n_fields = self.index.n_fields, pair, field, n_known
        cdef int one, other
        with nogil:
            for pair in range(items.shape[0]):
                if pair + AHEAD < items.shape[0]:
                    self.prefetch_item(items[pair + AHEAD, 0])
                    self.prefetch_item(items[pair + AHEAD, 1])
                for field in range(n_fields):
                    one = self.index.codes[items[pair, 0] * n_fields + field]
                    other = self.index.codes[items[pair, 1] * n_fields + field]
                    self.log_ratio[field] = 0.0
                    n_known = self.sums.enter(0, one, items[pair, 0])
                    if self.sums.enter(n_known, other, items[pair, 1]) == 2:
                        # a value without a counterpart cancels
                        self.log_ratio[field] = (
                            self.sums.levels[one].log_gamma + self.sums.levels[other].log_gamma
                        )
                        self.log_ratio[field] -= self.sums.log_values(field, 2)
                        found[pair] -= self.log_ratio[field]
                if self.n_groups:
                    found[pair] += self._sum_changes(1)     # of either record alike
        return np.asarray(found)

    def log_parts(self, records):
        """Return the log marginal of some records as one block, by field.

        Parameters
        ----------
        records : array_like of int, shape (n,)

        Returns
        -------
        ndarray of float, shape (n_fields,) or (n_fields + 1,)
            If fields change together, the last entry is the log factor of that.
        """
        cdef const int[::1] items = np.unique(
            as_whole(records, "The records", 0, self.n_items - 1)
        ).astype(np.intc)
        cdef Py_ssize_t n_fields = self.index.n_fields, field, k, n = items.shape[0]
        cdef double[::1] found = np.zeros(n_fields + (self.n_groups > 0))
        for k in range(n):
            self.listed[k] = items[k]
        for field in range(n_fields):
            self.log_whole[field] = self.sums.log_values(field, self._gather(field, n, -1))
            found[field] = self.log_whole[field]
        if self.n_groups:
            found[n_fields] = self._log_changes(n)
        return np.asarray(found)

    def log_marginal(self):
        """Return the log marginal likelihood of the records given the partition."""
        # The marginals computed here are cached for the moves of the next sweep.
        cdef Py_ssize_t slot
        cdef double total = 0.0
        for slot in range(self.capacity):
            if self.sizes[slot] > 0:
                total += self._log_whole(slot)
        return total

    def log_hyperprior(self):
        """Return the log density of those of the probabilities and steepnesses that are sampled."""
        total = 0.0
        if self.hyperprior is not None:
            total += sum(map(self.hyperprior.log_density, self._beta.ravel().tolist()))
        if self.steepness_hyperprior is not None:
            sampled = self._steepness[self._steeper].tolist()
            total += sum(map(self.steepness_hyperprior.log_density, sampled))
        if self.change_hyperprior is not None:
            weights = self._change_weights()
            total += lgamma(weights.sum()) - sum(map(lgamma, weights.tolist()))
            total += product(weights - 1.0, np.asarray(self._log_change_array))
        return total

    # ---- probabilities and steepness ----

    def update(self, partition, rng):
        """Draw changes and true values and, given them, every probability and steepness."""
        cdef Py_ssize_t field
        if (self.hyperprior, self.steepness_hyperprior, self.change_hyperprior) == (None,) * 3:
            return
        odd = np.full((self.index.n_fields, self.capacity), -1, dtype=np.intc)
        if self.n_groups:
            times = self._draw_changed(odd, rng)
            if self.change_hyperprior is not None:
                drawn = np.maximum(rng.dirichlet(self._change_weights() + times), MIN_CHANGE)
                self._change = drawn[: self.n_groups] / drawn.sum()
        values = self._beta.copy()
        for field in range(self.index.n_fields):
            replaced, right, wrong, log_near = self._impute(field, odd[field], rng)
            if self.hyperprior is not None:
                for source in range(self.n_sources):
                    likelihood = partial(_log_of_beta, right[source], wrong[source])
                    values[source, field] = self.hyperprior.resample(
                        values[source, field], likelihood, rng, _step_width(wrong[source])
                    )
            if field in self._steeper:
                found = np.flatnonzero(replaced)
                likelihood = partial(
                    _log_of_steepness, self.similarity.totals_of(field, found), replaced[found],
                    log_near / self._steepness[field],
                )
                self._steepness[field] = self.steepness_hyperprior.resample(
                    self._steepness[field], likelihood, rng, _step_width(wrong.sum())
                )
                self.sums.steepen(field, self._steepness[field])
        self._set_beta(values)

    def _change_weights(self):
        """Return the weights of the Dirichlet prior of the changes, with that of no change last."""
        law = self.change_hyperprior
        return np.array([law.a / max(1, self.n_groups)] * self.n_groups + [law.b])

    def _draw_changed(self, int[:, ::1] odd, rng):
        """Write to `odd` which record of each slot, if any, has changed a field; count the groups.

        The last number is of blocks in which none has changed though a record could have.
        """
        cdef long long[::1] times = np.zeros(self.n_groups + 1, dtype=np.int64)
        cdef Py_ssize_t slot, field, n, k, j, group
        cdef double log_total, u
        cdef bitgen_t* generator = source_of(rng)
        with rng.bit_generator.lock, nogil:
            for slot in range(self.capacity):
                n = self.sizes[slot]
                if not 1 < n <= MAX_CHANGING:
                    continue
                self._list(slot, -1, -1)
                for field in range(self.index.n_fields):
                    if self.may_change[field]:
                        self.log_whole[field] = self.sums.log_values(
                            field, self._gather(field, n, -1)
                        )
                log_total = self._log_changes(n)
                u = generator.next_double(generator.state)
                group = self.n_groups
                for k in range(n * self.n_groups):
                    u -= exp(self.log_changed[k // 2 if n == 2 else k] - log_total)
                    if u < 0.0:
                        group = k // n
                        for j in range(self.group_starts[group], self.group_starts[group + 1]):
                            odd[self.group_fields[j], slot] = self.listed[k % n]
                        break
                times[group] += 1
        return np.asarray(times)

    def _impute(self, Py_ssize_t field, const int[::1] odd, rng):
        """Draw the true values of a field, where `odd` is the record of a slot that has changed it.

        Return how often each true value was replaced by a mistake, the numbers of true values and
        of mistakes by source, and the sum of the log factors ``G`` of the latter.
        """
        cdef Py_ssize_t first = self.index.first_level[field], slot, n
        cdef Py_ssize_t n_levels = self.index.first_level[field + 1] - first
        cdef int[::1] replaced = np.zeros(n_levels, dtype=np.intc)
        cdef Py_ssize_t[:, ::1] known = np.zeros((2, self.n_sources), dtype=np.intp)
        cdef Py_ssize_t k, level, true, source
        cdef double log_near = 0.0
        cdef bitgen_t* generator = source_of(rng)
        if not self.similarity.rigid[field]:    # a field of one value has no mistakes
            with rng.bit_generator.lock, nogil:
                for slot in range(self.capacity):
                    if self.sizes[slot] < 2:
                        continue
                    n = self._gather(field, self._list(slot, odd[slot], -1), -1)
                    if n <= 1:
                        continue
                    true = self.sums.draw_true(field, n, generator)
                    for k in range(n):
                        level = self.sums.level_of(self.sums.cells[k])
                        source = self.sums.cells[k] % self.n_sources
                        known[level != true, source] += 1
                        if level != true:
                            replaced[true - first] += 1
                            log_near += self.sums.log_gain_of(level, true)
        return np.asarray(replaced), *np.asarray(known), log_near


def _as_table(name, given, shape, check, law, fault):
    """Return checked parameters, spread to a shape, of which the first axes may be left out."""
    given = np.asarray(given, dtype=object)
    if given.shape not in [shape[axis:] for axis in range(len(shape) + 1)]:
        raise ConfigError(fault.format(given.shape))
    for value in given.ravel():
        check(name, value)
        check_start(name, value, law)
    return np.array(np.broadcast_to(given, shape), dtype=float)


def _log_of_beta(right, wrong, beta):
    """Return the log likelihood of a probability of a mistake, given the true values."""
    return wrong * np.log(beta) + right * np.log1p(-beta)


def _log_of_steepness(totals, times, log_near, steepness):
    """Return the log likelihood of the steepness of a field, given the true values."""
    try:
        log_total = totals(steepness)
    except DataError:  # the factors overflow
        return -np.inf
    return steepness * log_near - product(times, log_total)


def _step_width(n_wrong):
    """Return the width of a slice: a few posterior standard deviations, given the mistakes."""
    return float(min(1.0, 3.0 / np.sqrt(1.0 + n_wrong)))
