"""The common base of the likelihoods of distances and of similarities."""

import numpy as np

from reseat.checks import check_between, check_growth, check_positive, check_start
from reseat.errors import ConfigError, DataError

from reseat.likelihoods._block_sums cimport BlockSums


cdef class WishartBlocks(Likelihood):
    """Base class of the Wishart likelihoods; the subclasses document the parameters."""

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
        self._lambda_array = np.empty(self.n_items + 1)
        self._log_lambda_array = np.empty(self.n_items + 1)
        cdef double[::1] eigenvalue = self._lambda_array
        cdef double[::1] log_eigenvalue = self._log_lambda_array
        self.eigenvalue, self.log_eigenvalue = &eigenvalue[0], &log_eigenvalue[0]
        self._set_theta(theta)

    def _set_theta(self, theta):
        self._theta = theta
        self._lambda_array[:] = 1 / (1 + theta * np.arange(self.n_items + 1))
        self._log_lambda_array[:] = np.log(self._lambda_array)

    cdef void _refresh(self) noexcept nogil:
        """Recompute everything that is derived from the sums, the sizes and theta."""
        pass

    cdef void _resize(self, Py_ssize_t source, Py_ssize_t target) noexcept nogil:
        self.sizes[source] -= 1
        self.sizes[target] += 1

    cdef void move(self, Py_ssize_t item, Py_ssize_t source, Py_ssize_t target) noexcept nogil:
        self.blocks.reseat(item, source, target)
        self._resize(source, target)
        self._refresh()

    cdef void weigh_slots(
        self, Py_ssize_t item, Py_ssize_t own, const int* slots, Py_ssize_t n_slots,
        double* weight
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
        self.capacity = capacity
        self._size_array = np.bincount(labels, minlength=capacity).astype(np.intc)
        self._hold_sizes()

    def grow(self, capacity):
        check_growth(self.capacity, capacity)
        self.blocks.grow(capacity)
        self._size_array = np.pad(self._size_array, (0, capacity - self.capacity))
        self.capacity = capacity
        self._hold_sizes()

    def _may_hold(self, Py_ssize_t item, Py_ssize_t slot):
        return self.blocks.labels[item] == slot

    def _hold_sizes(self):
        cdef int[::1] sizes = self._size_array
        self.sizes = &sizes[0]
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
        """Update theta by slice sampling.

        Everything that is derived from the sums is recomputed, so that the state
        after a sweep is that of a chain that is resumed there.
        """
        if self.hyperprior is not None:
            share = self.hyperprior.resample(
                self._theta / (1 + self._theta),
                lambda share: self._density_at(share / (1 - share)),
                rng,
            )
            self._set_theta(share / (1 - share))
        self._refresh()
