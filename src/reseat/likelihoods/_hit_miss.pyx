"""Hit-miss blocks of categorical records."""

from functools import partial

import numpy as np

from libc.math cimport INFINITY, exp, log

from reseat.checks import check_between, check_start
from reseat.errors import ConfigError

from reseat.likelihoods._record_blocks cimport RecordBlocks


cdef class HitMissRecords(RecordBlocks):
    """Records that copy the true level of their block, or miss it.

    In field ``l``, a block has a latent level ``y ~ gamma_l``.  A record has the level ``y`` with
    probability ``1 - beta_l``, and otherwise a draw from ``gamma_l``.  With ``n_v`` records of
    level ``v`` and ``R_v = (beta gamma_v + 1 - beta) / (beta gamma_v)``, the records of a block
    have the probability ``(prod beta gamma_x) F``, where ``F = 1 + sum_v gamma_v (R_v^n_v - 1)``.
    As ``R^n`` can overflow, ``F`` is computed afresh from the members, in logarithms.

    Parameters
    ----------
    records : RecordIndex or array_like of int, shape (n_items, n_fields)
        Pass one `RecordIndex` to many likelihoods to share its memory.
    beta : float or sequence of float, one a field
        Probability of a miss, in (0, 1); the initial value if it is sampled.
    hyperprior : BetaHyperprior, optional
        If given, the probability of each field is slice sampled after every sweep.

    Raises
    ------
    ConfigError
        If a probability is outside (0, 1) or above the bound of its hyperprior, or there is not
        one, or one for each field.

    References
    ----------
    Betancourt, Zanella and Steorts (2022); Copas and Hilton (1990) for the name.

    Examples
    --------
    >>> from reseat.likelihoods import HitMissRecords
    >>> likelihood = HitMissRecords([[0, 1, 2], [0, 1, 2], [1, 0, 0]], beta=0.05)
    >>> likelihood.assign([0, 0, 1], 2)
    >>> int(likelihood.log_predictive(1, 0).argmax())
    0
    """

    cdef object _beta
    cdef double[::1] rise           # log R of each level
    cdef double[::1] miss           # log(beta gamma) of each level
    cdef double[::1] log_gamma      # log gamma of each level

    def __init__(self, records, beta=0.005, hyperprior=None):
        super().__init__(records, hyperprior)
        given = np.atleast_1d(np.asarray(beta, dtype=object))
        if given.size not in (1, self.index.n_fields):
            raise ConfigError(
                f"{given.size} probabilities beta are given; give one, or one for each of the "
                f"{self.index.n_fields} fields."
            )
        for value in given:
            check_between("beta", value, 0, 1, "()")
            check_start("beta", value, hyperprior)
        self.rise, self.miss = np.empty(self.index.n_levels), np.empty(self.index.n_levels)
        with np.errstate(divide="ignore"):
            self.log_gamma = np.log(self.index._gamma_array)
        self._set_beta(np.broadcast_to(given, self.index.n_fields))

    def _set_beta(self, values):
        self._beta = np.array(values, dtype=float)
        for field, beta in enumerate(self._beta):
            self._tabulate(field, beta)

    cdef void _tabulate(self, Py_ssize_t field, double beta) noexcept nogil:
        cdef Py_ssize_t v
        for v in range(self.index.first_level[field], self.index.first_level[field + 1]):
            self.miss[v] = log(beta) + self.log_gamma[v]
            self.rise[v] = log(beta * self.index.gamma[v] + (1.0 - beta)) - self.miss[v]

    @property
    def beta(self):
        """Probability of a miss in each field, shape (n_fields,): a copy."""
        return self._beta.copy()

    @property
    def hyperparameters(self):
        return {f"beta_{field}": float(value) for field, value in enumerate(self._beta)}

    def restore(self, hyperparameters):
        """Set the probabilities to saved values."""
        self._set_beta(list(hyperparameters.values()))

    cdef double _log_mixture(
        self, Py_ssize_t slot, Py_ssize_t field, Py_ssize_t without, Py_ssize_t level
    ) noexcept nogil:
        """Return log F in a field, without item `without`, with one more of `level`; -1 is none.

        The levels are taken in order, so that the sum does not depend on that of the members.
        """
        cdef Py_ssize_t n_fields = self.index.n_fields, item, v, lowest
        cdef Py_ssize_t last = self.index.first_level[field] - 1
        cdef Py_ssize_t end = self.index.first_level[field + 1]
        cdef int* codes = self.index.codes + field
        cdef int* counts = self.counts[slot]
        cdef double rest = 1.0, largest = -INFINITY, scaled = 0.0, term
        cdef int n
        while True:
            # find the next level above the last one, and how many members have it
            lowest = level if level > last else end
            n = 0
            if counts != NULL:
                v = last + 1
                while v < lowest and counts[v] == 0:
                    v += 1
                lowest = v
                if v < end:
                    n = counts[v] - (without >= 0 and codes[without * n_fields] == v)
            else:
                item = self.members.head[slot]
                while item >= 0:
                    v = codes[item * n_fields]
                    if item != without and last < v <= lowest:
                        n = n + 1 if v == lowest else 1
                        lowest = v
                    item = self.members.next[item]
            if lowest >= end:
                break
            last = lowest
            n += lowest == level
            if n > 0:
                rest -= self.index.gamma[lowest]
                term = self.log_gamma[lowest] + n * self.rise[lowest]
                if term > largest:
                    scaled = scaled * exp(largest - term) + 1.0
                    largest = term
                else:
                    scaled += exp(term - largest)
        if largest == -INFINITY:
            return 0.0
        if rest > 0.0:
            scaled += rest * exp(-largest)
        return largest + log(scaled)

    cdef double predictive(self, Py_ssize_t item, bint inside, Py_ssize_t slot) noexcept nogil:
        cdef Py_ssize_t field, without = item if inside else -1
        cdef int* row = self.index.codes + item * self.index.n_fields
        cdef double total = 0.0
        for field in range(self.index.n_fields):
            if row[field] >= 0:
                total += self.miss[row[field]] + (
                    self._log_mixture(slot, field, without, row[field])
                    - self._log_mixture(slot, field, without, -1)
                )
        return total

    def _log_marginal(self, Py_ssize_t field, double beta):
        """Return the log marginal of a field at `beta`, leaving its tables at this value."""
        cdef Py_ssize_t n_fields = self.index.n_fields, slot, item
        cdef int* codes = self.index.codes + field
        cdef double total = 0.0
        self._tabulate(field, beta)
        for item in range(self.n_items):  # by item, as the order of members must not matter
            if codes[item * n_fields] >= 0:
                total += self.miss[codes[item * n_fields]]
        for slot in range(self.capacity):
            if self.sizes[slot] > 0:
                total += self._log_mixture(slot, field, -1, -1)
        return total

    def log_marginal(self):
        """Return the log marginal likelihood of the records given the partition."""
        return sum(self._log_marginal(field, beta) for field, beta in enumerate(self._beta))

    def update(self, partition, rng):
        """Slice sample the probability of each field on the logit scale."""
        if self.hyperprior is None:
            return
        values = self._beta.copy()
        for field, beta in enumerate(self._beta):
            values[field] = self.hyperprior.resample(beta, partial(self._log_marginal, field), rng)
        self._set_beta(values)
