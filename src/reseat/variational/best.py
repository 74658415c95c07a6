"""Which restarts reached the highest bound."""

from __future__ import annotations

import numpy as np

from reseat.numerics import TIE_BITS, rounded

__all__ = ["reach_best"]

#: Difference in nats up to which two bounds are taken for those of the same solution.
SAME_BOUND = 1.0


def reach_best(bounds) -> np.ndarray:
    """Return which restarts ended at the highest bound, up to rounding and tolerance.

    Parameters
    ----------
    bounds : array-like, shape (n_restarts,)
        Lower bound of the log evidence of each restart, in nats.

    Returns
    -------
    ndarray of bool, shape (n_restarts,)

    Examples
    --------
    >>> reach_best([-580.2, -580.9, -612.0]).tolist()
    [True, True, False]
    """
    bounds = np.asarray(bounds, dtype=float)
    return bounds > bounds.max() - SAME_BOUND


def best_restart(bounds) -> int:
    """Return the first restart with the highest bound; the last digits of a bound do not count."""
    return int(np.argmax(rounded(bounds, TIE_BITS)))
