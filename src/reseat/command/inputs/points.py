"""Read a table of numbers, whose rows are points."""

from functools import partial

import numpy as np
import pandas as pd

from reseat.command.inputs.loaded import LoadedInput, names_of_rows
from reseat.command.portraits import typical_means
from reseat.errors import DataError
from reseat.files.packed import read_npy
from reseat.reading.matrices import read_dense_archive
from reseat.reading.source import Source
from reseat.reading.tables import column, read_frame
from reseat.reading.values import MISSING_CELLS, numbers_or_texts
from reseat.reading.warnings_on_data import (
    remarks_on_cells,
    remarks_on_labels,
    remarks_on_names,
)

#: Endings of files that contain an array and no names, and the options that name columns.
ARRAYS = (".npy", ".npz")
OF_TABLES = ("id_column", "entity_column", "columns")
#: What the user can do about cells that are not numbers, besides correcting them.
REMEDY = "exclude the column with --columns"


def read_points(path: Source, arguments) -> LoadedInput:
    """Read points from a table with a line of column names, or from an array.

    Columns of texts are left out unless they are named. The column of entities is only compared
    with the result, and may be empty in some rows.
    """
    if path.ending in ARRAYS:
        return _of_array(path, arguments)
    table = read_frame(path)
    apart = [arguments.id_column, arguments.entity_column]
    if arguments.id_column is None:
        names = names_of_rows(len(table))
    else:
        names = column(table, arguments.id_column, path).tolist()
    used = arguments.columns or [name for name in table.columns if name not in apart]
    columns = {
        name: numbers_or_texts(column(table, name, path), names, path, REMEDY) for name in used
    }
    texts = [name for name, values in columns.items() if not isinstance(values, np.ndarray)]
    if arguments.columns and texts:
        raise DataError(
            f"{path}: the column {texts[0]!r} contains texts, but points have numbers only; leave "
            "it out of --columns."
        )
    if len(texts) == len(columns):
        raise DataError(f"{path} has no column of numbers; each row must be a point.")
    columns = {name: values for name, values in columns.items() if name not in texts}
    for name, values in columns.items():
        empty = np.flatnonzero(np.isnan(values))
        if empty.size:
            raise DataError(
                f"{path}: the column {name!r} is empty in row {names[empty[0]]!r}, one of "
                f"{empty.size:,} such rows; fill them in, remove them, or {REMEDY}."
            )
    warnings = [*remarks_on_names(names), *remarks_on_cells(table[list(columns)])]
    if texts:
        warnings.append(f"columns of texts are left out: {', '.join(texts)}.")
    truth = None
    if arguments.entity_column is not None:
        cells = column(table, arguments.entity_column, path)
        known = ~cells.isin(MISSING_CELLS).to_numpy()
        truth = np.where(known, pd.factorize(cells)[0], -1)
        warnings += remarks_on_labels(arguments.entity_column, cells[known], "entity")
    points = np.column_stack(list(columns.values()))
    return LoadedInput(
        what=f"{len(points):,} points, {points.shape[1]:,} columns",
        fit={"X": points},
        items=names,
        portray=partial(typical_means, points, list(columns)),
        truth=truth,
        frame=table,
        warnings=warnings,
    )


def _of_array(path: Source, arguments) -> LoadedInput:
    for name in OF_TABLES:
        if getattr(arguments, name) is not None:
            raise DataError(
                f"{path} is an array without column names; leave out --{name.replace('_', '-')}."
            )
    points = read_npy(path.as_file(), path) if path.ending == ".npy" else read_dense_archive(path)
    if points.ndim != 2 or not points.size or points.dtype.kind not in "fiub":
        raise DataError(
            f"{path} contains an array of shape {points.shape} and type {points.dtype}; it must be "
            "a table of numbers with one row per point."
        )
    names = [str(number) for number in range(1, points.shape[1] + 1)]
    return LoadedInput(
        what=f"{len(points):,} points, {points.shape[1]:,} columns",
        fit={"X": points},
        items=names_of_rows(len(points)),
        portray=partial(typical_means, points, [f"column {name}" for name in names]),
    )
