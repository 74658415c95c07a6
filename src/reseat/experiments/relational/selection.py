"""What the best of several restarts has, and how sure that is."""

from __future__ import annotations

import numpy as np

from reseat.experiments.intervals import LEVEL

#: Resamplings of the restarts.
N_BOOTSTRAP = 2000


def best_interval(restarts, rng, level=LEVEL):
    """A number of the restart with the best ELBO.

    Parameters
    ----------
    restarts : tuple of ndarray
        ELBO, (n_restarts,), and the number, (n_restarts,).
    rng : numpy.random.Generator
    level : float

    Returns
    -------
    estimate, low, high : float
        See `gap_interval`.
    """
    elbo, values = (np.asarray(part, dtype=float) for part in restarts)
    return gap_interval((elbo, values), None, rng, level)


def gap_interval(first, second, rng, level=LEVEL, reduce=None):
    """How far the best restart of one model is ahead of that of another.

    The paper keeps the restart with the best ELBO. The interval is the percentile bootstrap's: the
    restarts are drawn with replacement, for each model by itself, and the best of those drawn is
    kept. It tells how far the number hangs on which restarts there happen to be.

    Parameters
    ----------
    first, second : tuple of ndarray or None
        ELBO, (n_restarts,), and the numbers, (n_restarts,) or (n_restarts, n_numbers). Without a
        second the first stands alone.
    rng : numpy.random.Generator
    level : float
    reduce : callable, optional
        From differences (..., n_numbers) to (...), for instance their smallest.

    Returns
    -------
    estimate, low, high : float
        `low` and `high` are NaN if a model has fewer than two restarts; all are NaN if it has
        none.
    """
    groups = [first] if second is None else [first, second]
    groups = [tuple(np.asarray(part, dtype=float) for part in group) for group in groups]
    if any(len(elbo) == 0 for elbo, _values in groups):
        return np.nan, np.nan, np.nan
    reduce = reduce or (lambda gaps: gaps)
    estimate = float(reduce(_gap([values[elbo.argmax()] for elbo, values in groups])))
    if any(len(elbo) < 2 for elbo, _values in groups):
        return estimate, np.nan, np.nan
    drawn = reduce(_gap([_resampled(elbo, values, rng) for elbo, values in groups]))
    low, high = np.quantile(drawn, [0.5 - level / 2, 0.5 + level / 2])
    return estimate, float(low), float(high)


def _resampled(elbo, values, rng):
    """The number of the best restart in each resampling."""
    chosen = rng.integers(len(elbo), size=(N_BOOTSTRAP, len(elbo)))
    best = np.take_along_axis(chosen, elbo[chosen].argmax(axis=1)[:, None], axis=1)[:, 0]
    return values[best]


def _gap(values):
    return values[0] if len(values) == 1 else values[0] - values[1]
