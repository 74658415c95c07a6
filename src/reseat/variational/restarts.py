"""Random streams of independent restarts, and which restarts reached the highest bound."""

import numpy as np

from reseat.numerics import TIE_BITS, rounded

Seed = int | np.random.SeedSequence | np.random.Generator | np.random.RandomState | None


def streams(rng: Seed, n: int) -> list[np.random.SeedSequence]:
    """Return a stream for each restart, independent of their number; None gives new ones."""
    if isinstance(rng, np.random.RandomState):
        rng = np.random.SeedSequence(rng.randint(2**32, size=4, dtype=np.uint32).tolist())
    if isinstance(rng, np.random.Generator):
        rng = np.random.SeedSequence(rng.integers(2**32, size=4).tolist())
    elif not isinstance(rng, np.random.SeedSequence):
        rng = np.random.SeedSequence(rng)
    return [
        np.random.SeedSequence(rng.entropy, spawn_key=(*rng.spawn_key, i), pool_size=rng.pool_size)
        for i in range(n)
    ]


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
