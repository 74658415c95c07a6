"""Dirichlet-multinomial blocks of sparse counts.

The full conditional of Walker and Ringger (2008), equation 4, needs for every non-zero (v, c) of a
document and every block k

    log Gamma(beta + n_vk + c) - log Gamma(beta + n_vk).

There are far fewer distinct pairs (v, c), called *terms* here, than non-zeros, and in equilibrium
few documents move.  The differences are therefore kept in a table ``gain[term, k]``, and patched
from integer counts when a document moves, so that a resumed chain has the same, bit for bit.

With many blocks, most are far too improbable to be drawn.  A second table stores each gain in 8
bits, as the number of steps by which it falls short of the greatest gain that the term can have,
rounded so that the sum of these deficits gives an upper bound on the log probability.  A sweep
uses the first table, eight times as large, only for blocks that may matter, and for all blocks if
the bounds do not settle which one is drawn.
"""

import numpy as np
from scipy.special import gammaln

from libc.math cimport INFINITY, exp
from libc.string cimport memset

from reseat.checks import check_growth, check_strength, check_total, refusal
from reseat.counts import canonical_counts, distinct_counts, sums_of_rows
from reseat.errors import DataError
from reseat.likelihoods._likelihood cimport Likelihood
from reseat.likelihoods._log_gamma cimport LogGamma, at, view_of
from reseat.prefetch cimport prefetch

cdef enum:
    LINE = 8        # doubles in a cache line
    AHEAD = 12      # non-zeros between a prefetch and its use
    SHORT_LINE = 64     # 8-bit numbers in a cache line
    STEPS = 16          # of a deficit, per unit of log probability
    DEEPEST = 255       # largest deficit; greater ones are capped
    WORTHWHILE = 24     # number of blocks from which screening pays off
    FEW = 8             # number of blocks up to which scoring one by one is faster
    FAR = 14            # distance below the greatest log weight at which a bound is enough
    PATIENCE = 64       # largest number of items between two attempts while screening does not help
    TABULATED = 1 << 22     # numbers whose log Gamma is looked up at most
    KEPT_TABLES = 4         # values of beta whose tables an index keeps


