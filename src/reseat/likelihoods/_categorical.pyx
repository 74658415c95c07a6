"""Dirichlet-multinomial blocks of categorical records."""

from functools import partial

import numpy as np

from libc.math cimport log
from libc.string cimport memset

from reseat.checks import as_whole, check_start, check_strength
from reseat.errors import ConfigError, DataError

from reseat.likelihoods._record_blocks cimport RecordBlocks
from reseat.likelihoods._record_index cimport RecordIndex
from reseat.members cimport Members

cdef enum:
    FEW = 4         # largest number of other records for which logarithms are tabulated
    FACTORS = 8     # factors that are multiplied before taking a logarithm


cdef class CategoricalRecords(RecordBlocks):
    """Categorical records with one distribution per block and field, integrated out.

    In field ``l``, the records of block ``c`` draw their levels from ``theta_lc ~
    Dirichlet(delta_l gamma_l)``.  If ``n`` of them have a known level, ``m`` of them the level
    ``v``, the next has it with probability ``(delta gamma_v + m) / (delta + n)``.  A missing
    value contributes no factor.

    Parameters
    ----------
    records : RecordIndex or array_like of int, shape (n_items, n_fields)
        Pass one `RecordIndex` to many likelihoods to share its memory.
    delta : float or sequence of float
        Concentration of all fields, or of each field; the initial value if it
        is sampled.  Small values mean little distortion.
    per_field : bool
        Whether each field has its own concentration.
    hyperprior : GammaHyperprior, optional
        If given, the concentration is slice sampled after every sweep.

    Raises
    ------
    ConfigError
        If a concentration is out of range, above the bound of its hyperprior, or there is not one
        or, with `per_field`, one for each field.

    References
    ----------
    Zanella et al. (2016), section 3.4.

    Examples
    --------
    >>> from reseat.likelihoods import CategoricalRecords
    >>> likelihood = CategoricalRecords([[0, 1, 2], [0, 1, 2], [1, 0, 0]], delta=0.1)
    >>> likelihood.assign([0, 0, 1], 2)
    >>> int(likelihood.log_predictive(1, 0).argmax())
    0
    """

    cdef readonly bint per_field
    cdef object _delta, _tally
    cdef double[::1] delta_of       # concentration of each field
    cdef double[::1] mass           # delta gamma of each level
    cdef double[:, ::1] log_mass    # [level, m]: log(delta gamma + m)
    cdef double[:, ::1] log_total   # [field, n]: log(delta + n)

    def __init__(self, records, delta=0.05, bint per_field=False, hyperprior=None):
        super().__init__(records, hyperprior)
        self.per_field = per_field
        given = np.atleast_1d(np.asarray(delta, dtype=object))
        if given.size not in (1, self.index.n_fields) or (given.size > 1 and not per_field):
            raise ConfigError(
                f"{given.size} concentrations delta are given; give one, or with per_field one "
                f"for each of the {self.index.n_fields} fields."
            )
        for value in given:
            check_strength("delta", value)
            check_start("delta", value, hyperprior)
        self._set_delta(np.broadcast_to(given, self.index.n_fields))

    def _set_delta(self, values):
        few = np.arange(FEW + 1)
        self._delta = np.array(values, dtype=float)
        mass = self._delta[self.index._field_array] * self.index._gamma_array
        with np.errstate(divide="ignore"):  # a level that never occurs may have no mass
            self.log_mass = np.log(mass[:, None] + few)
        self.log_total = np.log(self._delta[:, None] + few)
        self.delta_of, self.mass = self._delta, mass

    @property
    def delta(self):
        """Concentration of each field, shape (n_fields,): a copy."""
        return self._delta.copy()

    @property
    def hyperparameters(self):
        if self.per_field:
            return {f"delta_{field}": float(value) for field, value in enumerate(self._delta)}
        return {"delta": float(self._delta[0])}

    def restore(self, hyperparameters):
        """Set the concentrations to saved values."""
        values = list(hyperparameters.values())
        self._set_delta(np.broadcast_to(values, self.index.n_fields))

    cdef double predictive(self, Py_ssize_t item, bint inside, Py_ssize_t slot) noexcept nogil:
        cdef Py_ssize_t n_fields = self.index.n_fields, field
        cdef int* row = self.index.codes + item * n_fields
        cdef int* match = self.match
        cdef int* known = match + n_fields
        cdef double numerator = 1.0, denominator = 1.0, total = 0.0
        self.count_matches(item, inside, slot)
        if self.sizes[slot] - inside <= FEW:
            for field in range(n_fields):
                if row[field] >= 0:
                    total += (
                        self.log_mass[row[field], match[field]]
                        - self.log_total[field, known[field]]
                    )
            return total
        for field in range(n_fields):
            if row[field] >= 0:
                numerator *= self.mass[row[field]] + match[field]
                denominator *= self.delta_of[field] + known[field]
            # One logarithm for several fields; a product of more could overflow or underflow.
            if field % FACTORS == FACTORS - 1 or field == n_fields - 1:
                total += log(numerator / denominator)
                numerator = denominator = 1.0
        return total

    def log_parts(self, records):
        """Return the log marginal of records as one block, by field: `SimilarRecords.log_parts`."""
        cdef const Py_ssize_t[::1] items = np.unique(
            as_whole(records, "The records", 0, self.n_items - 1)
        )
        cdef Py_ssize_t n_fields = self.index.n_fields, field, k, before, n, matches
        cdef int code
        cdef double[::1] found = np.zeros(n_fields)
        for field in range(n_fields):
            n = 0
            for k in range(items.shape[0]):
                code, matches = self.index.codes[items[k] * n_fields + field], 0
                if code >= 0:
                    for before in range(k):
                        matches += self.index.codes[items[before] * n_fields + field] == code
                    found[field] += log((self.mass[code] + matches) / (self.delta_of[field] + n))
                    n += 1
        return np.asarray(found)

    def tally(self):
        """Return the `Tally` that gives the marginal likelihood for any concentration."""
        if self.changed:
            self._tally = Tally(self.index, self.members, int(self._size_array.max()))
            self.changed = False
        return self._tally

    def log_marginal(self):
        """Return the log marginal likelihood of the records given the partition.

        References
        ----------
        Zanella et al. (2016), section 3.4, with theta integrated out.
        """
        return self.tally().log_marginal(self._delta)

    def update(self, partition, rng):
        """Slice sample the shared concentration, or that of each field, on the log scale."""
        if self.hyperprior is None:
            return
        tally = self.tally()
        values = self._delta.copy()
        if self.per_field:
            for field, delta in enumerate(self._delta):
                density = partial(tally.log_marginal_of, field)
                values[field] = self.hyperprior.resample(delta, density, rng)
        else:
            values[:] = self.hyperprior.resample(values[0], tally.log_marginal, rng)
        self._set_delta(values)


