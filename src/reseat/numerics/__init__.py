"""Arithmetic whose results do not depend on the processor: fixed grids, and K-means.

Additions, products, quotients and square roots of doubles are the same everywhere if their order
is.  Linear algebra adds up in an order that depends on the processor, and elementary functions may
differ in the last bit, so that what they give is put on a grid before it decides anything.
"""

import numpy as np
import scipy

from reseat.numerics._k_means import Lloyd

#: Coarse against errors of linear algebra, which are seldom above 1e-12 of the largest number, so
#: that hardly any number lies within such an error of the border between two grid points; fine
#: against everything statistical.  Products of two such numbers have at most 40 bits, so that sums
#: of up to 8,192 of them are exact, in whatever order.
GRID_BITS = 20

#: For values of which the greatest is chosen: those that agree in this many digits are equal.
TIE_BITS = 32

#: The largest number is often a power of two up to rounding, which must not decide the scale.
_OFF_POWERS = 1 + 2.0**-10

#: Lloyd's iterations stop when the centres move less than this share of the mean variance.
TOLERANCE, MAX_ITERATIONS = 1e-4, 300


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


def k_means(points, n_clusters: int, rng: np.random.Generator, n_restarts: int = 1) -> np.ndarray:
    """Return the best of several runs of Lloyd's algorithm; no sum depends on the processor."""
    if n_clusters == 1:
        return np.zeros(points.shape[0], dtype=np.int64)
    if scipy.sparse.issparse(points):
        lloyd = Lloyd(scipy.sparse.csr_array(points, dtype=np.float64, copy=True))
    else:
        # A common offset would cost precision.
        points = np.asarray(points, dtype=np.float64)
        lloyd = Lloyd(scipy.sparse.csr_array(points - points.mean(axis=0)))
    n_trials = 2 + int(np.log(n_clusters))
    best, least = None, np.inf
    for _ in range(n_restarts):
        lloyd.start(n_clusters, n_trials, rng)
        inertia = lloyd.run(TOLERANCE, MAX_ITERATIONS)
        if inertia < least:
            best, least = lloyd.labels.copy(), inertia
    return best.astype(np.int64)
