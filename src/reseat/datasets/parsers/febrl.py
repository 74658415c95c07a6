"""Synthetic people from FEBRL, whose record ids contain their entities."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from reseat.datasets.parsers.fields import check_fields
from reseat.datasets.parsers.record_table import records_of
from reseat.datasets.raw import RawRecords
from reseat.errors import DataError
from reseat.reading.tables import column, read_frame
from reseat.reading.values import MISSING_CELLS

RECORD = "rec_id"
ENTITY = "entity"
PATTERN = r"^rec-(\d+)-(?:org|dup-\d+)$"


def parse_febrl(
    paths: Mapping[str, Path],
    fields: Sequence[str] | Mapping[str, Any],
    missing: Sequence[str] = MISSING_CELLS,
) -> RawRecords:
    """Read one or more files as a single table of records.

    The entity is the number in ``rec-<number>-org`` and ``rec-<number>-dup-<i>``.

    `paths`: all files are read, whatever their roles, in the order given.
    `fields`, `missing`: as in `reseat.datasets.parsers.record_table.parse_record_table`.
    """
    tables = []
    for path in paths.values():
        table = read_frame(path)
        ids = column(table, RECORD, path)
        entities = ids.str.extract(PATTERN, expand=False)
        wrong = entities.isna().to_numpy().nonzero()[0]
        if wrong.size:
            raise DataError(
                f"{path}: the id {ids[wrong[0]]!r} is not of the form rec-<number>-org or "
                "rec-<number>-dup-<number>"
            )
        tables.append(table.assign(**{ENTITY: entities}))
    files = Path(" and ".join(str(path) for path in paths.values()))
    table = pd.concat(tables, ignore_index=True)
    return records_of(table, files, fields, ENTITY, RECORD, missing)


check_febrl = check_fields
