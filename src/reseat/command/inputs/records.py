"""A table of records."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from reseat.command.inputs.material import Material, existing, remarks_on_cells
from reseat.command.portraits import modal_values
from reseat.datasets import read_records
from reseat.errors import DataError
from reseat.estimators.records import as_columns, comparison

__all__ = ["read_records_table"]

#: Share of different values among records from which a field is remarked on.
MOSTLY_DIFFERENT = 0.8
#: Records up to which that may be chance.
FEW_RECORDS = 20


def read_records_table(path: Path, arguments) -> Material:
    """Read records.

    Parameters
    ----------
    path : Path
        A ``csv`` file with a line of column names.
    arguments : namespace
        ``likelihood``, ``id_column``, ``columns`` and ``entity_column``; the latter is only
        compared with.

    Raises
    ------
    DataError
        If there is no such column, a record or field has no value, or there are fewer than
        two records.
    """
    existing(path)
    records = read_records(
        path, entity=arguments.entity_column, id=arguments.id_column, fields=arguments.columns
    )
    unknown = (records.codes < 0).all(axis=1)
    if unknown.any():
        raise DataError(
            f"{path}: the record {records.record_ids[unknown.argmax()]} has no value in any "
            "field; remove it."
        )
    cells = np.column_stack(
        [
            np.array([*levels, None], dtype=object)[records.codes[:, place]]
            for place, levels in enumerate(records.levels)
        ]
    )
    likelihood, words = comparison(as_columns(cells), records.fields, arguments.likelihood)
    similar = likelihood == "similar"
    compared = f"; compared: {words}" if similar else ""
    many = [
        name
        for name, levels in zip(records.fields, records.levels, strict=True)
        if len(levels) > MOSTLY_DIFFERENT * len(cells)
    ]
    if len(many) == len(records.fields) and len(cells) > FEW_RECORDS and not similar:
        raise DataError(
            f"{path}: nearly every record has a unique value in each of {', '.join(many)}, so no "
            "two records agree on anything; choose columns whose values are shared by records of "
            "the same entity."
        )
    said = (
        f"nearly every record has a unique value in {', '.join(many)}; exclude such a column with "
        "--columns, or name it with --id-column."
    )
    table = pd.DataFrame(cells, columns=list(records.fields))
    warnings = remarks_on_cells(table)
    if records.entities is not None and len(np.unique(records.entities)) == len(cells):
        warnings.append(
            f"every record has its own entity in {arguments.entity_column!r}; check that this "
            "column holds the true entities."
        )
    return Material(
        what=f"{len(cells):,} records, {len(records.fields)} fields{compared}",
        fit={"X": cells},
        settings={"likelihood": likelihood},
        items=records.record_ids.tolist(),
        portray=partial(modal_values, cells, records.fields),
        truth=records.entities,
        frame=table,
        warnings=[
            *warnings,
            *([said] if many and len(cells) > FEW_RECORDS and not similar else []),
        ],
        table=(records.fields, cells),
    )
