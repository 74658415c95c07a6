"""Rounding to fixed grids, and products with sums in a fixed order."""

import numpy as np

#: Coarse against errors of linear algebra, which are seldom above 1e-12 of the largest number, so
#: that hardly any number lies within such an error of the border between two grid points; fine
#: against everything statistical.  Products of two such numbers have at most 40 bits, so that sums
#: of up to 8,192 of them are exact, in whatever order.
GRID_BITS = 20

#: For values of which the greatest is chosen: those that agree in this many digits are equal.
TIE_BITS = 32

#: The largest number is often a power of two up to rounding, which must not decide the scale.
_OFF_POWERS = 1 + 2.0**-10


def on_grid(values, bits: int = GRID_BITS) -> np.ndarray:
    """Round numbers to multiples of ``2**-bits`` times a power of two above the largest of them."""
    values = np.asarray(values, dtype=np.float64)
    largest = float(np.abs(values).max(initial=0.0))
    # Below this there would be no normal number as fine as the grid.
    if not 2.0**-900 < largest < np.inf:
        return values + 0.0
    step = np.ldexp(1.0, int(np.frexp(largest * _OFF_POWERS)[1]) - bits)
    return np.rint(values / step) * step + 0.0


def rounded(values, bits: int = GRID_BITS) -> np.ndarray:
    """Round each number to `bits` significant binary digits."""
    mantissas, exponents = np.frexp(np.asarray(values, dtype=np.float64))
    return np.ldexp(np.rint(np.ldexp(mantissas, bits)), exponents - bits) + 0.0


def product(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return ``left @ right`` with sums in one order on all processors, in three times the time."""
    ij, jk = "ij"[2 - left.ndim :], "jk"[: right.ndim]
    return np.einsum(f"{ij},{jk}->{(ij + jk).replace('j', '')}", left, right)


def with_signs(columns: np.ndarray) -> np.ndarray:
    """Turn columns of either sign, such as eigenvectors, so that a largest entry is positive."""
    if not columns.size:
        return columns
    first = np.abs(columns).argmax(axis=0)
    return columns * np.where(columns[first, np.arange(columns.shape[1])] < 0, -1.0, 1.0)
