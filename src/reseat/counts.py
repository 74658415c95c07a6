"""Matrices of counts, in the form that all code which reads them expects."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import chain
from numbers import Number
from operator import index as as_index

import numpy as np
import scipy

from reseat.checks import MAX_COUNT, check_unmasked, first_wrong
from reseat.errors import DataError

#: Up to this many possible pairs of feature and count per non-zero, a table of all of them is
#: faster than sorting; it takes five bytes per pair.
SPARSE = 8
#: Equal rows are copies if it is less probable than this that there are as many by chance.
CHANCE = 1e-6
#: Number of counts that are processed together.
BLOCK = 1_000_000


def canonical_counts(
    counts,
    prefix: str = "",
    name_row: Callable[[int], str] = "document {}".format,
    copy: bool = True,
    first: int = 0,
) -> scipy.sparse.csr_array:
    """Return counts, checked, as sorted int32 without duplicates or zeros; with `copy`, as new."""
    check_unmasked(prefix.rstrip(": ") or "The counts", counts)
    refuse = partial(_refuse, prefix, name_row, first)
    if scipy.sparse.issparse(counts):
        given = checked_sparse(counts, prefix)
        sized = given.format == "csr" and 0 not in given.shape and max(given.shape) <= MAX_COUNT
        if sized and given.dtype.kind in "iufb" and given.has_canonical_format:
            return _as_stored(given, copy, refuse)
        # Coordinates keep duplicates separate, so that a bad count does not disappear in a sum.
        given = given.tocoo()
    else:
        try:
            given = scipy.sparse.coo_array(native(counts))
        except (TypeError, ValueError) as error:
            raise DataError(f"{prefix}counts must be a numeric matrix: {error}.") from None
    if given.ndim != 2:
        raise DataError(f"{prefix}counts must be a matrix, not an array of shape {given.shape}.")
    if 0 in given.shape:
        raise DataError(
            f"{prefix}the count matrix is empty: it has the shape {given.shape}, and at least one "
            "row and one column are needed."
        )
    if given.dtype.kind not in "iufb":
        raise DataError(f"{prefix}counts must be numbers, not {given.dtype}.")
    if max(given.shape) > MAX_COUNT:
        raise DataError(
            f"{prefix}the count matrix has the shape {given.shape}; number its rows and columns "
            f"without gaps, so that there are at most {MAX_COUNT} of each."
        )
    wrong = first_wrong(given.data, 0, MAX_COUNT)
    if wrong is not None:
        refuse(given.data[wrong], *(axis[wrong] for axis in given.coords))
    matrix = scipy.sparse.csr_array((given.data.astype(np.int64), given.coords), shape=given.shape)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if matrix.nnz and matrix.data.max() > MAX_COUNT:
        raise DataError(f"{prefix}a sum of duplicate counts exceeds {MAX_COUNT}.")
    return _as_small(matrix)


def _as_small(counts, copy: bool = True) -> scipy.sparse.csr_array:
    """Return counts as int32, with indices of 32 bits if they suffice."""
    index = np.int32 if counts.nnz <= MAX_COUNT else np.int64
    data = counts.data.astype(np.int32, copy=copy)
    places = (part.astype(index, copy=copy) for part in (counts.indices, counts.indptr))
    return scipy.sparse.csr_array((data, *places), shape=counts.shape)


def missed_of(counts: scipy.sparse.csr_array, trials) -> scipy.sparse.csr_array:
    """Return how many of the trials of each pair were no links."""
    trials = canonical_counts(trials, "trials: ", "row {}".format)
    if trials.shape != counts.shape:
        raise DataError(
            f"There are {trials.shape[0]} x {trials.shape[1]} trials for {counts.shape[0]} x "
            f"{counts.shape[1]} counts; each pair needs both."
        )
    missed = scipy.sparse.coo_array(trials.astype(np.int64) - counts.astype(np.int64))
    wrong = np.flatnonzero(missed.data < 0)
    if wrong.size:
        row, column = (int(places[wrong[0]]) for places in missed.coords)
        raise DataError(
            f"Row {row} has {counts[row, column]} links in column {column}, but only "
            f"{trials[row, column]} trials; there must be as many trials as links, or more."
        )
    missed.eliminate_zeros()
    return scipy.sparse.csr_array(missed)


def keys_of(table: scipy.sparse.csr_array) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of each cell of a table, row after row, and what it holds."""
    cells = scipy.sparse.coo_array(table)
    return cells.coords[0].astype(np.int64) * table.shape[1] + cells.coords[1], cells.data


