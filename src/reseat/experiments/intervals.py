"""Intervals over independent chains or data draws."""

from __future__ import annotations

import numpy as np
import scipy

#: Probability that every interval of one claim holds at once.
LEVEL = 0.95


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


def bootstrap_interval(values, statistic, rng, level=LEVEL, draws=2000):
    """Percentile bootstrap interval over chains.

    Parameters
    ----------
    values : ndarray of shape (n_chains, ...)
        Resampled along the first axis.
    statistic : callable
        From an array of the shape of `values` to a float.
    rng : numpy.random.Generator
    level : float
    draws : int

    Returns
    -------
    estimate, low, high : float
        `low` and `high` are NaN with fewer than two chains.
    """
    values = np.asarray(values, dtype=float)
    estimate = float(statistic(values))
    n = len(values)
    if n < 2:
        return estimate, np.nan, np.nan
    sample = [statistic(values[rng.integers(n, size=n)]) for _ in range(draws)]
    low, high = np.quantile(sample, [0.5 - level / 2, 0.5 + level / 2])
    return estimate, float(low), float(high)


def proportion_interval(successes, trials, level=LEVEL):
    """Clopper-Pearson interval of a proportion; NaN without trials."""
    if trials == 0:
        return np.nan, np.nan, np.nan
    tail = (1 - level) / 2
    low = scipy.special.betaincinv(successes, trials - successes + 1, tail) if successes else 0.0
    high = (
        scipy.special.betaincinv(successes + 1, trials - successes, 1 - tail)
        if successes < trials
        else 1.0
    )
    return successes / trials, float(low), float(high)


def each(level, count):
    """Level of each of `count` intervals that together hold with `level` (Bonferroni)."""
    return 1 - (1 - level) / max(1, count)
