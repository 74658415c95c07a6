"""Types of references, with explicit precisions or with their precisions integrated out."""

import numpy as np

from libc.math cimport fmax, lgamma, log, sqrt
from libc.string cimport memset
from numpy.random cimport bitgen_t

from reseat.checks import as_labels, as_parameters, check_growth
from reseat.errors import ConfigError, DataError
from reseat.generators cimport source_of
from reseat.likelihoods._likelihood cimport SlotwiseLikelihood
from reseat.likelihoods._likelihood import resized
from reseat.likelihoods._log_bessel cimport BesselTable, LogBessel, log_bessel
from reseat.likelihoods._mean_spread import MeanSpread
from reseat.likelihoods._pointers cimport doubles, ints
from reseat.likelihoods._precision_law cimport Moments, Precision, PrecisionLaw
from reseat.likelihoods._residuals cimport dot, squares as residual_squares
from reseat.likelihoods._variates cimport draw_precision
from reseat.likelihoods.references import PUBLICATION, GaussianReferences, groups_of
from reseat.numerics import product

cdef double LOG_TWO = 0.6931471805599453
cdef double LOG_TWO_PI = 1.8378770664093453


cdef class TypeBlocks(SlotwiseLikelihood):
    """Residuals, and the law and draws of the precisions; at first, all means are 0."""

    cdef readonly object data
    cdef readonly PrecisionLaw law
    cdef readonly bint held
    cdef int n_features
    cdef object _arrays, _groups, _pairs, _law_array, _size_array, _precision_array
    cdef const int* starts          # [feature + 1]
    cdef double* residual           # [item][feature] squared distance from its mean
    cdef Precision* laws            # [feature]
    cdef double fresh               # part of the score of a new block common to all items
    cdef double* posterior_shape    # [feature] posterior shape of the precision in a new block
    cdef const BesselTable** bessel     # [feature] table for the normaliser of a new block, or NULL
    cdef double* precision          # [slot][feature] as last drawn

    def __init__(self, data, PrecisionLaw law=None, groups=None, bint held=False):
        if not isinstance(data, GaussianReferences):
            data = GaussianReferences(data)
        law = PrecisionLaw() if law is None else law
        self.data, self.law, self.held = data, law, held
        self.n_items, self.n_features = data.n_items, data.n_features
        self._groups = groups_of(groups, law, self.n_items)
        self._pairs = MeanSpread(data, self._groups.max() + 1, law.kind == "between")
        self._law_array = np.empty((self.n_features, 3))
        shapes, residuals = np.empty(self.n_features), np.empty((self.n_items, self.n_features))
        self._arrays = data.starts, shapes, residuals
        self.starts, self.posterior_shape = ints(data.starts), doubles(shapes)
        self.residual, self.laws = doubles(residuals), <Precision*> doubles(self._law_array)
        self._find_tables()
        self._resize(0)
        self._measure(np.zeros(self.n_items, dtype=np.intc), np.zeros((1, data.n_coordinates)))
        self._take_law(0.0, 0.0, *np.zeros((2, self.n_features)))

    def _find_tables(self):
        cdef size_t[::1] addresses = np.zeros(self.n_features, dtype=np.uintp)
        cdef LogBessel table
        cdef int f
        self.bessel = <const BesselTable**> &addresses[0]
        tables = {}
        self._arrays += addresses, tables
        if self.law.kind == "covariance":
            for f, w in enumerate(self.data.widths.tolist()):
                table = tables[w] = tables.get(w) or LogBessel(self.law.shape + w / 2)
                addresses[f] = <size_t> &table.table

    def condition(self, others):
        """Take in the publications of the items and their means; call `assign` afterwards.

        The law of the precisions follows the means unless it is `held`.
        """
        if PUBLICATION not in others:
            raise ConfigError(
                f"The precisions need the part {PUBLICATION!r}, but there is {sorted(others)}."
            )
        publications = others[PUBLICATION]
        self._measure(publications.partition.label_array, publications.likelihood.means)
        if not self.held:
            self.renew_law(publications)

    def _measure(self, labels, means):
        cdef const int[::1] label = as_labels(labels, self.n_items, len(means))
        cdef const double[:, ::1] mean = np.ascontiguousarray(means, dtype=float)
        cdef const double[:, ::1] point = self.data.coordinates
        cdef Py_ssize_t item
        if mean.shape[1] != point.shape[1]:
            raise DataError(
                f"The means have {mean.shape[1]} coordinates, the references {point.shape[1]}."
            )
        with nogil:
            for item in range(self.n_items):
                residual_squares(
                    &point[item, 0], &mean[label[item], 0], self.starts, self.n_features,
                    <int> point.shape[1], self.residual + item * self.n_features,
                )

    def renew_law(self, publications):
        """Update the law of the precisions to the current publications and their means.

        Parameters
        ----------
        publications : MixtureModel
            With a `partition` and a `likelihood` that has `means`.
        """
        labels = publications.partition.label_array
        if self.law.kind == "within":
            variances = self._variances(labels)
            n = len(variances)
            self._take_law(n, n, variances.sum(axis=0), (variances**2).sum(axis=0))
        elif self.law.depends_on_means:
            sizes = publications.partition.size_array
            group_of = np.zeros_like(sizes)
            group_of[labels] = self._groups
            self._take_law(*self._pairs.assign(publications.likelihood.means, sizes, group_of))
        else:
            self._take_law(0.0, 0.0, *np.zeros((2, self.n_features)))

    def _variances(self, labels):
        """Return the sample variance of each block of two or more items, by feature."""
        items = np.argsort(labels, kind="stable")
        edges = np.flatnonzero(np.diff(labels[items], prepend=-1))
        sizes = np.diff(edges, append=items.size)
        points = self.data.coordinates[items]
        points -= np.repeat(np.add.reduceat(points, edges) / sizes[:, None], sizes, axis=0)
        squares = np.add.reduceat(points**2, edges)
        by_feature = np.add.reduceat(squares, self.data.starts[: self.n_features], axis=1)
        return by_feature[sizes > 1] / (sizes[sizes > 1] - 1)[:, None]

    def _take_law(self, double n_means, double n_pairs, first, second):
        cdef const double[::1] sums = first, squares = second
        cdef int f
        for f in range(self.n_features):
            self.laws[f] = self.law.at(Moments(n_means, n_pairs, sums[f], squares[f]))
        self._derive_law()

    def _derive_law(self):
        cdef Precision law
        cdef int f
        cdef double order
        self.fresh = 0.0
        for f in range(self.n_features):
            law = self.laws[f]
            order = law.shape + (self.starts[f + 1] - self.starts[f]) / 2.0
            self.posterior_shape[f] = order
            self.fresh -= self.law.log_normaliser(law)
            self.fresh -= (self.starts[f + 1] - self.starts[f]) * LOG_TWO_PI / 2
            self.fresh += (1 - order) * LOG_TWO if law.chi > 0 else lgamma(order)

    cdef double _score_new(self, Py_ssize_t item) noexcept nogil:
        """Return the log density of an item in a new type, with the precisions integrated out."""
        cdef const double* residual = self.residual + item * self.n_features
        cdef Precision law
        cdef double total = self.fresh, rate, z, rates = 1.0, shape = 0.0
        cdef int f
        for f in range(self.n_features):
            law = self.laws[f]
            rate = law.rate + residual[f] / 2
            # One logarithm for all features of one shape, while the product is in range.
            if self.posterior_shape[f] != shape or not 1e-140 < rates < 1e140:
                total -= shape * log(rates)
                rates, shape = 1.0, self.posterior_shape[f]
            rates *= rate
            if law.chi > 0.0:
                z = 2 * sqrt(rate * law.chi)
                total += log_bessel(self.bessel[f], z) - z
        return total - shape * log(rates)

    cdef void _draw(
        self, const double* squares, Py_ssize_t n, double* precision, bitgen_t* rng
    ) noexcept nogil:
        """Draw the precisions of a type of `n` items, given the sums of their squared residuals."""
        cdef Precision law
        cdef int f
        for f in range(self.n_features):
            law = self.laws[f]
            precision[f] = draw_precision(
                law.shape + n * (self.starts[f + 1] - self.starts[f]) / 2.0,
                law.rate + squares[f] / 2, law.chi, rng,
            )

    def _resize(self, Py_ssize_t capacity):
        """Allocate rows for `capacity` slots, keeping the precisions that they hold."""
        self._precision_array = resized(self._precision_array, (capacity + 1, self.n_features), 1.0)
        self._size_array = resized(self._size_array, capacity + 1, 0, np.intc)
        self.precision, self.sizes = doubles(self._precision_array), ints(self._size_array)
        self.capacity = capacity

    def assign(self, labels, Py_ssize_t capacity):
        """Rebuild the sums from `labels`, shape (n_items,); the precisions stay in their slots."""
        labels = self._checked_labels(labels, capacity)
        if capacity != self.capacity:
            self._resize(capacity)
        self._size_array[:] = np.bincount(labels, minlength=capacity + 1)

    def grow(self, Py_ssize_t capacity):
        """Make room for `capacity` slots, keeping the statistics."""
        check_growth(self.capacity, capacity)
        self._resize(capacity)

    def update(self, partition, rng):
        """Draw the precisions of every type from their posterior given its items.

        References
        ----------
        Daume and Marcu (2005), Figure 2, second step.
        """
        cdef const int[::1] label = as_labels(partition.label_array, self.n_items, self.capacity)
        cdef double[:, ::1] squares = np.zeros((self.capacity + 1, self.n_features))
        cdef bitgen_t* source = source_of(rng)
        cdef Py_ssize_t item, slot
        cdef int f
        with rng.bit_generator.lock, nogil:
            for item in range(self.n_items):
                for f in range(self.n_features):
                    squares[label[item], f] += self.residual[item * self.n_features + f]
            for slot in range(self.capacity):
                if self.sizes[slot] > 0:
                    self._draw(
                        &squares[slot, 0], self.sizes[slot],
                        self.precision + slot * self.n_features, source,
                    )

    @property
    def precisions(self):
        """Precision of each slot and feature as last drawn, shape (capacity, n_features): a copy.

        Those of free slots have no meaning, but are positive.  After setting them, call `assign`.
        """
        return self._precision_array[:self.capacity].copy()

    @precisions.setter
    def precisions(self, precisions):
        shape = self.capacity, self.n_features
        self._precision_array[:self.capacity] = as_parameters(
            precisions, "precisions", shape, positive=True
        )

    @property
    def parameters(self):
        return {"precisions": self.precisions, "laws": self._law_array.copy()}

    def restore_parameters(self, parameters):
        """Set the precisions and their law to saved values; call `assign` afterwards."""
        precisions = np.asarray(parameters["precisions"], dtype=float)
        self._resize(len(precisions))
        self._precision_array[:self.capacity] = precisions
        self._law_array[:] = parameters["laws"]
        self._derive_law()

    def log_parameters(self):
        """Return the log density of the precisions of the types given the means."""
        cdef Precision law
        cdef Py_ssize_t slot
        cdef double total = 0.0, t
        cdef int f
        for f in range(self.n_features):
            law = self.laws[f]
            for slot in range(self.capacity):
                if self.sizes[slot] > 0:
                    t = self.precision[slot * self.n_features + f]
                    total += (law.shape - 1) * log(t) - law.rate * t - law.chi / t
                    total -= self.law.log_normaliser(law)
        return total

    def log_residuals(self, labels):
        """Return the log density of all references given their means and the types' precisions.

        Parameters
        ----------
        labels : ndarray of int, shape (n_items,)
            Type of each reference.
        """
        cdef const int[::1] label = as_labels(labels, self.n_items, self.capacity)
        cdef double squares = 0.0
        cdef Py_ssize_t item
        with nogil:
            for item in range(self.n_items):
                squares += dot(
                    self.residual + item * self.n_features,
                    self.precision + label[item] * self.n_features, self.n_features,
                )
        scale = product(np.log(self._precision_array), self.data.widths)
        scale = (scale - self.data.n_coordinates * LOG_TWO_PI) / 2
        return float(scale[np.asarray(label)].sum() - squares / 2)


