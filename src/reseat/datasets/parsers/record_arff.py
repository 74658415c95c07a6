"""Records in an ARFF file."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reseat.datasets.parsers.fields import check_fields
from reseat.datasets.parsers.options import file_of
from reseat.datasets.parsers.record_table import records_of
from reseat.datasets.raw import RawRecords
from reseat.reading.tables import read_arff
from reseat.reading.values import MISSING_CELLS


def parse_record_arff(
    paths: Mapping[str, Path],
    fields: Sequence[str] | Mapping[str, Any],
    entity: str = "class",
    missing: Sequence[str] = (*MISSING_CELLS, "?"),
) -> RawRecords:
    """Read records whose entity is one of the attributes.

    `paths`: ``arff``, or ``user`` for the user's own, is the file, plain or compressed.
    `fields`, `entity`, `missing`: as in `reseat.datasets.parsers.record_table.parse_record_table`.
    """
    path = file_of(paths, "arff")
    return records_of(read_arff(path), path, fields, entity, None, missing)


check_record_arff = check_fields
