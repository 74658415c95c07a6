"""Independent restarts, each with a stream of its own."""

from __future__ import annotations

import numpy as np

__all__ = ["streams"]


def streams(rng, n: int) -> list[np.random.SeedSequence]:
    """A stream for each restart; restart i has the same one whatever their number.

    Parameters
    ----------
    rng : int, None, numpy.random.SeedSequence, numpy.random.Generator or numpy.random.RandomState
        Of the last two, some draws are used up; else asking twice gives the same.
    n : int
    """
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