def checked_sparse(matrix, prefix: str = "") -> scipy.sparse.csr_array | scipy.sparse.coo_array:
    """Return a sparse matrix of any format by rows, if it is so already, or as coordinates.

    Its indices, and what was noted about their order, may be wrong, and then SciPy writes beyond
    its arrays.  So the parts alone are read, and each index is checked first.
    """
    try:
        shape = tuple(map(as_index, matrix.shape))
        if len(shape) != 2:
            raise DataError(f"{prefix}counts must be a matrix, not an array of shape {shape}.")
        values, rows, columns = _parts(matrix, shape)
        check_unmasked(prefix.rstrip(": ") or "The counts", values)
        if values.dtype.kind not in "iufbc":
            raise DataError(f"{prefix}counts must be numbers, not {values.dtype}.")
        values = native(values)
        if matrix.format == "csr":
            return scipy.sparse.csr_array((values, columns, rows), shape=shape)
        _check_places("column", columns, shape[1], len(values))
        _check_places("row", rows, shape[0], len(values))
        return scipy.sparse.coo_array((values, (rows, columns)), shape=shape)
    except (DataError, MemoryError):
        raise
    except Exception as error:  # of whatever kind the parts are
        raise DataError(
            f"{prefix}the sparse matrix is damaged ({error}); build it again from its counts and "
            "their rows and columns."
        ) from error


