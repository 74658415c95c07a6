"""Tests of whether chance explains the difference of two estimates, when many are compared."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats

__all__ = [
    "DOUBTFUL",
    "LEVEL",
    "NO_ERROR",
    "PARTS",
    "by_chance",
    "decide",
    "equal_but_for_rounding",
    "known_error",
    "n_parts",
]

#: Probability that two runs of the same model have any number that differs.
LEVEL = 0.01

#: Verdicts on two numbers: between agreement and difference, and without one.
DOUBTFUL, NO_ERROR = "doubtful", "no error known"

#: Relative tolerance for rounding errors, which differ between processors.
ROUNDING = 1e-9

#: Columns with the number of independent parts from which an error was calculated, the preferred
#: one first: an explicit number (empty for a Monte Carlo error, which may come from one chain as
#: well as from many), the number of data draws whose means were compared, or that of chains.
PARTS = ("n_parts", "n_draws", "n_chains")


def by_chance(difference, errors, parts) -> np.ndarray:
    """Return the probability that chance alone sets two estimates that far apart.

    The errors are standard errors over a few chains, so that the ratio of the difference to its
    error is compared with Student's distribution, with the degrees of freedom of Welch and
    Satterthwaite. The result is NaN where an error is unknown; an unknown number of independent
    parts is infinite.
    """
    one, other = map(known_error, errors)
    first, second = (np.maximum(np.asarray(values, dtype=float) - 1, 1) for values in parts)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(one**2 + other**2)
        freedom = error**4 / (one**4 / first + other**4 / second)
        return 2 * stats.t.sf(np.abs(np.asarray(difference, dtype=float)) / error, freedom)


def known_error(error) -> np.ndarray:
    """Return the standard errors, with NaN where none is known.

    An error of 0 counts as unknown: the few chains behind it gave the same number, which does not
    say how far from it other chains would be.
    """
    error = np.asarray(error, dtype=float)
    return np.where((error > 0) & np.isfinite(error), error, np.nan)


def equal_but_for_rounding(one, other) -> np.ndarray:
    """Return which numbers differ at most by rounding errors, from two arrays of shape (n,)."""
    return np.isclose(one, other, rtol=ROUNDING, atol=ROUNDING)


def decide(p, n_judged: int, words: tuple[str, str]) -> np.ndarray:
    """Return a verdict for each probability from `by_chance`.

    The first of `words` is for agreement, a probability of at least :data:`LEVEL`, and the second
    for a difference, one too small for all numbers together; :data:`DOUBTFUL` is between the two.
    """
    agree, differ = words
    p = np.asarray(p, dtype=float)
    return np.select([p >= LEVEL, p >= LEVEL / max(n_judged, 1)], [agree, DOUBTFUL], differ)


def n_parts(table: pd.DataFrame) -> pd.Series:
    """Return the number of parts behind the error in each row of a table; infinite if unknown.

    An error from a single part, such as one chain, does not compare parts: it is a Monte Carlo
    error, as is an error in a column `mcse`.
    """
    told = [pd.to_numeric(table[name], errors="coerce") for name in PARTS if name in table]
    if not told or ("mcse" in table and "se" not in table):
        return pd.Series(np.inf, table.index)
    return told[0].where(told[0] > 1, np.inf)
