"""Records whose values may be mistaken for similar ones, laid out for their likelihood."""

import numpy as np

from reseat.checks import as_whole
from reseat.errors import DataError

from reseat.likelihoods._pointers cimport doubles, ints, longs
from reseat.likelihoods._record_index cimport RecordIndex

# Number of values of a field that count as frequent, which sums take one by one.
cdef object FREQUENT = 16

# Largest logarithm that a factor may have.
cdef object MAX_LOG = 300.0


cdef class SimilarityIndex:
    """Records, the distribution of each field, and the similarity of its values.

    If the true value of a field is ``y``, a mistake for it is another value ``x`` with
    probability ::

        psi(x | y) = gamma_x exp(-c min(d(x, y), D)) / (sum of the same over all x but y)
                   = gamma_x G(x, y) / Z_y,      G = exp(c (D - d)) where d < D, otherwise 1,
        Z_y        = 1 - gamma_y + sum_{x near y} (gamma_x + u_x) (G(x, y) - 1) + u_y (H - 1)

    so that all values that are not near share one factor.  The index stores the pairs with
    ``G > 1``; a likelihood may raise all ``G`` of a field to a power, the steepness, which scales
    ``c``.  A field with a single value has no mistakes.  ``u_x`` is the probability of values close
    to ``x`` that occur in no record: they have the factor ``H`` for ``x``, are as near to other
    values as ``x`` is, and only enter into ``Z``.

    Built once and shared, read-only, by all chains of a process.

    Parameters
    ----------
    records : RecordIndex or array_like of int, shape (n_items, n_fields)
    near : sequence of (array_like, array_like, array_like), one a field
        Three arrays of shape (n_pairs,): levels ``x < y`` of the field that are near each other,
        and the log factor ``log G > 0`` of each pair.  None for a field whose values are all
        equally far from each other.
    changing : sequence of sequences of int
        Groups of fields that may change together, as an address does when somebody moves.
    unseen : sequence of (array_like, float), one a field, optional
        ``u_x`` of each level, of shape (n_levels,), and ``log H``; by default 0.
    correct : array_like, shape (n_fields,), optional
        Share of the observed values without the mistakes that nobody else makes; by default 1.  A
        true value is more frequent than the distribution of the observed values says, by its
        inverse.

    Raises
    ------
    DataError
        If there is not one entry per field; if its pairs are not different levels, each given once,
        with positive and finite factors; if a group is empty or has no such field; or if the
        numbers in ``unseen`` or ``correct`` are out of range or not one for each level or field.

    References
    ----------
    Steorts (2015) for mistakes that depend on a distance; Marchant et al. (2021) for the
    truncation; Marchant, Rubinstein and Steorts (2023) for leaving the true value out.

    Examples
    --------
    >>> from reseat.likelihoods import SimilarityIndex, SimilarRecords
    >>> near = [([0], [1], [2.0])]  # the levels 0 and 1, seven times as likely for each other
    >>> index = SimilarityIndex([[0], [1], [2], [3]], near)
    >>> SimilarRecords(index).n_items
    4
    """

    def __init__(self, records, near, changing=(), unseen=None, correct=None):
        self.records = records if isinstance(records, RecordIndex) else RecordIndex(records)
        self.changing = _as_groups(changing, self.records.n_fields)
        self._unseen, self._log_beside = _as_unseen(self.records, unseen)
        self._mass = self.records._gamma_array + self._unseen
        self._surplus_array = -np.log(_as_shares(self.records.n_fields, correct))
        self.log_surplus = doubles(self._surplus_array)
        if len(near) != self.records.n_fields:
            raise DataError(
                f"Near values are given for {len(near)} fields, the records have "
                f"{self.records.n_fields}."
            )
        starts, gamma = self.records.field_starts, self.records._gamma_array
        # With an empty part, as there may be no pairs.
        level, other = [np.empty(0, dtype=np.intp)], [np.empty(0, dtype=np.intp)]
        log_gain = [np.empty(0)]
        for field, pairs in enumerate(near):
            if pairs is not None:
                n_levels = int(starts[field + 1] - starts[field])
                x, y, gain = _checked(field, n_levels, *pairs)
                level += [x + starts[field], y + starts[field]]
                other += [y + starts[field], x + starts[field]]
                log_gain += [gain, gain]
        level, other, log_gain = map(np.concatenate, (level, other, log_gain))
        order = np.lexsort((other, level))
        self._other, self._log_gain = other[order], log_gain[order]
        counts = np.bincount(level, minlength=self.records.n_levels)
        self._starts = np.append(0, np.cumsum(counts)).astype(np.intp)
        self.n_near = np.diff(self._starts[starts])
        with np.errstate(divide="ignore"):
            log_gamma = np.log(gamma)
        parts = np.split(gamma, starts[1:self.records.n_fields])
        rigid = np.array([np.count_nonzero(part) == 1 for part in parts], dtype=np.intc)
        ranked = [
            start + np.sort(np.argsort(-part, kind="stable")[:FREQUENT])
            for start, part in zip(starts, parts)
        ]
        first_ranked = np.cumsum([0, *map(len, ranked)], dtype=np.intp)
        ranked = np.concatenate(ranked).astype(np.intc)
        frequent = np.zeros(self.records.n_levels, dtype=np.intc)
        frequent[ranked] = 1
        neighbours = self._other.astype(np.intc)
        # keeps the memory alive
        self._arrays = [neighbours, log_gamma, rigid, ranked, first_ranked, frequent]
        self.starts, self.neighbours = longs(self._starts), ints(neighbours)
        self.log_gamma = doubles(log_gamma)
        self.rigid, self.frequent = <bint*> ints(rigid), <bint*> ints(frequent)
        self.ranked, self.first_ranked = ints(ranked), longs(first_ranked)

    def weigh(self, Py_ssize_t field, double steepness=1.0):
        """Return the log weights of mistakes in a field.

        Parameters
        ----------
        field : int
        steepness : float
            Power to which all factors ``G`` of the field are raised.

        Returns
        -------
        log_gain : ndarray, shape (n_near[field],)
            ``log G`` of each pair of near values, in both directions.
        log_total : ndarray, shape (n_levels,)
            ``log Z`` of each value of the field.

        Raises
        ------
        DataError
            If there is no such field, or the factors are too large for floating point.
        """
        totals = self.totals_of(field)
        first, end = self.records.first_level[field], self.records.first_level[field + 1]
        near = self._log_gain[self._starts[first]:self._starts[end]]
        return steepness * near, totals(steepness)

    def totals_of(self, Py_ssize_t field, levels=None):
        """Return a function that gives the normalisers of some values of a field for a steepness.

        Parameters
        ----------
        field : int
        levels : ndarray of int, shape (n_chosen,), optional
            Numbered within the field; by default, all of its levels.

        Returns
        -------
        callable
            Takes the steepness and returns ``log Z`` of each level; raises a DataError if the
            factors are too large for floating point.
        """
        if not 0 <= field < self.records.n_fields:
            raise DataError(
                f"There is no field {field}; they run from 0 to {self.records.n_fields - 1}."
            )
        first, end = self.records.first_level[field], self.records.first_level[field + 1]
        chosen = np.arange(first, end) if levels is None else first + np.asarray(levels)
        starts, ends = self._starts[chosen], self._starts[chosen + 1]
        counts = ends - starts
        owner = np.repeat(np.arange(chosen.size), counts)
        near = (
            slice(self._starts[first], self._starts[end]) if levels is None
            else np.arange(counts.sum()) + np.repeat(ends - np.cumsum(counts), counts)
        )
        log_gains, mass = self._log_gain[near], self._mass[self._other[near]]
        unseen, log_beside = self._unseen[chosen], self._log_beside[field]
        largest = self._log_gain[self._starts[first]:self._starts[end]].max(initial=log_beside)
        rest = 1.0 - self.records._gamma_array[chosen]
        rigid = self.rigid[field]

        def log_totals(double steepness):
            if steepness * largest > MAX_LOG:
                raise DataError(
                    f"The factors of near values of field {field} are too large; lower their scale."
                )
            if rigid:
                return np.zeros(chosen.size)
            # Bins are summed in the order of the pairs, which is fixed.
            excess = np.bincount(owner, mass * np.expm1(steepness * log_gains), chosen.size)
            return np.log(rest + excess + unseen * np.expm1(steepness * log_beside))

        return log_totals


