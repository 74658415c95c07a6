"""Intervals over independent chains or data draws."""

from __future__ import annotations

import numpy as np
import scipy

#: Probability that every interval of one claim holds at once.
LEVEL = 0.95
#: Resamplings of a bootstrap.
N_RESAMPLINGS = 2000


def student_interval(mean, error, n, level=LEVEL):
    """Student interval of a mean from its standard error over n independent chains.

    Returns
    -------
    mean, low, high : float
        `low` and `high` are NaN with fewer than two chains.
    """
    if n < 2:
        return float(mean), np.nan, np.nan
    half = scipy.special.stdtrit(n - 1, 0.5 + level / 2) * error
    return float(mean), float(mean - half), float(mean + half)


def mean_interval(values, level=LEVEL):
    """Student interval of the mean of the values of independent chains."""
    values = np.asarray(values, dtype=float)
    n = len(values)
    if n == 0:
        return np.nan, np.nan, np.nan
    error = values.std(ddof=1) / np.sqrt(n) if n > 1 else np.nan
    return student_interval(values.mean(), error, n, level)


def holding(interval, values):
    """An interval that holds some values as well; NaN if its ends are."""
    mean, low, high = interval
    return mean, float(np.minimum(low, np.min(values))), float(np.maximum(high, np.max(values)))


def difference_interval(first, second, level=LEVEL):
    """Welch interval of the difference of the means of two independent groups of chains.

    Returns
    -------
    difference, low, high : float
        `low` and `high` are NaN if a group has fewer than two values.
    """
    first, second = (np.asarray(values, dtype=float) for values in (first, second))
    if len(first) == 0 or len(second) == 0:
        return np.nan, np.nan, np.nan
    difference = float(first.mean() - second.mean())
    if len(first) < 2 or len(second) < 2:
        return difference, np.nan, np.nan
    parts = [values.var(ddof=1) / len(values) for values in (first, second)]
    total = sum(parts)
    if total == 0:
        return difference, difference, difference
    freedom = total**2 / sum(
        part**2 / (len(values) - 1) for part, values in zip(parts, (first, second), strict=True)
    )
    half = scipy.special.stdtrit(freedom, 0.5 + level / 2) * np.sqrt(total)
    return difference, float(difference - half), float(difference + half)


def interval_of_difference(first, second):
    """Interval of a difference of two independent estimates from the interval of each.

    Variances are recovered at the ends that are next to each other, so that the intervals need not
    be symmetric (Zou and Donner 2008, Statistics in Medicine 27:1693, equation 2).

    Parameters
    ----------
    first, second : tuple of float
        Estimate, low and high, both of the same level.

    Returns
    -------
    difference, low, high : float
        `low` and `high` are NaN if those of either estimate are.
    """
    (x, x_low, x_high), (y, y_low, y_high) = first, second
    difference = x - y
    return (
        float(difference),
        float(difference - np.hypot(x - x_low, y_high - y)),
        float(difference + np.hypot(x_high - x, y - y_low)),
    )


def bootstrap_interval(groups, statistic, rng, level=LEVEL, fewest=2, by_group=False, halves=False):
    """Percentile bootstrap interval over chains, restarts or data draws.

    Parameters
    ----------
    groups : sequence of ndarray of shape (n_g, ...)
        Independent samples; each is resampled on its own along its first axis.
    statistic : callable
        From one array for each group to a float.
    rng : numpy.random.Generator
    level : float
    fewest : int
        Members of the smallest group from which an interval is made.
    by_group : bool
        Draw all resamplings of one group before those of the next, and not one of each group in
        turn: the same law from other random numbers, and all places are held in memory.
    halves : bool
        Draw half of each group without replacement, and not all of it with. For the largest of a
        group and the like, of which the bootstrap is wrong at any size and smaller samples are not
        (Bickel, Götze and van Zwet 1997, Statistica Sinica 7:1); wider, if anything, than it must
        be.

    Returns
    -------
    estimate, low, high : float
        `low` and `high` are NaN if a group has fewer than `fewest` members.
    """
    groups = [np.asarray(values, dtype=float) for values in groups]
    estimate = float(statistic(*groups))
    sizes = [len(values) for values in groups]
    if min(sizes) < fewest:
        return estimate, np.nan, np.nan
    sample = [
        statistic(*(values[chosen] for values, chosen in zip(groups, places, strict=True)))
        for places in _resamplings(sizes, rng, by_group, halves)
    ]
    low, high = np.quantile(sample, [0.5 - level / 2, 0.5 + level / 2])
    return estimate, float(low), float(high)


def _resamplings(sizes, rng, by_group, halves):
    """Places that are drawn: for each resampling, one array for each group."""

    def places(n, times):
        if halves:
            return rng.random((times, n)).argsort(axis=1)[:, : n // 2]
        return rng.integers(n, size=(times, n))

    if by_group:
        return zip(*(places(n, N_RESAMPLINGS) for n in sizes), strict=True)
    return ([places(n, 1)[0] for n in sizes] for _ in range(N_RESAMPLINGS))


def proportion_interval(successes, trials):
    """Clopper-Pearson interval of a proportion; NaN without trials."""
    if trials == 0:
        return np.nan, np.nan, np.nan
    tail = (1 - LEVEL) / 2
    low = scipy.special.betaincinv(successes, trials - successes + 1, tail) if successes else 0.0
    high = (
        scipy.special.betaincinv(successes + 1, trials - successes, 1 - tail)
        if successes < trials
        else 1.0
    )
    return successes / trials, float(low), float(high)


def bonferroni(level, count):
    """Level of each of `count` intervals that together hold with `level` (Bonferroni)."""
    return 1 - (1 - level) / max(1, count)
