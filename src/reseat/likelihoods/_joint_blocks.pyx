"""Blocks of items with two kinds of data, which are independent given the block."""

from reseat.checks import check_growth
from reseat.errors import ConfigError, DataError

from reseat.likelihoods._likelihood cimport Likelihood


cdef class JointBlocks(Likelihood):
    """Product of two likelihoods of the same items, such as of their numbers and categories.

    Parameters
    ----------
    first, second : Likelihood
        At most the second may include the members of its blocks.

    Raises
    ------
    DataError
        If the two have different numbers of items.
    ConfigError
        If both have a hyperparameter of the same name.

    Examples
    --------
    >>> from reseat.likelihoods import CategoricalRecords, JointBlocks, StudentBlocks
    >>> points, codes = [[0.0], [0.1], [3.0]], [[0], [0], [1]]
    >>> joint = JointBlocks(StudentBlocks(points), CategoricalRecords(codes))
    >>> joint.assign([0, 0, 1], 2)
    >>> int(joint.log_predictive(1, 0).argmax())
    0
    """

    cdef readonly Likelihood first, second

    def __init__(self, Likelihood first not None, Likelihood second not None):
        if first.n_items != second.n_items:
            raise DataError(
                f"The two likelihoods have {first.n_items} and {second.n_items} items; they must "
                "be those of the same items."
            )
        both = first.hyperparameters.keys() & second.hyperparameters.keys()
        if both:
            raise ConfigError(f"Both likelihoods have the hyperparameter {min(both)!r}.")
        self.first, self.second, self.n_items = first, second, first.n_items

    def assign(self, labels, capacity):
        """Rebuild the statistics of both from `labels`, with room for `capacity` slots."""
        labels = self._checked_labels(labels, capacity)
        self.first.assign(labels, capacity)
        self.second.assign(labels, capacity)
        self.members, self.capacity = self.second.members, capacity

    def grow(self, capacity):
        """Make room for `capacity` slots, keeping the statistics."""
        check_growth(self.capacity, capacity)
        self.first.grow(capacity)
        self.second.grow(capacity)
        self.capacity = capacity

    def begin(self, rng):
        """Prepare both for a move."""
        self.first.begin(rng)
        self.second.begin(rng)
        self.reserve()

    def _may_hold(self, Py_ssize_t item, Py_ssize_t slot):
        return self.first._may_hold(item, slot)

    cdef void score(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t n_slots, double* out
    ) noexcept nogil:
        cdef Py_ssize_t k
        self.first.score(item, own, n_slots, out)
        self.second.score(item, own, n_slots, self.scratch)
        for k in range(n_slots + 1):
            out[k] += self.scratch[k]

    cdef double score_block(self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t slot) noexcept nogil:
        return self.first.score_block(item, own, slot) + self.second.score_block(item, own, slot)

    cdef void prefetch_item(self, Py_ssize_t item) noexcept nogil:
        self.first.prefetch_item(item)
        self.second.prefetch_item(item)

    cdef void move(self, Py_ssize_t item, Py_ssize_t source, Py_ssize_t target) noexcept nogil:
        self.first.move(item, source, target)
        self.second.move(item, source, target)

    @property
    def hyperparameters(self):
        return {**self.first.hyperparameters, **self.second.hyperparameters}

    def restore(self, hyperparameters):
        """Set the hyperparameters of both to saved values."""
        for part in (self.first, self.second):
            part.restore({name: hyperparameters[name] for name in part.hyperparameters})

    @property
    def parameters(self):
        """Sampled parameters of both."""
        return {**self.first.parameters, **self.second.parameters}

    def restore_parameters(self, parameters):
        """Set the parameters of both to saved values; call `assign` afterwards."""
        self.first.restore_parameters(parameters)
        self.second.restore_parameters(parameters)

    def log_marginal(self):
        """Return the log marginal likelihood of both kinds of data given the partition."""
        return self.first.log_marginal() + self.second.log_marginal()

    def log_hyperprior(self):
        """Return the log density of the hyperparameters of both."""
        return self.first.log_hyperprior() + self.second.log_hyperprior()

    def update(self, partition, rng):
        """Draw the hyperparameters of both given the partition."""
        self.first.update(partition, rng)
        self.second.update(partition, rng)
