"""Types of references, with explicit precisions that are kept from move to move."""

import numpy as np

from libc.math cimport log
from numpy.random cimport bitgen_t

from reseat.errors import DataError

from reseat.generators cimport source_of
from reseat.likelihoods._residuals cimport dot
from reseat.likelihoods._type_blocks cimport TypeBlocks

cdef double LOG_TWO_PI = 1.8378770664093453


cdef class ReferencePrecisions(TypeBlocks):
    """Types with sampled precisions, given the means of all references.

    ``r_n ~ N(p_n, 1 / t_l)`` for the items of type l, coordinate by
    coordinate, where ``p_n`` is the mean of the publication of item n.  A new type
    is scored with its precisions integrated out; once an item opens it, they are
    drawn from their posterior given that item.

    Parameters
    ----------
    data : GaussianReferences
    law : PrecisionLaw, optional
        Law of the precisions given the means; by default Gamma(1, 1).
    groups : array_like of int, shape (n_items,), optional
        Group of each reference, used if the law considers only pairs of the same group.
    held : bool
        Whether to keep the law fixed until `renew_law` is called, instead of
        updating it whenever the means are taken in.

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
        cdef double[::1] scale
        super()._resize(capacity)
        self._scale_array = scale = np.zeros(capacity + 1)
        self.scale = &scale[0]
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

    cdef double score_block(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t slot
    ) noexcept nogil:
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
