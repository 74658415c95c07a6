"""Numbers of the best of several restarts, and their uncertainty."""

from __future__ import annotations

from functools import wraps

import numpy as np

from reseat.experiments.intervals import LEVEL, bootstrap_interval
from reseat.variational.best import best_restart
from reseat.vocabulary import UNTESTABLE


def of_best_fits(*models):
    """Mark a claim about the best restarts of some models, which have to be the best fits.

    If another fit of one of the models has a higher ELBO, all of its judged restarts have ended in
    worse optima. Their best then says nothing about the model, and the claim is untestable.
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
    """Return a number of the restart with the best ELBO, and its interval.

    `restarts` has the ELBO and the number of each, both of shape (n_restarts,); see `gap_interval`.
    """
    return gap_interval(restarts, None, rng)


def gap_interval(first, second, rng, level=LEVEL, reduce=None):
    """Return how far the best restart of one model is ahead of that of another, with an interval.

    The paper keeps the restart with the best ELBO. The interval is that of half samples: half of
    the restarts of each model are drawn independently, and the best of those drawn is kept. It
    shows how much the number depends on which restarts happen to have run. The usual bootstrap
    would not, because the same restart is the best in two thirds of its samples, however many
    restarts there are. Both models have the ELBO, (n_restarts,), and the numbers, (n_restarts,) or
    (n_restarts, n_numbers) if `reduce` maps differences (..., n_numbers) to (...). If `second` is
    None, the numbers of `first` are used as they are. The ends are NaN if a model has too few
    restarts.
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
    """Return the numbers of the restart with the best ELBO, which is in the first column."""
    return rows[best_restart(rows[:, 0]), 1:]