cdef class Tally:
    """Counts of the distinct ``(delta gamma_v + m) / (delta + n)`` that records contribute."""

    cdef RecordIndex index
    # of each field, the part that does not depend on delta, and the power of delta
    cdef double[::1] log_gamma, opened
    # gamma, matches and the number of times of each distinct pair (level, matches), by field
    cdef double[:, ::1] met
    cdef double[:, ::1] joined          # others and times of each distinct pair (field, others)
    cdef Py_ssize_t[::1] first_met, first_joined    # the first pair of each field

    def __init__(self, RecordIndex index not None, Members members not None, Py_ssize_t largest):
        cdef Py_ssize_t n_fields = index.n_fields, slot, field, item, v
        cdef int* row
        cdef int[::1] seen = np.zeros(index.n_levels, dtype=np.intc)
        cdef int[::1] known = np.zeros(n_fields, dtype=np.intc)
        cdef int[::1] joins = np.zeros(index.n_values, dtype=np.intc)
        cdef int[:, ::1] sizes = np.zeros((n_fields, largest), dtype=np.intc)
        with nogil:
            for slot in range(members.capacity):
                item = members.head[slot]
                if item < 0:
                    continue
                if members.next[item] < 0:  # alone, as most are: there are no matches to count
                    row = index.codes + item * n_fields
                    for field in range(n_fields):
                        if row[field] >= 0:
                            joins[index.level_starts[row[field]]] += 1
                            sizes[field, 0] += 1
                    continue
                memset(&known[0], 0, n_fields * sizeof(int))
                while item >= 0:
                    row = index.codes + item * n_fields
                    for field in range(n_fields):
                        v = row[field]
                        if v >= 0:
                            joins[index.level_starts[v] + seen[v]] += 1
                            sizes[field, known[field]] += 1
                            seen[v] += 1
                            known[field] += 1
                    item = members.next[item]
                item = members.head[slot]
                while item >= 0:
                    row = index.codes + item * n_fields
                    for field in range(n_fields):
                        if row[field] >= 0:
                            seen[row[field]] = 0
                    item = members.next[item]
        self.index = index
        self._compress(joins.base, sizes.base)

    def _compress(self, joins, sizes):
        n_levels, n_fields = self.index.n_levels, self.index.n_fields
        starts, fields = self.index._level_starts_array, self.index.field_starts
        gamma = self.index._gamma_array
        # The first record of a level gives delta gamma, whose logarithm splits into two sums.
        seen = np.flatnonzero(np.diff(starts))
        first = np.zeros(n_levels, dtype=np.int64)
        first[seen] = joins[starts[seen]]
        joins[starts[seen]] = 0
        log_gamma = np.zeros(n_levels)
        log_gamma[seen] = first[seen] * np.log(gamma[seen])
        self.log_gamma = np.add.reduceat(log_gamma, fields[:n_fields])
        self.opened = (np.add.reduceat(first, fields[:n_fields]) - sizes[:, 0]).astype(float)
        found = np.flatnonzero(joins)
        level = np.searchsorted(starts, found, side="right") - 1
        field, others = np.nonzero(sizes[:, 1:])
        self.met = np.stack([gamma[level], found - starts[level], joins[found]])
        self.joined = np.stack([others + 1.0, sizes[field, others + 1]])
        self.first_met = np.searchsorted(level, fields)
        self.first_joined = np.searchsorted(field, range(n_fields + 1))

    cdef double _log_marginal(self, Py_ssize_t field, double delta) noexcept nogil:
        cdef double total = self.log_gamma[field] + self.opened[field] * log(delta)
        cdef Py_ssize_t j
        for j in range(self.first_met[field], self.first_met[field + 1]):
            total += self.met[2, j] * log(delta * self.met[0, j] + self.met[1, j])
        for j in range(self.first_joined[field], self.first_joined[field + 1]):
            total -= self.joined[1, j] * log(delta + self.joined[0, j])
        return total

    def log_marginal_of(self, Py_ssize_t field, double delta):
        """Return the log marginal likelihood of one field at the concentration `delta`."""
        if not 0 <= field < self.index.n_fields:
            raise DataError(
                f"There is no field {field}; they run from 0 to {self.index.n_fields - 1}."
            )
        return self._log_marginal(field, delta)

    def log_marginal(self, delta):
        """Return the log marginal likelihood of the records, for one `delta` or one per field."""
        cdef double[::1] each = np.full(self.index.n_fields, delta, dtype=float)
        cdef double total = 0.0
        cdef Py_ssize_t field
        for field in range(self.index.n_fields):
            total += self._log_marginal(field, each[field])
        return total
