"""Read a table of numbers, whose rows are points."""

from functools import partial

import numpy as np
import pandas as pd

from reseat.command.inputs.loaded import LoadedInput, names_of_rows
from reseat.command.portraits import modal_values, typical_means
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

    Columns of texts are categories if they are named, and left out otherwise. The column of
    entities is only compared with the result, and may be empty in some rows.
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
    numbers = [name for name in columns if name not in texts]
    if not numbers:
        raise DataError(f"{path} has no column of numbers; each row must be a point.")
    table_of_numbers = pd.DataFrame({name: columns[name] for name in numbers})
    points, categories = table_of_numbers.to_numpy(), None
    what, used = f"{len(points):,} points, {len(numbers):,} columns", numbers
    if texts and arguments.columns:
        categories = pd.DataFrame(
            {name: [cell or None for cell in columns[name]] for name in texts}
        )
        what, used = f"{what}, {len(texts):,} of categories", [*numbers, *texts]
    warnings = [*remarks_on_names(names), *remarks_on_cells(table[used])]
    n_empty = np.isnan(points).sum() + (0 if categories is None else categories.isna().sum().sum())
    if n_empty:
        said = "1 empty cell is" if n_empty == 1 else f"{n_empty:,} empty cells are"
        warnings.append(f"{said} integrated out.")
    if texts and categories is None:
        warnings.append(
            f"columns of texts are left out: {', '.join(texts)}. Name them in --columns if they "
            "are categories."
        )
    truth = None
    if arguments.entity_column is not None:
        cells = column(table, arguments.entity_column, path)
        known = ~cells.isin(MISSING_CELLS).to_numpy()
        truth = np.where(known, pd.factorize(cells)[0], -1)
        warnings += remarks_on_labels(arguments.entity_column, cells[known], "entity")
    mixed = categories is not None
    return LoadedInput(
        what=what,
        fit={"X": pd.concat([table_of_numbers, categories], axis=1) if mixed else points},
        items=names,
        portray=partial(_typical, points, numbers, categories),
        settings={"categorical_features": texts} if mixed else {},
        truth=truth,
        frame=table,
        warnings=warnings,
    )


def _typical(
    points: np.ndarray, names: list[str], categories: pd.DataFrame | None, labels: np.ndarray
) -> list[str]:
    """Return the columns whose mean in each cluster differs most, and its usual categories."""
    found = typical_means(points, names, labels)
    if categories is None:
        return found
    usual = modal_values(categories.to_numpy(dtype=object), list(categories), labels)
    return [", ".join(filter(None, both)) for both in zip(found, usual, strict=True)]


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
