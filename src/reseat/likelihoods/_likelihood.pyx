"""What the engine asks of a likelihood."""


cdef class Likelihood:
    """Base of the likelihoods.

    A compiled subclass answers, without the GIL,

    ``score(item, own, n_slots, out)``
        the log predictive of `item` in each slot below `n_slots`, as if it
        had been taken out of its `own`, and in ``out[n_slots]`` that of a new
        block.  Slots without members may hold any finite value.
    ``move(item, source, target)``
        called only when the item really changes its block.

    and, from Python, the four methods below.
    """

    cdef void score(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t n_slots, double* out
    ) noexcept nogil:
        pass

    cdef void move(self, Py_ssize_t item, Py_ssize_t source, Py_ssize_t target) noexcept nogil:
        pass

    def assign(self, labels, capacity):
        """Rebuild the statistics from `labels`, with room for `capacity` slots."""
        raise TypeError(f"{type(self).__name__} does not build statistics.")

    def grow(self, capacity):
        """Make room for `capacity` slots, keeping the statistics."""
        raise TypeError(f"{type(self).__name__} cannot grow.")

    def log_marginal(self):
        """Log marginal likelihood of the data given the partition."""
        raise TypeError(f"{type(self).__name__} has no marginal likelihood.")

    @property
    def hyperparameters(self):
        """Present values of the hyperparameters, name to float."""
        return {}

    def restore(self, hyperparameters):
        """Set the hyperparameters to saved values."""
        for name, value in hyperparameters.items():
            setattr(self, name, float(value))

    def update(self, partition, rng):
        """Resample the hyperparameters given the partition (none by default)."""