cdef class ReferencePrecisions(TypeBlocks):
    """Types with sampled precisions, given the means of all references.

    ``r_n ~ N(p_n, 1 / t_l)`` for the items of type l, coordinate by coordinate, where ``p_n`` is
    the mean of the publication of item n.  A new type is scored with its precisions integrated
    out; once an item opens it, they are drawn from their posterior given that item.

    Parameters
    ----------
    data : GaussianReferences
    law : PrecisionLaw, optional
        Law of the precisions given the means; by default Gamma(1, 1).
    groups : array_like of int, shape (n_items,), optional
        Group of each reference, used if the law considers only pairs of the same group.
    held : bool
        Whether to keep the law fixed until `renew_law` is called, whatever the means are.

    References
    ----------
    Daume and Marcu (2005), sections 4.1 and 5.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.chains import MixtureModel, SupervisedModel
    >>> from reseat.likelihoods import GaussianReferences, ReferenceMeans, ReferencePrecisions
    >>> from reseat.priors import DirichletProcess
    >>> data = GaussianReferences([[0.3], [0.5], [-3.0]])
    >>> publications = MixtureModel(DirichletProcess(1.0), ReferenceMeans(data))
    >>> types = MixtureModel(DirichletProcess(1.0), ReferencePrecisions(data))
    >>> model = SupervisedModel(publications, types)
    >>> model.start({"publication": [0, 0, 1], "type": [0, 0, 0]})
    >>> n_moved = model.sweep(np.random.default_rng(1))
    """

    #: Whether blocks are scored with their parameters integrated out.
    collapsed = False

    cdef bitgen_t* rng
    cdef object _generator, _scale_array
    cdef double* scale      # [slot] log density of an item at its mean

    def reseat(self, Py_ssize_t item, Py_ssize_t source, Py_ssize_t target):
        """Move an item, as a compiled move does; see `Likelihood.reseat`."""
        if self.rng == NULL:
            raise DataError("Precisions of new types are drawn; call begin with a generator first.")
        super().reseat(item, source, target)

    def begin(self, rng):
        """Keep the generator that the precisions of new types are drawn from."""
        self._generator = rng.bit_generator
        self.rng = source_of(rng)

    def _resize(self, Py_ssize_t capacity):
        super()._resize(capacity)
        self._scale_array = np.zeros(capacity + 1)
        self.scale = doubles(self._scale_array)
        self._scale_all()

    def assign(self, labels, Py_ssize_t capacity):
        super().assign(labels, capacity)
        self._scale_all()

    def update(self, partition, rng):
        super().update(partition, rng)
        self._scale_all()

    def _scale_all(self):
        cdef Py_ssize_t slot
        for slot in range(self.capacity):
            if self.sizes[slot] > 0:
                self._scale(slot)

    cdef void _scale(self, Py_ssize_t slot) noexcept nogil:
        cdef double total = 0.0
        cdef int f
        for f in range(self.n_features):
            total += (self.starts[f + 1] - self.starts[f]) * (
                log(self.precision[slot * self.n_features + f]) - LOG_TWO_PI
            )
        self.scale[slot] = total / 2

    cdef double score_block(self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t slot) noexcept nogil:
        if slot < 0:
            return self._score_new(item)
        return self.scale[slot] - 0.5 * dot(
            self.residual + item * self.n_features, self.precision + slot * self.n_features,
            self.n_features,
        )

    cdef void move(self, Py_ssize_t item, Py_ssize_t source, Py_ssize_t target) noexcept nogil:
        self.sizes[source] -= 1
        self.sizes[target] += 1
        if self.sizes[target] == 1:
            self._draw(
                self.residual + item * self.n_features, 1,
                self.precision + target * self.n_features, self.rng,
            )
            self._scale(target)


