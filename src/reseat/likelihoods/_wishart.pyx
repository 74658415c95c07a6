"""Wishart blocks of pairwise distances, and of inner products of points."""

import numpy as np

from libc.math cimport log

from reseat.checks import check_between, check_growth, check_positive, check_start
from reseat.errors import ConfigError, DataError

from reseat.likelihoods._block_sums cimport BlockSums
from reseat.likelihoods._likelihood cimport Likelihood
from reseat.likelihoods._pointers cimport doubles, ints

EXPONENTS = ("derived", "printed")


cdef class WishartBlocks(Likelihood):
    """Base class of the Wishart likelihoods; the subclasses document the parameters."""

    cdef readonly BlockSums blocks
    cdef readonly double dim        # degrees of freedom
    cdef readonly double shape, scale
    cdef readonly double exponent   # power of the scale, which is integrated out
    cdef double _theta
    cdef readonly object hyperprior
    cdef object _size_array, _eigenvalues
    cdef int* sizes                 # number of objects of each slot
    cdef double* eigenvalue         # [n]: eigenvalue of a block of n objects
    cdef double* log_eigenvalue

    def __init__(
        self, matrix, dim, theta=1.0, hyperprior=None, shape=0.0, scale=0.0, dtype=np.float32,
        bint cached=True,
    ):
        dim = check_between("dim", dim, 1, hint=", as the degrees of freedom d")
        shape = check_between("shape", shape, 0, hint=", for the prior of the scale")
        scale = check_between("scale", scale, 0, hint=", for the prior of the scale")
        theta = check_positive("theta", theta)
        check_start("theta / (1 + theta)", theta / (1 + theta), hyperprior)
        self.hyperprior = hyperprior
        self.blocks = matrix if isinstance(matrix, BlockSums) else BlockSums(matrix, dtype, cached)
        if self.blocks.taken:
            raise ConfigError(
                "These sums are those of another likelihood, which has a partition of its own; "
                "make others for this one."
            )
        self.blocks.taken = True
        if self.blocks.vanishes and scale == 0:
            raise DataError(
                "All entries of the matrix are 0, so that no scale can be found from them; check "
                "the data, or give the prior of the scale a scale above 0."
            )
        self.n_items = self.blocks.n_items
        self.dim, self.shape, self.scale = dim, shape, scale
        self._set_theta(theta)

    def _set_theta(self, theta):
        self._theta = theta
        values = 1 / (1 + theta * np.arange(self.n_items + 1))
        self._eigenvalues = values, np.log(values)
        self.eigenvalue, self.log_eigenvalue = doubles(values), doubles(self._eigenvalues[1])

    cdef void _refresh(self) noexcept nogil:
        """Recompute everything that is derived from the sums, the sizes and theta."""
        pass

    cdef void move(self, Py_ssize_t item, Py_ssize_t source, Py_ssize_t target) noexcept nogil:
        self.blocks.reseat(item, source, target)
        self.sizes[source] -= 1
        self.sizes[target] += 1
        self._refresh()

    cdef void weigh_slots(
        self, Py_ssize_t item, Py_ssize_t own, const int* slots, Py_ssize_t n_slots, double* weight
    ) noexcept nogil:
        # All slots are scored, because most of the work is common to all blocks.
        cdef Py_ssize_t j
        self.score(item, own, self.capacity, self.scratch)
        for j in range(n_slots):
            weight[j] += self.scratch[slots[j]]
        weight[n_slots] += self.scratch[self.capacity]

    def assign(self, labels, capacity):
        labels = self._checked_labels(labels, capacity)
        self.blocks.assign(labels, capacity)
        self._hold(np.bincount(labels, minlength=capacity).astype(np.intc))

    def grow(self, capacity):
        check_growth(self.capacity, capacity)
        self.blocks.grow(capacity)
        self._hold(np.pad(self._size_array, (0, capacity - self.capacity)))

    def _may_hold(self, Py_ssize_t item, Py_ssize_t slot):
        return self.blocks.labels[item] == slot

    def _hold(self, sizes):
        self._size_array, self.sizes, self.capacity = sizes, ints(sizes), len(sizes)
        self._refresh()

    @property
    def theta(self):
        """Ratio of the variance between blocks to that within them."""
        return self._theta

    @property
    def hyperparameters(self):
        return {"theta": self._theta}

    def restore(self, hyperparameters):
        """Set theta to its saved value."""
        self._set_theta(float(hyperparameters["theta"]))
        if self._size_array is not None:
            self._refresh()

    def log_marginal_at(self, theta):
        """Return the log marginal likelihood given the partition, at each of some values of theta.

        Parameters
        ----------
        theta : array_like, shape (n,)

        Returns
        -------
        ndarray, shape (n,)
        """
        return np.array([self._density_at(value) for value in np.atleast_1d(theta)])

    cdef double _density_at(self, double theta) noexcept:
        """Return the log marginal likelihood at a value of theta, given the partition."""
        return 0.0

    def log_marginal(self):
        """Return the log marginal likelihood given the partition, up to a constant of the data."""
        return self._density_at(self._theta)

    def log_hyperprior(self):
        """Return the log prior density of theta / (1 + theta); 0 if theta is fixed."""
        if self.hyperprior is None:
            return 0.0
        return self.hyperprior.log_density(self._theta / (1 + self._theta))

    def update(self, partition, rng):
        """Update theta by slice sampling."""
        if self.hyperprior is not None:
            share = self._theta / (1 + self._theta)
            share = self.hyperprior.resample(
                share, lambda share: self._density_at(share / (1 - share)), rng
            )
            self._set_theta(share / (1 - share))
        self._refresh()     # so that the state is that of a chain that is resumed here


