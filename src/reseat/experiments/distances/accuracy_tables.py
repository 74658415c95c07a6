"""The numbers behind the box plots: agreement with the true blocks, repetition by repetition."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd

from reseat.experiments.distances.plan import STARTS, TRUTH
from reseat.experiments.distances.results import (
    DIMS,
    EXPERIMENT1,
    MEANS,
    MODELS,
    ROLES,
    THETAS,
    final_scores,
    label,
    means_role,
)
from reseat.experiments.tidy import by_dataset, mean_and_error
from reseat.summaries import AGREED
from reseat.vocabulary import FAITHFUL, NOT_CONVERGED, NOTE

#: Panels of Figure 2, and of Figure 4 row by row: first theta = 100/d, which the figure appears to
#: show, then theta = 15/d.
FIGURE2 = ("separated", "overlapping")
FIGURE4 = tuple(means_role(theta, dim, mean) for theta in THETAS for dim in DIMS for mean in MEANS)

#: Titles of the panels; those of Figure 4 have two lines with mathematical notation.
TITLES = ROLES | {
    means_role(theta, dim, mean): f"$\\theta = {theta}/d$, $d = {dim}$\n"
    + ("$\\mu_i \\sim N(40, 0.1)$" if mean else "$\\mu = 0$")
    for theta in THETAS
    for dim in DIMS
    for mean in MEANS
}

#: Columns of the tables.
BOX_COLUMNS = (
    *("artefact", "role", "dataset", "status", "comparable", "system", "start", "draw"),
    *("n_chains", "ari", "n_clusters", "n_true", "rhat_max", "log_joint"),
    *("mean", "se", "median", "n_draws", NOTE),
)


def figure2_table(artefact, scores):
    """Return the table of Figure 2: ARI of TIWD and hierarchical methods on each repetition.

    One row per (data set, model, start, draw): the index and the number of clusters are averaged
    over the chains on that draw that start there, and the log joint (nats) is that of the best
    state that a chain visited. A note says if chains disagree.
    """
    return _boxes(artefact, scores, FIGURE2, EXPERIMENT1)


def figure4_table(artefact, scores):
    """Return the table of Figure 4: ARI of WD, WD_R and TIWD, with zero and nonzero means.

    The parameters and the returned table are those of :func:`figure2_table`.
    """
    return _boxes(artefact, scores, FIGURE4, tuple(MODELS))


def _boxes(artefact, scores, roles, models):
    rows = []
    keys = ["dataset", "model", "start", "draw"]
    best = scores[scores["partition"] == "map"].groupby(keys)["log_joint"].mean()
    for identity, part in by_dataset(final_scores(scores), artefact, roles, order=roles):
        for model, start in product(models, (*STARTS, TRUTH)):
            own = part[(part["model"] == model) & (part["start"] == start)].dropna(subset=["ari"])
            by_draw = own.groupby("draw")
            means = by_draw["ari"].mean()
            mean, error, n_draws = mean_and_error(means)
            apart = int((by_draw["rhat"].max() > AGREED).sum())
            note = (
                f"{NOT_CONVERGED}: chains disagree on {apart} of {n_draws} draws" if apart else ""
            )
            for draw, on_draw in by_draw:
                row = {
                    **identity,
                    "comparable": identity["status"] == FAITHFUL,
                    "system": label(model),
                    "start": start,
                    "draw": int(draw),
                    "n_chains": len(on_draw),
                    "ari": means[draw],
                    "n_clusters": on_draw["n_clusters"].mean(),
                    "n_true": on_draw["n_true"].iloc[0],
                    "rhat_max": on_draw["rhat"].max(),
                    "log_joint": best.get((identity["dataset"], model, start, draw), np.nan),
                }
                row |= {"mean": mean, "se": error, "median": means.median(), "n_draws": n_draws}
                rows.append(row | {NOTE: note})
    return pd.DataFrame(rows, columns=list(BOX_COLUMNS))
