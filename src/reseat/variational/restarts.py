"""Random streams of independent restarts."""

from __future__ import annotations

import numpy as np

__all__ = ["streams"]


def streams(rng, n: int) -> list[np.random.SeedSequence]:
    """Return a stream for each restart; restart i has the same one for any number of restarts.

    A generator advances by some draws, None gives new streams in each call, and an int or a
    `SeedSequence` always gives the same.
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
