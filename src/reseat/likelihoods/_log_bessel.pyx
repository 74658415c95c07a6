"""The Bessel function in the normaliser of the precision law, from a table of polynomials."""

import numpy as np
from numpy.polynomial import chebyshev
from scipy.special import gammaln, kve

from reseat.errors import ConfigError
from reseat.likelihoods._pointers cimport doubles

MAX_ORDER = 50


cdef class LogBessel:
    """``log(z^order K_order(z) exp(z))`` for z >= 0, by polynomials with errors below 1e-12."""

    def __init__(self, double order):
        if not 0.5 <= order <= MAX_ORDER:
            raise ConfigError(
                f"A Bessel function of order {order} is not tabulated; the shape of the law of "
                f"precisions must lie between 0.5 and {MAX_ORDER - 10}."
            )
        self.table.order = order
        self.table.low = (order - 1) * np.log(2) + gammaln(order)
        nodes = chebyshev.chebpts1(TERMS)
        starts = 0.5 + np.arange(PIECES) / (2 * PIECES)
        mantissa = (starts[:, None] + (nodes + 1) / (4 * PIECES)).ravel()
        z = np.ldexp(mantissa, np.arange(LOWEST, HIGHEST)[:, None])
        with np.errstate(over="ignore", invalid="ignore"):
            values = order * np.log(z) + np.log(kve(order, z))
        # Where K overflows, use the expansion of the function at 0.
        small = self.table.low + z - (z**2 / (4 * (order - 1)) if order > 1.5 else 0.0)
        values = np.where(np.isfinite(values), values, small).reshape(-1, TERMS)
        to_powers = np.zeros((TERMS, TERMS))
        for k in range(TERMS):
            to_powers[k, :k + 1] = chebyshev.cheb2poly(np.eye(TERMS)[k])[:k + 1]
        fitted = np.linalg.solve(chebyshev.chebvander(nodes, TERMS - 1), values.T).T
        self._pieces = np.ascontiguousarray(fitted @ to_powers)
        self.table.pieces = doubles(self._pieces)

    def __call__(self, z):
        """Return the function of an array of values, with the same shape."""
        found = np.array(z, dtype=float, order="C")
        cdef double[::1] values = found.reshape(-1)
        cdef Py_ssize_t j
        for j in range(values.shape[0]):
            values[j] = log_bessel(&self.table, values[j])
        return found
