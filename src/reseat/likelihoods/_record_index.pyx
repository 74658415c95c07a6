"""Categorical records, laid out for likelihoods that compare them one by one."""

import numpy as np

from reseat.checks import MAX_COUNT, check_unmasked
from reseat.errors import DataError
from reseat.likelihoods._pointers cimport doubles, ints, longs


cdef class RecordIndex:
    """Records of categorical fields and the marginal distribution of each field.

    Built once and shared, read-only, by all chains of a process.

    Parameters
    ----------
    codes : array_like of int, shape (n_items, n_fields)
        Level of each record in each field, from 0; -1 where it is missing.
    marginals : sequence of array_like, one of shape (n_levels,) a field, optional
        Probabilities of the levels; by default, their shares of the values that are not missing.

    Raises
    ------
    DataError
        If there are fewer than two records or no field, a code is masked, not whole, below -1 or
        too large, a record or a field has no value, or the marginals are not distributions in
        which all levels that occur have a positive probability.

    References
    ----------
    Zanella et al. (2016), section 3.4.

    Examples
    --------
    >>> from reseat.likelihoods import CategoricalRecords, RecordIndex
    >>> index = RecordIndex([[0, 1], [0, 0], [1, -1]])
    >>> CategoricalRecords(index).n_items
    3
    """

    def __init__(self, codes, marginals=None):
        check_unmasked("The codes of records", codes, "give -1 where a value is missing")
        codes = np.asarray(codes)
        if codes.ndim != 2 or codes.shape[1] == 0:
            raise DataError(
                f"The codes of records have the shape {codes.shape}; give a table with one record "
                "a row and at least one field."
            )
        if codes.shape[0] < 2:
            raise DataError(
                f"There is only {codes.shape[0]} record; at least two are needed to link any."
            )
        if codes.dtype.kind not in "iu":
            raise DataError(f"The codes of records are {codes.dtype}; they must be whole numbers.")
        wrong = np.argwhere(codes < -1)
        if wrong.size:
            row, column = wrong[0]
            raise DataError(
                f"Record {row} has the code {codes[row, column]} in field {column}; give levels "
                "from 0 up, and -1 where the value is missing."
            )
        unknown = codes < 0
        for axis, what, other in ((1, "Record", "field"), (0, "Field", "record")):
            empty = np.flatnonzero(unknown.all(axis=axis))
            if empty.size:
                raise DataError(f"{what} {empty[0]} has no value in any {other}; leave it out.")
        self.n_items, self.n_fields = codes.shape
        self.has_missing = bool(unknown.any())
        # Levels are numbered consecutively across the fields, in C integers.
        if sum(int(highest) + 1 for highest in codes.max(axis=0)) > MAX_COUNT:
            column = int(codes.max(axis=0).argmax())
            raise DataError(
                f"Field {column} has the code {codes[:, column].max()}; number the levels of each "
                "field from 0 without gaps."
            )
        try:
            gamma = self._marginals(codes, marginals)
        except MemoryError:
            raise DataError(
                f"There is no memory for a table of levels up to {codes.max()}; number the levels "
                "of each field from 0 without gaps."
            ) from None
        n_levels = np.array([part.size for part in gamma])
        self.n_levels = int(n_levels.sum())
        self.field_starts = np.concatenate([[0], np.cumsum(n_levels)]).astype(np.intp)
        self._gamma_array = np.concatenate(gamma)
        self._field_array = np.repeat(np.arange(self.n_fields), n_levels).astype(np.intc)
        self._code_array = np.where(
            unknown, -1, codes + self.field_starts[: self.n_fields]
        ).astype(np.intc, order="C")
        with np.errstate(divide="ignore"):
            log_gamma = np.append(np.log(self._gamma_array), 0.0)  # the last is for missing values
        self._empty_array = np.zeros(self.n_items)
        for column in range(self.n_fields):  # by field, to avoid a second table of that size
            self._empty_array += log_gamma[self._code_array[:, column]]
        counts = np.bincount(self._code_array[~unknown], minlength=self.n_levels)
        self.n_values = int(counts.sum())
        self._level_starts_array = np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)
        self.first_level = longs(self.field_starts)
        self.level_starts = longs(self._level_starts_array)
        self.codes = ints(self._code_array)
        self.gamma, self.empty = doubles(self._gamma_array), doubles(self._empty_array)

    def _marginals(self, codes, marginals):
        if marginals is None:
            counts = [np.bincount(column[column >= 0]) for column in codes.T]
            return [count / count.sum() for count in counts]
        if len(marginals) != self.n_fields:
            raise DataError(
                f"Marginals are given for {len(marginals)} fields, the records have "
                f"{self.n_fields}."
            )
        gamma = [np.array(part, dtype=float).ravel() for part in marginals]
        for column, part in enumerate(gamma):
            if not np.all(part >= 0) or abs(part.sum() - 1) > 1e-6:
                raise DataError(
                    f"The marginal probabilities of field {column} are not a distribution: they "
                    f"must be at least 0 and add up to 1, not to {part.sum():.6g}."
                )
            seen = np.bincount(codes[codes[:, column] >= 0, column], minlength=part.size)
            lacking = np.flatnonzero(seen[: part.size] * (part <= 0))
            if seen.size > part.size or lacking.size:
                level = lacking[0] if lacking.size else part.size
                raise DataError(
                    f"Level {level} of field {column} occurs in the records but has no marginal "
                    "probability; give it one, or use the frequencies of the records."
                )
        return gamma

    @property
    def marginals(self):
        """Probabilities of the levels, one array per field: copies."""
        parts = np.split(self._gamma_array, self.field_starts[1 : self.n_fields])
        return [part.copy() for part in parts]
