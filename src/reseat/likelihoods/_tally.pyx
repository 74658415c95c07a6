"""The likelihood of categorical records as a function of its concentrations."""

import numpy as np

from reseat.errors import DataError

from libc.math cimport log
from libc.string cimport memset

from reseat.likelihoods._record_index cimport RecordIndex
from reseat.members cimport Members


cdef class Tally:
    """Statistics that give the marginal likelihood for any concentration.

    A record that enters a block of ``n`` others, ``m`` of which have its level
    ``v``, contributes ``(delta gamma_v + m) / (delta + n)``.  There are few
    distinct triples, so one pass over the records gives a function of
    ``delta`` that is cheap to evaluate.
    """

    def __init__(
        self, RecordIndex index not None, Members members not None, Py_ssize_t largest
    ):
        cdef Py_ssize_t n_fields = index.n_fields
        cdef Py_ssize_t slot, field, item, v
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
        log_gammas = np.add.reduceat(log_gamma, fields[:n_fields])
        opened = np.add.reduceat(first, fields[:n_fields]) - sizes[:, 0]
        found = np.flatnonzero(joins)
        level = np.searchsorted(starts, found, side="right") - 1
        field, others = np.nonzero(sizes[:, 1:])
        self._hold(
            np.stack([log_gammas, opened]),
            np.stack([gamma[level], found - starts[level], joins[found]]),
            np.stack([others + 1.0, sizes[field, others + 1]]),
            np.stack([np.searchsorted(level, fields), np.searchsorted(field, range(n_fields + 1))]),
        )

    def _hold(self, fields, joins, others, starts):
        cdef double[:, ::1] field = fields, join = joins, other = others
        cdef Py_ssize_t[:, ::1] start = starts
        self._arrays = [fields, joins, others, starts]  # keeps the memory alive
        self.log_gamma, self.opened = &field[0, 0], &field[1, 0]
        self.gamma, self.matches, self.times = &join[0, 0], &join[1, 0], &join[2, 0]
        self.others, self.others_times = &other[0, 0], &other[1, 0]
        self.join_starts, self.others_starts = &start[0, 0], &start[1, 0]

    cdef double _log_marginal(self, Py_ssize_t field, double delta) noexcept nogil:
        cdef double total = self.log_gamma[field] + self.opened[field] * log(delta)
        cdef Py_ssize_t j
        for j in range(self.join_starts[field], self.join_starts[field + 1]):
            total += self.times[j] * log(delta * self.gamma[j] + self.matches[j])
        for j in range(self.others_starts[field], self.others_starts[field + 1]):
            total -= self.others_times[j] * log(delta + self.others[j])
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
