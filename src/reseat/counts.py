"""Matrices of counts, in the form that all code which reads them expects."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from numbers import Number

import numpy as np
import scipy.sparse as sp

from reseat.checks import LARGEST, check_unmasked
from reseat.errors import DataError

__all__ = ["canonical_counts", "distinct_counts", "native", "sums_of_rows"]

#: Up to this many possible pairs of feature and count per non-zero, a table of all of them is
#: faster than sorting; it takes five bytes per pair.
SPARSE = 8
#: Number of counts that are processed together.
BLOCK = 1_000_000


def canonical_counts(
    counts,
    prefix: str = "",
    name_row: Callable[[int], str] = "document {}".format,
    copy: bool = True,
    first: int = 0,
) -> sp.csr_array:
    """Check a matrix of counts and return it in canonical form; it is never changed itself.

    Counts are whole numbers from 0 to 2**31 - 1 of any numeric type. The result, of type int32, is
    sorted, without duplicates or stored zeros; with `copy`, it is never `counts` itself.
    """
    check_unmasked(prefix.rstrip(": ") or "The counts", counts)
    if _is_canonical(counts):
        return _as_stored(counts, copy, partial(_refuse, prefix, name_row, first))
    try:
        # Coordinates keep duplicates separate, so that a bad count does not disappear in a sum.
        given = sp.coo_array(native(counts))
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
    wrong = _first_wrong(given.data)
    if wrong is not None:
        _refuse(prefix, name_row, first, given.data[wrong], *(axis[wrong] for axis in given.coords))
    matrix = sp.csr_array((given.data.astype(np.int64), given.coords), shape=given.shape)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if matrix.nnz and matrix.data.max() > LARGEST:
        raise DataError(f"{prefix}a sum of duplicate counts exceeds {LARGEST}.")
    index = np.int32 if matrix.nnz <= LARGEST else np.int64
    return sp.csr_array(
        (
            matrix.data.astype(np.int32),
            matrix.indices.astype(index),
            matrix.indptr.astype(index),
        ),
        shape=matrix.shape,
    )


def distinct_counts(counts: sp.csr_array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Number the distinct pairs of a feature and a count.

    Return the feature and the count of each pair, sorted, and the number of the pair of each
    non-zero.
    """
    width = int(counts.data.max()) + 1 if counts.nnz else 1
    n_codes = counts.shape[1] * width
    codes = counts.indices.astype(np.int32 if n_codes <= LARGEST else np.int64)
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
    return (
        (pairs // width).astype(np.intc),
        (pairs % width).astype(np.intc),
        places.astype(np.intc, copy=False),
    )


def sums_of_rows(values: np.ndarray, places: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return the sum of the values of the non-zeros of each row.

    `places` has the index in `values` of each non-zero, and `starts` where each row begins. They
    are added in the order of the non-zeros, a block of rows at a time.
    """
    n_rows, lengths = len(starts) - 1, np.diff(starts)
    found = np.zeros(n_rows)
    first = 0
    while first < n_rows:
        last = int(np.searchsorted(starts, starts[first] + BLOCK, side="right")) - 1
        last = min(max(last, first + 1), n_rows)
        begin, end = int(starts[first]), int(starts[last])
        filled = first + np.flatnonzero(lengths[first:last])
        if filled.size:
            found[filled] = np.add.reduceat(values[places[begin:end]], starts[filled] - begin)
        first = last
    return found


def native(matrix):
    """Return a dense array in a type that scipy accepts: native byte order, no half precision.

    Anything else is returned unchanged, except numbers stored as objects, the form of nullable
    columns of data frames; their missing entries become NaN.
    """
    if not sp.issparse(matrix) and np.asarray(matrix).dtype.kind == "O":
        return _from_objects(np.asarray(matrix))
    if not isinstance(matrix, np.ndarray):
        return matrix
    half = matrix.dtype == np.float16
    return matrix.astype(np.float32 if half else matrix.dtype.newbyteorder("="), copy=False)


def _from_objects(matrix: np.ndarray) -> np.ndarray:
    """Return an array of objects as floats if all are numbers or missing, otherwise unchanged."""
    from pandas import isna  # slow to import, and most counts are no objects

    absent = isna(matrix)
    if not all(isinstance(value, Number | np.bool_) for value in matrix[~absent]):
        return matrix
    return np.where(absent, np.nan, matrix).astype(np.float64)


def _is_canonical(counts) -> bool:
    """Return whether this is a sorted CSR matrix without duplicates, which need not be rebuilt."""
    if not (sp.issparse(counts) and counts.format == "csr" and counts.ndim == 2):
        return False
    if 0 in counts.shape or counts.dtype.kind not in "iufb":
        return False
    starts, columns = counts.indptr, counts.indices
    whole = starts[0] == 0 and starts[-1] == len(columns) == len(counts.data)
    if not whole or (np.diff(starts) < 0).any():
        return False
    if len(columns) and (columns.min() < 0 or columns.max() >= counts.shape[1]):
        return False
    return bool(counts.has_canonical_format)


def _as_stored(counts, copy: bool, refuse: Callable) -> sp.csr_array:
    """Return what `canonical_counts` does, using little more memory than the result takes."""
    wrong = _first_wrong(counts.data)
    if wrong is not None:
        row = int(np.searchsorted(counts.indptr, wrong, side="right")) - 1
        refuse(counts.data[wrong], row, counts.indices[wrong])
    index = np.int32 if counts.nnz <= LARGEST else np.int64
    zeros = not counts.data.all()
    data, columns, starts = (
        array.astype(kind, copy=copy or zeros)
        for array, kind in zip(
            (counts.data, counts.indices, counts.indptr), (np.int32, index, index), strict=True
        )
    )
    matrix = sp.csr_array((data, columns, starts), shape=counts.shape)
    if zeros:
        matrix.eliminate_zeros()
    return matrix


def _first_wrong(data: np.ndarray) -> int | None:
    """Return the place of the first value that is not a valid count, or None."""
    if data.dtype.kind == "b":
        return None
    # The comparisons are false for NaN.
    fine = (data >= 0) & (data <= LARGEST)
    if data.dtype.kind == "f":
        fine &= data == np.floor(data)
    wrong = np.flatnonzero(~fine)
    return int(wrong[0]) if wrong.size else None


def _refuse(prefix: str, name_row: Callable[[int], str], first: int, value, row, column) -> None:
    raise DataError(
        f"{prefix}{name_row(int(row) + first)} has the count {value} in column "
        f"{int(column) + first} (counted from {first}); counts must be whole numbers between 0 and "
        f"{LARGEST}."
    )
