"""Read a table of numbers, whose rows are points, or a square matrix of dissimilarities."""

from functools import partial

import numpy as np
import pandas as pd

from reseat.command.inputs.loaded import LoadedInput, names_of_rows
from reseat.command.portraits import medoids, modal_values, typical_means
from reseat.dissimilarities import check_dissimilarities, read_named_dissimilarities
from reseat.dissimilarities.reading import from_condensed
from reseat.errors import DataError
from reseat.files.packed import read_npy
from reseat.files.texts import is_number
from reseat.reading import warnings_on_data
from reseat.reading.matrices import read_dense_archive
from reseat.reading.rows import remarks_on_total, without_key
from reseat.reading.source import Source
from reseat.reading.tables import column, read_frame
from reseat.reading.values import MISSING_CELLS, numbers_or_texts

#: Number of rows of a large matrix that are read for each cluster to find a typical member.
FEW_ROWS = 30
#: What the user can do about cells that are not numbers, besides correcting them.
REMEDY = "exclude the column with --columns"


def read_points(path: Source, arguments) -> LoadedInput:
    """Read points from a table or an array; columns of texts are categories if they are named."""
    if path.ending in (".npy", ".npz"):
        return _of_array(path, arguments)
    table = read_frame(path)
    apart = [arguments.id_column, arguments.entity_column]
    names = names_of_rows(len(table))
    if arguments.id_column is not None:
        names = column(table, arguments.id_column, path).tolist()
    used, unused = arguments.columns, []
    if used is None:
        used, unused = without_key(table[[n for n in table.columns if n not in apart]])
    columns = {
        name: numbers_or_texts(column(table, name, path), names, path, REMEDY) for name in used
    }
    # Digits with a 0 in front are codes, such as those of post offices.
    codes = [name for name in used if table[name].str.fullmatch(r"0\d{3,}").any()]
    columns |= {name: table[name].tolist() for name in codes}
    texts = [name for name, values in columns.items() if not isinstance(values, np.ndarray)]
    numbers = [name for name in columns if name not in texts]
    if not numbers:
        others = [cell for name in texts for cell in columns[name] if cell and not is_number(cell)]
        shown = f", but cells such as {others[0]!r}" if others else ""
        raise DataError(f"{path} has no column of numbers{shown}; each row must be a point.")
    table_of_numbers = pd.DataFrame({name: columns[name] for name in numbers})
    points, categories = table_of_numbers.to_numpy(), None
    what, used = f"{len(points):,} points, {len(numbers):,} columns", numbers
    if texts and arguments.columns:
        categories = pd.DataFrame(
            {name: [cell or None for cell in columns[name]] for name in texts}
        )
        what, used = f"{what}, {len(texts):,} of categories", [*numbers, *texts]
    warnings = warnings_on_data.remarks_on_names(names) + unused
    warnings += warnings_on_data.remarks_on_cells(table[used])
    warnings += remarks_on_total(points, [f"row {name}" for name in names])
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
        name = arguments.entity_column
        warnings += warnings_on_data.remarks_on_labels(name, cells[known], "entity")
    return LoadedInput(
        what=what,
        fit={"X": pd.concat([table_of_numbers, categories], axis=1)},
        items=names,
        portray=partial(_typical, points, numbers, categories),
        settings={} if categories is None else {"categorical_features": texts},
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
    for name in ("id_column", "entity_column", "columns"):
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
    names = [f"column {number}" for number in names_of_rows(points.shape[1])]
    return LoadedInput(
        what=f"{len(points):,} points, {points.shape[1]:,} columns",
        fit={"X": points},
        items=names_of_rows(len(points)),
        portray=partial(typical_means, points, names),
    )


def read_distances(path: Source, arguments) -> LoadedInput:
    """Read dissimilarities, square or condensed, from a binary file or a table of numbers."""
    if path.ending == ".npz":
        values, names = read_dense_archive(path), None
        if values.ndim == 1 and values.dtype.kind in "fiu":
            values = from_condensed(values.astype(np.float64), path)
    else:
        mapped = {} if arguments.landmarks is None else {"memory_map_from": 0}
        values, names = read_named_dissimilarities(path, **mapped)
    if values.ndim == 2 and len(values) > values.shape[1]:
        raise DataError(
            f"{path}: the matrix is {len(values)} x {values.shape[1]}, not square; it must have "
            "one row and one column per object. If the rows are points, use reseat cluster points."
        )
    square = values.ndim == 2 and values.shape[0] == values.shape[1]
    by_landmarks = square and arguments.landmarks is not None and len(values) > arguments.landmarks
    if not by_landmarks:  # otherwise only a few rows are read
        check_dissimilarities(values, str(path))
    names = names or names_of_rows(len(values))
    warnings = warnings_on_data.remarks_on_names(names)
    n_points = arguments.landmarks if by_landmarks else len(values)
    if arguments.dim is not None and arguments.dim > n_points - 1:
        points = f"{n_points} {'landmarks' if by_landmarks else 'points'}"
        warnings.append(
            f"--dim is {arguments.dim:g}, but {points} span at most {n_points - 1} dimensions."
        )
    how = "treated as squared distances (use --square if they are plain distances)"
    if arguments.square:
        how = "treated as plain distances and squared"
    if by_landmarks:
        how += f"; only those to {arguments.landmarks:,} landmarks are used"
    return LoadedInput(
        what=f"{len(values):,} objects, {how}",
        fit={"X": values},
        items=names,
        portray=partial(medoids, values, names, **{"n_compared": FEW_ROWS} if by_landmarks else {}),
        warnings=warnings,
    )
