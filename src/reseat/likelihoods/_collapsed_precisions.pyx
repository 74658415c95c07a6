"""Types of references, with their precisions integrated out."""

import numpy as np

from libc.math cimport fmax, lgamma, log

from reseat.checks import as_labels
from reseat.errors import ConfigError

from reseat.likelihoods._type_blocks cimport TypeBlocks

cdef double LOG_TWO_PI = 1.8378770664093453


cdef class CollapsedPrecisions(TypeBlocks):
    """Types scored with their precisions integrated out, given the means of all references.

    The law of the precisions must be a gamma distribution.  For each feature of q coordinates, an
    item with squared residual ``s`` then contributes to the log predictive of a type

        lgamma(a + q / 2) - lgamma(a) + a log b - (a + q / 2) log(b + s / 2) - q log(2 pi) / 2,

    where ``a`` and ``b`` are the parameters of the posterior of the type's precision.

    `update` draws the precisions, which the other part of the model needs.

    Parameters
    ----------
    data, law, groups, held
        As for `ReferencePrecisions`.

    Raises
    ------
    ConfigError
        If the law is ``covariance``, under which precisions cannot be integrated out.

    References
    ----------
    Daume and Marcu (2005), section 4.1, with the precisions integrated out.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.chains import MixtureModel, SupervisedModel
    >>> from reseat.likelihoods import CollapsedPrecisions, GaussianReferences, ReferenceMeans
    >>> from reseat.priors import DirichletProcess
    >>> data = GaussianReferences([[0.3], [0.5], [-3.0]])
    >>> publications = MixtureModel(DirichletProcess(1.0), ReferenceMeans(data))
    >>> types = MixtureModel(DirichletProcess(1.0), CollapsedPrecisions(data))
    >>> model = SupervisedModel(publications, types)
    >>> model.start({"publication": [0, 0, 1], "type": [0, 0, 0]})
    >>> n_moved = model.sweep(np.random.default_rng(1))
    """

    #: Whether blocks are scored with their parameters integrated out.
    collapsed = True

    cdef object _square_array, _part_array
    cdef double* square     # [slot][feature] sum of the squared residuals of its items
    cdef double* part       # [slot] part of the score that does not depend on the item
    cdef object _shape_array, _ratio_array
    cdef const int* row_of  # [feature] row of `ratio`, one for each shape and width
    cdef double* ratio      # [row][items] log ratio of gamma functions, NaN until needed

    def __init__(self, data, law=None, groups=None, bint held=False):
        if law is not None and law.kind == "covariance":
            raise ConfigError("Precisions under the law 'covariance' cannot be integrated out.")
        super().__init__(data, law, groups, held)

    def _derive_law(self):
        super()._derive_law()
        cdef double[:, ::1] ratios
        cdef const int[::1] row_of
        shapes = np.asarray(self._law_array)[:, 0]
        if self._shape_array is not None and np.array_equal(shapes, self._shape_array):
            return
        kinds = np.stack([shapes, self.data.widths], axis=1)
        kinds, row = np.unique(kinds, axis=0, return_inverse=True)
        ratios = np.full((len(kinds), self.n_items + 1), np.nan)
        row_of = row.ravel().astype(np.intc)
        self._shape_array, self._ratio_array = shapes.copy(), (ratios, row_of)
        self.ratio, self.row_of = &ratios[0, 0], &row_of[0]

    cdef inline double _log_ratio(self, int f, Py_ssize_t n) noexcept nogil:
        """Return the log ratio of the gamma functions for `n` + 1 and for `n` items."""
        cdef double* found = self.ratio + self.row_of[f] * (self.n_items + 1) + n
        cdef double shape, half
        if found[0] != found[0]:
            half = (self.starts[f + 1] - self.starts[f]) / 2.0
            shape = self.laws[f].shape + n * half
            found[0] = lgamma(shape + half) - lgamma(shape)
        return found[0]

    def _resize(self, Py_ssize_t capacity):
        cdef double[:, ::1] square
        cdef double[::1] part
        cdef Py_ssize_t slot
        new = np.zeros((capacity + 1, self.n_features))
        if self._square_array is not None:
            kept = min(self.capacity, capacity)
            new[:kept] = self._square_array[:kept]
        super()._resize(capacity)
        square, part = new, np.zeros(capacity + 1)
        self._square_array, self._part_array = new, part
        self.square, self.part = &square[0, 0], &part[0]
        for slot in range(self.capacity):
            self._derive(slot)

    def assign(self, labels, Py_ssize_t capacity):
        cdef const int[::1] label = as_labels(labels, self.n_items, capacity)
        cdef Py_ssize_t item, slot
        super().assign(labels, capacity)
        self._square_array[:] = 0.0
        for item in range(self.n_items):
            self._add(item, label[item], 1.0)
        for slot in range(self.capacity):
            self._derive(slot)

    def follow(self, TypeBlocks other):
        """Copy the residuals and the law of another likelihood; call `assign` afterwards.

        Parameters
        ----------
        other : ReferencePrecisions or CollapsedPrecisions
            A likelihood of the same data.
        """
        self._residual_array[:] = other._residual_array
        self._law_array[:] = other._law_array
        self._derive_law()

    cdef void _add(self, Py_ssize_t item, Py_ssize_t slot, double sign) noexcept nogil:
        cdef int f
        for f in range(self.n_features):
            self.square[slot * self.n_features + f] += (
                sign * self.residual[item * self.n_features + f]
            )

    cdef void _derive(self, Py_ssize_t slot) noexcept nogil:
        self.part[slot] = self._constant(
            self.square + slot * self.n_features, self.sizes[slot], NULL
        )

    cdef double _constant(
        self, const double* square, Py_ssize_t n, const double* without
    ) noexcept nogil:
        cdef double total = 0.0, shape, half, product = 1.0, alike = 0.0
        cdef int f
        for f in range(self.n_features):
            half = (self.starts[f + 1] - self.starts[f]) / 2.0
            shape = self.laws[f].shape + n * half
            total += self._log_ratio(f, n) - half * LOG_TWO_PI
            # One logarithm for all features of the same shape, while their product is in range.
            if shape != alike or not 1e-140 < product < 1e140:
                total += alike * log(product)
                product, alike = 1.0, shape
            product *= self.laws[f].rate + self._half(square, without, f)
        return total + alike * log(product)

    cdef inline double _half(
        self, const double* square, const double* without, int f
    ) noexcept nogil:
        return 0.5 * (square[f] if without == NULL else fmax(square[f] - without[f], 0.0))

    cdef double score_block(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t slot
    ) noexcept nogil:
        cdef const double* residual = self.residual + item * self.n_features
        cdef const double* square
        cdef const double* without = residual if slot == own else NULL
        cdef Py_ssize_t n
        cdef double total, shape, product = 1.0, alike = 0.0
        cdef int f
        if slot < 0:
            return self._score_new(item)
        square, n = self.square + slot * self.n_features, self.sizes[slot] - (slot == own)
        total = self._constant(square, n, without) if slot == own else self.part[slot]
        for f in range(self.n_features):
            shape = self.laws[f].shape + (n + 1) * (self.starts[f + 1] - self.starts[f]) / 2.0
            if shape != alike or not 1e-140 < product < 1e140:
                total -= alike * log(product)
                product, alike = 1.0, shape
            product *= self.laws[f].rate + self._half(square, without, f) + residual[f] / 2
        return total - alike * log(product)

    cdef void move(self, Py_ssize_t item, Py_ssize_t source, Py_ssize_t target) noexcept nogil:
        cdef int f
        self.sizes[source] -= 1
        self.sizes[target] += 1
        self._add(item, target, 1.0)
        self._add(item, source, -1.0)
        for f in range(self.n_features):
            if self.sizes[source] == 0:
                self.square[source * self.n_features + f] = 0.0
        self._derive(source)
        self._derive(target)

    def log_marginal(self):
        """Return the log density of all references given their means and types."""
        cdef double total = 0.0, shape, half
        cdef Py_ssize_t slot
        cdef int f
        for f in range(self.n_features):
            half = (self.starts[f + 1] - self.starts[f]) / 2.0
            for slot in range(self.capacity):
                if self.sizes[slot] > 0:
                    shape = self.laws[f].shape + self.sizes[slot] * half
                    total += lgamma(shape) - self.law.log_normaliser(self.laws[f])
                    total -= shape * log(
                        self.laws[f].rate + self.square[slot * self.n_features + f] / 2
                    ) + self.sizes[slot] * half * LOG_TWO_PI
        return total
