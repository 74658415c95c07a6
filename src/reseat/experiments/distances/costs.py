"""What a sweep costs: measured seconds, and the powers of n and k that they follow."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseat.errors import DataError
from reseat.experiments.slopes import log_slope
from reseat.experiments.tidy import read_frames

#: Ways to compute the weights of a sweep, slowest first, and their names in print.
ALGORITHMS = {
    "naive": "dense matrices",
    "secular": "secular roots (the paper's)",
    "closed": "closed form",
    "cached": "closed form, cached sums",
}

#: Axes along which the cost is followed: the column that varies and the one that is held.
AXES = {"n": ("n_items", "n_clusters"), "k": ("n_clusters", "n_items")}

_COLUMNS = ("algorithm", "n_items", "n_clusters", "n_draws", "seconds_per_sweep", "low", "high")

#: Points that a fit needs, and points from which on only the upper half is fitted.
FEWEST, MANY = 3, 8


def read_timings(path):
    """The measured seconds a sweep (`scaling.csv`): see `read_frames`."""
    return read_frames([path], _COLUMNS, "timings")


def series(timings, algorithm, axis):
    """Points of one algorithm along one axis, the other size held.

    Where several sizes were held, that with most points is taken, and the larger of two alike.

    Returns
    -------
    pandas.DataFrame
        Rows of `timings` in the order of the axis; none if fewer than two sizes were measured.
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
    """Exponent of the seconds a sweep along an axis, by least squares on logarithms.

    An exponent is a matter of large sizes: of :data:`MANY` points or more the upper half is
    fitted.

    Parameters
    ----------
    points : pandas.DataFrame
        From `series`.
    axis : {"n", "k"}

    Returns
    -------
    exponent, error : float
        The error is that of the residuals; NaN with fewer than :data:`FEWEST` points.
    n_points : int
        Points that were fitted.
    """
    fitted = points.iloc[len(points) // 2 :] if len(points) >= MANY else points
    moving, _held = AXES[axis]
    return (*log_slope(fitted[moving], fitted["seconds_per_sweep"]), len(fitted))


def scaling_table(artefact, timings, published):
    """Seconds a sweep of each algorithm against n and k, with fitted exponents.

    Parameters
    ----------
    artefact : str
    timings : pandas.DataFrame
        From `read_timings`.
    published : dict
        (algorithm, axis) to the exponent of theorem 1: `Published.scaling`.

    Returns
    -------
    pandas.DataFrame
        One row a (axis, algorithm, point): `artefact`, `dataset`, `status`, `axis`, `algorithm`,
        `system`, `n_items`, `n_clusters`, `seconds_per_sweep` (median), `low`, `high` (quartiles),
        `n_draws`; and, the same on all rows of a series, `exponent`, `exponent_se`, `n_fitted`,
        `published` (the exponent that theorem 1 gives).

    Raises
    ------
    DataError
        If no algorithm was measured at two sizes.
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
                    status="generated",
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
