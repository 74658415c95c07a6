"""Records with categorical fields, some of which describe the same entity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reseat.datasets.identity import UNNAMED, DatasetIdentity
from reseat.datasets.marginals import check_marginals, check_names, first_twice
from reseat.datasets.stored import Stored
from reseat.errors import DataError

__all__ = ["MISSING", "Records"]

MISSING = -1


@dataclass(frozen=True, eq=False)
class Records(Stored):
    """Records with categorical fields.

    Attributes
    ----------
    codes : ndarray of int32, shape (n_records, n_fields)
        Level of each record in each field, an index into the field's `levels`; -1 where it is
        missing.
    fields : tuple of str
    levels : tuple of tuple of str
        Categories of each field, including those that no record has.
    entities : ndarray of int32, shape (n_records,), or None
        True entity of each record, numbered from 0 in order of first
        appearance.  Any nonnegative integers are accepted and renumbered in this way.
    record_ids : ndarray of str, shape (n_records,)
    identity : DatasetIdentity
    marginals : tuple of ndarray of float64, each of shape (n_levels of the field,), or None
        For each field, the distribution over its levels from which the records were
        drawn; None where it is unknown.

    Raises
    ------
    DataError
        If there are fewer than two records or all of them are identical, if a field
        carries no information, if a code or an entity is out of range, if a record has
        a level that its marginal excludes, if a name is used twice, or if lengths disagree.

    Examples
    --------
    >>> from reseat.datasets import Records
    >>> records = Records(
    ...     codes=[[0, 1], [0, 1], [1, 0]],
    ...     fields=("town", "sex"),
    ...     levels=(("Ayr", "York"), ("f", "m")),
    ...     entities=[0, 0, 1],
    ...     record_ids=["a", "b", "c"],
    ... )
    >>> records.n_records, records.n_entities
    (3, 2)
    """

    KIND = "records"

    codes: np.ndarray
    fields: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    entities: np.ndarray | None
    record_ids: np.ndarray
    identity: DatasetIdentity = UNNAMED
    marginals: tuple[np.ndarray, ...] | None = None

    def __post_init__(self):
        super().__post_init__()
        fields = tuple(str(field) for field in self.fields)
        levels = tuple(tuple(str(level) for level in names) for names in self.levels)
        check_names(self._where, fields, levels)
        self._set(fields=fields, levels=levels, record_ids=self._checked_ids())
        self._set(codes=self._checked_codes())
        if self.entities is not None:
            self._set(entities=self._checked_entities())
        if self.marginals is not None:
            marginals = check_marginals(self._where, fields, levels, self.marginals)
            self._set(marginals=marginals)
        self._check_information()

    def _name(self, row: int) -> str:
        return f"record {row} ({self.record_ids[row]})"

    def _checked_ids(self) -> np.ndarray:
        ids = np.asarray(self.record_ids, dtype=np.str_).reshape(-1)
        if len(ids) < 2:
            n_records = "1 record" if len(ids) else "no record"
            raise DataError(
                f"{self._where}: there is {n_records}; at least two are needed to find which "
                "belong together"
            )
        if (ids == "").sum() > 1:
            raise DataError(
                f"{self._where}: {(ids == '').sum():,} records have no id; fill in these cells, or "
                "name another column"
            )
        if len(np.unique(ids)) < len(ids):
            raise DataError(
                f"{self._where}: two records have the id {first_twice(ids.tolist())!r}; ids must "
                "differ"
            )
        return ids

    def _checked_codes(self) -> np.ndarray:
        given = np.asarray(self.codes)
        if given.ndim != 2 or given.dtype.kind not in "iu":
            raise DataError(f"{self._where}: codes must be a matrix of whole numbers")
        wanted = (len(self.record_ids), len(self.fields))
        if given.shape != wanted:
            raise DataError(
                f"{self._where}: codes has the shape {given.shape}, but there are {wanted[0]} "
                f"record ids and {wanted[1]} fields"
            )
        n_levels = np.array(self.n_levels)
        rows, columns = np.nonzero((given < MISSING) | (given >= n_levels))
        if rows.size:
            row, column = rows[0], columns[0]
            raise DataError(
                f"{self._where}: {self._name(row)} has the code {given[row, column]} in field "
                f"{self.fields[column]!r}, which has the levels 0 to {n_levels[column] - 1} (and "
                f"{MISSING} where it is missing)"
            )
        return np.ascontiguousarray(given, dtype=np.int32)

    def _checked_entities(self) -> np.ndarray:
        given = np.asarray(self.entities)
        if given.shape != (self.n_records,) or given.dtype.kind not in "iu":
            raise DataError(
                f"{self._where}: entities must be {self.n_records} whole numbers, one for each "
                f"record, but has the shape {given.shape} and the type {given.dtype}"
            )
        wrong = np.flatnonzero(given < 0)
        if wrong.size:
            raise DataError(
                f"{self._where}: {self._name(wrong[0])} has the entity {given[wrong[0]]}; "
                "entities must be numbered from 0"
            )
        _, first, number = np.unique(given, return_index=True, return_inverse=True)
        place = np.empty(len(first), dtype=np.int32)
        place[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
        return place[number]

    def _check_information(self) -> None:
        for column, (field, names) in enumerate(zip(self.fields, self.levels, strict=True)):
            counts = np.bincount(self.codes[:, column] + 1, minlength=len(names) + 1)[1:]
            seen = np.flatnonzero(counts)
            if self.marginals is not None:
                wrong = seen[self.marginals[column][seen] == 0]
                if wrong.size:
                    raise DataError(
                        f"{self._where}: level {names[wrong[0]]!r} of field {field!r} occurs in "
                        f"{counts[wrong[0]]} records but has probability 0 in the given marginal; "
                        "assign it a positive probability, or omit the marginals"
                    )
                # Drawn records may all agree by chance although the field has several levels.
                seen = np.flatnonzero(self.marginals[column])
            if seen.size < 2:
                what = f"is {names[seen[0]]!r} in" if seen.size else "is missing in"
                raise DataError(
                    f"{self._where}: field {field!r} {what} all records, so it carries no "
                    "information; remove the field"
                )
        if (self.codes == self.codes[0]).all():
            raise DataError(
                f"{self._where}: all {self.n_records} records are identical, so entities cannot "
                "be distinguished; use other fields"
            )

    @property
    def n_records(self) -> int:
        """Number of records."""
        return len(self.record_ids)

    @property
    def n_fields(self) -> int:
        """Number of fields."""
        return len(self.fields)

    @property
    def n_entities(self) -> int:
        """Number of true entities; 0 if they are unknown."""
        return 0 if self.entities is None else int(self.entities.max()) + 1

    @property
    def n_levels(self) -> tuple[int, ...]:
        """Number of levels of each field."""
        return tuple(len(names) for names in self.levels)

    def entity_sizes(self) -> np.ndarray:
        """Return the number of records of each entity, shape (n_entities,).

        Raises
        ------
        DataError
            If the entities are unknown.
        """
        if self.entities is None:
            raise DataError(f"{self._where}: the entities are not known, so they have no sizes")
        return np.bincount(self.entities)

    def summary(self) -> dict[str, int]:
        """Return the sizes that a table of data sets shows."""
        sizes = np.zeros(1, dtype=int) if self.entities is None else self.entity_sizes()
        return {
            "records": self.n_records,
            "fields": self.n_fields,
            "levels": sum(self.n_levels),
            "missing_values": int(np.count_nonzero(self.codes == MISSING)),
            "entities": self.n_entities,
            "singletons": int(np.count_nonzero(sizes == 1)),
            "largest_entity": int(sizes.max()),
        }
