"""Translation-invariant Wishart blocks of pairwise distances."""

import numpy as np

from libc.math cimport log

from reseat.errors import ConfigError

from reseat.likelihoods._wishart cimport WishartBlocks

EXPONENTS = ("derived", "printed")


cdef class WishartDistances(WishartBlocks):
    """Squared distances, with a likelihood that is invariant to translations of the points.

    The columns of the unobserved points are normal with covariance
    ``alpha (I + theta B)`` and an arbitrary mean that is the same for all objects,
    where ``B`` links the objects of a block.  With ``W = (I + theta B)^-1``, block
    sizes ``n_b``, block eigenvalues ``l_b = 1 / (1 + theta n_b)`` and block sums
    of distances ``D_ab``,

        log p = (d / 2) (sum_b log l_b - log G) - ((n - 1) d / 2 + r0) log(s + s0),
        s = (d / 4) (theta sum_b l_b D_bb + Q / G),
        Q = sum_ab l_a l_b D_ab,  G = sum_b n_b l_b,

    with the scale ``alpha`` integrated out.  No eigenvalues need to be computed:
    the product of the non-zero ones is ``n det(W) / (1' W 1)``.

    Parameters
    ----------
    distances : array_like, shape (n_items, n_items)
        Squared distances, of negative type, or a `PointSums`.  A common factor does
        not matter as long as `scale` is 0 and `dtype` can represent them all.
    dim : float
        Degrees of freedom d.
    theta : float
        Ratio of the variance between blocks to that within them; the initial value
        if it is sampled.
    hyperprior : BetaHyperprior, optional
        Prior of ``theta / (1 + theta)``, the share of the variance that lies between
        blocks.  If given, theta is slice sampled after every sweep.
    shape, scale : float
        Shape r0 and scale s0 of the inverse gamma prior of alpha; 0 and 0 stand for
        the prior 1 / alpha.
    exponent : {"derived", "printed"}
        Power of the scale: ``(n - 1) d / 2`` as derived, or ``n d / 2`` as the paper
        prints.
    dtype : numpy.float32 or numpy.float64
        Precision in which the distances are stored.
    cached : bool
        Whether row sums over blocks are kept from move to move.

    Raises
    ------
    ConfigError
        If a parameter is out of range, or the sums belong to another likelihood.
    DataError
        If the matrix is empty, not square, not symmetric, masked or not finite, if its entries are
        too large or too small for `dtype`, or if all entries and `scale` are 0.

    References
    ----------
    Vogt, Prabhakaran, Fuchs and Roth (2010), section 3, eq. 14 to 17.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.likelihoods import WishartDistances
    >>> points = np.array([[0.0, 0.1], [0.1, 0.0], [3.0, 3.1], [3.1, 3.0]])
    >>> distances = ((points[:, None] - points[None]) ** 2).sum(axis=-1)
    >>> likelihood = WishartDistances(distances, dim=2, theta=10.0)
    >>> likelihood.assign([0, 0, 1, 1], 4)
    >>> right = likelihood.log_marginal()
    >>> likelihood.assign([0, 1, 0, 1], 4)
    >>> right > likelihood.log_marginal()
    True
    """

    cdef object _cross_array
    cdef double* cross              # [a]: sum over b of l_b D_ab
    cdef double within, between, mass, log_det   # theta sum l_b D_bb, Q, G, sum log l_b

    def __init__(
        self, distances, dim, theta=1.0, hyperprior=None, shape=0.0, scale=0.0, exponent="derived",
        dtype=np.float32, bint cached=True,
    ):
        super().__init__(distances, dim, theta, hyperprior, shape, scale, dtype, cached)
        if exponent not in EXPONENTS:
            raise ConfigError(f"exponent is {exponent!r}; it must be one of {EXPONENTS}.")
        free = self.n_items - 1 if exponent == "derived" else self.n_items
        self.exponent = free * dim / 2 + shape

    def _hold_sizes(self):
        cdef double[::1] cross
        self._cross_array = np.zeros(self.capacity)
        cross = self._cross_array
        self.cross = &cross[0]
        super()._hold_sizes()

    cdef void _refresh(self) noexcept nogil:
        cdef Py_ssize_t a
        for a in range(self.capacity):
            self.cross[a] = self._cross_of(a)
        self._reduce()

    cdef double _cross_of(self, Py_ssize_t a) noexcept nogil:
        cdef double* sums = self.blocks.sums + a * self.capacity
        cdef double total = 0.0
        cdef Py_ssize_t b
        if self.sizes[a] > 0:
            for b in range(self.capacity):
                total += self.eigenvalue[self.sizes[b]] * sums[b]
        return total

    cdef void _reduce(self) noexcept nogil:
        """Compute the sums over blocks in which a candidate changes a single term."""
        cdef Py_ssize_t capacity = self.capacity
        cdef Py_ssize_t b
        cdef double value
        self.within = self.between = self.mass = self.log_det = 0.0
        for b in range(capacity):
            if self.sizes[b] > 0:
                value = self.eigenvalue[self.sizes[b]]
                self.within += self._theta * value * self.blocks.sums[b * capacity + b]
                self.between += value * self.cross[b]
                self.mass += self.sizes[b] * value
                self.log_det += self.log_eigenvalue[self.sizes[b]]

    cdef void move(self, Py_ssize_t item, Py_ssize_t source, Py_ssize_t target) noexcept nogil:
        cdef Py_ssize_t capacity = self.capacity
        cdef double* sums = self.blocks.sums
        cdef double* eigenvalue = self.eigenvalue
        cdef Py_ssize_t a
        cdef double left = eigenvalue[self.sizes[source]]
        cdef double reached = eigenvalue[self.sizes[target]]
        for a in range(capacity):
            self.cross[a] -= left * sums[a * capacity + source]
            self.cross[a] -= reached * sums[a * capacity + target]
        self.blocks.reseat(item, source, target)
        self._resize(source, target)
        left, reached = eigenvalue[self.sizes[source]], eigenvalue[self.sizes[target]]
        for a in range(capacity):
            self.cross[a] += left * sums[a * capacity + source]
            self.cross[a] += reached * sums[a * capacity + target]
        self.cross[source] = self._cross_of(source)
        self.cross[target] = self._cross_of(target)
        self._reduce()

    cdef void score(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t n_slots, double* out
    ) noexcept nogil:
        cdef Py_ssize_t capacity = self.capacity
        cdef double* row = self.blocks.row(item)
        cdef double* sums = self.blocks.sums
        cdef double* eigenvalue = self.eigenvalue
        cdef int* sizes = self.sizes
        cdef double theta = self._theta
        cdef double half = self.dim / 2, quarter = self.dim / 4
        cdef int n = sizes[own]
        cdef double here = eigenvalue[n], left = eigenvalue[n - 1]
        cdef double diagonal = sums[own * capacity + own]
        cdef double rest = diagonal - 2 * row[own]   # of the block without the item
        cdef double others = self.cross[own] - here * diagonal
        cdef double pull = 0.0                       # sum over b of l_b R_ib
        cdef double within, between, mass, log_det, value, joined, outside, cross
        cdef Py_ssize_t c

        for c in range(n_slots):
            pull += eigenvalue[sizes[c]] * row[c]
        pull -= here * row[own]
        # Adjust everything as if the item had been removed.
        within = self.within + theta * (left * rest - here * diagonal)
        between = self.between - here * (here * diagonal + 2 * others)
        between += left * (left * rest + 2 * (others - pull))
        mass = self.mass - n * here + (n - 1) * left
        log_det = self.log_det - self.log_eigenvalue[n] + self.log_eigenvalue[n - 1]
        pull += left * row[own]

        for c in range(n_slots):
            if c == own:
                continue
            value, joined = eigenvalue[sizes[c]], eigenvalue[sizes[c] + 1]
            diagonal = sums[c * capacity + c]
            cross = self.cross[c] + (left - here) * sums[c * capacity + own] - left * row[c]
            outside = cross - value * diagonal
            out[c] = self._log_density(
                half, quarter,
                within + theta * (joined * (diagonal + 2 * row[c]) - value * diagonal),
                between - value * (value * diagonal + 2 * outside)
                + joined * (joined * (diagonal + 2 * row[c])
                            + 2 * (outside + pull - value * row[c])),
                mass - sizes[c] * value + (sizes[c] + 1) * joined,
                log_det - self.log_eigenvalue[sizes[c]] + self.log_eigenvalue[sizes[c] + 1],
            )
        out[own] = self._log_density(
            half, quarter, self.within, self.between, self.mass, self.log_det
        )
        joined = eigenvalue[1]
        out[n_slots] = self._log_density(
            half, quarter, within, between + 2 * joined * pull, mass + joined,
            log_det + self.log_eigenvalue[1],
        )

    cdef inline double _log_density(
        self, double half, double quarter, double within, double between, double mass,
        double log_det,
    ) noexcept nogil:
        return half * (log_det - log(mass)) - self.exponent * log(
            quarter * (within + between / mass) + self.scale
        )

    cdef double _density_at(self, double theta) noexcept:
        cdef Py_ssize_t capacity = self.capacity
        cdef Py_ssize_t a, b
        cdef double within = 0.0, between = 0.0, mass = 0.0, log_det = log(<double>self.n_items)
        cdef double value, cross
        cdef double* row
        for a in range(capacity):
            if self.sizes[a] == 0:
                continue
            row = self.blocks.sums + a * capacity
            value, cross = 1 / (1 + theta * self.sizes[a]), 0.0
            for b in range(capacity):
                if self.sizes[b] > 0:
                    cross += row[b] / (1 + theta * self.sizes[b])
            within += theta * value * row[a]
            between += value * cross
            mass += self.sizes[a] * value
            log_det += log(value)
        return self._log_density(self.dim / 2, self.dim / 4, within, between, mass, log_det)
