"""Wishart blocks of inner products, for which the origin of the points matters."""

import numpy as np

from libc.math cimport log

from reseat.likelihoods._wishart cimport WishartBlocks


cdef class WishartSimilarities(WishartBlocks):
    """Inner products of points with a common effect in each block and mean zero.

    Like `WishartDistances`, but for ``S = X X' / d`` itself, so that a translation
    of the points changes the posterior:

        log p = (d / 2) sum_b log l_b - (n d / 2 + r0) log(s + s0),
        s = (d / 2) (tr S - theta sum_b l_b S_bb).

    Parameters
    ----------
    similarities : array_like, shape (n_items, n_items)
        Inner products divided by `dim`; positive semi-definite.
    dim, theta, hyperprior, shape, scale, dtype, cached
        As for `WishartDistances`.

    Raises
    ------
    ConfigError
        If a parameter is out of range, or the sums belong to another likelihood.
    DataError
        If the matrix is empty, not square, not symmetric, masked or not finite, if its entries are
        too large or too small for `dtype`, or if all entries and `scale` are 0.

    References
    ----------
    Vogt, Prabhakaran, Fuchs and Roth (2010), section 2, eq. 7 to 12.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.likelihoods import WishartSimilarities
    >>> points = np.array([[2.0, -2.1], [2.1, -2.0], [-2.0, 2.1], [-2.1, 2.0]])
    >>> likelihood = WishartSimilarities(points @ points.T / 2, dim=2, theta=10.0)
    >>> likelihood.assign([0, 0, 1, 1], 4)
    >>> right = likelihood.log_marginal()
    >>> likelihood.assign([0, 1, 0, 1], 4)
    >>> right > likelihood.log_marginal()
    True
    """

    cdef double trace, within, log_det   # tr S, theta sum l_b S_bb, sum log l_b

    def __init__(
        self, similarities, dim, theta=1.0, hyperprior=None, shape=0.0, scale=0.0, dtype=np.float32,
        bint cached=True,
    ):
        super().__init__(similarities, dim, theta, hyperprior, shape, scale, dtype, cached)
        self.exponent = self.n_items * dim / 2 + shape
        self.trace = float(np.trace(self.blocks.matrix, dtype=float))

    cdef void _refresh(self) noexcept nogil:
        cdef Py_ssize_t b
        self.within = self.log_det = 0.0
        for b in range(self.capacity):
            if self.sizes[b] > 0:
                self.within += (
                    self._theta * self.eigenvalue[self.sizes[b]]
                    * self.blocks.sums[b * self.capacity + b]
                )
                self.log_det += self.log_eigenvalue[self.sizes[b]]

    cdef void score(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t n_slots, double* out
    ) noexcept nogil:
        cdef Py_ssize_t capacity = self.capacity
        cdef double* row = self.blocks.row(item)
        cdef double* eigenvalue = self.eigenvalue
        cdef double* log_eigenvalue = self.log_eigenvalue
        cdef int* sizes = self.sizes
        cdef double theta = self._theta
        cdef double self_sum = self.blocks.entry(item, item)
        cdef int n = sizes[own]
        cdef double diagonal = self.blocks.sums[own * capacity + own]
        cdef double rest = diagonal - 2 * row[own] + self_sum
        cdef double within, log_det
        cdef Py_ssize_t c
        within = self.within + theta * (eigenvalue[n - 1] * rest - eigenvalue[n] * diagonal)
        log_det = self.log_det - log_eigenvalue[n] + log_eigenvalue[n - 1]
        for c in range(n_slots):
            n = sizes[c]
            diagonal = self.blocks.sums[c * capacity + c]
            out[c] = self._log_density(
                within + theta * (
                    eigenvalue[n + 1] * (diagonal + 2 * row[c] + self_sum)
                    - eigenvalue[n] * diagonal
                ),
                log_det - log_eigenvalue[n] + log_eigenvalue[n + 1],
            ) if c != own else self._log_density(self.within, self.log_det)
        out[n_slots] = self._log_density(
            within + theta * eigenvalue[1] * self_sum, log_det + log_eigenvalue[1]
        )

    cdef inline double _log_density(self, double within, double log_det) noexcept nogil:
        return self.dim / 2 * log_det - self.exponent * log(
            self.dim / 2 * (self.trace - within) + self.scale
        )

    cdef double _density_at(self, double theta) noexcept:
        cdef Py_ssize_t b
        cdef double within = 0.0, log_det = 0.0, value
        for b in range(self.capacity):
            if self.sizes[b] > 0:
                value = 1 / (1 + theta * self.sizes[b])
                within += theta * value * self.blocks.sums[b * self.capacity + b]
                log_det += log(value)
        return self._log_density(within, log_det)