cdef class TermIndex:
    """The non-zeros of a count matrix, as references to its distinct (feature, count) pairs.

    Built once and shared, read-only, by all chains of a process.

    Parameters
    ----------
    counts : sparse or dense array of int, shape (n_items, n_features)
        Counts; zero rows are allowed.

    Raises
    ------
    DataError
        If there are no items or features, all counts are 0, a count is masked, negative or not
        whole, or those of a feature add up to 2**31 or more.

    Examples
    --------
    >>> from reseat.likelihoods import DirichletMultinomial, TermIndex
    >>> index = TermIndex([[5, 0, 1], [0, 6, 5]])
    >>> DirichletMultinomial(index, beta=0.1).n_items
    2
    """

    cdef readonly Py_ssize_t n_items, n_features, n_terms, n_nonzeros
    cdef readonly long long n_tokens, max_feature_total
    cdef long long[::1] indptr      # [n_items + 1] first non-zero of each item
    cdef long long[::1] length      # [n_items] tokens of each item
    cdef int[::1] terms             # [n_nonzeros, and some zeros] term of each non-zero
    cdef int[::1] term_feature      # [n_terms] feature of each term
    cdef int[::1] term_count        # [n_terms] count of each term
    cdef int[::1] feature_terms     # [n_features + 1] first term of each feature
    cdef object _feature_total, _tables

    def __init__(self, counts):
        counts = canonical_counts(counts, copy=False)  # not kept after this
        if counts.nnz == 0:
            raise DataError("The corpus is empty: no document has a feature.")
        self.n_items, self.n_features = counts.shape
        self.n_nonzeros = counts.nnz
        features, self.term_count, terms = distinct_counts(counts)
        self.terms = np.append(terms, np.zeros(2 * AHEAD, np.intc))     # prefetching looks ahead
        self.n_terms, self.term_feature = features.size, features
        first = np.searchsorted(features, np.arange(self.n_features + 1))
        self.feature_terms, self.indptr = first.astype(np.intc), counts.indptr.astype(np.int64)
        length = np.asarray(counts.sum(axis=1), dtype=np.int64).ravel()
        feature_total = np.bincount(counts.indices, weights=counts.data, minlength=self.n_features)
        self.n_tokens, self.length = length.sum(), length
        self._feature_total = feature_total.astype(np.int64)
        self.max_feature_total = int(feature_total.max())
        if self.max_feature_total > np.iinfo(np.intc).max:
            raise DataError("A feature occurs more than 2**31 times; split or rescale the counts.")
        self._tables = {}

    def _tables_at(self, double beta):
        """Return the tables for a value of beta, shared by all chains, and kept for the last few.

        They are of log Gamma(beta + n) and log Gamma(V beta + n), the log predictive of each item
        in an empty block, and bounds of the gain of each term and of the sum of those of each item.
        """
        found = self._tables.get(beta)
        if found is not None:
            return found
        strength = self.n_features * beta
        total = gammaln(strength + np.arange(min(self.n_tokens + 1, TABULATED)))
        feature = gammaln(beta + np.arange(min(self.max_feature_total + 1, TABULATED)))
        count, terms = np.asarray(self.term_count), np.asarray(self.terms)[:self.n_nonzeros]
        empty = sums_of_rows(gammaln(beta + count) - feature[0], terms, np.asarray(self.indptr)) - (
            gammaln(strength + np.asarray(self.length)) - total[0]
        )
        # A block without the item holds at most the tokens of all other items.
        most = self._feature_total[np.asarray(self.term_feature)]
        summit = gammaln(beta + most) - gammaln(beta + (most - count))
        found = feature, total, empty, summit, sums_of_rows(summit, terms, np.asarray(self.indptr))
        self._tables[beta] = found
        for old in list(self._tables)[:max(0, len(self._tables) - KEPT_TABLES)]:
            self._tables.pop(old, None)
        return found


