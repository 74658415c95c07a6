"""Intervals, slopes of power laws, and notes on chains that settled in different modes."""

import math

import numpy as np
import scipy

from reseat.summaries import AGREED, describe
from reseat.vocabulary import IN_MODES

# ---- Intervals over independent chains or data draws -----------------------------------------

#: Probability with which all intervals of one claim hold simultaneously.
LEVEL = 0.95
N_RESAMPLINGS = 2000


def student_interval(mean, error, n, level=LEVEL):
    """Return the Student interval of a mean over n independent chains; NaN with fewer than two."""
    if n < 2:
        return float(mean), np.nan, np.nan
    half = scipy.special.stdtrit(n - 1, 0.5 + level / 2) * error
    return float(mean), float(mean - half), float(mean + half)


def mean_interval(values, level=LEVEL):
    """Return the Student interval of the mean of the values of independent chains."""
    values = np.asarray(values, dtype=float)
    n = len(values)
    if n == 0:
        return np.nan, np.nan, np.nan
    error = values.std(ddof=1) / np.sqrt(n) if n > 1 else np.nan
    return student_interval(values.mean(), error, n, level)


def median_interval(values, level=LEVEL):
    """Return the interval of the median by the sign test; its ends are two values, or NaN."""
    values = np.sort(np.asarray(values, dtype=float))
    n = len(values)
    if n == 0:
        return np.nan, np.nan, np.nan
    # The probability that at most k of the values lie below the median.
    below = scipy.special.bdtr(np.arange(n), n, 0.5)
    rank = int(np.count_nonzero(below <= (1 - level) / 2))
    ends = (values[rank - 1], values[n - rank]) if rank else (np.nan, np.nan)
    return float(np.median(values)), float(ends[0]), float(ends[1])


def widened_to(interval, values):
    """Return an interval widened to contain some values; ends that are NaN stay NaN."""
    mean, low, high = interval
    return mean, float(np.minimum(low, np.min(values))), float(np.maximum(high, np.max(values)))


def difference_interval(first, second, level=LEVEL):
    """Return the Welch interval of the difference of two means; NaN with fewer than two values."""
    first, second = (np.asarray(values, dtype=float) for values in (first, second))
    if not (len(first) and len(second)):
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
    """Return an interval for the difference of two independent estimates from their intervals."""
    # The variances are recovered from the ends that face each other, so that the intervals need not
    # be symmetric (Zou and Donner 2008, Statistics in Medicine 27:1693, equation 2).
    (x, x_low, x_high), (y, y_low, y_high) = first, second
    difference = x - y
    low = difference - np.hypot(x - x_low, y_high - y)
    high = difference + np.hypot(x_high - x, y - y_low)
    return float(difference), float(low), float(high)


def bootstrap_interval(groups, statistic, rng, level=LEVEL, by_group=False, halves=False):
    """Return the expanded percentile bootstrap interval over chains, restarts or data draws.

    For means, it is as wide as Student's (Hesterberg 2015, The American Statistician 69:371,
    section 4.4). `by_group` changes the order of the random numbers alone. `halves` are drawn
    without replacement, for statistics such as maxima, for which the bootstrap fails (Bickel, Götze
    and van Zwet 1997, Statistica Sinica 7:1).
    """
    groups = [np.asarray(values, dtype=float) for values in groups]
    estimate = float(statistic(*groups))
    sizes = [len(values) for values in groups]
    if min(sizes) < min_group(level, halves):
        return estimate, np.nan, np.nan
    sample = [
        statistic(*(values[chosen] for values, chosen in zip(groups, places, strict=True)))
        for places in _resamplings(sizes, rng, by_group, halves)
    ]
    # By resamples, though not by halves, the error of a mean is smaller by sqrt((n - 1) / n).
    n = min(sizes)
    wider = 1.0 if halves else np.sqrt(n / (n - 1))
    tail = scipy.special.ndtr(-wider * scipy.special.stdtrit(n - 1, 0.5 + level / 2))
    low, high = np.quantile(sample, [tail, 1 - tail])
    return estimate, float(low), float(high)


def min_group(level=LEVEL, halves=False):
    """Return the size of the smallest group with a bootstrap interval at a level.

    The range of six values contains their median with a probability of 97 %, that of five with less
    than 95 %. Of the 70 `halves` of eight, unlike the 20 of six, one may lie beyond either end.
    """
    needed, n = round(2 / (1 - level), 6), 2
    while (math.comb(n, n // 2) if halves else 2**n) < needed:
        n += 1
    return n


def _resamplings(sizes, rng, by_group, halves):
    """Return an iterator over resamples, each with one array of indices per group."""

    def places(n, times):
        if halves:
            return rng.random((times, n)).argsort(axis=1)[:, : n // 2]
        return rng.integers(n, size=(times, n))

    if by_group:
        return zip(*(places(n, N_RESAMPLINGS) for n in sizes), strict=True)
    return ([places(n, 1)[0] for n in sizes] for _ in range(N_RESAMPLINGS))


def proportion_interval(successes, trials):
    """Return the Clopper-Pearson interval of a proportion; NaN without trials."""
    if trials == 0:
        return np.nan, np.nan, np.nan
    tail = (1 - LEVEL) / 2
    others = trials - successes
    low = scipy.special.betaincinv(successes, others + 1, tail) if successes else 0.0
    high = scipy.special.betaincinv(successes + 1, others, 1 - tail) if others else 1.0
    return successes / trials, float(low), float(high)


def bonferroni(level, count):
    """Return the level of each of `count` intervals that hold jointly with `level` (Bonferroni)."""
    return 1 - (1 - level) / max(1, count)


# ---- Slopes of power laws --------------------------------------------------------------------


def log_slope(x, y, error=None):
    """Return the slope of log y on log x by weighted least squares, and its error.

    Points without a positive `error` of y are left out; both are NaN with fewer than three.
    """
    x, y = (np.asarray(values, dtype=float) for values in (x, y))
    if error is None:
        how = {"cov": True}
    else:
        error = np.asarray(error, dtype=float)
        known = np.isfinite(error) & (error > 0)
        x, y, error = x[known], y[known], error[known]
        # The standard error of a logarithm is the relative error.
        how = {"w": y / error, "cov": "unscaled"}
    if len(x) < 3:
        return np.nan, np.nan
    coefficients, covariance = np.polyfit(np.log(x), np.log(y), 1, **how)
    return float(coefficients[0]), float(np.sqrt(covariance[0, 0]))


# ---- Notes on means over chains that have settled in different modes -------------------------


def notes_on_modes(scores, traces):
    """Return a note for each (data set, model) whose chains are in different modes."""
    found = traces_by_model(scores, traces)
    notes = {key: note_on_modes(chains) for key, chains in found.items()}
    return {key: note for key, note in notes.items() if note}


def note_on_modes(chains):
    """Return a note on the mean over chains whose log joint has a large R-hat, or nothing."""
    rhat = rhat_of_modes(chains)
    return f"{IN_MODES}: R-hat of the log joint {rhat:.1f}" if rhat > AGREED else ""


def rhat_of_modes(chains):
    """Return the R-hat of the log joint of chains after their burn-in; NaN for a single one."""
    return float(describe(chains.log_joint[:, chains.burn_in :])["rhat"])


def traces_by_model(scores, traces):
    """Return the traces by (data set, model); EM, which is scored by the argmax, has none."""
    ran = scores.loc[scores["summary"] != "argmax", ["dataset", "model"]]
    keys = ran.drop_duplicates().itertuples(index=False)
    return dict(zip(map(tuple, keys), traces, strict=True))