def _parts(matrix, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the values of a sparse matrix, their rows (CSR: where these begin) and columns."""
    if matrix.format == "dok":
        places = np.array([*matrix.keys()]).reshape(-1, 2)
        return np.array([*matrix.values()]), places[:, 0], places[:, 1]
    if matrix.format == "lil":
        lengths = [len(row) for row in matrix.rows]
        if lengths != [len(row) for row in matrix.data] or len(lengths) != shape[0]:
            raise ValueError("its lists have different lengths")
        values = np.array([*chain.from_iterable(matrix.data)])
        columns = np.array([*chain.from_iterable(matrix.rows)])
        if any(isinstance(column, bool | np.bool_) for row in matrix.rows for column in row):
            raise ValueError("its column numbers are not whole")  # among others they would be
        return values, np.repeat(np.arange(shape[0]), lengths), columns
    values = np.asanyarray(matrix.data)
    if values.ndim != {"bsr": 3, "dia": 2}.get(matrix.format, 1):
        raise ValueError(f"its values have the shape {values.shape}")
    if matrix.format == "coo":
        return values, *map(np.asarray, matrix.coords)
    if matrix.format == "dia":
        offsets, columns = np.asarray(matrix.offsets), np.arange(values.shape[1])
        _check_places("offset", offsets, shape[1], len(values), 1 - shape[0])
        if np.unique(offsets).size < offsets.size:
            raise ValueError("a diagonal occurs twice")
        rows = columns - offsets.astype(np.int64)[:, None]
        inside = (rows >= 0) & (rows < shape[0]) & (columns < shape[1])
        return values[inside], rows[inside], np.broadcast_to(columns, values.shape)[inside]
    height, width = values.shape[1:] if matrix.format == "bsr" else (1, 1)
    if shape[0] % height or shape[1] % width:
        raise ValueError(f"its blocks have the shape {(height, width)}")
    by_column = matrix.format == "csc"
    outer, inner = (shape[1], shape[0]) if by_column else (shape[0] // height, shape[1] // width)
    starts, places = np.asarray(matrix.indptr), np.asarray(matrix.indices)
    _check_places("pointer", starts, len(values) + 1, outer + 1)
    if starts[0] != 0 or (starts[1:] < starts[:-1]).any():
        raise ValueError("its pointers do not ascend from 0")
    if places.shape != (len(values),):
        raise ValueError(f"it has {len(values)} values and indices of the shape {places.shape}")
    n_used = int(starts[-1])  # behind these there may be room for others
    values, places = values[:n_used], places[:n_used]
    _check_places("index", places, inner, n_used)
    if matrix.format == "csr":
        return values, starts, places
    owners = np.repeat(np.arange(outer), np.diff(starts.astype(np.int64)))
    if by_column:
        return values, places, owners
    rows = owners[:, None, None] * height + np.arange(height)[:, None]
    columns = places.astype(np.int64)[:, None, None] * width + np.arange(width)
    return values.ravel(), *(at.ravel() for at in np.broadcast_arrays(rows, columns))


def _check_places(what: str, places: np.ndarray, end: int, n_places: int, first: int = 0) -> None:
    """Raise a ValueError unless these are `n_places` whole numbers from `first` and below `end`."""
    if places.shape != (n_places,):
        raise ValueError(f"it has {what} numbers of the shape {places.shape}, not {(n_places,)}")
    if n_places == 0:
        return
    if places.dtype.kind not in "iu":
        raise ValueError(f"its {what} numbers are not whole")
    for wrong in (int(places.min()), int(places.max())):
        if not first <= wrong < end:
            raise ValueError(f"it has the {what} number {wrong}, outside {first} to {end - 1}")


def distinct_counts(counts: scipy.sparse.csr_array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the pairs of a feature and a count, sorted, and the pair of each non-zero."""
    width = int(counts.data.max(initial=0)) + 1
    n_codes = counts.shape[1] * width
    codes = counts.indices.astype(np.int32 if n_codes <= MAX_COUNT else np.int64)
    codes *= width
    codes += counts.data
    if n_codes > SPARSE * counts.nnz:
        pairs, places = np.unique(codes, return_inverse=True)
    else:
        present = np.zeros(n_codes, dtype=bool)
        present[codes] = True
        pairs = np.flatnonzero(present)
        number = np.zeros(n_codes, dtype=np.intc)
        number[pairs] = np.arange(pairs.size)
        places = number[codes]
    features, values = (part.astype(np.intc) for part in np.divmod(pairs, width))
    return features, values, places.astype(np.intc, copy=False)


def sums_of_rows(values: np.ndarray, places: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return the sum of the values of each row, at `places` from `starts` on, in their order."""
    found = np.zeros(len(starts) - 1)
    filled = np.flatnonzero(np.diff(starts))
    ends, first = starts[filled + 1], 0
    while first < filled.size:
        begin = int(starts[filled[first]])
        last = max(int(np.searchsorted(ends, begin + BLOCK, side="right")), first + 1)
        rows = filled[first:last]
        numbers = values[places[begin : ends[last - 1]]]
        found[rows] = np.add.reduceat(numbers, starts[rows] - begin)
        first = last
    return found


def native(matrix):
    """Return a dense array in a type that scipy accepts: native byte order, no half precision.

    Numbers stored as objects become floats, and NaN if missing; anything else is left as it is.
    """
    if scipy.sparse.issparse(matrix) or np.asarray(matrix).dtype.kind != "O":
        if not isinstance(matrix, np.ndarray):
            return matrix
        half = matrix.dtype == np.float16
        return matrix.astype(np.float32 if half else matrix.dtype.newbyteorder("="), copy=False)
    from pandas import isna  # slow to import, and most counts are no objects

    matrix = np.asarray(matrix)
    try:
        absent = isna(matrix)
        if all(isinstance(value, Number | np.bool_) for value in matrix[~absent]):
            return np.where(absent, np.nan, matrix).astype(np.float64)
    except (TypeError, ArithmeticError):  # complex, or beyond the range of floats
        pass
    return matrix


def _as_stored(counts, copy: bool, refuse: Callable) -> scipy.sparse.csr_array:
    """Return what `canonical_counts` does, using little more memory than the result takes."""
    wrong = first_wrong(counts.data, 0, MAX_COUNT)
    if wrong is not None:
        row = int(np.searchsorted(counts.indptr, wrong[0], side="right")) - 1
        refuse(counts.data[wrong], row, counts.indices[wrong])
    zeros = not counts.data.all()
    matrix = _as_small(counts, copy or zeros)
    if zeros:
        matrix.eliminate_zeros()
    return matrix


def _refuse(prefix: str, name_row: Callable[[int], str], first: int, value, row, column) -> None:
    raise DataError(
        f"{prefix}{name_row(int(row) + first)} has the count {value} in column "
        f"{int(column) + first} (counted from {first}); counts must be whole numbers between 0 and "
        f"{MAX_COUNT}."
    )


def without_copies(counts: scipy.sparse.csr_array) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows that are no copies of earlier ones, and for each row its place among these.

    More equal rows than any law of the features explains are copies.
    """
    equal: dict[tuple[bytes, bytes], int] = {}
    first = np.empty(counts.shape[0], dtype=np.int64)
    for row, (start, end) in enumerate(zip(counts.indptr[:-1], counts.indptr[1:], strict=True)):
        cells = counts.indices[start:end].tobytes(), counts.data[start:end].tobytes()
        first[row] = equal.setdefault(cells, row)
    rows, numbers = np.unique(first, return_counts=True)
    independent = []
    for row, number in zip(rows[numbers > 1], numbers[numbers > 1], strict=True):
        values = counts.data[counts.indptr[row] : counts.indptr[row + 1]].astype(float)
        total = values.sum()
        log_chance = scipy.special.gammaln(total + 1) - scipy.special.gammaln(values + 1).sum()
        log_chance += (values * np.log(values / max(total, 1))).sum()
        chance = min(np.exp(log_chance), 1.0)
        if not scipy.special.bdtrc(number - 2, first.size - 1, chance) < CHANCE:
            independent.append(row)
    alone = np.isin(first, independent)
    return np.unique(np.where(alone, np.arange(first.size), first), return_inverse=True)
