"""Splits and merges of types with held precisions, which are integrated out for the move."""

from __future__ import annotations

from threading import get_ident

from reseat.likelihoods import CollapsedPrecisions
from reseat.moves._split_merge import SplitMerge

__all__ = ["TypeSplitMerge"]


class TypeSplitMerge:
    """`SplitMerge` for the types of references given the means; it redraws all precisions.

    Parameters
    ----------
    n_proposals, n_scans : int
        As for `SplitMerge`.

    Raises
    ------
    ConfigError
        If a number is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.models.references import build_supervised
    >>> from reseat.likelihoods import GaussianReferences
    >>> from reseat.moves import TypeSplitMerge
    >>> rng = np.random.default_rng(1)
    >>> points = np.repeat([[-3.0], [0.0], [3.0]], 4, axis=0) + 0.1 * rng.normal(size=(12, 1))
    >>> test, known = np.ones(12, dtype=bool), np.zeros(12, dtype=int)
    >>> data = GaussianReferences(points)
    >>> model = build_supervised(data, "scdp1", rng, test=test, known=known)
    >>> move, types = TypeSplitMerge(n_proposals=5), model.types
    >>> for sweep in range(20):
    ...     moved = model.sweep(rng)
    ...     moved = move(types.partition, types.prior, types.likelihood, rng)
    >>> sum(move.proposed_.values())
    100
    """

    def __init__(self, n_proposals: int = 5, n_scans: int = 2):
        self._move = SplitMerge(n_proposals=n_proposals, n_scans=n_scans)
        # One per thread, because its statistics are read while other threads run.
        self._collapsed: dict[int, CollapsedPrecisions] = {}

    @property
    def proposed_(self) -> dict[str, int]:
        """Counts of proposed ``split`` and ``merge`` since the move was created."""
        return self._move.proposed_

    @property
    def accepted_(self) -> dict[str, int]:
        """Counts of accepted ``split`` and ``merge`` since the move was created."""
        return self._move.accepted_

    def __call__(self, partition, prior, likelihood, rng) -> int:
        """Make the proposals; arguments and result are those of `gibbs_sweep`.

        The law ``covariance`` is refused, as precisions cannot be integrated out under it.
        """
        collapsed = likelihood
        if not likelihood.collapsed:
            thread = get_ident()
            collapsed = self._collapsed.get(thread)
            if collapsed is None or collapsed.data is not likelihood.data:
                collapsed = CollapsedPrecisions(likelihood.data, likelihood.law)
                self._collapsed[thread] = collapsed
            collapsed.follow(likelihood)
            collapsed.assign(partition.label_array, partition.capacity)
        moved = self._move(partition, prior, collapsed, rng)
        if collapsed is not likelihood:
            likelihood.assign(partition.label_array, partition.capacity)
            likelihood.update(partition, rng)
        return moved
