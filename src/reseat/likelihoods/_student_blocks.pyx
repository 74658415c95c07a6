"""Student-t blocks of points, each with its own covariance, shrunk to a common one."""

import numpy as np
from scipy.special import gammaln

from libc.math cimport log, log1p, sqrt
from libc.string cimport memcpy, memset
from numpy.random cimport bitgen_t
from numpy.random.c_distributions cimport random_standard_gamma, random_standard_normal

from reseat.checks import as_parameters
from reseat.errors import ConfigError, DataError
from reseat.generators cimport draw_place, source_of
from reseat.likelihoods._pointers cimport doubles
from reseat.likelihoods._student_sums cimport StudentSums
from reseat.numerics._cholesky cimport (
    factorise, log_determinant, solve, solve_back, take_multiple,
)

#: Values that the hyperparameters are drawn from, each with the one that a chain starts at.
PULLS = *(2.0**k for k in range(11)), 4096.0
KAPPAS = tuple(np.geomspace(1e-4, 0.02, 10).tolist())
TAILS = 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 20.0, 40.0, 100.0, 1000.0
SCALES = tuple(np.geomspace(1e-3, 1.0, 10).tolist())
STARTS = {"pull": 8.0, "kappa": KAPPAS[5], "tails": 12.0, "scale": SCALES[5]}


