"""The interface between the engine and a partition prior."""

import numpy as np

from reseat.errors import ConfigError


cdef class PartitionPrior:
    """Base class of the partition priors.

    An item joins a block of ``n`` others with weight ``f(n)`` or opens a new one beside ``K``
    others with weight ``g(K)``.  A subclass, which may be in Python, writes the logarithms of the
    two into the engine's tables in `tabulate`, and again whenever its hyperparameters change.  A
    compiled subclass whose weights depend on all block sizes sets ``tracks_sizes`` and updates its
    tables in ``block_resized``, which the engine calls for every block that gains or loses an item.

    Examples
    --------
    >>> from reseat.priors import DirichletProcess, PartitionPrior
    >>> isinstance(DirichletProcess(1.0), PartitionPrior)
    True
    """

    #: Largest number of blocks, or None if there is no bound.
    max_blocks = None

    def prepare(self, n_items):
        """Fill the tables for `n_items` items."""
        self.n_items = n_items
        self.tabulate()

    def enter(self, sizes):
        """Record the block sizes of the current partition of a chain.

        This is called before any move.  Only a prior that tracks sizes needs it.

        Parameters
        ----------
        sizes : array_like of int, shape (n_blocks,)
        """

    def check_entered(self, sizes):
        """Raise a ValueError if these are not the block sizes that the prior has recorded.

        Parameters
        ----------
        sizes
            As for `enter`.
        """

    def tabulate(self):
        """Write the tables for the current hyperparameters."""
        raise TypeError(f"{type(self).__name__} does not say how to fill its tables.")

    def set_tables(self, log_join=None, log_open=None):
        """Hand tables to the engine.

        Parameters
        ----------
        log_join : array_like of float, shape (n_items + 1,), optional
            Log weight of joining a block of ``n`` others; entry 0 is ignored.
        log_open : array_like of float, shape (n_items + 1,), optional
            Log weight of opening a block beside ``K`` others; -inf from ``K = max_blocks`` on.

        Raises
        ------
        ConfigError
            If a weight is NaN or plus infinity.
        ValueError
            If a table has another shape.
        """
        cdef double[::1] view
        if log_join is not None:
            self._join_array = self._table("log_join", log_join, slice(0, 1))
            view = self._join_array
            self.log_join = &view[0]
        if log_open is not None:
            first = self.n_items + 1 if self.max_blocks is None else self.max_blocks
            self._open_array = self._table("log_open", log_open, slice(first, None))
            view = self._open_array
            self.log_open = &view[0]

    def _table(self, name, values, impossible):
        """Return the entries of a table, minus infinity at the places that are not possible."""
        table = np.array(values, dtype=np.float64)
        if table.shape != (self.n_items + 1,):
            raise ValueError(f"{name} must have {self.n_items + 1} entries.")
        table[impossible] = -np.inf
        if not table.max() < np.inf:  # also true if it is NaN
            place = int(np.flatnonzero(~(table < np.inf))[0])
            raise ConfigError(
                f"{name} of {type(self).__name__} has {table[place]} in entry {place}; log weights "
                "must be numbers, or -inf for what cannot be."
            )
        return table

    @property
    def tables(self):
        """Copies of ``(log_join, log_open)``."""
        return self._join_array.copy(), self._open_array.copy()

    cdef void block_resized(self, Py_ssize_t before, Py_ssize_t after) noexcept nogil:
        pass

    def resize(self, before, after):
        """Tell the prior that a block has gained or lost an item, as a compiled move does.

        Parameters
        ----------
        before, after : int
            Sizes of the block, which differ by 1; 0 if it is new, or has lost its last item.
        """
        self.block_resized(before, after)

    def log_prob(self, sizes):
        """Return the log prior probability of one partition with these block sizes.

        Raises
        ------
        DataError
            If a size is not a whole number of at least 1.
        """
        raise TypeError(f"{type(self).__name__} does not give the probability of a partition.")

    def log_prob_groups(self, groups):
        """Return the log prior probability of the partitions of several groups of items.

        Parameters
        ----------
        groups : sequence of ndarray of int, each of shape (n_blocks of the group,)
            Block sizes of each group.
        """
        return sum(self.log_prob(sizes) for sizes in groups)

    def log_hyperprior(self):
        """Return the log density of the hyperparameters that are sampled, or 0 if none is."""
        return 0.0

    @property
    def hyperparameters(self):
        """Current values of the hyperparameters, a dict from name to float."""
        return {}

    def state(self):
        """Return what a checkpoint must hold besides the partition, as JSON types only."""
        # Priors written in Python may keep NumPy numbers, which JSON cannot represent.
        return {name: float(value) for name, value in self.hyperparameters.items()}

    def restore(self, state):
        """Restore what `state` returned, and refresh the tables."""
        for name, value in state.items():
            setattr(self, name, float(value))
        self.tabulate()

    def update(self, sizes, rng):
        """Resample the hyperparameters given the block sizes; by default, do nothing."""

    def update_groups(self, groups, rng):
        """Resample the hyperparameters that several groups of items share.

        Parameters
        ----------
        groups
            As for `log_prob_groups`.
        rng : numpy.random.Generator

        Raises
        ------
        TypeError
            If there are several groups, and the prior can be updated from one group only.
        """
        if len(groups) == 1:
            self.update(groups[0], rng)
        elif type(self).update is not PartitionPrior.update:
            raise TypeError(
                f"{type(self).__name__} does not resample its hyperparameters from "
                f"{len(groups)} groups."
            )
