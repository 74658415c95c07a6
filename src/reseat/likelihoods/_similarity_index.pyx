"""Records whose values may be mistaken for similar ones, laid out for their likelihood."""

import numpy as np

from reseat.errors import DataError

from reseat.likelihoods._record_index cimport RecordIndex

# Values of a field that count as frequent: sums take them one by one.
cdef object FREQUENT = 16


cdef class SimilarityIndex:
    """Records, the law of each field, and how alike its values are.

    If the true value of a field is ``y``, a mistake for it is another value ``x`` with
    probability ::

        psi(x | y) = gamma_x exp(-c min(d(x, y), D)) / (sum of the same over all x but y)
                   = gamma_x G(x, y) / Z_y,      G = exp(c (D - d)) where d < D, otherwise 1,
        Z_y        = 1 - gamma_y + sum_{x near y} gamma_x (G(x, y) - 1)

    so that all but the near values share one factor, and ``Z_y`` is a sum over those that are
    near.  The index stores the pairs with ``G > 1``, which must be alike in both directions, and
    ``Z``.  A field of one value has no mistakes.

    Built once and shared, read-only, by all chains of a process.

    Parameters
    ----------
    records : RecordIndex or array_like of int, shape (n_items, n_fields)
    near : sequence of (array_like, array_like, array_like), one a field
        Levels ``x < y`` of the field that are near, and the log factor ``log G > 0`` of each
        pair, three arrays of shape (n_pairs,).  None for a field all of whose values are
        equally far from each other.

    Raises
    ------
    DataError
        If there is not one entry a field, or its pairs are not different levels of the field,
        each once, with positive and finite factors.

    References
    ----------
    Steorts (2015), section 2; Marchant et al. (2021), section 4.1, for the truncation;
    Marchant, Rubinstein and Steorts (2023), section 3.3, for leaving the true value out.
    """

    def __init__(self, records, near):
        self.records = records if isinstance(records, RecordIndex) else RecordIndex(records)
        if len(near) != self.records.n_fields:
            raise DataError(
                f"Near values are given for {len(near)} fields, the records have "
                f"{self.records.n_fields}."
            )
        starts = self.records.field_starts
        first, second, log_gain = [], [], []
        for field, pairs in enumerate(near):
            if pairs is None:
                continue
            x, y, gain = _checked(field, int(starts[field + 1] - starts[field]), *pairs)
            first += [x + starts[field], y + starts[field]]
            second += [y + starts[field], x + starts[field]]
            log_gain += [gain, gain]
        self._hold(
            np.concatenate([*first, np.empty(0, dtype=np.intp)]),
            np.concatenate([*second, np.empty(0, dtype=np.intp)]),
            np.concatenate([*log_gain, np.empty(0)]),
        )

    def _hold(self, level, other, log_gain):
        n_levels, n_fields = self.records.n_levels, self.records.n_fields
        field_starts = self.records.field_starts
        order = np.lexsort((other, level))
        level, other, log_gain = level[order], other[order], log_gain[order]
        gamma = np.asarray(self.records._gamma_array)
        with np.errstate(over="ignore"):
            excess = np.expm1(log_gain)
        # Bins are summed in the order of the pairs, which is fixed.
        near_mass = np.bincount(level, weights=gamma[other] * excess, minlength=n_levels)
        total = (1.0 - gamma) + near_mass
        rigid = np.array(
            [
                np.count_nonzero(gamma[field_starts[field]:field_starts[field + 1]]) == 1
                for field in range(n_fields)
            ]
        )
        held = rigid[np.asarray(self.records._field_array)]
        total[held] = 1.0
        if not np.all(np.isfinite(total)):
            raise DataError("The factors of near values are too large; lower their scale.")
        share = gamma / total
        by_field = np.add.reduceat(share, field_starts[:n_fields])
        mistaken = gamma * (
            by_field[np.asarray(self.records._field_array)]
            - share
            + np.bincount(level, weights=share[other] * excess, minlength=n_levels)
        )
        mistaken[held] = 0.0
        self.n_neighbours = level.size
        with np.errstate(divide="ignore"):
            log_gamma = np.log(gamma)
        cdef Py_ssize_t[::1] starts = np.append(
            0, np.cumsum(np.bincount(level, minlength=n_levels))
        ).astype(np.intp)
        # One more than there are, so that there is a first one to point at.
        cdef int[::1] neighbours = np.append(other, 0).astype(np.intc)
        cdef double[:, ::1] gains = np.stack(
            [np.append(np.exp(log_gain), 0.0), np.append(log_gain, 0.0)]
        )
        cdef double[:, ::1] rows = np.stack(
            [gamma, log_gamma, 1.0 / total, np.log(total), np.maximum(mistaken, 0.0)]
        )
        ranked = [
            start + np.sort(np.argsort(-gamma[start:end], kind="stable")[:FREQUENT])
            for start, end in zip(field_starts[:n_fields], field_starts[1:], strict=True)
        ]
        cdef int[::1] ranked_view = np.concatenate(ranked).astype(np.intc)
        cdef Py_ssize_t[::1] first_ranked = np.append(
            0, np.cumsum([part.size for part in ranked])
        ).astype(np.intp)
        cdef int[::1] rigid_view = rigid.astype(np.intc)
        cdef int[::1] frequent = np.zeros(n_levels, dtype=np.intc)
        np.asarray(frequent)[np.asarray(ranked_view)] = 1
        self._arrays = [    # keeps the memory alive
            starts, neighbours, gains, rows, rigid_view, ranked_view, first_ranked, frequent
        ]
        self.ranked, self.first_ranked = &ranked_view[0], &first_ranked[0]
        self.frequent = <bint*> &frequent[0]
        self.starts, self.neighbours = &starts[0], &neighbours[0]
        self.gain, self.log_gain = &gains[0, 0], &gains[1, 0]
        self.gamma, self.log_gamma = &rows[0, 0], &rows[1, 0]
        self.inverse_total, self.log_total = &rows[2, 0], &rows[3, 0]
        self.mistaken = &rows[4, 0]
        self.rigid = <bint*> &rigid_view[0]

    @property
    def log_totals(self):
        """``log Z`` of the levels, one array a field: copies."""
        parts = np.split(
            np.asarray(self._arrays[3])[3], self.records.field_starts[1:self.records.n_fields]
        )
        return [part.copy() for part in parts]


def _checked(field, n_levels, first, second, log_gain):
    """Pairs of one field as arrays, the lower level first."""
    first, second = np.asarray(first, dtype=np.intp), np.asarray(second, dtype=np.intp)
    log_gain = np.asarray(log_gain, dtype=float)
    if not first.shape == second.shape == log_gain.shape or first.ndim != 1:
        raise DataError(f"The near values of field {field} must be three arrays of one length.")
    if first.size == 0:
        return first, second, log_gain
    if np.any(first < 0) or np.any(second >= n_levels) or np.any(first >= second):
        raise DataError(
            f"The near values of field {field} must be pairs of its {n_levels} levels, the lower "
            "one first."
        )
    if np.unique(first * n_levels + second).size != first.size:
        raise DataError(f"A pair of near values of field {field} is given twice.")
    if not np.all(np.isfinite(log_gain)) or np.any(log_gain <= 0):
        raise DataError(
            f"The log factors of the near values of field {field} must be positive and finite."
        )
    return first, second, log_gain