def _as_groups(changing, n_fields):
    """Return the groups of fields that change together, each in ascending order."""
    name = "The fields that change together"
    found = [as_whole(sorted(group), name, 0, n_fields - 1) for group in changing]
    if not all(len(group) for group in found):
        raise DataError(f"{name}: a group is empty; leave it out.")
    return tuple(tuple(np.unique(group).tolist()) for group in found)


def _as_unseen(RecordIndex records, unseen):
    """Return the probabilities of unseen values, in one row for all levels, and ``log H``."""
    sizes = np.diff(records.field_starts).tolist()
    if unseen is None:
        return np.zeros(records.n_levels), np.zeros(len(sizes))
    rows = [np.asarray(row, dtype=float) for row, _ in unseen]
    if [row.shape for row in rows] != [(size,) for size in sizes]:
        raise DataError(f"There must be one unseen probability for each of {sizes} levels.")
    row, log_beside = np.concatenate(rows), np.array([float(gain) for _, gain in unseen])
    if not np.all((row >= 0) & (row <= 1)):
        raise DataError("The probabilities of unseen values must be between 0 and 1.")
    if not np.all((log_beside >= 0) & np.isfinite(log_beside)):
        raise DataError("The log factors of unseen values must be finite and not negative.")
    return row, log_beside


def _as_shares(n_fields, correct):
    """Return the share of correct values of each field."""
    shares = np.ones(n_fields) if correct is None else np.array(correct, dtype=float)
    if shares.shape != (n_fields,) or not np.all((shares > 0) & (shares <= 1)):
        raise DataError(
            f"The shares of correct values must be {n_fields} numbers above 0 and at most 1, one "
            "for each field."
        )
    return shares


def _checked(field, n_levels, first, second, log_gain):
    """Return the pairs of one field as arrays, with the lower level first."""
    first, second = np.asarray(first, dtype=np.intp), np.asarray(second, dtype=np.intp)
    log_gain = np.asarray(log_gain, dtype=float)
    if not first.shape == second.shape == log_gain.shape or first.ndim != 1:
        raise DataError(f"The near values of field {field} must be three arrays of one length.")
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