cdef class CollapsedPrecisions(TypeBlocks):
    """Types scored with their precisions integrated out, given the means of all references.

    The law of the precisions must be a gamma distribution.  For each feature of q coordinates, an
    item with squared residual ``s`` then contributes to the log predictive of a type

        lgamma(a + q / 2) - lgamma(a) + a log b - (a + q / 2) log(b + s / 2) - q log(2 pi) / 2,

    where ``a`` and ``b`` are the parameters of the posterior of the type's precision.  `update`
    draws the precisions, which the other part of the model needs.

    Parameters
    ----------
    data, law, groups, held
        As for `ReferencePrecisions`.

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
        shapes = self._law_array[:, 0]
        if self._shape_array is not None and np.array_equal(shapes, self._shape_array):
            return
        kinds, row = np.unique(
            np.stack([shapes, self.data.widths], axis=1), axis=0, return_inverse=True
        )
        ratios = np.full((len(kinds), self.n_items + 1), np.nan)
        row_of = row.ravel().astype(np.intc)
        self._shape_array, self._ratio_array = shapes.copy(), (ratios, row_of)
        self.ratio, self.row_of = doubles(ratios), ints(row_of)

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
        cdef Py_ssize_t slot
        super()._resize(capacity)
        self._square_array = resized(self._square_array, (capacity + 1, self.n_features))
        self._part_array = np.zeros(capacity + 1)
        self.square, self.part = doubles(self._square_array), doubles(self._part_array)
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

    cdef void _add(self, Py_ssize_t item, Py_ssize_t slot, double sign) noexcept nogil:
        cdef int f
        for f in range(self.n_features):
            self.square[slot * self.n_features + f] += (
                sign * self.residual[item * self.n_features + f]
            )

    cdef void _derive(self, Py_ssize_t slot) noexcept nogil:
        cdef const double* square = self.square + slot * self.n_features
        self.part[slot] = self._constant(square, self.sizes[slot], NULL)

    cdef double _constant(
        self, const double* square, Py_ssize_t n, const double* without
    ) noexcept nogil:
        cdef double total = 0.0, shape, half, whole = 1.0, alike = 0.0
        cdef int f
        for f in range(self.n_features):
            half = (self.starts[f + 1] - self.starts[f]) / 2.0
            shape = self.laws[f].shape + n * half
            total += self._log_ratio(f, n) - half * LOG_TWO_PI
            # One logarithm for all features of the same shape, while their product is in range.
            if shape != alike or not 1e-140 < whole < 1e140:
                total += alike * log(whole)
                whole, alike = 1.0, shape
            whole *= self.laws[f].rate + self._half(square, without, f)
        return total + alike * log(whole)

    cdef inline double _half(
        self, const double* square, const double* without, int f
    ) noexcept nogil:
        return 0.5 * (square[f] if without == NULL else fmax(square[f] - without[f], 0.0))

    cdef double score_block(self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t slot) noexcept nogil:
        cdef const double* residual = self.residual + item * self.n_features
        cdef const double* square
        cdef const double* without = residual if slot == own else NULL
        cdef Py_ssize_t n
        cdef double total, shape, whole = 1.0, alike = 0.0
        cdef int f
        if slot < 0:
            return self._score_new(item)
        square, n = self.square + slot * self.n_features, self.sizes[slot] - (slot == own)
        total = self._constant(square, n, without) if slot == own else self.part[slot]
        for f in range(self.n_features):
            shape = self.laws[f].shape + (n + 1) * (self.starts[f + 1] - self.starts[f]) / 2.0
            if shape != alike or not 1e-140 < whole < 1e140:
                total -= alike * log(whole)
                whole, alike = 1.0, shape
            whole *= self.laws[f].rate + self._half(square, without, f) + residual[f] / 2
        return total - alike * log(whole)

    cdef void move(self, Py_ssize_t item, Py_ssize_t source, Py_ssize_t target) noexcept nogil:
        self.sizes[source] -= 1
        self.sizes[target] += 1
        self._add(item, target, 1.0)
        self._add(item, source, -1.0)
        if self.sizes[source] == 0:
            memset(self.square + source * self.n_features, 0, self.n_features * sizeof(double))
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
