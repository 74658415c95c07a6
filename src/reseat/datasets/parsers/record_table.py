"""Records in a table or ARFF file, their entities, and rules that derive fields from columns."""

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from reseat.datasets.parsers.items import check_known, check_once, read_two
from reseat.datasets.parsers.options import check_list, check_rule, file_of, files_of, group_pattern
from reseat.datasets.raw import RawRecords
from reseat.errors import ConfigError, DataError
from reseat.reading.tables import column, read_arff, read_frame
from reseat.reading.values import MISSING_CELLS, is_code, missing_words, without_missing

logger = logging.getLogger(__name__)
TABLE, TRUTH = "records.csv", "truth.csv"
RECORD, ENTITY = "rec_id", "entity"  # columns of FEBRL, and what the former is made into
PATTERN = r"^rec-(\d+)-(?:org|dup-\d+)$"
KEYS = ("column", "plain", "pattern")
NOT_PLAIN = re.compile(r"[\W_]+")


def parse_record_table(
    paths: Mapping[str, Path],
    fields: Sequence[str] | Mapping[str, Any] | None = None,
    entity: str | None = None,
    record: str | None = None,
    missing: Sequence[str] = MISSING_CELLS,
) -> RawRecords:
    """Read a table of records.

    `paths`: ``table`` is a ``csv`` file; ``truth``, which is optional, is one of record ids and
        entities. ``user`` is the table, or a folder with ``records.csv`` and perhaps ``truth.csv``.
    `fields`: columns that are used as they are, by default all but those of `entity` and `record`;
        or for each field ``column``, if it has another name; ``plain``, whether letters are made
        lower case and all runs of others but digits one blank; and ``pattern``, a regular
        expression with one group, which is the category (the year of a date is ``^(\\d{4})``),
        without which a cell is missing.
    `entity`, `record`: columns of the true entity and of the id; by default records are numbered.
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
    return replace(raw, entities=_true_entities(raw.record_ids, path, truth, missing))


def parse_febrl(
    paths: Mapping[str, Path],
    fields: Sequence[str] | Mapping[str, Any],
    missing: Sequence[str] = MISSING_CELLS,
) -> RawRecords:
    """Read all files, in the order given, as one table of records, ``rec-<entity>-dup-<i>``.

    `fields`, `missing`: as in `parse_record_table`.
    """
    tables = []
    for path in paths.values():
        table = read_frame(path)
        ids = column(table, RECORD, path)
        entities = ids.str.extract(PATTERN, expand=False)
        wrong = ids[entities.isna()]
        if not wrong.empty:
            raise DataError(
                f"{path}: the id {wrong.iloc[0]!r} is not of the form rec-<number>-org or "
                "rec-<number>-dup-<number>"
            )
        tables.append(table.assign(**{ENTITY: entities}))
    files = Path(" and ".join(str(path) for path in paths.values()))
    table = pd.concat(tables, ignore_index=True)
    return records_of(table, files, fields, ENTITY, RECORD, missing)


def parse_record_arff(
    paths: Mapping[str, Path],
    fields: Sequence[str] | Mapping[str, Any],
    entity: str = "class",
    missing: Sequence[str] = (*MISSING_CELLS, "?"),
) -> RawRecords:
    """Read records whose entity is one of the attributes.

    `paths`: ``arff`` is the file, plain or compressed; for options, see `parse_record_table`.
    """
    path = file_of(paths, "arff")
    return records_of(read_arff(path), path, fields, entity, None, missing)


def records_of(table: pd.DataFrame, path: Path, fields, entity, record, missing) -> RawRecords:
    """Return the records of a table read from `path`; see `parse_record_table` for the options."""
    if fields is None:
        fields = [name for name in table.columns if name not in (entity, record)]
    missing = missing_words(missing)
    rules = fields if isinstance(fields, Mapping) else dict.fromkeys(fields)
    made = {name: _derive(table, name, rule or {}, path, missing) for name, rule in rules.items()}
    cells = pd.DataFrame(made, index=table.index)
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
    named, entities = read_two(truth, ids, "record id and entity")
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


# ---- Fields ----------------------------------------------------------------------------------


def check_fields(options: Mapping[str, Any]) -> None:
    """Check the options of parsers that derive fields, before any file is read."""
    missing_words(options.get("missing", MISSING_CELLS))
    fields = options.get("fields")
    if isinstance(fields, Mapping):
        for name, rule in fields.items():
            check_rule(f"fields.{name}", rule or {}, KEYS)
            if "pattern" in (rule or {}):
                group_pattern(f"fields.{name}.pattern", rule["pattern"])
    else:
        check_list("fields", fields)
        twice = next((name for name in fields or () if [*fields].count(name) > 1), None)
        if twice is not None:
            raise ConfigError(
                f"the option 'fields' names a column twice, {twice!r}; remove one of them"
            )
    if fields is not None and not fields:
        raise ConfigError("the option 'fields' is empty; name at least one field")


def _derive(table, name, rule, path, missing) -> pd.Series:
    cells = column(table, rule.get("column", name), path)
    if tuple(missing) == MISSING_CELLS and is_code(cells.name, table):
        missing = [word for word in missing if word != "NA"]
        logger.warning(
            f"{path}: NA in the column {cells.name!r} is read as a code like the others there; "
            "leave cells empty if it means a missing value"
        )
    cells = without_missing(cells, path, missing)
    if rule.get("plain", False):
        cells = cells.str.lower().str.replace(NOT_PLAIN, " ", regex=True).str.strip()
    if "pattern" in rule:
        pattern = group_pattern(f"fields.{name}.pattern", rule["pattern"])
        cells = cells.str.extract(pattern, expand=False)
    return cells.mask(cells == "")


check_record_table = check_febrl = check_record_arff = check_fields