cdef class DirichletMultinomial(Likelihood):
    """Documents as bags of counts, with one multinomial per block, integrated out.

    ``theta_k ~ Dirichlet(beta 1_V)``; the tokens of the items of block ``k`` are independent draws
    from ``theta_k``.  Items are sequences of tokens, so there is no multinomial coefficient.

    Parameters
    ----------
    counts : TermIndex or sparse or dense array of int, shape (n_items, n_features)
        Pass one `TermIndex` to many likelihoods to share its memory.
    beta : float or sequence of float
        Concentration of each feature, between 1e-9 and 1e9.  Of several values, equally probable a
        priori, the one in the middle is the first; after every sweep, one of them is drawn.

    Raises
    ------
    DataError
        If a count is masked, negative or not whole, or the corpus is empty.
    ConfigError
        If a `beta` is not between 1e-9 and 1e9, or adds up to more than 1e10 over all features.

    References
    ----------
    Walker and Ringger (2008), equations 4 and A8.

    Examples
    --------
    >>> from reseat.likelihoods import DirichletMultinomial
    >>> likelihood = DirichletMultinomial([[5, 0, 1], [4, 1, 0], [0, 6, 5], [0, 4, 6]])
    >>> likelihood.assign([0, 0, 1, 1], 2)
    >>> int(likelihood.log_predictive(1, 0).argmax())
    0
    """

    cdef readonly TermIndex index
    cdef double _beta
    cdef object _grid               # values that beta is drawn from, or None if it is fixed
    cdef Py_ssize_t stride          # of the rows of a feature or a term
    cdef int crowded, waiting       # see weigh
    cdef int[:, ::1] counts         # [n_features, stride] tokens of a feature in a block
    cdef long long[::1] totals      # [stride] tokens in a block
    cdef double[:, ::1] gain        # [n_terms, stride] log rising factorial, see score
    cdef unsigned char[:, ::1] deficit  # [n_terms, longer rows] steps below summit, if WORTHWHILE
    cdef unsigned int[::1] sums     # buffer for sums of deficits, as long as their rows
    cdef double[::1] normaliser     # [stride] log Gamma(V beta + total)
    cdef object _table_arrays
    cdef LogGamma feature           # log Gamma(beta + n)
    cdef LogGamma total             # log Gamma(V beta + n)
    cdef double[::1] empty          # [n_items] log predictive in an empty block
    cdef double[::1] summit         # [n_terms] greatest gain that a term can have
    cdef double[::1] ceiling        # [n_items] sum of the summits of its terms

    def __init__(self, counts, beta=1.0):
        self.index = counts if isinstance(counts, TermIndex) else TermIndex(counts)
        values = np.unique([self._checked(value) for value in np.atleast_1d(beta).tolist()])
        if not values.size:
            raise refusal("beta", beta, "; name at least one value.")
        self._grid = values if np.ndim(beta) else None
        self.beta = values[values.size // 2]
        self.n_items = self.index.n_items

    def _checked(self, beta):
        """Return the concentration, if log gamma functions can still resolve its sums."""
        beta = check_strength("beta", beta)
        check_total("beta", beta, self.index.n_features, "features")
        return beta

    @property
    def beta(self):
        """Current concentration of each feature; setting it rebuilds the tables."""
        return self._beta

    @beta.setter
    def beta(self, value):
        value = self._checked(value)
        if value == self._beta:
            return
        self._beta = value
        # Kept here as well, because the index forgets those of values that are long past.
        self._table_arrays = self.index._tables_at(value)
        feature, total, self.empty, self.summit, self.ceiling = self._table_arrays
        self.feature = view_of(feature, value)
        self.total = view_of(total, self.index.n_features * value)
        if self.capacity > 0:
            self._refresh()

    @property
    def hyperparameters(self):
        return {"beta": self._beta}

    def assign(self, labels, Py_ssize_t capacity):
        """Rebuild the statistics from `labels`, shape (n_items,), for `capacity` slots."""
        cdef const int[::1] label = self._checked_labels(labels, capacity)
        cdef Py_ssize_t item, k, t
        cdef long long j
        self._allocate(capacity)
        with nogil:
            for item in range(self.n_items):
                k = label[item]
                self.totals[k] += self.index.length[item]
                for j in range(self.index.indptr[item], self.index.indptr[item + 1]):
                    t = self.index.terms[j]
                    self.counts[self.index.term_feature[t], k] += self.index.term_count[t]
        self._refresh()

    def grow(self, Py_ssize_t capacity):
        """Make room for `capacity` slots, keeping the statistics."""
        check_growth(self.capacity, capacity)
        cdef Py_ssize_t old = self.capacity
        cdef int[:, ::1] counts = self.counts
        cdef long long[::1] totals = self.totals
        self._allocate(capacity)
        self.counts[:, :old] = counts[:, :old]
        self.totals[:old] = totals[:old]
        self._refresh()

    def _allocate(self, Py_ssize_t capacity):
        self.capacity = capacity
        # Rows longer than half a cache line are padded to whole lines.
        self.stride = capacity if capacity <= LINE // 2 else (capacity + LINE - 1) // LINE * LINE
        self.counts = np.zeros((self.index.n_features, self.stride), dtype=np.intc)
        self.totals = np.zeros(self.stride, dtype=np.int64)
        self.gain = aligned_empty(self.index.n_terms, self.stride, np.float64)
        self.normaliser = np.empty(self.stride)
        self.crowded = self.waiting = 0
        if capacity >= WORTHWHILE:
            width = (capacity + SHORT_LINE - 1) // SHORT_LINE * SHORT_LINE
            self.deficit = aligned_empty(self.index.n_terms, width, np.uint8)
            self.sums = np.zeros(width, dtype=np.uint32)

    def _may_hold(self, Py_ssize_t item, Py_ssize_t slot):
        cdef long long j
        cdef Py_ssize_t t
        for j in range(self.index.indptr[item], self.index.indptr[item + 1]):
            t = self.index.terms[j]
            if self.counts[self.index.term_feature[t], slot] < self.index.term_count[t]:
                return False
        return self.totals[slot] >= self.index.length[item]

    def _refresh(self):
        """Recompute everything that is derived from the counts."""
        cdef Py_ssize_t v, k
        with nogil:
            for k in range(self.stride):
                self.normaliser[k] = at(self.total, self.totals[k])
            for v in range(self.index.n_features):
                for k in range(self.stride):
                    self._patch(v, k)

    cdef void _patch(self, Py_ssize_t feature, Py_ssize_t slot) noexcept nogil:
        cdef long long n = self.counts[feature, slot]
        cdef double here = at(self.feature, n), gain, steps
        cdef Py_ssize_t t
        for t in range(self.index.feature_terms[feature], self.index.feature_terms[feature + 1]):
            gain = at(self.feature, n + self.index.term_count[t]) - here
            self.gain[t, slot] = gain
            if self.capacity >= WORTHWHILE:
                steps = STEPS * (self.summit[t] - gain)
                self.deficit[t, slot] = <unsigned char>(
                    DEEPEST if steps > DEEPEST else steps if steps > 0.0 else 0.0
                )

    cdef void score(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t n_slots, double* out
    ) noexcept nogil:
        cdef Py_ssize_t stride = self.stride, k, t
        cdef int* terms = &self.index.terms[0]
        cdef int* term_feature = &self.index.term_feature[0]
        cdef int* term_count = &self.index.term_count[0]
        cdef int* own_counts = &self.counts[0, own]
        cdef double* gain = &self.gain[0, 0]
        cdef LogGamma feature = self.feature, total = self.total
        cdef long long j = self.index.indptr[item], last = self.index.indptr[item + 1]
        cdef long long length = self.index.length[item], own_total = self.totals[own]
        cdef double* a
        cdef double* b
        cdef double* c
        cdef double* d
        cdef double own_score = 0.0
        cdef int i, n

        memset(out, 0, n_slots * sizeof(double))
        # Four rows at a time: one pass over `out` for four non-zeros.
        while j + 4 <= last:
            for i in range(4):
                t = terms[j + AHEAD + i]
                for k in range((n_slots + LINE - 1) // LINE):
                    prefetch(gain + t * stride + LINE * k)
                prefetch(own_counts + term_feature[t] * stride)
            a = gain + terms[j] * stride
            b = gain + terms[j + 1] * stride
            c = gain + terms[j + 2] * stride
            d = gain + terms[j + 3] * stride
            for k in range(n_slots):
                out[k] += (a[k] + b[k]) + (c[k] + d[k])
            for i in range(4):
                t = terms[j + i]
                n = own_counts[term_feature[t] * stride]
                own_score += at(feature, n) - at(feature, n - term_count[t])
            j += 4
        while j < last:
            t = terms[j]
            a = gain + t * stride
            for k in range(n_slots):
                out[k] += a[k]
            n = own_counts[term_feature[t] * stride]
            own_score += at(feature, n) - at(feature, n - term_count[t])
            j += 1
        for k in range(n_slots):
            if k != own:
                out[k] -= at(total, self.totals[k] + length) - self.normaliser[k]
        out[own] = own_score - (at(total, own_total) - at(total, own_total - length))
        out[n_slots] = self.empty[item]

    cdef double weigh(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t n_slots, double power,
        const double* prior, double* weight
    ) noexcept nogil:
        cdef double left_out
        # While blocks are alike, as at the start of a chain, none can be ruled out.
        if self.waiting > 0:
            self.waiting -= 1
        elif n_slots >= WORTHWHILE:
            left_out = self._screen(item, own, n_slots, power, prior, weight)
            if left_out >= 0.0:
                self.crowded = 0
                return left_out
            self.waiting = self.crowded
            self.crowded = min(2 * self.crowded + 1, PATIENCE)
        return Likelihood.weigh(self, item, own, n_slots, power, prior, weight)

    cdef double _screen(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t n_slots, double power,
        const double* prior, double* weight
    ) noexcept nogil:
        """Do as `weigh` does, but screen by bounds first; return -1 if too many blocks remain."""
        cdef long long length = self.index.length[item]
        cdef LogGamma total = self.total
        cdef double best, bound, exact, step = 1.0 / STEPS
        cdef Py_ssize_t k, first = -1, n_far = 0
        self._add_deficits(item, own, n_slots)
        exact = power * self.score_block(item, own, own) + prior[own]
        weight[n_slots] = power * self.empty[item] + prior[n_slots]
        best = max(exact, weight[n_slots])
        for k in range(n_slots):
            weight[k] = prior[k] + power * (
                self.ceiling[item] - step * self.sums[k]
                - (at(total, self.totals[k] + length) - self.normaliser[k])
            )
            if k != own and (first < 0 or weight[k] > weight[first]):
                first = k
        weight[own] = exact
        if weight[first] >= best - (FAR + 1):
            # Scored first, because its weight may rule out the others.
            weight[first] = power * self._score_slot(item, first) + prior[first]
            best = max(best, weight[first])
        else:
            first = -1
        # The bounds hold up to the rounding of sums, for which one more unit is allowed.
        bound = best - (FAR + 1)
        for k in range(n_slots):
            if weight[k] < bound:
                n_far += 1
        if n_slots - n_far > FEW:
            return -1.0
        for k in range(n_slots):
            if k == own or k == first:
                continue
            if weight[k] < bound:
                weight[k] = -INFINITY
            else:
                weight[k] = power * self._score_slot(item, k) + prior[k]
        return n_far * exp(-FAR)

    cdef void _add_deficits(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t n_slots
    ) noexcept nogil:
        cdef Py_ssize_t stride = self.deficit.shape[1], k, t
        cdef int* terms = &self.index.terms[0]
        cdef int* term_feature = &self.index.term_feature[0]
        cdef int* own_counts = &self.counts[0, own]
        cdef unsigned char* table = &self.deficit[0, 0]
        cdef unsigned int* sums = &self.sums[0]
        cdef unsigned char* a
        cdef unsigned char* b
        cdef unsigned char* c
        cdef unsigned char* d
        cdef long long j = self.index.indptr[item], last = self.index.indptr[item + 1]
        cdef int i
        memset(sums, 0, n_slots * sizeof(unsigned int))
        while j + 4 <= last:
            for i in range(4):
                t = terms[j + AHEAD + i]
                for k in range((n_slots + SHORT_LINE - 1) // SHORT_LINE):
                    prefetch(table + t * stride + SHORT_LINE * k)
                prefetch(own_counts + term_feature[t] * self.stride)
            a = table + terms[j] * stride
            b = table + terms[j + 1] * stride
            c = table + terms[j + 2] * stride
            d = table + terms[j + 3] * stride
            for k in range(n_slots):
                sums[k] += <unsigned short>(a[k] + b[k] + c[k] + d[k])
            j += 4
        while j < last:
            a = table + terms[j] * stride
            for k in range(n_slots):
                sums[k] += a[k]
            j += 1

    cdef double _score_slot(self, Py_ssize_t item, Py_ssize_t slot) noexcept nogil:
        """Return what `score` gives, bit for bit, for a slot other than the item's own."""
        cdef Py_ssize_t stride = self.stride
        cdef int* terms = &self.index.terms[0]
        cdef double* gain = &self.gain[0, slot]
        cdef long long j = self.index.indptr[item], last = self.index.indptr[item + 1]
        cdef double total = 0.0
        while j + 4 <= last:
            total += (gain[terms[j] * stride] + gain[terms[j + 1] * stride]) + (
                gain[terms[j + 2] * stride] + gain[terms[j + 3] * stride]
            )
            j += 4
        while j < last:
            total += gain[terms[j] * stride]
            j += 1
        return total - (
            at(self.total, self.totals[slot] + self.index.length[item])
            - self.normaliser[slot]
        )

    cdef double score_block(self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t slot) noexcept nogil:
        cdef long long length = self.index.length[item], j, n_tokens
        cdef double total = 0.0
        cdef Py_ssize_t t
        cdef int n
        if slot < 0:
            return self.empty[item]
        for j in range(self.index.indptr[item], self.index.indptr[item + 1]):
            t = self.index.terms[j]
            if slot == own:
                n = self.counts[self.index.term_feature[t], own]
                total += at(self.feature, n) - at(self.feature, n - self.index.term_count[t])
            else:
                total += self.gain[t, slot]
        n_tokens = self.totals[slot] - (length if slot == own else 0)
        return total - (at(self.total, n_tokens + length) - at(self.total, n_tokens))

    cdef void move(self, Py_ssize_t item, Py_ssize_t source, Py_ssize_t target) noexcept nogil:
        cdef long long j
        cdef Py_ssize_t t, v
        for j in range(self.index.indptr[item], self.index.indptr[item + 1]):
            t = self.index.terms[j]
            v = self.index.term_feature[t]
            self.counts[v, source] -= self.index.term_count[t]
            self.counts[v, target] += self.index.term_count[t]
            self._patch(v, source)
            self._patch(v, target)
        self.totals[source] -= self.index.length[item]
        self.totals[target] += self.index.length[item]
        self.normaliser[source] = at(self.total, self.totals[source])
        self.normaliser[target] = at(self.total, self.totals[target])

    def log_hyperprior(self):
        """Return the log probability of beta, which is uniform over its values (0 if fixed)."""
        return 0.0 if self._grid is None else -float(np.log(self._grid.size))

    def update(self, partition, rng):
        """Draw beta from its posterior given the partition, if it has several values."""
        if self._grid is not None:
            log_weight = self.log_marginal_at(self._grid)
            cumulative = np.cumsum(np.exp(log_weight - log_weight.max()))
            drawn = np.searchsorted(cumulative, rng.random() * max(cumulative), side="right")
            self.beta = self._grid[min(drawn, self._grid.size - 1)]

    def log_marginal_at(self, beta):
        """Return the log marginal likelihood given the partition, at each of some values of beta.

        Parameters
        ----------
        beta : array_like, shape (n,)

        Returns
        -------
        ndarray, shape (n,)
        """
        self._check_assigned()
        cdef long long most = min(self.index.max_feature_total + 1, TABULATED)
        cdef long long[::1] times = np.zeros(most, dtype=np.int64)
        cdef int* count = &self.counts[0, 0]
        cdef Py_ssize_t i
        with nogil:
            for i in range(self.index.n_features * self.stride):
                if count[i] < most:
                    times[count[i]] += 1
        counts = np.asarray(self.counts)
        large = counts[counts >= most] if most == TABULATED else counts[:0, 0]
        found = np.flatnonzero(times)
        each = np.concatenate([np.asarray(times)[found], np.ones(large.size)])
        found = np.concatenate([found, large])
        beta = np.asarray(beta, dtype=float)[:, None]
        total = self.index.n_features * beta
        rises = (gammaln(beta + found) - gammaln(beta)) * each
        falls = gammaln(total + np.asarray(self.totals)) - gammaln(total)
        return rises.sum(axis=1) - falls.sum(axis=1)

    def log_marginal(self):
        """Return the log marginal likelihood of all items given the partition.

        References
        ----------
        Walker and Ringger (2008), equation A8, second factor.
        """
        cdef double base = at(self.feature, 0), base_total = at(self.total, 0), total = 0.0, row
        cdef Py_ssize_t v, k
        cdef int n
        with nogil:
            for v in range(self.index.n_features):
                row = 0.0
                for k in range(self.stride):
                    n = self.counts[v, k]
                    row += at(self.feature, n) - base
                total += row
            for k in range(self.stride):
                total -= at(self.total, self.totals[k]) - base_total
        return total


def aligned_empty(Py_ssize_t n_rows, Py_ssize_t n_columns, kind):
    """Return an uninitialised array, shape (n_rows, n_columns), on a 64-byte boundary."""
    size = n_rows * n_columns
    width = np.dtype(kind).itemsize
    raw = np.empty(size + 64 // width, dtype=kind)
    skip = (-raw.ctypes.data // width) % (64 // width)
    return raw[skip : skip + size].reshape(n_rows, n_columns)
