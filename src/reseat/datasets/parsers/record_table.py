"""Records in a table, with their entities in a column or in a table of their own."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from reseat.datasets.parsers.fields import check_fields, derive_fields
from reseat.datasets.parsers.item_columns import check_headed, check_known, check_once
from reseat.datasets.parsers.options import files_of
from reseat.datasets.raw import RawRecords
from reseat.errors import ConfigError, DataError
from reseat.reading.tables import column, read_frame
from reseat.reading.values import MISSING_CELLS, missing_words

TABLE, TRUTH = "records.csv", "truth.csv"


def parse_record_table(
    paths: Mapping[str, Path],
    fields: Sequence[str] | Mapping[str, Any] | None = None,
    entity: str | None = None,
    record: str | None = None,
    missing: Sequence[str] = MISSING_CELLS,
) -> RawRecords:
    """Read a table of records.

    `paths`: ``table`` is a ``csv`` file; ``truth``, which is optional, is another one with two
        columns, record id and entity. ``user`` is the table, or a folder that contains it as
        ``records.csv`` and, if known, ``truth.csv``.
    `fields`: see `reseat.datasets.parsers.fields.derive_fields`; by default all columns except
        those of `entity` and `record`.
    `entity`: column of the true entity.
    `record`: column of the record's id; by default records are numbered from 1.
    `missing`: cells that mean a missing value; an empty one always does.
    """
    path, truth = files_of(paths, table=TABLE, truth=TRUTH)
    if truth is not None and entity is not None:
        raise ConfigError(
            "entities are given twice, by a column and by a table of true entities; keep one of "
            "them"
        )
    if truth is not None and record is None:
        raise ConfigError(
            f"the truth {truth} refers to records by id; specify which column contains the id"
        )
    table = read_frame(path)
    raw = records_of(table, path, fields, entity, record, missing)
    if truth is None:
        return raw
    return RawRecords(
        raw.cells, _true_entities(raw.record_ids, path, truth, missing), raw.record_ids
    )


def records_of(
    table: pd.DataFrame,
    path: Path,
    fields: Sequence[str] | Mapping[str, Any] | None,
    entity: str | None,
    record: str | None,
    missing: Sequence[str],
) -> RawRecords:
    """Return the records of a table read from `path`; see `parse_record_table` for the options."""
    if fields is None:
        fields = [name for name in table.columns if name not in (entity, record)]
    missing = missing_words(missing)
    cells = derive_fields(table, fields, path, missing)
    if record is None:
        ids = [str(number) for number in range(1, len(table) + 1)]
    else:
        ids = column(table, record, path).tolist()
    if entity is None:
        return RawRecords(cells, None, ids)
    entities = column(table, entity, path)
    unknown = entities.isin(missing).to_numpy().nonzero()[0]
    if unknown.size:
        raise DataError(
            f"{path}: record {ids[unknown[0]]} has no entity in the column {entity!r}; every "
            "record needs one, unless the entities are omitted altogether"
        )
    return RawRecords(cells, entities.tolist(), ids)


def _true_entities(
    ids: Sequence[str], path: Path, truth: Path, missing: Sequence[str]
) -> list[str]:
    table = read_frame(truth)
    if table.shape[1] != 2:
        raise DataError(
            f"{truth} has {table.shape[1]} columns; it must have two, record id and entity"
        )
    check_headed(table, truth, ids)
    named, entities = (table[name].tolist() for name in table.columns)
    check_once(truth, named, "record")
    check_known(truth, named, path, ids, "record")
    entity_of = dict(zip(named, entities, strict=True))
    absent = missing_words(missing)
    without = next((name for name in ids if entity_of.get(name, "") in absent), None)
    if without is not None:
        raise DataError(
            f"record {without!r} of {path} has no entity in {truth}; add it, or omit the table of "
            "true entities"
        )
    return [entity_of[name] for name in ids]


check_record_table = check_fields
