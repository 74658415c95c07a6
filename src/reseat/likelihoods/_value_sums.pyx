"""The values of a block in a field, which may be mistaken for similar ones.

The true value ``y ~ gamma`` of a block, of which records have the value ``y`` or a mistake ``x``
with probability ``beta psi(x | y)`` (`SimilarityIndex`), is summed out.  Let ``x_i`` be the ``n``
known values of the block in the field, and ``R_i = (1 - beta_i) Z_y / (beta_i gamma_y)`` for
``x_i = y``.  Their probability is ::

    (prod_i beta_i gamma_{x_i})  F,        F = sum_y gamma_y Z_y^-n prod_i r_i(y),
    r_i(y) = R_i if x_i = y,   G(x_i, y) if x_i is near y,   1 otherwise.

The product differs from 1 only for true values that equal some ``x_i`` or are near one.  Let ``C``
be the set of these and of the 16 most frequent values of the field.  Then ::

    F = sum_{y in C} gamma_y Z_y^-n prod_i r_i(y)  +  M_n - sum_{y in C} gamma_y Z_y^-n,

where ``M_n = sum_y gamma_y Z_y^-n`` is computed once for each size, and the difference is taken
over rare values only: a ``y`` with ``gamma_y > 1 - beta`` may have ``R < 1`` and a small ``Z_y``,
for which it would lose all digits.  For a rare ``y``, ``R >= 15 (1 - beta) / beta``, so that unless
nearly all values are mistakes, the sum is as accurate as ``M_n``.

If only one value of a block is known, it has the probability ``gamma_x``, and ``F`` is divided by
`correct` of the index: ``gamma`` is the distribution of the observed values, mistakes and all.

``F`` is computed afresh from the members, in the order of their values, and cached until the
parameters change.  A missing value contributes no factor.

Most blocks have two records.  If every ``R >= 1``, so that nothing cancels, ::

    F = M_2 + sum_y gamma_y Z_y^-2 (r_1(y) r_2(y) - 1),

where ``M_2`` is the sum over all values.  As ``r_1 r_2 - 1 = (r_1 - 1) + (r_2 - 1) + (r_1 - 1)
(r_2 - 1)``, sums over near values can be tabulated when the steepness changes::

    F = M_2 + (1 - beta_1) (1 - beta_2) / (beta_1 beta_2 gamma_x) + T_x     if x_1 = x_2 = x,
    F = M_2 + sum_i ((1 - beta_i) / (beta_i Z_{x_i}) + S_{x_i})
            + sum_y gamma_y Z_y^-2 (r_1(y) - 1) (r_2(y) - 1)                otherwise,
    S_x = sum_{y near x} gamma_y Z_y^-2 (G(x, y) - 1)  -  gamma_x Z_x^-2,

where ``T_x`` is the same with ``G^2``, and the last sum runs over the values that are near both (a
value counts as near itself).
"""

import numpy as np

cimport cython
from libc.math cimport INFINITY, exp, log
from numpy.random cimport bitgen_t

from reseat.checks import MAX_COUNT
from reseat.errors import DataError

from reseat.likelihoods._pointers cimport doubles, ints, longs, start_of
from reseat.likelihoods._similarity_index cimport SimilarityIndex
from reseat.sorting cimport sort

cdef enum:
    FEW = 4         # number of values up to which factors are multiplied, if none is extreme
    TRIES = 100     # proposals of a value before all values of the field are weighed
    SHORT = 8       # near values up to which two lists are compared without a cache

# Largest number of places in the cache, of 32 bytes each.
cdef object MAX_PLACES = 2**19

# Largest absolute logarithm of a factor: FEW of them, and as many divisions by Z, stay in range.
cdef double TAME = 80.0

# Difference of logarithms beyond which a billion smaller terms do not change a sum.
cdef double NEGLIGIBLE = -60.0

LEVEL = np.dtype(
    [(name, float) for name in ("gamma", "log_gamma", "inverse_total", "beside", "twice", "weight")]
    + [("seen", np.int64), ("marks", np.uint64)]
)


