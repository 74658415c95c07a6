"""Matrices of counts, as everything that reads them wants them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from reseat.errors import DataError

__all__ = ["canonical_counts"]

LARGEST = int(np.iinfo(np.int32).max)


def canonical_counts(
    counts, prefix: str = "", name_row: Callable[[int], str] = "document {}".format
) -> sp.csr_array:
    """Check a matrix of counts and bring it into one form; never changes it.

    Parameters
    ----------
    counts : sparse or dense array, shape (n_items, n_features)
        Whole numbers from 0 to 2**31 - 1, of any numeric type.
    prefix : str
        What the sentence of an error begins with, such as the name of the data.
    name_row : callable
        Gives the name of row `i` for the sentence.

    Returns
    -------
    scipy.sparse.csr_array of int32, shape (n_items, n_features)
        Sorted, without duplicates or stored zeros.

    Raises
    ------
    DataError
        If there are no rows or columns, or a count is negative, not finite,
        not whole or too large; the sentence names the row and the column.
    """
    try:
        # Coordinates keep duplicates apart, so that a bad count is not added away.
        given = sp.coo_array(counts)
    except (TypeError, ValueError) as error:
        raise DataError(f"{prefix}counts must be a numeric matrix: {error}.") from None
    if given.ndim != 2 or 0 in given.shape:
        raise DataError(
            f"{prefix}the corpus is empty: its count matrix has the shape {given.shape}, and at "
            "least one document and one feature are needed."
        )
    if given.dtype.kind not in "iufb":
        raise DataError(f"{prefix}counts must be numbers, not {given.dtype}.")
    _check_values(given, prefix, name_row)
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


def _check_values(given: sp.coo_array, prefix: str, name_row: Callable[[int], str]) -> None:
    data = given.data
    if data.dtype.kind == "b":
        return
    # The comparisons are false for a value that is not a number.
    fine = (data >= 0) & (data <= LARGEST)
    if data.dtype.kind == "f":
        fine &= data == np.floor(data)
    wrong = np.flatnonzero(~fine)
    if wrong.size:
        row, column = (int(axis[wrong[0]]) for axis in given.coords)
        raise DataError(
            f"{prefix}{name_row(row)} has the count {data[wrong[0]]} in column {column}; counts "
            f"must be whole numbers from 0 to {LARGEST}."
        )
