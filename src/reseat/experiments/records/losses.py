"""How far each prior is from the truth on each variant, and which prior is nearer.

A loss is an error rate (FNR, FDR), or the distance of a statistic of the partition from its true
value as a share of that value. Losses that differ by no more than :data:`TOLERANCE` count as
equal: this is one unit of the last printed digit for the rates, and 1 % of the truth for the
statistics.
"""

from __future__ import annotations

import numpy as np

from reseat.experiments.intervals import bootstrap_interval
from reseat.experiments.records.results import DELTAS, MODELS, STATISTICS

#: Priors without and with the microclustering property, as indices into an array of losses.
CLASSIC, MICRO = [0, 1], [2, 3]
NBD = 3

#: Losses in order: two error rates, then four statistics of the partition.
LOSSES = ("fnr", "fdr", *STATISTICS)
ERROR_RATES, SIZE_STATISTICS = slice(0, 2), slice(2, 6)

TOLERANCE = 0.01


def measured_losses(summaries, roles):
    """Return the losses of the paper's models on every data draw at a delta of the paper.

    Each (role, delta) is mapped to an array of shape (n_draws, 4, 6): the draws on which all four
    models ran, the models in the order of `MODELS`, and the losses in the order of :data:`LOSSES`.
    """
    rows = summaries[
        summaries["role"].isin(roles)
        & (summaries["draw"] >= 0)
        & summaries["delta_true"].isin(DELTAS)
        & summaries["model"].isin(list(MODELS))
        & summaries["quantity"].isin(LOSSES)
    ]
    rate = rows["quantity"].isin(LOSSES[ERROR_RATES])
    distance = (rows["mean"] - rows["truth"]).abs() / rows["truth"]
    rows = rows.assign(loss=rows["mean"].where(rate, distance))
    losses = {}
    for role in roles:
        of_role = rows[rows["role"] == role]
        for delta, part in of_role.groupby("delta_true"):
            wide = part.pivot_table(index="dataset", columns=["model", "quantity"], values="loss")
            wide = wide.reindex(columns=[(m, q) for m in MODELS for q in LOSSES]).dropna()
            if len(wide):
                losses[role, float(delta)] = wide.to_numpy().reshape(-1, len(MODELS), len(LOSSES))
    return losses


def printed_losses(published, roles):
    """Return the same losses for the published numbers: rates of Table 1, medians of Figure 2.

    The arrays, by (role, delta), have shape (1, 4, 6).
    """
    boxes = published.fig2.set_index(["role", "delta", "system", "statistic"])
    losses = {}
    for role, delta in published.cells():
        if role in roles:
            values = [
                [published.table1[role, delta, system, rate] for rate in ("FNR", "FDR")]
                + [
                    abs(box["median"] - box["truth"]) / box["truth"]
                    for box in (boxes.loc[role, delta, system, name] for name in STATISTICS)
                ]
                for system in MODELS.values()
            ]
            losses[role, delta] = np.array([values])
    return losses


def mean_losses(losses):
    """Return the losses of each variant averaged over its draws, shape (4, 6)."""
    return {cell: values.mean(axis=0) for cell, values in losses.items()}


def no_worse(means, columns):
    """Return the variants on which both microclustering priors are no worse than both others."""
    return [
        cell
        for cell, values in means.items()
        if np.all(values[MICRO, columns].max(axis=0) <= _bar(values[CLASSIC, columns].min(axis=0)))
    ]


def share_nbd_best(means):
    """Return the share of (variant, loss) pairs in which no prior is better than NBD."""
    best = [
        values[NBD] <= _bar(np.delete(values, NBD, axis=0).min(axis=0)) for values in means.values()
    ]
    return float(np.mean(best))


def share_won(means):
    """Return the share of comparisons (variant, loss, pair of priors) that NBNB and NBD win.

    A tie counts one half.
    """
    scores = []
    for values in means.values():
        lead = values[CLASSIC, None] - values[None, MICRO]
        scores.append(np.where(np.abs(lead) <= _bar(0.0), 0.5, lead > 0))
    return float(np.mean(scores))


def gap(values, loss):
    """Return, for each draw, the mean loss of DP and PYP minus that of NBNB and NBD.

    The values have shape (n_draws, 4, 6).
    """
    column = values[:, :, LOSSES.index(loss)]
    return column[:, CLASSIC].mean(axis=1) - column[:, MICRO].mean(axis=1)


def bootstrap_variants(losses, statistic, rng):
    """Return a percentile bootstrap interval over data draws, within each variant.

    The models of a draw are resampled together, because they ran on the same records. The ends are
    NaN if a variant has too few draws.
    """

    def of_draws(*groups):
        return statistic(mean_losses(dict(zip(losses, groups, strict=True))))

    return bootstrap_interval(losses.values(), of_draws, rng)


def _bar(value):
    """Return the value up to which a loss counts as no larger, with a margin for rounding."""
    return value + TOLERANCE + 1e-9