@cython.final
cdef class ValueSums:
    """The tables and the cache behind the probabilities of `cells`, and draws of true values."""

    def __init__(self, SimilarityIndex similarity, sources):
        cdef Py_ssize_t level, j
        cdef unsigned long long marks
        self.similarity, self.index = similarity, similarity.records
        self.n_sources = int(sources.max()) + 1
        n_levels, n_fields = self.index.n_levels, self.index.n_fields
        if n_levels * self.n_sources > MAX_COUNT:
            raise DataError(
                f"There are {n_levels} values and {self.n_sources} sources; number the sources "
                "from 0 without gaps."
            )
        parts = np.split(self.index._gamma_array, self.index.field_starts[1:n_fields])
        self._level_array = np.zeros(n_levels, dtype=LEVEL)
        self._gains = np.empty((2, similarity._other.size))
        self._log_total_array = np.empty(n_levels)
        self._log_factors = np.zeros(n_fields)
        cumulative = np.concatenate([np.cumsum(part) for part in parts])
        of_source = sources.astype(np.intc)
        tables = np.zeros((3, self.n_sources * n_fields))
        mass, least = np.zeros((n_fields, FEW + 1)), np.zeros((2, n_fields))
        log_mass = np.zeros(n_fields * (self.index.n_items + 1))
        n_asked, versions = np.zeros(n_fields, dtype=np.intp), np.zeros(n_fields, dtype=np.int64)
        cells, touched = np.empty(self.index.n_items + 1, np.intc), np.empty(n_levels, np.intc)
        # An empty place has the version 0, which the parameters of a field never have.
        n_places = 1 << int(min(self.index.n_items, MAX_PLACES) - 1).bit_length()
        cached = np.zeros((n_places, sizeof(CachedValue) // sizeof(int)), dtype=np.intc)
        self._tables = of_source, tables, mass, least, log_mass, n_asked    # keeps the memory alive
        self._tables += cumulative, versions, cells, touched, cached
        self.source = ints(of_source)
        self.levels = <Level*> start_of(self._level_array, sizeof(Level))
        self.log_wrong, self.right = doubles(tables[0]), doubles(tables[1])
        self.log_right, self.log_mass = doubles(tables[2]), doubles(log_mass)
        self.mass_of_few, self.cumulative = doubles(mass), doubles(cumulative)
        self.least_right, self.least_total = doubles(least[0]), doubles(least[1])
        self.cells, self.touched, self.n_asked = ints(cells), ints(touched), longs(n_asked)
        self.gain, self.log_gain = doubles(self._gains[0]), doubles(self._gains[1])
        self.log_total, self.version = doubles(self._log_total_array), <long long*> longs(versions)
        self.cached, self.last_place = <CachedValue*> ints(cached), n_places - 1
        # Two values without a common mark share no near value.
        for level in range(n_levels):
            self.levels[level].gamma = self.index.gamma[level]
            self.levels[level].log_gamma = similarity.log_gamma[level]
            marks = _mark_of(level)
            for j in range(similarity.starts[level], similarity.starts[level + 1]):
                marks |= _mark_of(similarity.neighbours[j])
            self.levels[level].marks = marks

    def set_beta(self, beta):
        """Set the probabilities of mistakes, shape (n_sources, n_fields)."""
        cdef Py_ssize_t source, field, place
        cdef double wrong, hit
        least = min(np.min(beta), 1.0 - np.max(beta))
        # Products of a few factors stay in range, and no R is below 1.
        self.tame = least > 0 and 2.0 * self._log_factors.max() - np.log(least) < TAME
        self.mild = self.tame
        for source in range(self.n_sources):
            for field in range(self.index.n_fields):
                wrong, place = beta[source, field], source * self.index.n_fields + field
                hit = 1.0 if self.similarity.rigid[field] else 1.0 - wrong
                self.n_versions += 1
                self.version[field] = self.n_versions
                self.log_wrong[place], self.right[place] = log(wrong), hit / wrong
                self.log_right[place] = log(hit) - log(wrong)
                self.mild = self.mild and self.right[place] >= self.least_right[field]

    def steepen(self, Py_ssize_t field, double steepness):
        """Recompute the weights of mistakes in a field; tabulate its probabilities afterwards."""
        cdef Py_ssize_t n
        bounds = self.index.field_starts[field:field + 2]
        levels, near = slice(*bounds), slice(*self.similarity._starts[bounds])
        log_gain, log_total = self.similarity.weigh(field, steepness)
        self._gains[:, near] = np.exp(log_gain), log_gain
        self._log_total_array[levels] = log_total
        self._level_array["inverse_total"][levels] = np.exp(-log_total)
        self.least_total[field] = log_total.min()
        gamma = self.index._gamma_array[levels]
        self._log_factors[field] = max(
            log_gain.max(initial=0.0), np.abs(log_total).max(), -np.log(gamma[gamma > 0].min())
        )
        for n in range(self.n_asked[field] + 1):
            self.log_mass[field * (self.index.n_items + 1) + n] = 0.0
        self.n_asked[field] = 0
        self._sum_near(field)

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
            found.weight = _share_for(found, 2)
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

    # ---- probabilities ----

    cdef double log_values(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil:
        """Return the log probability of the listed values."""
        if n == 0:
            return 0.0
        if n == 1:
            return self.levels[self.level_of(self.cells[0])].log_gamma
        sort(self.cells, n)     # the sum must not depend on the order of the members
        return self.similarity.log_surplus[field] + (
            self._log_two(field) if n == 2 and self.mild and not self._is_long()
            else self._log_cached(field, n)
        )

    cdef bint _is_long(self) noexcept nogil:
        """Return whether two values may share so many near values that a cache is worthwhile."""
        cdef int one = self.level_of(self.cells[0]), other = self.level_of(self.cells[1])
        cdef Py_ssize_t* starts = self.similarity.starts
        return (
            one != other and self.levels[one].marks & self.levels[other].marks
            and min(starts[one + 1] - starts[one], starts[other + 1] - starts[other]) > SHORT
        )

    cdef double _log_two(self, Py_ssize_t field) noexcept nogil:
        """Return the log probability of two values in order, without `log_surplus`, by tables."""
        cdef Level* one = self.levels + self.level_of(self.cells[0])
        cdef Level* other = self.levels + self.level_of(self.cells[1])
        cdef Py_ssize_t first = self.place_of(field, self.cells[0])
        cdef Py_ssize_t second = self.place_of(field, self.cells[1])
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
        cdef double total = 0.0, both
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
                both = (self.gain[j] - 1.0) * (self.gain[k] - 1.0)
                total += both * _share_for(self.levels + level, 2)
        return total

    cdef double _log_cached(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil:
        """Return the log probability of values in order, from the cache if it is there."""
        cdef Py_ssize_t k
        cdef unsigned long long code = 0, one = 0, other = 0, cell
        cdef CachedValue* cached
        for k in range(n):
            cell = <unsigned long long> self.cells[k] + 1
            code = (code + cell) * 0x9E3779B97F4A7C15ULL
            if n <= FEW:        # the values themselves are the key
                one, other = (one << 32) | (other >> 32), (other << 32) | cell
            else:               # a hash of 128 bits, which never collides in practice
                one, other = code, (other + cell) * 0xD1342543DE82EF95ULL
                other ^= other >> 29
        cached = self.cached + <Py_ssize_t> ((code >> 32) & self.last_place)
        if cached.version == self.version[field] and cached.one == one and cached.other == other:
            return cached.value
        cached.version, cached.one, cached.other = self.version[field], one, other
        cached.value = self._log_afresh(field, n)
        return cached.value

    cdef double _log_afresh(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t k
        cdef double total = 0.0
        if n == 2 and self.mild:
            return self._log_two(field)
        for k in range(n):
            total += self.log_wrong[self.place_of(field, self.cells[k])]
            total += self.levels[self.level_of(self.cells[k])].log_gamma
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
        cdef Py_ssize_t k, n_frequent = self._begin(field, 1.0)
        cdef double share, covered = 0.0, total = 0.0, rest
        cdef Level* found
        self._multiply(field, n)
        for k in range(self.n_touched):
            found = self.levels + self.touched[k]
            share = _share_for(found, n)
            if k >= n_frequent:
                covered += share
            found.weight *= share
            total += found.weight
        rest = exp(self._log_mass_of(field, n)) - covered
        return log(total + rest) if rest > 0.0 else log(total)

    cdef double _sum_mild(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil:
        """Return F, if no product is below 1, from those other than 1; `weight` keeps these."""
        cdef Py_ssize_t k
        cdef double total = self.mass_of_few[field * (FEW + 1) + n]
        cdef Level* found
        self.round += 1
        self.n_touched = 0
        self._multiply(field, n)
        for k in range(self.n_touched):
            found = self.levels + self.touched[k]
            total += _share_for(found, n) * (found.weight - 1.0)
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
            level = self.level_of(self.cells[k])
            found = self._enlist(level, 1.0)
            found.weight *= self.right[self.place_of(field, self.cells[k])] / (
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
        cdef double covered = 0.0, largest = -INFINITY, scaled = 0.0
        self._begin(field, 0.0)
        while k < n:
            level, times = self.level_of(self.cells[k]), 0
            found = self._enlist(level, 0.0)
            while k < n and self.level_of(self.cells[k]) == level:
                found.weight += self.log_right[self.place_of(field, self.cells[k])]
                found.weight += self.log_total[level] - found.log_gamma
                times += 1
                k += 1
            for j in range(self.similarity.starts[level], self.similarity.starts[level + 1]):
                self._enlist(self.similarity.neighbours[j], 0.0).weight += times * self.log_gain[j]
        for k in range(self.n_touched):
            level = self.touched[k]
            found = self.levels + level
            found.weight += self.similarity.log_gamma[level] - n * self.log_total[level]
            add_log(found.weight, &largest, &scaled)
        if log_mass - largest > NEGLIGIBLE:     # all other true values matter
            for k in range(self.n_touched):
                level = self.touched[k]
                if not self.similarity.frequent[level]:
                    covered += exp(
                        self.similarity.log_gamma[level] - n * self.log_total[level] - log_mass
                    )
            if covered < 1.0:
                add_log(log_mass + log(1.0 - covered), &largest, &scaled)
        return largest + log(scaled)

    cdef double _log_mass_of(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil:
        """Return log M_n of the rare values of a field, which is computed when first needed."""
        cdef double* held = self.log_mass + field * (self.index.n_items + 1) + n
        cdef Py_ssize_t level
        cdef double largest = -INFINITY, scaled = 0.0, term
        if held[0] != 0.0:
            return held[0]
        if n > self.n_asked[field]:
            self.n_asked[field] = n
        for level in range(self.index.first_level[field], self.index.first_level[field + 1]):
            term = self.similarity.log_gamma[level] - n * self.log_total[level]
            if not self.similarity.frequent[level]:
                add_log(term, &largest, &scaled)
        held[0] = largest + log(scaled) if scaled > 0.0 else -INFINITY
        return held[0]

    # ---- draws of true values ----

    cdef double log_gain_of(self, Py_ssize_t level, Py_ssize_t other) noexcept nogil:
        """Return log G of two values."""
        cdef Py_ssize_t j
        for j in range(self.similarity.starts[level], self.similarity.starts[level + 1]):
            if self.similarity.neighbours[j] == other:
                return self.log_gain[j]
        return 0.0

    cdef Py_ssize_t draw_true(self, Py_ssize_t field, Py_ssize_t n, bitgen_t* rng) noexcept nogil:
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

    cdef Py_ssize_t _draw_mild(self, Py_ssize_t field, Py_ssize_t n, bitgen_t* rng) noexcept nogil:
        """Draw the true value given a few listed values if no product is below 1."""
        cdef int* ranked = self.similarity.ranked + self.similarity.first_ranked[field]
        cdef Py_ssize_t n_ranked = (
            self.similarity.first_ranked[field + 1] - self.similarity.first_ranked[field]
        )
        cdef Py_ssize_t k, level, default = -1
        cdef double share, u = self._sum_mild(field, n)
        u *= rng.next_double(rng.state)
        for k in range(n_ranked + self.n_touched):
            level = ranked[k] if k < n_ranked else self.touched[k - n_ranked]
            if k >= n_ranked and self.similarity.frequent[level]:
                continue
            share = _share_for(self.levels + level, n)
            if self.levels[level].seen == self.round:
                share *= self.levels[level].weight
            if share > 0.0:
                default = level
                u -= share
                if u < 0.0:
                    return level
        return self._draw_other(field, n, default, rng)

    cdef Py_ssize_t _draw_other(
        self, Py_ssize_t field, Py_ssize_t n, Py_ssize_t default, bitgen_t* rng
    ) noexcept nogil:
        """Draw a true value outside the current sum, by gamma / Z^n, or else `default`."""
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
            total += self._share_of_other(field, n, level)
        u = rng.next_double(rng.state) * total
        for level in range(first, end):
            u -= self._share_of_other(field, n, level)
            if u < 0.0:
                return level
        return default

    cdef bint _is_other(self, Py_ssize_t level) noexcept nogil:
        return not self.similarity.frequent[level] and self.levels[level].seen != self.round

    cdef double _share_of_other(
        self, Py_ssize_t field, Py_ssize_t n, Py_ssize_t level
    ) noexcept nogil:
        if not self._is_other(level):
            return 0.0
        return self.index.gamma[level] * exp(n * (self.least_total[field] - self.log_total[level]))


cdef inline void add_log(double term, double* largest, double* scaled) noexcept nogil:
    """Add a term to a sum, ``exp(largest) * scaled``, unless rounding would lose it."""
    if term > largest[0]:
        scaled[0] = (
            scaled[0] * exp(largest[0] - term) if largest[0] - term > NEGLIGIBLE else 0.0
        ) + 1.0
        largest[0] = term
    elif term - largest[0] > NEGLIGIBLE:
        scaled[0] += exp(term - largest[0])


cdef inline double _share_for(const Level* level, Py_ssize_t n) noexcept nogil:
    """Return ``gamma / Z^n``."""
    cdef double share = level.gamma
    cdef Py_ssize_t _j
    for _j in range(n):
        share *= level.inverse_total
    return share


cdef inline unsigned long long _mark_of(Py_ssize_t level) noexcept nogil:
    """Return one bit of 64 for a value."""
    return <unsigned long long> 1 << ((<unsigned long long> level * 0x9E3779B97F4A7C15ULL) >> 58)
