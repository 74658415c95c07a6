"""Publications of references, with their means integrated out."""

import numpy as np

from libc.math cimport INFINITY

from reseat.likelihoods._mean_blocks cimport MeanBlocks
from reseat.likelihoods._pointers cimport doubles, ints
from reseat.likelihoods._residuals cimport deviance, distance, inverses

cdef double HALF_LOG_TWO_PI = 0.9189385332046727

#: Largest number of entries in the table of all slots, types and features.
MAX_TABLE = 1 << 23


cdef class ReferenceMeans(MeanBlocks):
    """Normal blocks with their means integrated out, given the precisions of all items.

    With the precisions ``t_n`` of the type of item n, ``p_k ~ N(0, sigma I)`` and ``r_n ~ N(p_k,
    1 / t_n)`` for the items of block k.  An item joins a block with weight ``N(r_n; m_k, 1 / t_n +
    1 / q_k)``, where ``q_k = 1 / sigma + sum t_n`` and ``m_k = sum t_n r_n / q_k``.  `update` draws
    the means, which the other part of the model needs.

    Parameters
    ----------
    data : GaussianReferences
    sigma : float
        Prior variance of each coordinate of a mean.

    Raises
    ------
    ConfigError
        If `sigma` is not positive and finite.

    References
    ----------
    Daume and Marcu (2005), section 4.1 and Figure 2, with the means integrated out.

    Examples
    --------
    >>> from reseat.likelihoods import GaussianReferences, ReferenceMeans
    >>> likelihood = ReferenceMeans(GaussianReferences([[0.3], [0.5], [-3.0]]))
    >>> likelihood.assign([0, 0, 1], 3)
    >>> apart = likelihood.log_marginal()
    >>> likelihood.assign([0, 1, 0], 3)
    >>> apart > likelihood.log_marginal()
    True
    """

    #: Whether blocks are scored with their parameters integrated out.
    collapsed = True

    cdef object _taken_array
    cdef double* taken      # [coordinates, features] centre and spread of a block without an item
    # Precisions and log densities for items of each type in slots that they are not in, computed
    # when first needed after either has changed; a single row if the table would be too large.
    cdef object _table_array, _stamp_array
    cdef Py_ssize_t n_given, n_rows     # number of types; rows of a slot, or 0 for a single row
    cdef double* inverse    # [slot][type][feature] one over the variances
    cdef double* log_top    # [slot][type] log density at the middle
    cdef int* row_stamp     # [slot][type] stamp of the slot when the row was computed
    cdef int* stamp         # [slot] raised at every change

    def __init__(self, data, sigma=1.0):
        super().__init__(data, sigma)
        self._taken_array = np.empty(self.n_coordinates + self.n_features)
        self.taken = doubles(self._taken_array)

    def _give(self, labels, precisions):
        cdef Py_ssize_t slot
        super()._give(labels, precisions)
        if len(precisions) != self.n_given:
            self.n_given = len(precisions)
            self._tabulate()
        for slot in range(self.capacity + 1):
            self.stamp[slot] += 1

    def _make_room(self, Py_ssize_t capacity):
        super()._make_room(capacity)
        self._tabulate()

    def _tabulate(self):
        """Allocate rows for all slots and types."""
        cdef Py_ssize_t n = (self.capacity + 1) * self.n_given
        self.n_rows = self.n_given if n * self.n_features <= MAX_TABLE else 0
        if self.n_rows == 0:
            n = 1
        # Memory that is not touched costs nothing, and few slots have members.
        self._table_array = np.empty(n * (self.n_features + 1))
        self._stamp_array = np.zeros(n + self.capacity + 1, np.intc)
        self.inverse, self.row_stamp = doubles(self._table_array), ints(self._stamp_array)
        self.log_top, self.stamp = self.inverse + n * self.n_features, self.row_stamp + n
        self._stamp_array[n:] = 1

    cdef void _derive(self, Py_ssize_t slot) noexcept nogil:
        MeanBlocks._derive(self, slot)
        self.stamp[slot] += 1

    cdef const double* middle(self, Py_ssize_t slot) noexcept nogil:
        return self.centre + slot * self.n_coordinates

    cdef const double* weights_of(self, int kind, Py_ssize_t slot, double* log_top) noexcept nogil:
        cdef Py_ssize_t row = slot * self.n_rows + kind if self.n_rows > 0 else 0
        cdef double* inverse = self.inverse + row * self.n_features
        if self.n_rows == 0 or self.row_stamp[row] != self.stamp[slot]:
            self.log_top[row] = -0.5 * inverses(
                self.variance + kind * self.n_features, self.spread + slot * self.n_features,
                self.starts, self.n_features, self.n_coordinates, inverse,
            ) - self.n_coordinates * HALF_LOG_TWO_PI
            self.row_stamp[row] = self.stamp[slot]
        log_top[0] = self.log_top[row]
        return inverse

    cdef void move(self, Py_ssize_t item, Py_ssize_t source, Py_ssize_t target) noexcept nogil:
        self.sizes[source] -= 1
        self.sizes[target] += 1
        self._add(item, target, 1.0)
        self._derive(target)
        self._add(item, source, -1.0)
        if self.sizes[source] == 0:
            self._clear(source)
        self._derive(source)

    cdef void retype(self, Py_ssize_t item, Py_ssize_t slot, int kind) noexcept nogil:
        self._add(item, slot, -1.0)
        if self.sizes[slot] == 1:
            self._clear(slot)
        self.type_of[item] = kind
        self._add(item, slot, 1.0)
        self._derive(slot)

    cdef double score_block(self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t slot) noexcept nogil:
        cdef const double* weights
        cdef double log_top
        if slot < 0:
            slot = self.capacity    # whose row is always that of an empty block
        if slot == own:
            self.take_out(item, own)
            return self.score_typed(item, own, self.type_of[item], own, INFINITY)
        weights = self.weights_of(self.type_of[item], slot, &log_top)
        return log_top - 0.5 * distance(
            self.point + item * self.n_coordinates, self.middle(slot), weights, self.starts,
            self.n_features, self.n_coordinates, INFINITY,
        )

    cdef double score_typed(
        self, Py_ssize_t item, Py_ssize_t own, int kind, Py_ssize_t slot, double limit
    ) noexcept nogil:
        cdef const double* centre = self.taken
        cdef const double* spread = self.taken + self.n_coordinates
        if slot != own:
            slot = self.capacity if slot < 0 else slot
            centre = self.centre + slot * self.n_coordinates
            spread = self.spread + slot * self.n_features
        return -0.5 * deviance(
            self.point + item * self.n_coordinates, centre, self.variance + kind * self.n_features,
            spread, self.starts, self.n_features, self.n_coordinates, limit,
        ) - self.n_coordinates * HALF_LOG_TWO_PI

    cdef void take_out(self, Py_ssize_t item, Py_ssize_t own) noexcept nogil:
        """Compute the centre and the spread of the own block of an item without the item."""
        cdef const double* x = self.point + item * self.n_coordinates
        cdef const double* t = self._precision_of(item)
        cdef const double* mass = self.mass + own * self.n_features
        cdef const double* pull = self.pull + own * self.n_coordinates
        cdef double* centre = self.taken
        cdef double* spread = self.taken + self.n_coordinates
        cdef const double* empty = self.spread + self.capacity * self.n_features
        cdef bint alone = self.sizes[own] == 1
        cdef int f, d
        for f in range(self.n_features):
            spread[f] = empty[f] if alone else 1 / (mass[f] - t[f])
            for d in range(self.starts[f], self.starts[f + 1]):
                centre[d] = 0.0 if alone else (pull[d] - t[f] * x[d]) * spread[f]

    def update(self, partition, rng):
        """Draw the mean of every block."""
        self.draw_means(rng)

    def log_marginal(self):
        """Return the log density of all references given both partitions and the precisions."""
        return self.log_integrated()
