"""Blocks of records whose values may be mistaken for similar ones.

In a field with values ``v = 1 … V`` of frequencies ``gamma_v``, a block has a true value
``y ~ gamma``.  A record of the block has the value ``y`` with probability ``1 - beta``, and
otherwise another value ``x`` with probability ``psi(x | y) = gamma_x G(x, y) / Z_y``, which is
proportional to its frequency and to ``exp(-c d(x, y))``.  The distance ``d`` is truncated at ``D``,
so that ``G = exp(c (D - d))`` for the few near values and 1 for all others (`SimilarityIndex`).
``beta`` is specific to the field, or to the field and the source of the record.

The true value is summed out.  Let ``x_i`` be the ``n`` known values of the block in the field, and
``R_i = (1 - beta_i) Z_y / (beta_i gamma_y)`` for ``x_i = y``.  Their probability is ::

    (prod_i beta_i gamma_{x_i})  F,        F = sum_y gamma_y Z_y^-n prod_i r_i(y),
    r_i(y) = R_i if x_i = y,   G(x_i, y) if x_i is near y,   1 otherwise.

The product differs from 1 only for true values that equal some ``x_i`` or are near one.  Let ``C``
be the set of these and of the 16 most frequent values of the field.  Then ::

    F = sum_{y in C} gamma_y Z_y^-n prod_i r_i(y)  +  M_n - sum_{y in C} gamma_y Z_y^-n,

where ``M_n = sum_y gamma_y Z_y^-n`` depends only on the field and on ``n``, and the difference is
taken over rare values only.  ``M_n`` is computed once for each size that occurs; after that, the
cost of a block grows with the number of neighbours of its values, not of values of the field.  For
a rare ``y``, ``R >= 15 (1 - beta) / beta``, so that unless nearly all values are mistakes, each
term of ``C`` is greater than what the difference subtracts for it, and the sum is as accurate as
``M_n``.  (A ``y`` with ``gamma_y > 1 - beta`` may have ``R < 1`` and a small ``Z_y``, for which the
difference would lose all digits; such a value is frequent.  A field of up to 16 values needs no
difference at all.)

If only one value of a block is known, it has the probability ``gamma_x``.  As ``gamma`` is the
distribution of the observed values, mistakes included, this is the right probability.  A sum over
true values would mix in mistakes once more, and thousands of single values, which say nothing about
mistakes, would then push ``beta`` towards zero.  For the same reason, true values are more frequent
than ``gamma`` says, because a share of it belongs to mistakes that nobody else makes: ``F`` is
divided by the share of the other values in the field (`correct` of the index), a constant.

``F`` is computed afresh from the members, in the order of their values, and never updated.  For a
few values it is cached until the parameters change, since a sweep needs it for the same values
again and again.  A missing value contributes no factor.

Most blocks have two records.  If every ``R >= 1``, so that nothing cancels, ::

    F = M_2 + sum_y gamma_y Z_y^-2 (r_1(y) r_2(y) - 1),

where only true values that equal ``x_1`` or ``x_2`` or are near one of them contribute, and ``M_2``
is the sum over all values.  As ``r_1 r_2 - 1 = (r_1 - 1) + (r_2 - 1) + (r_1 - 1) (r_2 - 1)``, the
sums over near values can be tabulated for each value when the steepness changes::

    F = M_2 + (1 - beta_1) (1 - beta_2) / (beta_1 beta_2 gamma_x) + T_x     if x_1 = x_2 = x,
    F = M_2 + sum_i ((1 - beta_i) / (beta_i Z_{x_i}) + S_{x_i})
            + sum_y gamma_y Z_y^-2 (r_1(y) - 1) (r_2(y) - 1)                otherwise,
    S_x = sum_{y near x} gamma_y Z_y^-2 (G(x, y) - 1)  -  gamma_x Z_x^-2,

where ``T_x`` is the same with ``G^2``, and the last sum runs over the values that are near both (a
value counts as near itself).

Some fields change together: a person who moves gets another address and another telephone number.
In a block ``B`` of ``n`` records, 2 to 12, there is a probability ``rho_g`` that one of them, each
being equally likely, has values of its own in all fields of the group ``g``.  With ``L_l(S)`` for
the probability of the values of records ``S`` in field ``l``, the product of all ``L_l(B)`` is
therefore multiplied by ::

    1 - sum_g rho_g  +  sum_g rho_g / n  sum_{i in B} prod_{l in g} R_l(i),
    R_l(i) = L_l(B without i) L_l(i) / L_l(B).

References
----------
Steorts (2015) for mistakes that depend on a distance; Marchant et al. (2021) for the truncation;
Marchant, Rubinstein and Steorts (2023) for mistakes that are never the true value.
"""

from functools import partial
from math import lgamma

import numpy as np

cimport cython
from libc.math cimport INFINITY, NAN, exp, isnan, log
from numpy.random cimport bitgen_t

from reseat.checks import LARGEST, as_whole, check_between, check_positive, check_start
from reseat.errors import ConfigError, DataError
from reseat.numerics import product

from reseat.generators cimport source_of
from reseat.likelihoods._record_blocks cimport RecordBlocks
from reseat.likelihoods._similarity_index cimport SimilarityIndex
from reseat.prefetch cimport prefetch
from reseat.sorting cimport sort

cdef enum:
    # Number of values up to which factors are multiplied, if none is extreme, and results cached.
    FEW = 4

# Places in the cache for each record, and largest number of places, of 32 bytes each.
cdef object PLACES = 1
cdef object MOST_PLACES = 2**19

# Lower bound on the probabilities of changes that are drawn, as their logarithms are taken.
cdef object LEAST_CHANGE = 1e-300

# Largest absolute logarithm of a factor in such a product: FEW of them, and as many divisions
# by Z, stay in the range of doubles.
cdef double TAME = 80.0

cdef enum:
    TRIES = 100     # proposals of a value before all values of the field are weighed
    MOST_CHANGING = 12      # size of the largest block in which a record may have changed
    SHORT = 8       # near values up to which two lists are compared without a cache
    AHEAD = 8       # pairs between a prefetch and its use

LEVEL = np.dtype(
    [(name, float) for name in ("gamma", "log_gamma", "inverse_total", "beside", "twice", "weight")]
    + [("seen", np.int64), ("marks", np.uint64)]
)


cdef struct Kept:
    long long version       # version of the parameters of the field
    int[4] cells            # values, -1 where there is none
    double value            # their log probability


cdef struct Pair:
    long long version       # version of all parameters
    int one, other          # records, the lower one first
    double value            # log marginal of their block


