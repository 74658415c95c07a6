"""Many copies of a few items, each copy its own group: as many chains in a single partition."""

from itertools import combinations

import exact
import numpy as np


def groups(n_items, n_copies):
    """Return the group of each item, copy by copy."""
    return np.repeat(np.arange(n_copies), n_items)


def _codes(rows):
    """Return an integer for each row of labels that identifies its partition."""
    pairs = combinations(range(rows.shape[1]), 2)
    return sum((rows[:, a] == rows[:, b]) << bit for bit, (a, b) in enumerate(pairs))


def distance(target, model, n_items, rng, n_sweeps, burn_in=40):
    """Return the total variation between the exact law of one copy and the states visited."""
    seen = np.zeros(1 << (n_items * (n_items - 1) // 2))
    for sweep in range(n_sweeps + burn_in):
        for move in model.moves:
            move(model.partition, model.prior, model.likelihood, rng)
        if sweep >= burn_in:
            codes = _codes(model.labels.reshape(-1, n_items))
            seen += np.bincount(codes, minlength=seen.size)
    code = {z: int(_codes(np.array([z]))[0]) for z in exact.partitions(n_items)}
    assert seen.sum() == sum(seen[c] for c in code.values())
    return 0.5 * sum(abs(target.get(z, 0.0) - seen[c] / seen.sum()) for z, c in code.items())
