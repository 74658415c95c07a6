"""Rounding of numbers so that their sums are exact, in whatever order they are added."""

import math

import numpy as np

from reseat.checks import check_unmasked
from reseat.errors import ConfigError, DataError

_ROWS = 256  # rows that are rounded at a time, so that no temporary is as large as the matrix


def unit_of(largest: float, n_terms: int, dtype=np.float64) -> float:
    """Return the power of two whose multiples, and sums of `n_terms` of them, are exact."""
    limits, doubles = np.finfo(dtype), np.finfo(np.float64)
    bits = 1 + min(limits.nmant, doubles.nmant - math.ceil(math.log2(n_terms)))
    _, exponent = math.frexp(largest)  # largest < 2**exponent
    unit = math.ldexp(1.0, exponent - bits)
    # Leave a margin, because the sums are multiplied by small numbers afterwards.
    most = min(float(limits.max), float(doubles.max) / n_terms * 2.0**-32)
    if not (0 < largest <= most and unit >= float(limits.smallest_subnormal)):
        raise DataError(
            f"The largest value is {largest:.3g}, for whose parts and sums there are no numbers in "
            f"{np.dtype(dtype)}; divide all values by a common factor, so that it is near 1."
        )
    return unit


def fixed_point(values: np.ndarray, dtype=np.float32) -> np.ndarray:
    """Round a square matrix to multiples of one unit, so that sums updated by moves do not drift.

    The error of an entry is at most half a unit; in single precision, for up to 20,000 objects,
    that is at most 2^-24 of the largest entry.

    Parameters
    ----------
    values : ndarray, shape (n, n)
        A memory map of type `dtype` must be rounded already, and is returned as it is.
    dtype : numpy.float32 or numpy.float64
        Precision in which the matrix is stored.

    Returns
    -------
    ndarray of `dtype`, shape (n, n), C-contiguous

    Raises
    ------
    ConfigError
        If `dtype` is neither of these.
    DataError
        If the matrix is empty or not square, an entry is masked, not finite, or too large or too
        small for `dtype`, or a memory map of this type is not rounded.
    """
    check_unmasked("The matrix", values)
    dtype = np.dtype(dtype)
    if dtype not in (np.float32, np.float64):
        raise ConfigError(f"dtype is {dtype}; it must be float32 or float64.")
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise DataError(
            f"A matrix of shape {values.shape} is not square; it must have one row per object."
        )
    n = len(values)
    if n == 0:
        raise DataError(
            "The matrix is empty; it must have at least one row and one row per object."
        )
    largest = 0.0
    for first in range(0, n, _ROWS):
        part = values[first : first + _ROWS]
        if not np.isfinite(part).all():
            row = first + int(np.flatnonzero(~np.isfinite(part).all(axis=1))[0])
            raise DataError(f"Row {row} of the matrix contains a non-finite value.")
        largest = max(largest, float(np.abs(part).max()))
    if largest == 0.0:
        return np.zeros(values.shape, dtype)
    unit = unit_of(largest, n * n, dtype)
    mapped = isinstance(values, np.memmap) and values.dtype == dtype
    rounded = values if mapped else np.empty(values.shape, dtype)
    for first in range(0, n, _ROWS):
        part = np.asarray(values[first : first + _ROWS], dtype=np.float64)
        exact = np.rint(part / unit) * unit
        if not mapped:
            rounded[first : first + _ROWS] = exact
        elif not np.array_equal(part, exact):
            raise DataError(
                f"A memory-mapped matrix must contain multiples of {unit:g}, so that its sums are "
                "exact; round it with fixed_point first."
            )
    return rounded
