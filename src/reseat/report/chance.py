"""Whether chance explains the difference of two estimates, when many are looked at."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats

__all__ = ["LEVEL", "PARTS", "by_chance", "known_error", "level_of_one", "n_parts"]

#: How often two runs of the same model have any number that differs.
LEVEL = 0.01

#: Columns that say how many independent parts an error was taken from, the preferred first: said
#: outright (empty of a Monte Carlo error, which is of one chain as well as of many), draws of the
#: data whose means it compares, or chains.
PARTS = ("n_parts", "n_draws", "n_chains")


def by_chance(difference, errors, parts) -> np.ndarray:
    """How often chance alone sets two estimates that far apart.

    The errors are standard errors over a few chains, so that their ratio is held against Student's
    distribution, with the degrees of freedom of Welch and Satterthwaite.

    Parameters
    ----------
    difference : array-like, shape (n,)
    errors : pair of array-like, shape (n,)
        Standard error of each estimate, known as `known_error` has it.
    parts : pair of array-like, shape (n,)
        How many independent parts each of them was taken from; infinite if that is not known.

    Returns
    -------
    ndarray, shape (n,)
        NaN where an error is not known.
    """
    one, other = map(known_error, errors)
    first, second = (np.maximum(np.asarray(values, dtype=float) - 1, 1) for values in parts)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(one**2 + other**2)
        freedom = error**4 / (one**4 / first + other**4 / second)
        return 2 * stats.t.sf(np.abs(np.asarray(difference, dtype=float)) / error, freedom)


def known_error(error) -> np.ndarray:
    """Standard errors, NaN where none is known.

    One of 0 is none: the few chains that it was taken from gave the same number, which says
    nothing of how far others would be from it.
    """
    error = np.asarray(error, dtype=float)
    return np.where((error > 0) & np.isfinite(error), error, np.nan)


def level_of_one(n_judged: int) -> float:
    """Level of each of some numbers, so that :data:`LEVEL` is that of all of them together."""
    return LEVEL / max(n_judged, 1)


def n_parts(table: pd.DataFrame) -> pd.Series:
    """How many parts the errors of a table were taken from, row by row; infinite if not told.

    An error of a single part, such as one chain, compares no parts: it is a Monte Carlo error,
    and so is one in a column `mcse`.

    Parameters
    ----------
    table : pandas.DataFrame
        Of an artefact, or ``comparison.csv``; the first of :data:`PARTS` that it has is meant.
    """
    told = [pd.to_numeric(table[name], errors="coerce") for name in PARTS if name in table]
    if not told or ("mcse" in table and "se" not in table):
        return pd.Series(np.inf, table.index)
    return told[0].where(told[0] > 1, np.inf)