cdef class StudentBlocks(StudentSums):
    """Likelihood of points whose clusters are Student-t distributions, with any covariances.

    ``x_i ~ N(mu_k, Sigma_k / w_i)`` with ``w_i ~ Gamma(tails / 2, tails / 2)`` for the items of
    block k, which makes `x_i` Student-t; ``mu_k ~ N(0, Sigma_k / kappa)``; and
    ``Sigma_k ~ InverseWishart(q + 1 + pull, pull Lambda)``, whose mean is the common covariance
    ``Lambda ~ Wishart(q + 2, scale I / (q + 2))``, for points of q coordinates.  Means and
    covariances of the blocks are integrated out; the weights, the common covariance and the four
    hyperparameters are drawn after each sweep.

    Parameters
    ----------
    points : array_like, shape (n_items, q)
        Centred, and with about unit variance in every direction.
    pull, kappa, tails, scale : sequence of float, optional
        Values that each hyperparameter is drawn from, equally probable at first; one value fixes
        it.  `kappa` must stay far below 1, where one Gaussian is also explained by many small
        blocks.
    missing : pair of array_like, optional
        Items, in ascending order, once for each of their missing cells, shape (n_missing,); and how
        much the coordinates of the item grow with the value of the cell, shape (n_missing, q).  The
        points hold a first guess.  A Gibbs sweep integrates the cells of an item out and draws them
        where it goes; those of all items are drawn after each sweep.

    Attributes
    ----------
    pull, kappa, tails, scale : float
        Current values.

    Raises
    ------
    DataError
        If the points are not a table of finite numbers, or the cells are not of such items.
    ConfigError
        If a grid is empty, or has a value that is not positive and finite.

    References
    ----------
    Fraley and Raftery (2007), Bayesian regularization for normal mixture estimation and model-based
    clustering; Peel and McLachlan (2000), Robust mixture modelling using the t distribution.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.chains import MixtureModel
    >>> from reseat.likelihoods import StudentBlocks
    >>> from reseat.priors import DirichletProcess
    >>> rng = np.random.default_rng(1)
    >>> points = rng.normal(size=(40, 2)) * [0.1, 1.0] + np.repeat([[-1, 0], [1, 0]], 20, axis=0)
    >>> model = MixtureModel(DirichletProcess(1.0), StudentBlocks(points))
    >>> model.start(np.arange(40) % 3)
    >>> for _ in range(30):
    ...     n_moved = model.sweep(rng)
    >>> bool(model.labels[0] != model.labels[-1])
    True
    """

    cdef public double tails, scale
    cdef object _grids

    def __init__(
        self, points, pull=PULLS, kappa=KAPPAS, tails=TAILS, scale=SCALES, missing=((), ())
    ):
        points = np.array(points, dtype=float, order="C")
        if points.ndim != 2 or not points.size or not np.isfinite(points).all():
            raise DataError(
                f"The points have the shape {points.shape}; they must be a table of finite "
                "numbers with a row for each item and a column for each coordinate."
            )
        self._grids = {}
        for name, grid in (("pull", pull), ("kappa", kappa), ("tails", tails), ("scale", scale)):
            grid = np.unique(np.asarray(grid, dtype=float))
            if not (grid.size and grid.min() > 0 and np.isfinite(grid).all()):
                raise ConfigError(
                    f"The values of {name} must be positive and finite, and at least one."
                )
            self._grids[name] = grid
            start = STARTS[name]
            setattr(self, name, start if start in grid else float(grid[grid.size // 2]))
        super().__init__(points, missing)

    # ---- hyperparameters, common covariance and weights ------------------------------------

    @property
    def hyperparameters(self):
        return {name: getattr(self, name) for name in self._grids}

    @property
    def parameters(self):
        """Weight of each item, common covariance, and coordinates of items with missing cells."""
        found = {"weights": self._weight_array.copy(), "common": self.common_covariance}
        if self._incomplete.size:
            found["incomplete"] = self._point_array[self._incomplete]
        return found

    def restore_parameters(self, parameters):
        """Set what `parameters` returns to saved values; call `assign` afterwards."""
        self._weight_array[:] = as_parameters(parameters["weights"], "weights", (self.n_items,))
        common = as_parameters(parameters["common"], "common", (self.q, self.q))
        self._common_array[:] = common.T
        if self._incomplete.size:
            self._point_array[self._incomplete] = as_parameters(
                parameters["incomplete"], "incomplete", (self._incomplete.size, self.q)
            )

    @property
    def common_covariance(self):
        """The covariance that those of the blocks are shrunk to, shape (q, q): a copy."""
        lower = np.tril(self._common_array.T)
        return lower + np.tril(lower, -1).T

    def log_marginal(self):
        """Return the log density of the points given partition, weights and hyperparameters."""
        taken = np.flatnonzero(self._size_array[: self.capacity])
        sizes, mass = self._size_array[taken], self._mass_array[taken]
        table, degrees = self._table(self.pull), self.q + 1 + self.pull
        values = 0.5 * self.q * np.log(self.kappa / (self.kappa + mass)) + table[sizes] - table[0]
        values -= (degrees + sizes) / 2 * self._log_det_array[taken]
        values += degrees / 2 * self._log_det_array[self.capacity]
        return float(values.sum() + self._constant_array.sum())

    def log_hyperprior(self):
        """Return the log density of hyperparameters, common covariance and weights."""
        q, half, w = self.q, self.tails / 2, self._weight_array
        value = -sum(np.log(grid.size) for grid in self._grids.values())
        value += float(
            self.n_items * (half * np.log(half) - gammaln(half))
            + ((half - 1) * np.log(w) - half * w).sum()
        )
        # The Wishart density of q + 2 degrees of freedom.
        rate = (q + 2) / self.scale
        log_det = self._log_det_array[self.capacity] - q * np.log(self.pull)
        value += 0.5 * (q + 2) * q * np.log(rate / 2) + log_det / 2
        value -= rate / 2 * np.trace(self._common_array)
        value -= 0.25 * q * (q - 1) * np.log(np.pi) + gammaln(0.5 * (q + 2 - np.arange(q))).sum()
        return float(value)

    def update(self, partition, rng):
        """Draw the hyperparameters, the common covariance, the weights and missing cells."""
        self._draw(rng, None, None)

    def draw_components(self, rng):
        """Do as `update`, and return the means and precisions of the blocks that were drawn.

        Parameters
        ----------
        rng : numpy.random.Generator

        Returns
        -------
        means : ndarray, shape (capacity, q)
        precisions : ndarray, shape (capacity, q, q)
            Those of slots without items are 0.
        """
        means = np.zeros((self.capacity, self.q))
        precisions = np.zeros((self.capacity, self.q, self.q))
        self._draw(rng, means, precisions)
        upper = np.triu(precisions, 1)  # the rows are the columns of lower triangles
        return means, precisions + np.swapaxes(upper, 1, 2)

    def _draw(self, rng, means, precisions):
        tables = [self._table(pull) for pull in self._grids["pull"]]
        rows = [table[self._size_array] - table[0] for table in tables]
        cdef const double[:, ::1] gained = np.array(rows)
        cdef const double[::1] pulls = self._grids["pull"], kappas = self._grids["kappa"]
        cdef const double[::1] tails = self._grids["tails"], scales = self._grids["scale"]
        room = max(grid.size for grid in self._grids.values())
        cdef double[::1] log_weight = np.zeros(room)
        cdef double[::1] distance = np.zeros(self.n_items)
        cdef double[:, ::1] total = np.zeros((self.q, self.q))
        cdef bitgen_t* source = source_of(rng)
        half = np.asarray(tails) / 2
        constant = gammaln(half + 0.5 * self.q) - gammaln(half) + half * np.log(half)
        cdef const double[::1] of_tails = self.n_items * constant
        cdef double* kept_mean = NULL
        cdef double* kept_precision = NULL
        if means is not None:
            kept_mean, kept_precision = doubles(means), doubles(precisions)
        with rng.bit_generator.lock, nogil:
            self.accumulate()
            self.draw_pull(pulls, gained, &log_weight[0], source)
            self.draw_kappa(kappas, &log_weight[0], source)
            self.draw_covariances(&distance[0], &total[0, 0], kept_mean, kept_precision, source)
            self.draw_weights(tails, of_tails, &distance[0], &log_weight[0], source)
            self.draw_missing(source)
            self.draw_common(&total[0, 0], source)
            self.draw_scale(scales, &log_weight[0], source)
        self._sum_up()

    cdef Py_ssize_t choose(self, double* log_weight, Py_ssize_t n, bitgen_t* rng) noexcept nogil:
        """Draw a place by its log weight, which is overwritten."""
        cdef double best = log_weight[0]
        cdef Py_ssize_t k
        for k in range(1, n):
            best = max(best, log_weight[k])
        return max(draw_place(log_weight, n, best, rng), 0)

    cdef void draw_pull(
        self, const double[::1] values, const double[:, ::1] gained, double* log_weight,
        bitgen_t* rng,
    ) noexcept nogil:
        cdef int q = self.q
        cdef double* matrix = self.work + 3 * q
        cdef double empty, degrees
        cdef Py_ssize_t k, slot
        if values.shape[0] == 1:
            return
        memcpy(matrix, self.common, q * q * sizeof(double))
        factorise(matrix, self.work, q)
        empty = log_determinant(matrix, q)
        for k in range(values.shape[0]):
            degrees = q + 1 + values[k]
            log_weight[k] = 0.0
            for slot in range(self.capacity):
                if self.sizes[slot] == 0:
                    continue
                self.posterior(slot, values[k], self.kappa, matrix)
                factorise(matrix, self.work, q)
                log_weight[k] += (
                    gained[k, slot] + 0.5 * degrees * (empty + q * log(values[k]))
                    - 0.5 * (degrees + self.sizes[slot]) * log_determinant(matrix, q)
                )
        self.pull = values[self.choose(log_weight, values.shape[0], rng)]

    cdef void draw_kappa(
        self, const double[::1] values, double* log_weight, bitgen_t* rng
    ) noexcept nogil:
        cdef int q = self.q
        cdef double* matrix = self.work + 3 * q
        cdef double* centre = self.work + q
        cdef double degrees = q + 1 + self.pull, mass, t
        cdef Py_ssize_t k, slot
        if values.shape[0] == 1:
            return
        memset(log_weight, 0, values.shape[0] * sizeof(double))
        for slot in range(self.capacity):
            if self.sizes[slot] == 0:
                continue
            mass = self.mass[slot]
            self.posterior(slot, self.pull, 0.0, matrix)
            factorise(matrix, self.work, q)
            memcpy(centre, self.centre + slot * q, q * sizeof(double))
            t = solve(matrix, self.work, centre, q)
            for k in range(values.shape[0]):
                log_weight[k] += (
                    0.5 * q * log(values[k] / (values[k] + mass))
                    - 0.5 * (degrees + self.sizes[slot])
                    * log1p(values[k] * mass / (values[k] + mass) * t)
                )
        self.kappa = values[self.choose(log_weight, values.shape[0], rng)]

    cdef void draw_wishart_root(
        self, const double* factor, const double* inverse, double degrees, double* root,
        double* triangle, double* diagonal, bitgen_t* rng,
    ) noexcept nogil:
        """Draw B, by rows, with BB' ~ Wishart of the inverse of a matrix, given by its `factor`."""
        # `triangle` becomes the B of the draw for a unit matrix, as a factor.
        cdef int q = self.q, i, j
        cdef double* column = self.work
        for j in range(q):
            memset(column, 0, j * sizeof(double))
            column[j] = sqrt(2.0 * random_standard_gamma(rng, 0.5 * (degrees - j)))
            diagonal[j] = 1.0 / column[j]
            for i in range(j + 1, q):
                column[i] = random_standard_normal(rng)
            memcpy(triangle + j * q, column, q * sizeof(double))
            solve_back(factor, inverse, column, q)
            for i in range(q):
                root[i * q + j] = column[i]

    cdef void square_root(self, const double* root, double* matrix) noexcept nogil:
        """Write BB' to the lower triangle of a matrix, for B as drawn by `draw_wishart_root`."""
        cdef int q = self.q, i, j
        cdef double* d = self.work + q
        memset(matrix, 0, q * q * sizeof(double))
        for i in range(q):
            for j in range(q):
                d[j] = root[j * q + i]
            for j in range(q):
                take_multiple(matrix + j * q + j, d + j, -d[j], q - j)

    cdef void draw_covariances(
        self, double* distance, double* total, double* kept_mean, double* kept_precision,
        bitgen_t* rng,
    ) noexcept nogil:
        """Draw mean and covariance of each block, sum precisions, and set squared distances."""
        cdef int q = self.q, i, j
        cdef double* d = self.work + q
        cdef double* inverse = self.work + 2 * q
        cdef double* factor = self.work + 3 * q
        cdef double* triangle = factor + q * q
        cdef double* precision = triangle + q * q
        cdef double* roots = self.factor    # what they hold is rebuilt in the end
        cdef double* means = self.mean
        cdef double* root
        cdef double* mean
        cdef double spread
        cdef Py_ssize_t slot, item
        for slot in range(self.capacity):
            if self.sizes[slot] == 0:
                continue
            root, mean = roots + slot * q * q, means + slot * q
            self.posterior(slot, self.pull, self.kappa, factor)
            factorise(factor, inverse, q)
            self.draw_wishart_root(
                factor, inverse, q + 1 + self.pull + self.sizes[slot], root, triangle,
                self.inverse + slot * q, rng,
            )
            self.square_root(root, precision)
            take_multiple(total, precision, -1.0, q * q)
            # The mean is normal around the posterior mean, with the covariance over its mass.
            for j in range(q):
                d[j] = random_standard_normal(rng)
            solve_back(triangle, self.inverse + slot * q, d, q)
            spread = 1.0 / sqrt(self.kappa + self.mass[slot])
            for j in range(q):
                mean[j] = (
                    self.centre[slot * q + j] * self.mass[slot] / (self.kappa + self.mass[slot])
                )
            for j in range(q):
                take_multiple(mean + j, factor + j * q + j, -spread * d[j], q - j)
            if kept_mean != NULL:
                memcpy(kept_mean + slot * q, mean, q * sizeof(double))
                memcpy(kept_precision + slot * q * q, precision, q * q * sizeof(double))
        for item in range(self.n_items):
            slot = self.labels[item]
            memset(d, 0, q * sizeof(double))
            for i in range(q):
                take_multiple(
                    d, roots + (slot * q + i) * q,
                    means[slot * q + i] - self.point[item * q + i], q,
                )
            distance[item] = 0.0
            for i in range(q):
                distance[item] += d[i] * d[i]

    cdef void draw_weights(
        self, const double[::1] values, const double[::1] constant, const double* distance,
        double* log_weight, bitgen_t* rng,
    ) noexcept nogil:
        """Draw the tails with the weights integrated out, and then the weights."""
        cdef Py_ssize_t k, item
        cdef double total, shape
        if values.shape[0] > 1:
            for k in range(values.shape[0]):
                total = 0.0
                for item in range(self.n_items):
                    total += log(0.5 * (values[k] + distance[item]))
                log_weight[k] = constant[k] - 0.5 * (values[k] + self.q) * total
            self.tails = values[self.choose(log_weight, values.shape[0], rng)]
        shape = 0.5 * (self.tails + self.q)
        for item in range(self.n_items):
            self.weight[item] = (
                random_standard_gamma(rng, shape) / (0.5 * (self.tails + distance[item]))
            )

    cdef void draw_common(self, double* total, bitgen_t* rng) noexcept nogil:
        """Draw the common covariance given the sum of the precisions, which is overwritten."""
        cdef int q = self.q, i, j
        cdef double degrees = q + 2
        cdef double* d = self.work + q
        cdef double* inverse = self.work + 2 * q
        cdef double* root = self.work + 3 * q
        cdef double* triangle = root + q * q
        cdef Py_ssize_t slot
        for j in range(q):
            for i in range(j, q):
                total[j * q + i] *= self.pull
            total[j * q + j] += (q + 2) / self.scale
        for slot in range(self.capacity):
            if self.sizes[slot] > 0:
                degrees += q + 1 + self.pull
        factorise(total, inverse, q)
        self.draw_wishart_root(total, inverse, degrees, root, triangle, d, rng)
        self.square_root(root, self.common)

    cdef void draw_scale(
        self, const double[::1] values, double* log_weight, bitgen_t* rng
    ) noexcept nogil:
        cdef int q = self.q, j
        cdef double trace = 0.0
        cdef Py_ssize_t k
        if values.shape[0] == 1:
            return
        for j in range(q):
            trace += self.common[j * q + j]
        for k in range(values.shape[0]):
            log_weight[k] = -0.5 * (q + 2) * (q * log(values[k]) + trace / values[k])
        self.scale = values[self.choose(log_weight, values.shape[0], rng)]
