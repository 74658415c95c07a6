"""What the best of several restarts has, and how sure that is."""

from __future__ import annotations

from functools import wraps

import numpy as np

from reseat.experiments.intervals import LEVEL, bootstrap_interval
from reseat.experiments.verdicts import UNTESTABLE


def of_best_fits(*models):
    """Mark a claim about the best restarts of some models: it needs them to be the best fits.

    Where another fit of one of them has a higher ELBO, its restarts have all ended in worse
    optima, so that what the best of them has says nothing of the model.
    """

    def marked(rule):
        @wraps(rule)
        def judged(evidence):
            row = rule(evidence)
            for model in models:
                fit = evidence.outdone(model)
                if fit is None or np.isnan(row["effect"]):
                    continue
                gap = fit["elbo"] - evidence.runs(model)["elbo"].max()
                sizes = f"{fit['n_row_clusters']:g} x {fit['n_column_clusters']:g}"
                told = (
                    f"{row['evidence'].removesuffix('.')}; not the best fit of the "
                    f"{model.upper()}: one with {sizes} clusters has an ELBO that is {gap:,.0f} "
                    "nats higher."
                )
                row |= {"verdict": UNTESTABLE, "evidence": told}
            return row

        return judged

    return marked


def best_interval(restarts, rng):
    """A number of the restart with the best ELBO.

    Parameters
    ----------
    restarts : tuple of ndarray
        ELBO, (n_restarts,), and the number, (n_restarts,).
    rng : numpy.random.Generator

    Returns
    -------
    estimate, low, high : float
        See `gap_interval`.
    """
    return gap_interval(restarts, None, rng)


def gap_interval(first, second, rng, level=LEVEL, reduce=None):
    """How far the best restart of one model is ahead of that of another.

    The paper keeps the restart with the best ELBO. The interval is that of half samples: half of
    the restarts are drawn, for each model by itself, and the best of those drawn is kept. It tells
    how far the number hangs on which restarts there happen to be. The usual bootstrap would not:
    the same restart is the best of two thirds of its samples, however many there are.

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
    groups = [
        np.column_stack([np.asarray(part, dtype=float) for part in restarts])
        for restarts in (first, second)
        if restarts is not None
    ]
    if any(len(rows) == 0 for rows in groups):
        return np.nan, np.nan, np.nan

    def gap(first, second=None):
        gaps = _of_best(first) if second is None else _of_best(first) - _of_best(second)
        return reduce(gaps) if reduce else gaps.item()

    return bootstrap_interval(groups, gap, rng, level, by_group=True, halves=True)


def _of_best(rows):
    """Numbers of the restart with the best ELBO, which is the first column."""
    return rows[rows[:, 0].argmax(), 1:]