cdef class WishartDistances(WishartBlocks):
    """Squared distances, with a likelihood that is invariant to translations of the points.

    The columns of the unobserved points are normal with covariance ``alpha (I + theta B)`` and an
    arbitrary mean that is the same for all objects, where ``B`` links the objects of a block.
    With sizes ``n_b``, eigenvalues ``l_b = 1 / (1 + theta n_b)`` and sums of distances ``D_ab``
    of blocks,

        log p = (d / 2) (sum_b log l_b - log G) - ((n - 1) d / 2 + r0) log(s + s0),
        s = (d / 4) (theta sum_b l_b D_bb + Q / G),
        Q = sum_ab l_a l_b D_ab,  G = sum_b n_b l_b,

    with the scale ``alpha`` integrated out.

    Parameters
    ----------
    distances : array_like, shape (n_items, n_items)
        Squared distances, of negative type, or a `PointSums`.  A common factor does not matter
        as long as `scale` is 0 and `dtype` can represent them all.
    dim : float
        Degrees of freedom d.
    theta : float
        Ratio of the variance between blocks to that within them; the initial value if sampled.
    hyperprior : BetaHyperprior, optional
        Prior of ``theta / (1 + theta)``, the share of the variance that lies between blocks.  If
        given, theta is slice sampled after every sweep.
    shape, scale : float
        Shape r0 and scale s0 of the inverse gamma prior of alpha; both 0 for the prior 1 / alpha.
    exponent : {"derived", "printed"}
        Power of the scale: ``(n - 1) d / 2`` as derived, or ``n d / 2`` as the paper prints.
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

    def _hold(self, sizes):
        self._cross_array = np.zeros(len(sizes))
        self.cross = doubles(self._cross_array)
        super()._hold(sizes)

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
        self.sizes[source] -= 1
        self.sizes[target] += 1
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
                within + theta * (joined * (diagonal + 2 * row[c]) - value * diagonal),
                between - value * (value * diagonal + 2 * outside)
                + joined * (joined * (diagonal + 2 * row[c])
                            + 2 * (outside + pull - value * row[c])),
                mass - sizes[c] * value + (sizes[c] + 1) * joined,
                log_det - self.log_eigenvalue[sizes[c]] + self.log_eigenvalue[sizes[c] + 1],
            )
        out[own] = self._log_density(self.within, self.between, self.mass, self.log_det)
        joined = eigenvalue[1]
        out[n_slots] = self._log_density(
            within, between + 2 * joined * pull, mass + joined, log_det + self.log_eigenvalue[1]
        )

    cdef inline double _log_density(
        self, double within, double between, double mass, double log_det
    ) noexcept nogil:
        return 0.5 * self.dim * (log_det - log(mass)) - self.exponent * log(
            0.25 * self.dim * (within + between / mass) + self.scale
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
        return self._log_density(within, between, mass, log_det)


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
    ConfigError, DataError
        As for `WishartDistances`.

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