cdef struct Level:
    double gamma            # probability of a value
    double log_gamma
    double inverse_total    # 1 / Z
    double beside           # S, for two different values (see the head of the .pyx file)
    double twice            # T, for two equal values
    double weight           # factor, or its log, in the current sum over true values
    long long seen          # number of the last sum that it was in
    unsigned long long marks    # bits that stand for it and for all values near it


@cython.final
cdef class SimilarRecords(RecordBlocks):
    """Records that copy the true values of their block, or mistake them for similar ones.

    In field ``l`` a block has a latent true value ``y ~ gamma_l``.  A record
    has that value with probability ``1 - beta_l``, and otherwise another one,
    drawn in proportion to its frequency and to ``exp(-c distance)``.  The true
    values are summed out exactly, and the cost of a block does not depend on the
    number of values of a field.  The module docstring has the formulas.

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
        If given, the steepness of every field with near values is sampled after each sweep:
        the data then show how closely mistakes resemble the true values.
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
        If a probability is outside (0, 1), a steepness is not positive, one of them is above the
        bound of its prior, their number does not match that of the fields and sources, or
        `change_hyperprior` has a bound.
    DataError
        If the sources are not whole numbers from 0, one for each record, or are so large that
        values and sources together cannot be numbered.

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
    cdef readonly Py_ssize_t n_sources
    cdef readonly object hyperprior, steepness_hyperprior, change_hyperprior
    cdef readonly Py_ssize_t n_groups   # number of groups of fields that change together
    cdef object _change, _log_change_array, _groups
    cdef object _odd                # (field, slot): the record that has changed the field, or -1
    cdef int* group_starts          # where the fields of each group begin
    cdef int* group_fields
    cdef int* may_change            # whether each field is in a group
    cdef double* log_change         # log probability of a change of each group, and of no change
    cdef int[14] listed             # records of a block, in order
    cdef double* log_ratio          # (record, field): log L(B without i) L(i) / L(B)
    cdef double* log_whole          # log L(B) of each field
    cdef double* log_changed        # (group, record): log factor of a change
    cdef double* log_number         # logarithms of block sizes
    cdef Py_ssize_t n_listed
    cdef Pair last                  # block of two records that was last computed
    cdef object _beta, _steepness, _tables, _gains, _log_total_array, _level_array, _scratch
    cdef object _held_array, _source_array
    cdef object _log_factors        # of each field, greatest absolute logarithm of a factor
    cdef bint tame                  # whether products of a few factors stay in range
    cdef long long round            # number of the current sum
    cdef bint mild                  # whether, in addition, every R is at least 1
    cdef int* source                # source of each item
    cdef double* log_wrong          # (source, field): log(beta)
    cdef double* right              # (source, field): (1 - beta) / beta
    cdef double* log_right
    cdef double* mass_of_few        # (field, n): M_n of all values
    cdef double* least_right        # of each field, greatest gamma / Z, below which R < 1
    cdef double* log_mass           # (field, n): log M_n of rare values, 0 until it is computed
    cdef Py_ssize_t* n_asked        # of each field, the greatest n that was computed
    cdef double* gain               # G of each neighbour
    cdef double* log_gain
    cdef double* log_total          # log Z of each level
    cdef Level* levels              # what a sum over true values reads, stored together
    cdef object _laws
    cdef double* cumulative         # of each level, cumulative sum of gamma in its field
    cdef double* least_total        # least log Z of each field
    cdef double* held               # log marginal of each slot, NaN until it is computed
    cdef object _kept_array, _version_array
    cdef Kept* kept                 # cached log probabilities of a few values, by hash
    cdef unsigned long long last_place
    cdef long long n_versions
    cdef long long* version         # version of the parameters of each field
    cdef int* cells                 # values of a block in a field, level * n_sources + source
    cdef int* touched               # levels in the current sum
    cdef Py_ssize_t n_touched

    def __init__(
        self, SimilarityIndex similarity not None, beta=0.05, hyperprior=None, sources=None,
        steepness=1.0, steepness_hyperprior=None, change=0.05, change_hyperprior=None,
    ):
        super().__init__(similarity.records)
        self.similarity = similarity
        self.hyperprior, self.steepness_hyperprior = hyperprior, steepness_hyperprior
        self.change_hyperprior = change_hyperprior
        self.n_groups = len(similarity.changing)
        _check_probability("change", change, change_hyperprior)
        if change_hyperprior is not None and change_hyperprior.upper != 1:
            raise ConfigError("The prior of the probability of a change cannot have a bound.")
        self._change = np.full(self.n_groups, float(change)) / max(1, self.n_groups)
        if sources is None:
            sources = np.zeros(self.n_items, dtype=np.intc)
        sources = as_whole(sources, "The sources")
        if sources.shape != (self.n_items,):
            raise DataError(f"{sources.size} sources are given for {self.n_items} records.")
        self.n_sources = int(sources.max()) + 1
        n_levels, n_fields = self.index.n_levels, self.index.n_fields
        if n_levels * self.n_sources > LARGEST:
            raise DataError(
                f"There are {n_levels} values and {self.n_sources} sources; number the sources "
                "from 0 without gaps."
            )
        cdef int[::1] source = sources.astype(np.intc)
        cdef double[:, ::1] tables = np.zeros((3, self.n_sources * n_fields))
        cdef double[:, ::1] mass = np.zeros((n_fields, FEW + 1))
        cdef double[::1] least_right = np.zeros(n_fields)
        cdef double[::1] log_mass = np.zeros(n_fields * (self.n_items + 1))
        cdef Py_ssize_t[::1] n_asked = np.zeros(n_fields, dtype=np.intp)
        cdef double[:, ::1] gains = np.empty((2, similarity.n_neighbours + 1))
        cdef double[::1] log_total = np.empty(n_levels)
        self._level_array = np.zeros(n_levels, dtype=LEVEL)
        self._level_array["gamma"] = self.index._gamma_array
        with np.errstate(divide="ignore"):
            self._level_array["log_gamma"] = np.log(self.index._gamma_array)
        cdef Level[::1] levels = self._level_array
        cdef int[::1] cells = np.empty(self.n_items + 1, dtype=np.intc)
        cdef int[::1] touched = np.empty(n_levels, dtype=np.intc)
        self._source_array, self._tables = source, [tables, mass, least_right, log_mass, n_asked]
        self._gains, self._log_total_array = np.asarray(gains), np.asarray(log_total)
        cdef double[:, ::1] log_ratio = np.zeros((MOST_CHANGING + 2, n_fields))
        cdef double[::1] log_changed = np.zeros((MOST_CHANGING + 1) * max(1, self.n_groups))
        cdef double[::1] log_number = np.array([log(max(1, n)) for n in range(MOST_CHANGING + 1)])
        self._scratch = [cells, touched, log_ratio, log_changed, log_number]
        self.log_ratio, self.log_whole = &log_ratio[0, 0], &log_ratio[MOST_CHANGING + 1, 0]
        self.log_changed, self.log_number = &log_changed[0], &log_number[0]
        groups = similarity.changing
        cdef int[::1] group_starts = np.cumsum([0, *map(len, groups)], dtype=np.intc)
        cdef int[::1] group_fields = np.array([*sum(groups, ()), 0], dtype=np.intc)
        cdef int[::1] may_change = np.zeros(n_fields, dtype=np.intc)
        np.asarray(may_change)[list(sum(groups, ()))] = 1
        self._groups = [group_starts, group_fields, may_change]
        self.group_starts, self.group_fields = &group_starts[0], &group_fields[0]
        self.may_change = &may_change[0]
        self.source = &source[0]
        self.log_wrong, self.right = &tables[0, 0], &tables[1, 0]
        self.log_right, self.log_mass = &tables[2, 0], &log_mass[0]
        self.mass_of_few, self.least_right = &mass[0, 0], &least_right[0]
        self.cells, self.touched, self.levels, self.round = &cells[0], &touched[0], &levels[0], 0
        self.n_asked, self.gain, self.log_gain = &n_asked[0], &gains[0, 0], &gains[1, 0]
        self.log_total = &log_total[0]
        # An empty place has the version 0, which the parameters of a field never have.
        n_places = 1 << int(min(PLACES * self.n_items, MOST_PLACES) - 1).bit_length()
        cdef int[:, ::1] kept = np.zeros((n_places, sizeof(Kept) // sizeof(int)), dtype=np.intc)
        cdef long long[::1] versions = np.zeros(n_fields, dtype=np.int64)
        self._kept_array, self.kept, self.last_place = kept, <Kept*> &kept[0, 0], n_places - 1
        self._version_array, self.version, self.n_versions = versions, &versions[0], 0
        gamma = np.asarray(self.index._gamma_array)
        starts = self.index.field_starts
        parts = zip(starts[:n_fields], starts[1:], strict=True)
        cdef double[::1] cumulative = np.concatenate(
            [np.cumsum(gamma[start:end]) for start, end in parts]
        )
        cdef double[::1] least_total = np.zeros(n_fields)
        self._laws = cumulative, least_total
        self.cumulative, self.least_total = &cumulative[0], &least_total[0]
        self._log_factors = np.zeros(n_fields)
        self._mark_near()
        self._steepness = self._as_steepness(steepness)
        for field in range(n_fields):
            self._steepen(field, self._steepness[field])
        self._set_beta(self._as_table(beta))

    def _as_steepness(self, steepness):
        """Return the steepness of each field, after checking it."""
        given, n_fields = np.asarray(steepness, dtype=object), self.index.n_fields
        if given.shape not in ((), (n_fields,)):
            raise ConfigError(
                f"The steepness has the shape {given.shape}; give one number, or one for each of "
                f"the {n_fields} fields."
            )
        law = self.steepness_hyperprior
        for value in given.ravel():
            check_positive("steepness", value)
            check_start("steepness", value, law)
        return np.array(np.broadcast_to(given, n_fields), dtype=float)

    def _steepen(self, Py_ssize_t field, double steepness):
        """Recompute the weights of mistakes in a field; tabulate its probabilities afterwards."""
        cdef Py_ssize_t n
        levels = slice(*self.index.field_starts[field:field + 2].tolist())
        first = int(self.similarity.n_near[:field].sum())
        near = slice(first, first + int(self.similarity.n_near[field]))
        log_gain, log_total = self.similarity.weigh(field, steepness)
        self._gains[:, near] = np.exp(log_gain), log_gain
        self._log_total_array[levels] = log_total
        self._level_array["inverse_total"][levels] = np.exp(-log_total)
        self.least_total[field] = log_total.min()
        gamma = np.asarray(self.index._gamma_array)[levels]
        self._log_factors[field] = max(
            log_gain.max(initial=0.0), np.abs(log_total).max(), -np.log(gamma[gamma > 0].min())
        )
        for n in range(self.n_asked[field] + 1):
            self.log_mass[field * (self.n_items + 1) + n] = 0.0
        self.n_asked[field] = 0
        self._sum_near(field)

    cdef void _mark_near(self) noexcept nogil:
        """Mark all values and those near them: two without a common mark share no near value."""
        cdef Py_ssize_t level, j
        cdef unsigned long long marks
        for level in range(self.index.n_levels):
            marks = _mark_of(level)
            for j in range(self.similarity.starts[level], self.similarity.starts[level + 1]):
                marks |= _mark_of(self.similarity.neighbours[j])
            self.levels[level].marks = marks

    cdef void _sum_near(self, Py_ssize_t field) noexcept nogil:
        """Tabulate the sums for blocks with few values in a field, given its steepness."""
        cdef Py_ssize_t first = self.index.first_level[field]
        cdef Py_ssize_t end = self.index.first_level[field + 1], level, j, n
        cdef double* mass = self.mass_of_few + field * (FEW + 1)
        cdef double greatest = 0.0, share, gain
        cdef Level* found
        for n in range(FEW + 1):
            mass[n] = 0.0
        for level in range(first, end):
            found = self.levels + level
            found.weight = _share_of(found[0])
            share = found.gamma * found.inverse_total
            for n in range(2, FEW + 1):
                share *= found.inverse_total
                mass[n] += share
            greatest = max(greatest, found.gamma * found.inverse_total)
        for level in range(first, end):
            found = self.levels + level
            found.beside = found.twice = -found.weight
            for j in range(self.similarity.starts[level], self.similarity.starts[level + 1]):
                share, gain = self.levels[self.similarity.neighbours[j]].weight, self.gain[j]
                found.beside += share * (gain - 1.0)
                found.twice += share * (gain * gain - 1.0)
        self.least_right[field] = greatest

    def _as_table(self, beta):
        """Return the probabilities of mistakes, checked, as a table of sources and fields."""
        given = np.asarray(beta, dtype=object)
        shape = (self.n_sources, self.index.n_fields)
        if given.shape not in ((), shape[1:], shape):
            raise ConfigError(
                f"The probabilities beta have the shape {given.shape}; give one, or one for each "
                f"of the {shape[1]} fields, or a table of {shape[0]} sources and {shape[1]} fields."
            )
        for value in given.ravel():
            _check_probability("beta", value, self.hyperprior)
        return np.broadcast_to(given, shape)

    def _set_beta(self, values):
        cdef Py_ssize_t source, field
        self._beta = np.array(values, dtype=float).reshape(self.n_sources, self.index.n_fields)
        for source in range(self.n_sources):
            for field in range(self.index.n_fields):
                self._take(source, field, self._beta[source, field])
        cdef double[::1] log_change = np.log([*self._change, 1.0 - self._change.sum()])
        self._log_change_array, self.log_change = log_change, &log_change[0]
        self._judge(self._beta)
        self._drop_held()

    def _judge(self, beta):
        """Find out whether products of a few factors stay in range, and whether no R is below 1."""
        cdef Py_ssize_t source, field
        least = min(np.min(beta), 1.0 - np.max(beta))
        self.tame = least > 0 and 2.0 * self._log_factors.max() - np.log(least) < TAME
        self.mild = self.tame
        for source in range(self.n_sources):
            for field in range(self.index.n_fields):
                if self.right[source * self.index.n_fields + field] < self.least_right[field]:
                    self.mild = False

    cdef void _take(self, Py_ssize_t source, Py_ssize_t field, double beta) noexcept nogil:
        """Set the probability of a mistake."""
        cdef double hit = 1.0 if self.similarity.rigid[field] else 1.0 - beta
        cdef Py_ssize_t place = source * self.index.n_fields + field
        self.n_versions += 1
        self.version[field] = self.n_versions
        self.log_wrong[place], self.right[place] = log(beta), hit / beta
        self.log_right[place] = log(hit) - log(beta)

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
        if self.n_sources == 1:
            found = {f"beta_{field}": float(x) for field, x in enumerate(self._beta[0])}
        else:
            found = {
                f"beta_{field}_{source}": float(x)
                for (source, field), x in np.ndenumerate(self._beta)
            }
        if self.steepness_hyperprior is not None:
            for field in np.flatnonzero(self.similarity.n_near):
                found[f"steepness_{field}"] = float(self._steepness[field])
        if self.change_hyperprior is not None:
            found |= {f"change_{group}": float(x) for group, x in enumerate(self._change)}
        return found

    def restore(self, hyperparameters):
        """Set the probabilities and the steepness to saved values."""
        values = list(hyperparameters.values())
        if self.steepness_hyperprior is not None:
            for field in np.flatnonzero(self.similarity.n_near):
                self._steepness[field] = hyperparameters[f"steepness_{field}"]
                self._steepen(field, self._steepness[field])
        if self.change_hyperprior is not None:
            for group in range(self.n_groups):
                self._change[group] = hyperparameters[f"change_{group}"]
        self._set_beta(values[:self._beta.size])

    # ---- blocks ----

    def assign(self, labels, capacity):
        """Rebuild the statistics from `labels`, shape (n_items,), for `capacity` slots."""
        RecordBlocks.assign(self, labels, capacity)
        self._drop_held()

    def grow(self, capacity):
        """Make room for `capacity` slots, keeping the statistics."""
        RecordBlocks.grow(self, capacity)
        self._drop_held()

    def _drop_held(self):
        """Discard the cached marginals of the blocks, so that they are recomputed when needed."""
        cdef double[::1] held = np.full(max(self.capacity, 1), NAN)
        self._held_array, self.held = held, &held[0]

    cdef void _count_up(self, Py_ssize_t slot) noexcept nogil:
        pass    # a table of counts would have an entry for each value of each field

    cdef void move(self, Py_ssize_t item, Py_ssize_t source, Py_ssize_t target) noexcept nogil:
        RecordBlocks.move(self, item, source, target)
        self.held[source] = NAN
        self.held[target] = NAN

    cdef double alone(self, Py_ssize_t item) noexcept nogil:
        cdef Py_ssize_t n_fields = self.index.n_fields, field
        cdef int* row = self.index.codes + item * n_fields
        cdef double total = 0.0
        for field in range(n_fields):
            if row[field] >= 0:
                total += self.levels[row[field]].log_gamma
        return total

    cdef void announce(self, Py_ssize_t item) noexcept nogil:
        cdef Py_ssize_t n_fields = self.index.n_fields, field
        cdef int* row = self.index.codes + item * n_fields
        for field in range(n_fields):
            if row[field] >= 0:
                prefetch(self.levels + row[field])

    cdef double predictive(self, Py_ssize_t item, bint inside, Py_ssize_t slot) noexcept nogil:
        if inside:
            return self._log_whole(slot) - self._log_block(slot, item, -1)
        return self._log_block(slot, -1, item) - self._log_whole(slot)

    cdef double _log_whole(self, Py_ssize_t slot) noexcept nogil:
        """Return the log marginal of a block, which is cached."""
        if isnan(self.held[slot]):
            self.held[slot] = (
                self.alone(self.members.head[slot]) if self.sizes[slot] == 1
                else self._log_block(slot, -1, -1)
            )
        return self.held[slot]

    cdef double _log_block(
        self, Py_ssize_t slot, Py_ssize_t without, Py_ssize_t extra
    ) noexcept nogil:
        """Return the log marginal of a block without item `without` and with item `extra`."""
        cdef Py_ssize_t field, n = self._list(slot, without, extra), n_known
        cdef double total = 0.0
        # If no other items are with two chaperones, each in turn asks for their joint marginal.
        if (
            n == 2 and self.last.version == self.n_versions
            and self.last.one == self.listed[0] and self.last.other == self.listed[1]
        ):
            return self.last.value
        for field in range(self.index.n_fields):
            n_known = (
                self._gather(slot, field, without, extra) if n > MOST_CHANGING
                else self._gather_listed(field, n)
            )
            self.log_whole[field] = self._log_values(field, n_known)
            total += self.log_whole[field]
        if self.n_groups:
            total += self._log_changes(n)
        if n == 2:
            self.last = Pair(self.n_versions, self.listed[0], self.listed[1], total)
        return total

    cdef Py_ssize_t _list(
        self, Py_ssize_t slot, Py_ssize_t without, Py_ssize_t extra
    ) noexcept nogil:
        """List the records of a block in order, and return how many there are.

        If there are more than `MOST_CHANGING`, the list is neither complete nor in order.
        """
        cdef Py_ssize_t n = 0
        cdef Py_ssize_t item = self.members.head[slot]
        while item >= 0 and n <= MOST_CHANGING:
            if item != without:
                self.listed[n] = <int>item
                n += 1
            item = self.members.next[item]
        if extra >= 0:
            self.listed[n] = <int>extra
            n += 1
        if n <= MOST_CHANGING:
            sort(self.listed, n)    # no sum may depend on the order of the members
        return n

    cdef Py_ssize_t _gather_listed(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil:
        """List the known values of listed records in a field, and return their number."""
        cdef Py_ssize_t k, n_known = 0, n_fields = self.index.n_fields
        cdef int* codes = self.index.codes + field
        cdef int code
        for k in range(n):
            code = codes[self.listed[k] * n_fields]
            if code >= 0:
                self.cells[n_known] = self._cell_of(code, self.listed[k])
                n_known += 1
        return n_known

    cdef double _log_changes(self, Py_ssize_t n) noexcept nogil:
        """Return the log factor of `n` listed records for changes that one may have made.

        Before, `log_whole` must hold the log probability of the values of each field.  Afterwards,
        `log_ratio` holds, by record and field, the log of the factor by which a change multiplies
        it, and `log_changed` the log factor of each change, by group and by record.
        """
        cdef Py_ssize_t n_fields = self.index.n_fields, field, k
        cdef double largest = self.log_change[self.n_groups], factor = 0.0, total
        self.n_listed = 0
        if not 1 < n <= MOST_CHANGING:
            return 0.0
        self.n_listed = n
        for field in range(n_fields):
            if self.may_change[field]:
                for k in range(n):
                    self.log_ratio[k * n_fields + field] = (
                        self.log_ratio[field] if n == 2 and k == 1
                        else self._log_without(field, n, k) - self.log_whole[field]
                    )
        for k in range(n * self.n_groups):
            self.log_changed[k] = (
                self.log_changed[k - 1] if n == 2 and k % 2 else self._log_change_of(k)
            )
            largest = max(largest, self.log_changed[k])
        total = exp(self.log_change[self.n_groups] - largest)
        for k in range(n * self.n_groups):
            if not (n == 2 and k % 2):      # a change of either of two records counts the same
                factor = exp(self.log_changed[k] - largest)
            total += factor
        return largest + log(total)

    cdef double _log_change_of(self, Py_ssize_t place) noexcept nogil:
        """Return the log of the probability of a change times its factor.

        `place` numbers the changes by group and by listed record.
        """
        cdef Py_ssize_t group = place // self.n_listed, k = place % self.n_listed, j
        cdef double total = self.log_change[group] - self.log_number[self.n_listed]
        for j in range(self.group_starts[group], self.group_starts[group + 1]):
            total += self.log_ratio[k * self.index.n_fields + self.group_fields[j]]
        return total

    cdef double _log_without(self, Py_ssize_t field, Py_ssize_t n, Py_ssize_t odd) noexcept nogil:
        """Return the log probability of listed records in a field if `odd` has its own value."""
        cdef Py_ssize_t k, n_known = 0
        cdef int code
        cdef double alone = 0.0
        for k in range(n):
            code = self.index.codes[self.listed[k] * self.index.n_fields + field]
            if code < 0:
                continue
            if k == odd:
                alone = self.similarity.log_gamma[code]
            else:
                self.cells[n_known] = self._cell_of(code, self.listed[k])
                n_known += 1
        return alone + self._log_values(field, n_known)

    cdef int _cell_of(self, int level, Py_ssize_t item) noexcept nogil:
        """Return a number for the level of a record and its source."""
        return level if self.n_sources == 1 else <int> (level * self.n_sources + self.source[item])

    cdef int _level_of(self, int cell) noexcept nogil:
        return cell if self.n_sources == 1 else <int> (cell // self.n_sources)

    cdef Py_ssize_t _place_of(self, Py_ssize_t field, int cell) noexcept nogil:
        """Return where the parameters of a field for the source of a value are stored."""
        return field if self.n_sources == 1 else cell % self.n_sources * self.index.n_fields + field

    cdef Py_ssize_t _gather(
        self, Py_ssize_t slot, Py_ssize_t field, Py_ssize_t without, Py_ssize_t extra
    ) noexcept nogil:
        """List the known values of a block in a field, and return their number."""
        cdef Py_ssize_t n_fields = self.index.n_fields
        cdef Py_ssize_t n = 0, item = self.members.head[slot]
        cdef int* codes = self.index.codes + field
        while item >= 0:
            if item != without and codes[item * n_fields] >= 0:
                self.cells[n] = self._cell_of(codes[item * n_fields], item)
                n += 1
            item = self.members.next[item]
        if extra >= 0 and codes[extra * n_fields] >= 0:
            self.cells[n] = self._cell_of(codes[extra * n_fields], extra)
            n += 1
        return n

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
        cdef Py_ssize_t n_fields = self.index.n_fields, pair, field
        cdef int one, other
        with nogil:
            for pair in range(items.shape[0]):
                if pair + AHEAD < items.shape[0]:
                    self.announce(items[pair + AHEAD, 0])
                    self.announce(items[pair + AHEAD, 1])
                for field in range(n_fields):
                    one = self.index.codes[items[pair, 0] * n_fields + field]
                    other = self.index.codes[items[pair, 1] * n_fields + field]
                    self.log_ratio[field] = 0.0
                    if one >= 0 and other >= 0:     # a value without a counterpart cancels
                        self.cells[0] = self._cell_of(one, items[pair, 0])
                        self.cells[1] = self._cell_of(other, items[pair, 1])
                        self.log_ratio[field] = (
                            self.levels[one].log_gamma + self.levels[other].log_gamma
                        )
                        self.log_ratio[field] -= self._log_values(field, 2)
                        found[pair] -= self.log_ratio[field]
                if self.n_groups:
                    found[pair] += self._log_change_of_two()
        return np.asarray(found)

    cdef double _log_change_of_two(self) noexcept nogil:
        """Return the log factor of two records for changes, given `log_ratio` of the first."""
        cdef Py_ssize_t group
        cdef double largest = self.log_change[self.n_groups], total
        self.n_listed = 1       # a change of either record counts the same
        for group in range(self.n_groups):
            largest = max(largest, self._log_change_of(group))
        total = exp(self.log_change[self.n_groups] - largest)
        for group in range(self.n_groups):
            total += exp(self._log_change_of(group) - largest)
        return largest + log(total)

    # ---- values of a block in a field ----

    cdef double _log_values(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil:
        """Return the log probability of the listed values."""
        if n == 0:
            return 0.0
        if n == 1:
            return self.levels[self._level_of(self.cells[0])].log_gamma
        sort(self.cells, n)     # the sum must not depend on the order of the members
        return self.similarity.log_surplus[field] + self._log_several(field, n)

    cdef double _log_several(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil:
        """Return the log probability of several values in order, without `log_surplus`."""
        if n == 2 and self.mild and not self._is_long():
            return self._log_two(field)
        if n <= FEW:
            return self._log_kept(field, n)
        return self._log_afresh(field, n)

    cdef bint _is_long(self) noexcept nogil:
        """Return whether two values may share so many near values that a cache is worthwhile."""
        cdef int one = self._level_of(self.cells[0]), other = self._level_of(self.cells[1])
        cdef Py_ssize_t* starts = self.similarity.starts
        return (
            one != other and self.levels[one].marks & self.levels[other].marks
            and min(starts[one + 1] - starts[one], starts[other + 1] - starts[other]) > SHORT
        )

    cdef double _log_two(self, Py_ssize_t field) noexcept nogil:
        """Return the log probability of two values in order, without `log_surplus`, by tables."""
        cdef Level* one = self.levels + self._level_of(self.cells[0])
        cdef Level* other = self.levels + self._level_of(self.cells[1])
        cdef Py_ssize_t first = self._place_of(field, self.cells[0])
        cdef Py_ssize_t second = self._place_of(field, self.cells[1])
        cdef double total = self.log_wrong[first] + self.log_wrong[second]
        cdef double found
        if one == other:
            found = self.right[first] * self.right[second] / one.gamma + one.twice
        else:
            found = (self.right[first] * one.inverse_total + one.beside) + (
                self.right[second] * other.inverse_total + other.beside
            )
            if one.marks & other.marks:
                found += self._sum_shared(self.right[first], one, self.right[second], other)
        return total + (one.log_gamma + other.log_gamma) + log(
            self.mass_of_few[field * (FEW + 1) + 2] + found
        )

    cdef double _sum_shared(
        self, double right, Level* one, double other_right, Level* other
    ) noexcept nogil:
        """Return the sum over the true values that are near both of two different values."""
        cdef Py_ssize_t* starts = self.similarity.starts
        cdef int* neighbours = self.similarity.neighbours
        cdef int first = <int> (one - self.levels), second = <int> (other - self.levels), level
        cdef Py_ssize_t j, k = starts[second], end = starts[second + 1], high, middle
        cdef double total = 0.0
        if starts[first + 1] - starts[first] > end - k:     # the loop is over the shorter list
            return self._sum_shared(other_right, other, right, one)
        for j in range(starts[first], starts[first + 1]):
            level = neighbours[j]
            if level == second:     # the two are near each other
                total += (self.gain[j] - 1.0) * (
                    (other_right - other.gamma * other.inverse_total) * other.inverse_total
                    + (right - one.gamma * one.inverse_total) * one.inverse_total
                )
            high = end
            while k < high:
                middle = (k + high) // 2
                if neighbours[middle] < level:
                    k = middle + 1
                else:
                    high = middle
            if k < end and neighbours[k] == level:
                total += (self.gain[j] - 1.0) * (self.gain[k] - 1.0) * _share_of(self.levels[level])
        return total

    cdef double _log_kept(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil:
        """Return the log probability of a few values in order, from the cache if it is there."""
        cdef Py_ssize_t k
        cdef unsigned long long code = 0
        cdef Kept* kept
        for k in range(n):
            code = (code + <unsigned long long> self.cells[k] + 1) * 0x9E3779B97F4A7C15ULL
        kept = self.kept + <Py_ssize_t> ((code >> 32) & self.last_place)
        if kept.version == self.version[field]:
            for k in range(FEW):
                if kept.cells[k] != (self.cells[k] if k < n else -1):
                    break
            else:
                return kept.value
        kept.version = self.version[field]
        for k in range(FEW):
            kept.cells[k] = self.cells[k] if k < n else -1
        kept.value = self._log_afresh(field, n)
        return kept.value

    cdef double _log_afresh(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t k
        cdef double total = 0.0
        if n == 2 and self.mild:
            return self._log_two(field)
        for k in range(n):
            total += self.log_wrong[self._place_of(field, self.cells[k])]
            total += self.levels[self._level_of(self.cells[k])].log_gamma
        if n <= FEW and self.mild:
            return total + log(self._sum_mild(field, n))
        if n <= FEW and self.tame:
            return total + self._log_few(field, n)
        return total + self._log_many(field, n)

    cdef Py_ssize_t _begin(self, Py_ssize_t field, double neutral) noexcept nogil:
        """Begin a sum over true values with the most frequent ones; return how many there are."""
        cdef Py_ssize_t k
        self.round += 1
        self.n_touched = 0
        for k in range(
            self.similarity.first_ranked[field], self.similarity.first_ranked[field + 1]
        ):
            self._enlist(self.similarity.ranked[k], neutral)
        return self.n_touched

    cdef inline Level* _enlist(self, int level, double neutral) noexcept nogil:
        """Return a true value, which is added to the current sum unless it is already in it."""
        cdef Level* found = self.levels + level
        if found.seen != self.round:
            found.seen = self.round
            found.weight = neutral
            self.touched[self.n_touched] = level
            self.n_touched += 1
        return found

    cdef double _log_few(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil:
        """Return log F of a few listed values in order, by products; `weight` keeps the terms."""
        cdef Py_ssize_t k, _j, n_frequent = self._begin(field, 1.0)
        cdef double share, covered = 0.0, total = 0.0, rest
        cdef Level* found
        self._multiply(field, n)
        for k in range(self.n_touched):
            found = self.levels + self.touched[k]
            share = found.gamma
            for _j in range(n):
                share *= found.inverse_total
            if k >= n_frequent:
                covered += share
            found.weight *= share
            total += found.weight
        rest = exp(self._log_mass_of(field, n)) - covered
        return log(total + rest) if rest > 0.0 else log(total)

    cdef double _sum_mild(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil:
        """Return F, if no product is below 1, from those other than 1; `weight` keeps these."""
        cdef Py_ssize_t k, _j
        cdef double share, total = self.mass_of_few[field * (FEW + 1) + n]
        cdef Level* found
        self.round += 1
        self.n_touched = 0
        self._multiply(field, n)
        for k in range(self.n_touched):
            found = self.levels + self.touched[k]
            share = found.gamma
            for _j in range(n):
                share *= found.inverse_total
            total += share * (found.weight - 1.0)
        return total

    cdef void _multiply(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil:
        """Multiply, for each true value, the factors of the listed values."""
        cdef Py_ssize_t* starts = self.similarity.starts
        cdef int* neighbours = self.similarity.neighbours
        cdef double* gain = self.gain
        cdef Py_ssize_t k, j
        cdef Level* found
        cdef int level
        for k in range(n):
            level = self._level_of(self.cells[k])
            found = self._enlist(level, 1.0)
            found.weight *= self.right[self._place_of(field, self.cells[k])] / (
                found.gamma * found.inverse_total
            )
            for j in range(starts[level], starts[level + 1]):
                self._enlist(neighbours[j], 1.0).weight *= gain[j]

    cdef double _log_many(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil:
        """Return log F of the listed values in order; `weight` keeps the logs of the terms."""
        cdef Py_ssize_t k = 0, j, times
        cdef int level
        cdef Level* found
        cdef double log_mass = self._log_mass_of(field, n)
        cdef double log_share, covered = 0.0, largest = -INFINITY, scaled = 0.0, term
        self._begin(field, 0.0)
        while k < n:
            level, times = self._level_of(self.cells[k]), 0
            found = self._enlist(level, 0.0)
            while k < n and self._level_of(self.cells[k]) == level:
                found.weight += self.log_right[self._place_of(field, self.cells[k])]
                found.weight += self.log_total[level] - found.log_gamma
                times += 1
                k += 1
            for j in range(self.similarity.starts[level], self.similarity.starts[level + 1]):
                self._enlist(self.similarity.neighbours[j], 0.0).weight += times * self.log_gain[j]
        for k in range(self.n_touched + 1):
            if k < self.n_touched:
                level = self.touched[k]
                log_share = (
                    self.similarity.log_gamma[level] - n * self.log_total[level]
                )
                if not self.similarity.frequent[level]:
                    covered += exp(log_share - log_mass)
                self.levels[level].weight += log_share
                term = self.levels[level].weight
            elif covered < 1.0:
                term = log_mass + log(1.0 - covered)    # all other true values
            else:
                break
            if term > largest:
                scaled = scaled * exp(largest - term) + 1.0
                largest = term
            elif term > -INFINITY:
                scaled += exp(term - largest)
        return largest + log(scaled)

    cdef double _log_mass_of(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil:
        """Return log M_n of the rare values of a field, which is computed when first needed."""
        cdef double* held = self.log_mass + field * (self.n_items + 1) + n
        cdef Py_ssize_t level
        cdef double largest = -INFINITY, scaled = 0.0, term
        if held[0] != 0.0:
            return held[0]
        if n > self.n_asked[field]:
            self.n_asked[field] = n
        for level in range(self.index.first_level[field], self.index.first_level[field + 1]):
            term = self.similarity.log_gamma[level] - n * self.log_total[level]
            if self.similarity.frequent[level] or term == -INFINITY:
                continue
            if term > largest:
                scaled = scaled * exp(largest - term) + 1.0
                largest = term
            else:
                scaled += exp(term - largest)
        held[0] = largest + log(scaled) if scaled > 0.0 else -INFINITY
        return held[0]

    # ---- all blocks ----

    def log_marginal(self):
        """Return the log marginal likelihood of the records given the partition."""
        return self._log_all()

    cdef double _log_all(self) noexcept nogil:
        # The marginals computed here are cached for the moves of the next sweep.
        cdef Py_ssize_t slot
        cdef double total = 0.0
        for slot in range(self.capacity):
            if self.sizes[slot] > 0:
                total += self._log_whole(slot)
        return total

    cdef double _log_changes_of(self, Py_ssize_t slot) noexcept nogil:
        """List a block, and return its log factor for changes that a record may have made."""
        cdef Py_ssize_t n = self._list(slot, -1, -1), field
        for field in range(self.index.n_fields):
            if self.may_change[field]:
                self.log_whole[field] = self._log_values(field, self._gather_listed(field, n))
        return self._log_changes(n)

    def log_hyperprior(self):
        """Return the log density of those of the probabilities and steepnesses that are sampled."""
        total = 0.0
        if self.hyperprior is not None:
            total += sum(map(self.hyperprior.log_density, self._beta.ravel().tolist()))
        if self.steepness_hyperprior is not None:
            sampled = self._steepness[self.similarity.n_near > 0]
            total += sum(map(self.steepness_hyperprior.log_density, sampled.tolist()))
        if self.change_hyperprior is not None:
            weights = self._change_weights()
            total += lgamma(weights.sum()) - sum(map(lgamma, weights.tolist()))
            total += product(weights - 1.0, np.asarray(self._log_change_array))
        return total

    # ---- probabilities and steepness ----

    def update(self, partition, rng):
        """Draw changes and true values and, given them, every probability and steepness.

        Probabilities of mistakes are slice sampled on the logit scale, the steepness of a field on
        the log scale; those of changes are drawn from their Dirichlet conditional.
        """
        cdef Py_ssize_t field
        if (self.hyperprior, self.steepness_hyperprior, self.change_hyperprior) == (None,) * 3:
            return
        if self.n_groups:
            times = self._draw_changed(rng)
            if self.change_hyperprior is not None:
                drawn = np.maximum(rng.dirichlet(self._change_weights() + times), LEAST_CHANGE)
                self._change = drawn[: self.n_groups] / drawn.sum()
        values = self._beta.copy()
        for field in range(self.index.n_fields):
            replaced, right, wrong, log_near = self._impute(field, rng)
            if self.hyperprior is not None:
                for source in range(self.n_sources):
                    values[source, field] = self.hyperprior.resample(
                        values[source, field],
                        partial(_log_of_beta, right[source], wrong[source]),
                        rng,
                        _width(wrong[source]),
                    )
            if self.steepness_hyperprior is not None and self.similarity.n_near[field]:
                found = np.flatnonzero(replaced)
                log_likelihood = partial(
                    _log_of_steepness,
                    self.similarity.totals_of(field, found),
                    replaced[found],
                    log_near / self._steepness[field],
                )
                self._steepness[field] = self.steepness_hyperprior.resample(
                    self._steepness[field], log_likelihood, rng, _width(wrong.sum())
                )
                self._steepen(field, self._steepness[field])
        self._set_beta(values)

    def _change_weights(self):
        """Return the weights of the Dirichlet prior of the changes, with that of no change last."""
        law = self.change_hyperprior
        return np.array([law.a / max(1, self.n_groups)] * self.n_groups + [law.b])

    def _draw_changed(self, rng):
        """Draw which group, if any, has changed in which record of each block.

        Return the number of blocks in which each group has changed, and of those in which none has
        though a record could have changed.
        """
        cdef int[:, ::1] odd = np.full((self.index.n_fields, self.capacity), -1, dtype=np.intc)
        cdef long long[::1] times = np.zeros(self.n_groups + 1, dtype=np.int64)
        cdef Py_ssize_t slot, k, j, group
        cdef double log_total, u
        cdef bitgen_t* generator = source_of(rng)
        with rng.bit_generator.lock, nogil:
            for slot in range(self.capacity):
                if not 1 < self.sizes[slot] <= MOST_CHANGING:
                    continue
                log_total = self._log_changes_of(slot)
                u = generator.next_double(generator.state)
                group = self.n_groups
                for k in range(self.n_listed * self.n_groups):
                    u -= exp(self.log_changed[k] - log_total)
                    if u < 0.0:
                        group = k // self.n_listed
                        for j in range(self.group_starts[group], self.group_starts[group + 1]):
                            odd[self.group_fields[j], slot] = self.listed[k % self.n_listed]
                        break
                times[group] += 1
        self._odd = np.asarray(odd)
        return np.asarray(times)

    def _impute(self, Py_ssize_t field, rng):
        """Draw the true values of a field, and count the mistakes.

        `replaced`: how often each true value was replaced by a mistake.
        `right`, `wrong`: number of values that are the true ones of their blocks, and of the
            others.
        `log_near`: sum of the log factors ``G`` of the latter.
        """
        cdef Py_ssize_t first = self.index.first_level[field], slot, n
        cdef Py_ssize_t n_levels = self.index.first_level[field + 1] - first
        cdef int[::1] replaced = np.zeros(n_levels, dtype=np.intc)
        cdef Py_ssize_t[:, ::1] known = np.zeros((2, self.n_sources), dtype=np.intp)
        cdef Py_ssize_t k, level, true, source
        cdef Py_ssize_t other
        cdef double log_near = 0.0
        cdef bitgen_t* generator = source_of(rng)
        cdef bint may_change = self.may_change[field]
        cdef int[::1] odd = self._odd[field] if may_change else np.empty(0, dtype=np.intc)
        if not self.similarity.rigid[field]:    # a field of one value has no mistakes
            with rng.bit_generator.lock, nogil:
                for slot in range(self.capacity):
                    if self.sizes[slot] < 2:
                        continue
                    other = odd[slot] if may_change else -1
                    n = self._gather(slot, field, other, -1)
                    if n <= 1:
                        continue
                    true = self._draw_true(field, n, generator)
                    for k in range(n):
                        level = self._level_of(self.cells[k])
                        source = self.cells[k] % self.n_sources
                        known[level != true, source] += 1
                        if level != true:
                            replaced[true - first] += 1
                            log_near += self._log_gain_of(level, true)
        return np.asarray(replaced), *np.asarray(known), log_near

    cdef double _log_gain_of(self, Py_ssize_t level, Py_ssize_t other) noexcept nogil:
        """Return log G of two values."""
        cdef Py_ssize_t j
        for j in range(self.similarity.starts[level], self.similarity.starts[level + 1]):
            if self.similarity.neighbours[j] == other:
                return self.log_gain[j]
        return 0.0

    cdef Py_ssize_t _draw_true(
        self, Py_ssize_t field, Py_ssize_t n, bitgen_t* rng
    ) noexcept nogil:
        """Draw the true value of a block given its listed values."""
        cdef bint few = n <= FEW and self.tame
        cdef Py_ssize_t k, level = -1
        cdef double log_total, scale, share, u
        sort(self.cells, n)
        if few and self.mild:
            return self._draw_mild(field, n, rng)
        log_total = self._log_few(field, n) if few else self._log_many(field, n)
        scale = exp(-log_total)
        u = rng.next_double(rng.state)
        for k in range(self.n_touched):
            share = self.levels[self.touched[k]].weight
            share = share * scale if few else exp(share - log_total)
            if share > 0.0:
                level = self.touched[k]
                u -= share
                if u < 0.0:
                    return level
        return self._draw_other(field, n, level, rng)

    cdef Py_ssize_t _draw_mild(
        self, Py_ssize_t field, Py_ssize_t n, bitgen_t* rng
    ) noexcept nogil:
        """Draw the true value given a few listed values if no product is below 1."""
        cdef int* ranked = self.similarity.ranked + self.similarity.first_ranked[field]
        cdef Py_ssize_t n_ranked = (
            self.similarity.first_ranked[field + 1] - self.similarity.first_ranked[field]
        )
        cdef Py_ssize_t k, _j, level, default = -1
        cdef double share, u = self._sum_mild(field, n)
        cdef Level* found
        u *= rng.next_double(rng.state)
        for k in range(n_ranked + self.n_touched):
            level = ranked[k] if k < n_ranked else self.touched[k - n_ranked]
            if k >= n_ranked and self.similarity.frequent[level]:
                continue
            found = self.levels + level
            share = found.gamma
            for _j in range(n):
                share *= found.inverse_total
            if found.seen == self.round:
                share *= found.weight
            if share > 0.0:
                default = level
                u -= share
                if u < 0.0:
                    return level
        return self._draw_other(field, n, default, rng)

    cdef Py_ssize_t _draw_other(
        self, Py_ssize_t field, Py_ssize_t n, Py_ssize_t default, bitgen_t* rng
    ) noexcept nogil:
        """Draw a true value that is not in the current sum, in proportion to gamma / Z^n.

        If there is none, and only rounding led here, return `default`.
        """
        cdef Py_ssize_t first = self.index.first_level[field]
        cdef Py_ssize_t end = self.index.first_level[field + 1], low, high, level, _try
        cdef double u, total = 0.0
        for _try in range(TRIES):
            u = rng.next_double(rng.state) * self.cumulative[end - 1]
            low, high = first, end - 1
            while low < high:
                level = (low + high) // 2
                if self.cumulative[level] > u:
                    high = level
                else:
                    low = level + 1
            # Accept a proposal from gamma with probability (least Z / Z)^n: no sum is needed.
            u = log(rng.next_double(rng.state))
            if self._is_other(low) and u < n * (self.least_total[field] - self.log_total[low]):
                return low
        for level in range(first, end):
            if self._is_other(level):
                total += self._share_of_other(field, n, level)
        u = rng.next_double(rng.state) * total
        for level in range(first, end):
            if self._is_other(level):
                u -= self._share_of_other(field, n, level)
                if u < 0.0:
                    return level
        return default

    cdef bint _is_other(self, Py_ssize_t level) noexcept nogil:
        return not self.similarity.frequent[level] and self.levels[level].seen != self.round

    cdef double _share_of_other(
        self, Py_ssize_t field, Py_ssize_t n, Py_ssize_t level
    ) noexcept nogil:
        return self.similarity.gamma[level] * exp(
            n * (self.least_total[field] - self.log_total[level])
        )


cdef inline double _share_of(Level level) noexcept nogil:
    """Return ``gamma / Z^2``."""
    return level.gamma * level.inverse_total * level.inverse_total


cdef inline unsigned long long _mark_of(Py_ssize_t level) noexcept nogil:
    """Return one bit of 64 for a value."""
    return <unsigned long long> 1 << ((<unsigned long long> level * 0x9E3779B97F4A7C15ULL) >> 58)


def _check_probability(name, value, law):
    """Raise a ConfigError unless a probability lies in (0, 1) and its prior allows it."""
    check_between(name, value, 0, 1, "()")
    check_start(name, value, law)


def _log_of_beta(right, wrong, beta):
    """Return the log likelihood of a probability of a mistake, given the true values."""
    return wrong * np.log(beta) + right * np.log1p(-beta)


def _log_of_steepness(totals, times, log_near, steepness):
    """Return the log likelihood of the steepness of a field, given the true values."""
    try:
        log_total = totals(steepness)
    except DataError:   # the factors overflow
        return -np.inf
    return steepness * log_near - product(times, log_total)


def _width(n_wrong):
    """Return the width of a slice: a few posterior standard deviations, given the mistakes."""
    return float(min(1.0, 3.0 / np.sqrt(1.0 + n_wrong)))
