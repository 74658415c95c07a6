"""Checks of whether a matrix holds dissimilarities."""

from collections.abc import Iterator
from itertools import combinations_with_replacement

import numpy as np

from reseat.checks import check_unmasked
from reseat.errors import DataError

ROUNDING = 1e-5  # error of sums of squares in single precision, relative to the largest entry
# Two objects have one distance, which is uninformative once the scale is integrated out.
SMALLEST = 3
EVERY_PAIR = "every pair of objects needs a finite number"


def check_dissimilarities(values: np.ndarray, name: str = "the dissimilarities") -> None:
    """Raise a DataError unless a matrix is one of dissimilarities.

    The matrix is read in pieces and is not copied, so it may be memory-mapped.

    Parameters
    ----------
    values : ndarray, shape (n_items, n_items)
    name : str
        Beginning of an error message, such as the name of a file.

    Raises
    ------
    DataError
        If the matrix does not hold numbers, is not square, symmetric up to rounding and of three
        objects or more, or an entry is masked, not finite, negative or, on the diagonal, not zero.
    """
    check_unmasked(name, values, EVERY_PAIR)
    values = np.asanyarray(values)
    _check_shape(values, name)
    largest = 0.0
    for rows in tiles(len(values)):
        block = values[rows]
        low, high = block.min(), block.max()
        if not (np.isfinite(low) and np.isfinite(high)):  # a NaN is both minimum and maximum
            place = _place(~np.isfinite(block), rows, slice(0, len(values)))
            raise DataError(
                f"{name}: the entry in {_named(place)} is {values[place]}; {EVERY_PAIR}"
            )
        if low < 0:
            place = _place(block < 0, rows, slice(0, len(values)))
            raise DataError(
                f"{name}: the entry in {_named(place)} is {values[place]:g}; dissimilarities must "
                "be at least 0 (convert similarities to dissimilarities first)"
            )
        largest = max(largest, float(high))
    if largest == 0:
        raise DataError(f"{name}: all entries are 0, so the objects cannot be distinguished")
    diagonal = np.diagonal(values)
    wrong = np.flatnonzero(diagonal > ROUNDING * largest)
    if wrong.size:
        raise _not_zero(name, wrong[0], diagonal[wrong[0]], diagonal)
    check_symmetry(values, ROUNDING * largest, name)


def check_symmetry(values: np.ndarray, tolerance: float, name: str) -> None:
    """Raise a DataError if two entries that mirror each other differ by more than a tolerance."""
    for rows, columns in upper_tiles(len(values)):
        other = values[columns, rows].T
        # In double precision, since differences of unsigned integers would wrap around.
        apart = np.abs(np.subtract(values[rows, columns], other, dtype=np.float64)) > tolerance
        if apart.any():
            row, column = _place(apart, rows, columns)
            raise DataError(
                f"{name}: the matrix is not symmetric: {values[row, column]:g} in row {row + 1}, "
                f"column {column + 1}, but {values[column, row]:g} in row {column + 1}, column "
                f"{row + 1}; if this is intended, average the matrix with its transpose"
            )


def check_rows(rows: np.ndarray, numbers: np.ndarray, name: str) -> None:
    """Raise a DataError if the rows with these numbers cannot be those of dissimilarities."""
    check_unmasked(name, rows, EVERY_PAIR)
    wrong = np.argwhere(~(np.isfinite(rows) & (rows >= 0)))
    if len(wrong):
        row, column = wrong[0]
        raise DataError(
            f"{name}: the entry in {_named((numbers[row], column))} is {rows[row, column]:g}; "
            f"{EVERY_PAIR} of at least 0"
        )
    among = rows[:, numbers]
    tolerance = ROUNDING * float(rows.max())
    wrong = np.argwhere(np.abs(among - among.T) > tolerance)
    if len(wrong):
        row, column = wrong[0]
        raise DataError(
            f"{name}: the matrix is not symmetric: {among[row, column]:g} in "
            f"{_named((numbers[row], numbers[column]))}, but {among[column, row]:g} the other way "
            "round; if this is intended, average the matrix with its transpose"
        )
    diagonal = np.diagonal(among)
    row = int(np.argmax(diagonal))
    if diagonal[row] > tolerance:
        raise _not_zero(name, numbers[row], diagonal[row], diagonal)


def _not_zero(name: str, row: int, value: float, diagonal: np.ndarray) -> DataError:
    # Similarities have the same entry throughout.
    same = np.ptp(diagonal) == 0
    remedy = f"; if these are similarities, use {diagonal[0]:g} minus each" if same else ""
    return DataError(
        f"{name}: the diagonal entry of row {row + 1} is {value:g}; it must be 0, the "
        f"dissimilarity of an object to itself{remedy}"
    )


def _check_shape(values: np.ndarray, name: str) -> None:
    if values.dtype.kind not in "fiu":
        raise DataError(f"{name}: the matrix must contain real numbers, not {values.dtype}")
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        shape = " x ".join(map(str, values.shape)) or "a single number"
        raise DataError(
            f"{name}: the matrix is {shape}, not square; it must have one row and one column per "
            "object"
        )
    if len(values) < SMALLEST:
        objects = "1 object" if len(values) == 1 else f"{len(values)} objects"
        raise DataError(
            f"{name}: there are dissimilarities of {objects}; clustering by distances alone needs "
            f"at least {SMALLEST}"
        )


def _place(wrong: np.ndarray, rows: slice, columns: slice) -> tuple[int, int]:
    row, column = np.argwhere(wrong)[0]
    return int(rows.start + row), int(columns.start + column)


def _named(place: tuple[int, int]) -> str:
    return f"row {place[0] + 1}, column {place[1] + 1}"


# ---- Square pieces of a matrix, so that one as large as memory is processed without a copy ----

SIDE = 1024


def tiles(n_items: int) -> list[slice]:
    """Return slices that cover 0 to `n_items` - 1, each of at most `SIDE` items."""
    return [slice(start, min(start + SIDE, n_items)) for start in range(0, n_items, SIDE)]


def upper_tiles(n_items: int) -> Iterator[tuple[slice, slice]]:
    """Return the slices of rows and columns of the tiles on and above the diagonal."""
    return combinations_with_replacement(tiles(n_items), 2)
