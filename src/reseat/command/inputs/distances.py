"""Read a square matrix of dissimilarities."""

from functools import partial

import numpy as np

from reseat.command.inputs.loaded import LoadedInput, names_of_rows
from reseat.command.portraits import medoids
from reseat.dissimilarities import check_dissimilarities, read_named_dissimilarities
from reseat.dissimilarities.reading import from_condensed
from reseat.errors import DataError
from reseat.reading.matrices import read_dense_archive
from reseat.reading.source import Source
from reseat.reading.warnings_on_data import remarks_on_names

#: Number of rows of a large matrix that are read for each cluster to find a typical member.
FEW_ROWS = 30


def read_distances(path: Source, arguments) -> LoadedInput:
    """Read dissimilarities, square or condensed.

    The file is ``.npy``, ``.npz``, or ``.csv``, ``.tsv`` or ``.txt``, perhaps with ``.gz``. The
    message of an error names the row and the column.
    """
    if path.ending == ".npz":
        values, names = read_dense_archive(path), None
        if values.ndim == 1 and values.dtype.kind in "fiu":
            values = from_condensed(values.astype(np.float64), path)
    elif arguments.landmarks is not None:
        values, names = read_named_dissimilarities(path, memory_map_from=0)
    else:
        values, names = read_named_dissimilarities(path)
    if values.ndim == 2 and len(values) > values.shape[1]:
        raise DataError(
            f"{path}: the matrix is {len(values)} x {values.shape[1]}, not square; it must have "
            "one row and one column per object. If the rows are points, use reseat cluster points."
        )
    by_landmarks = (
        arguments.landmarks is not None
        and values.ndim == 2
        and values.shape[0] == values.shape[1] > arguments.landmarks
    )
    if not by_landmarks:  # otherwise only a few rows are read
        check_dissimilarities(values, str(path))
    names = names or names_of_rows(len(values))
    warnings = remarks_on_names(names)
    n_points = arguments.landmarks if by_landmarks else len(values)
    if arguments.dim is not None and arguments.dim > n_points - 1:
        points = f"{n_points} {'landmarks' if by_landmarks else 'points'}"
        warnings.append(
            f"--dim is {arguments.dim:g}, but {points} span at most {n_points - 1} dimensions."
        )
    how = (
        "treated as plain distances and squared"
        if arguments.square
        else "treated as squared distances (use --square if they are plain distances)"
    )
    if by_landmarks:
        how += f"; only those to {arguments.landmarks:,} landmarks are used"
    return LoadedInput(
        what=f"{len(values):,} objects, {how}",
        fit={"X": values},
        items=names,
        portray=partial(medoids, values, names, **{"n_compared": FEW_ROWS} if by_landmarks else {}),
        warnings=warnings,
    )
