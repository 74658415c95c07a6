"""What a sweep costs: measured seconds, and the powers of n and k that they follow."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseat.errors import DataError
from reseat.experiments.slopes import log_slope
from reseat.experiments.tidy import read_frames
from reseat.vocabulary import GENERATED

#: Ways to compute the weights of a sweep, slowest first, and their names in print.
ALGORITHMS = {
    "naive": "dense matrices",
    "secular": "secular roots (the paper's)",
    "closed": "closed form",
    "cached": "closed form, cached sums",
}

#: Axes along which the cost is followed: the column that varies and the one that is held fixed.
AXES = {"n": ("n_items", "n_clusters"), "k": ("n_clusters", "n_items")}

_COLUMNS = ("algorithm", "n_items", "n_clusters", "n_draws", "seconds_per_sweep", "low", "high")

#: Fewest points for a fit, and the number of points from which only the upper half is fitted.
FEWEST, MANY = 3, 8


def read_timings(path):
    """Read the measured seconds per sweep (`scaling.csv`); see `read_frames`."""
    return read_frames([path], _COLUMNS, "timings")


def series(timings, algorithm, axis):
    """Return the points of one algorithm along one axis, with the other size held fixed.

    If points were measured at several such sizes, the size with the most points is taken, and the
    larger one in a tie. There are no rows if fewer than two sizes were measured.
    """
    moving, held = AXES[axis]
    own = timings[timings["algorithm"] == algorithm]
    points = own.groupby(held)[moving].nunique()
    points = points[points > 1]
    if len(points) == 0:
        return own.iloc[:0]
    chosen = points[points == points.max()].index.max()
    return own[own[held] == chosen].sort_values(moving)


def exponent(points, axis):
    """Return the exponent of the seconds per sweep along an axis, by least squares on logarithms.

    The exponent describes large sizes, so that with :data:`MANY` points or more only the upper half
    is fitted. Return it, its standard error, from the residuals, and the number of points that were
    fitted; the first two are NaN with fewer than :data:`FEWEST` points.
    """
    fitted = points.iloc[len(points) // 2 :] if len(points) >= MANY else points
    moving, _held = AXES[axis]
    return (*log_slope(fitted[moving], fitted["seconds_per_sweep"]), len(fitted))


def scaling_table(artefact, timings, published):
    """Return the seconds per sweep of each algorithm against n and k, with fitted exponents.

    `low` and `high` are quartiles, and `published` is the exponent that theorem 1 gives.
    """
    frames = []
    for axis in AXES:
        for algorithm in ALGORITHMS:
            points = series(timings, algorithm, axis)
            if len(points) == 0:
                continue
            power, error, n_fitted = exponent(points, axis)
            frames.append(
                points[list(_COLUMNS)].assign(
                    artefact=artefact,
                    dataset="timed sweeps",
                    status=GENERATED,
                    axis=axis,
                    system=ALGORITHMS[algorithm],
                    exponent=power,
                    exponent_se=error,
                    n_fitted=n_fitted,
                    published=published.get((algorithm, axis), np.nan),
                )
            )
    if not frames:
        raise DataError(
            f"{artefact} needs timed sweeps of an algorithm at two sizes; time more sizes."
        )
    columns = ["artefact", "dataset", "status", "axis", "algorithm", "system", *_COLUMNS[1:3]]
    columns += [*_COLUMNS[4:], "n_draws", "exponent", "exponent_se", "n_fitted", "published"]
    return pd.concat(frames, ignore_index=True)[columns]
