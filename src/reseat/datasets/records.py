"""Records with categorical fields, some of which describe the same entity."""

from dataclasses import dataclass

import numpy as np

from reseat.checks import as_whole
from reseat.datasets.identity import UNNAMED, DatasetIdentity
from reseat.datasets.stored import Stored, counted
from reseat.files.texts import first_twice

MISSING = -1


@dataclass(frozen=True, eq=False)
class Records(Stored):
    """Records with categorical fields.

    Attributes
    ----------
    codes : ndarray of int32, shape (n_records, n_fields)
        Level of each record in each field, an index into the field's `levels`; -1 if missing.
    fields : tuple of str
    levels : tuple of tuple of str
        Categories of each field, including those that no record has.
    entities : ndarray of int32, shape (n_records,), or None
        True entity of each record, renumbered from 0 in order of first appearance.
    record_ids : ndarray of str, shape (n_records,)
    identity : DatasetIdentity
    marginals : tuple of ndarray of float64, each of shape (n_levels of the field,), or None
        Distributions over the levels of each field from which the records were drawn, if known.

    Raises
    ------
    DataError
        If there are fewer than two records or all are identical, a field carries no information, a
        code or entity is out of range, a marginal excludes a level that a record has, a name is
        used twice, or lengths disagree.

    Examples
    --------
    >>> from reseat.datasets import Records
    >>> codes, levels = [[0, 1], [0, 1], [1, 0]], (("Ayr", "York"), ("f", "m"))
    >>> records = Records(codes, ("town", "sex"), levels, [0, 0, 1], record_ids=["a", "b", "c"])
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

    n_records = counted("record_ids", "records")
    n_fields = counted("fields", "fields")

    def __post_init__(self):
        super().__post_init__()
        set_names(self)
        self._set(record_ids=self._checked_ids())
        self._set(codes=self._checked_codes())
        if self.entities is not None:
            self._check_lengths(self.n_records, "records", "entities")
            numbered = np.unique(self._whole("entities"), return_index=True, return_inverse=True)
            place = np.argsort(np.argsort(numbered[1])).astype(np.int32)
            self._set(entities=place[numbered[2]])
        if self.marginals is not None:
            set_marginals(self)
        self._check_information()

    def _checked_ids(self) -> np.ndarray:
        ids = np.asarray(self.record_ids, dtype=np.str_).reshape(-1)
        if len(ids) < 2:
            n_records = "1 record" if len(ids) else "no record"
            raise self._fault(
                f"there is {n_records}; at least two are needed to find which belong together"
            )
        if (ids == "").sum() > 1:
            raise self._fault(
                f"{(ids == '').sum():,} records have no id; fill in these cells, or "
                "name another column"
            )
        if len(np.unique(ids)) < len(ids):
            raise self._fault(
                f"two records have the id {first_twice(ids.tolist())!r}; ids must differ"
            )
        return ids

    def _checked_codes(self) -> np.ndarray:
        given, wanted = np.asarray(self.codes), (len(self.record_ids), len(self.fields))
        if given.shape != wanted:
            raise self._fault(
                f"codes has the shape {given.shape}, but there are {wanted[0]} "
                f"record ids and {wanted[1]} fields"
            )
        columns = [
            as_whole(codes, f"{self._where}: codes of {field!r}", MISSING, n_levels - 1, np.int32)
            for codes, field, n_levels in zip(given.T, self.fields, self.n_levels, strict=True)
        ]
        return np.column_stack(columns)

    def _check_information(self) -> None:
        for column, (field, names) in enumerate(zip(self.fields, self.levels, strict=True)):
            counts = np.bincount(self.codes[:, column] + 1, minlength=len(names) + 1)[1:]
            seen = np.flatnonzero(counts)
            if self.marginals is not None:
                wrong = seen[self.marginals[column][seen] == 0]
                if wrong.size:
                    raise self._fault(
                        f"level {names[wrong[0]]!r} of field {field!r} occurs in "
                        f"{counts[wrong[0]]} records but has probability 0 in the given marginal; "
                        "assign it a positive probability, or omit the marginals"
                    )
                # Drawn records may all agree by chance although the field has several levels.
                seen = np.flatnonzero(self.marginals[column])
            if seen.size < 2:
                what = f"is {names[seen[0]]!r} in" if seen.size else "is missing in"
                raise self._fault(
                    f"field {field!r} {what} all records, so it carries no "
                    "information; remove the field"
                )
        if (self.codes == self.codes[0]).all():
            raise self._fault(
                f"all {self.n_records} records are identical, so entities cannot "
                "be distinguished; use other fields"
            )

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
            raise self._fault("the entities are not known, so they have no sizes")
        return np.bincount(self.entities)

    def summary(self) -> dict[str, int]:
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


TOLERANCE = 1e-8  # by which the sum of ten thousand rounded probabilities may be off


def set_names(stored: Stored) -> None:
    """Set fields and levels to texts; there must be some, and their names must differ."""
    stored._set_texts("fields")
    stored._set(levels=tuple(tuple(str(level) for level in names) for names in stored.levels))
    fields, levels = stored.fields, stored.levels
    if len(fields) == 0:
        raise stored._fault("there are no fields; at least one is needed")
    if len(levels) != len(fields):
        raise stored._fault(f"there are {len(levels)} lists of levels for {len(fields)} fields")
    twice = first_twice(fields)
    if twice is not None:
        raise stored._fault(f"two fields are called {twice!r}; rename one of them")
    for field, names in zip(fields, levels, strict=True):
        twice = first_twice(names)
        if twice is not None:
            raise stored._fault(f"field {field!r} has the level {twice!r} twice")


def set_marginals(stored: Stored) -> None:
    """Set the marginals to arrays, which must be distributions over the levels of each field."""
    fields, marginals = stored.fields, stored.marginals
    if len(marginals) != len(fields):
        raise stored._fault(f"there are {len(marginals)} marginals for {len(fields)} fields")
    checked = []
    for field, names, given in zip(fields, stored.levels, marginals, strict=True):
        said = f"the marginal of field {field!r}"
        try:
            values = np.array(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise stored._fault(f"{said} must consist of numbers") from None
        if values.shape != (len(names),):
            raise stored._fault(
                f"{said} has the shape {values.shape} for {len(names)} levels; there must be one "
                "probability per level"
            )
        wrong = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
        if wrong.size:
            raise stored._fault(
                f"level {names[wrong[0]]!r} of field {field!r} has the probability "
                f"{values[wrong[0]]}; it must be a number of at least 0"
            )
        total = values.sum()
        if abs(total - 1) > TOLERANCE:
            raise stored._fault(f"{said} adds up to {total:.6g}, not to 1; divide it by its sum")
        checked.append(values)
    stored._set(marginals=tuple(checked))
