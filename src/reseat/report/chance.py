"""Tests of whether chance explains the difference of two estimates, when many are compared."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats

__all__ = ["LEVEL", "PARTS", "by_chance", "known_error", "level_of_one", "n_parts"]

#: Probability that two runs of the same model have any number that differs.
LEVEL = 0.01

#: Columns with the number of independent parts from which an error was calculated, the preferred
#: one first: an explicit number (empty for a Monte Carlo error, which may come from one chain as
#: well as from many), the number of data draws whose means were compared, or that of chains.
PARTS = ("n_parts", "n_draws", "n_chains")


def by_chance(difference, errors, parts) -> np.ndarray:
    """Return the probability that chance alone sets two estimates that far apart.

    The errors are standard errors over a few chains, so that the ratio of the difference to its
    error is compared with Student's distribution, with the degrees of freedom of Welch and
    Satterthwaite.

    Parameters
    ----------
    difference : array-like, shape (n,)
    errors : pair of array-like, shape (n,)
        Standard error of each estimate; values that `known_error` rejects count as unknown.
    parts : pair of array-like, shape (n,)
        Number of independent parts from which each error was calculated; infinite if unknown.

    Returns
    -------
    ndarray, shape (n,)
        NaN where an error is unknown.
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


def level_of_one(n_judged: int) -> float:
    """Return the level for each of some numbers at which :data:`LEVEL` holds for all together."""
    return LEVEL / max(n_judged, 1)


def n_parts(table: pd.DataFrame) -> pd.Series:
    """Return the number of parts behind the error in each row of a table; infinite if unknown.

    An error from a single part, such as one chain, does not compare parts: it is a Monte Carlo
    error, as is an error in a column `mcse`.

    Parameters
    ----------
    table : pandas.DataFrame
        Table of an artefact, or ``comparison.csv``; the first of :data:`PARTS` that it has is used.
    """
    told = [pd.to_numeric(table[name], errors="coerce") for name in PARTS if name in table]
    if not told or ("mcse" in table and "se" not in table):
        return pd.Series(np.inf, table.index)
    return told[0].where(told[0] > 1, np.inf)
