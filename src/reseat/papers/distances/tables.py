"""Tables of accuracy, of other readings, of the labelled data sets, and of costs."""

from itertools import product

import numpy as np
import pandas as pd

from reseat.errors import DataError
from reseat.papers.distances import results
from reseat.papers.distances.plan import STARTS, TRUTH
from reseat.papers.distances.results import by_draw
from reseat.papers.distances.samplers import SYSTEM, count_rows, placed_right
from reseat.papers.published import N_CLUSTERS
from reseat.papers.statistics import log_slope
from reseat.papers.tables import (
    COLUMNS,
    by_dataset,
    identity_of,
    mean_and_error,
    read_frames,
    rows_of,
    tidy,
    tidy_row,
)
from reseat.summaries import AGREED
from reseat.vocabulary import FAITHFUL, GENERATED, NOT_CONVERGED, NOTE

# ---- Tables of other readings of what the paper leaves open, and of the labelled data sets ----

#: Columns next to the shared ones; the change is from the model that is varied.
EXTRA = ("truth", "rhat_max", "at_end")
READING_EXTRA = (*EXTRA, "n_draws", "change", "change_se")

#: Labelled sets; the stand-in for the paper's own set comes last.
LABELLED = ("protein213", "globins_scop", "globins_added", "globins_rank30", "globins", "families")


def readings_table(artefact, scores):
    """Return clusters and ARI under other readings beside the paper's model, on common draws."""
    scores = results.final_scores(scores)
    scores = scores[scores["start"] != TRUTH]  # few readings have chains from the truth
    named = {*results.MODELS, *results.BASELINES, *results.READINGS, *results.HELD}
    readings = {name: base for name, (base, _words) in results.READINGS.items()}
    readings |= dict.fromkeys(results.other_models(scores, named), "tiwd")
    read = scores[scores["model"].isin(list(readings))]
    rows = []
    for _name, part in scores[scores["dataset"].isin(read["dataset"])].groupby("dataset"):
        for base in dict.fromkeys(readings.values()):
            models = [base, *(name for name, of in readings.items() if of == base)]
            rows += _readings_of(artefact, models, part)
    if not rows:
        raise DataError(
            f"{artefact} has no reading beside the model that it varies; run both on the "
            "same data set, such as tiwd and tiwd_printed."
        )
    return pd.DataFrame(rows, columns=[*COLUMNS, *READING_EXTRA])


@tidy(*EXTRA)
def labelled_table(artefact, scores, blocks, assignments, published):
    """Return the scores of all methods on objects of known class, and where unlabelled ones go."""
    for identity, part in by_dataset(results.final_scores(scores), artefact, order=LABELLED):
        others = results.other_models(part, {*results.HELD, *results.BASELINES})
        for model in (*results.HELD, *others, *results.BASELINES):
            name = results.HELD.get(model) or results.label(model)
            yield from _scored(identity, part, model, name)
        if blocks is not None:
            own = rows_of(blocks, dataset=identity["dataset"])
            if own["n_unlabelled"].sum() > 0:
                checked = results.diagnostics_of(part[part["model"] == "tiwd"])
                found = _unlabelled(identity, own, assignments, published)
                yield from [row | checked for row in found]


def _readings_of(artefact, models, part):
    """Return the rows of one data set for the first model and its readings on common draws."""
    base = models[0]
    draws = part[part["model"].isin(models)].groupby("model")["draw"].agg(set)
    if base not in draws or len(draws) < 2:
        return
    part = part[part["draw"].isin(set.intersection(*draws))]
    if len(part) == 0:
        return
    identity = identity_of(part, artefact)
    for model in (name for name in models if name in draws):
        of_model = part[part["model"] == model]
        for metric in (N_CLUSTERS, results.ARI):
            values = results.independent_values(part, model, metric.column)
            if len(values) == 0:
                continue
            found = (*mean_and_error(values)[:2], len(of_model))
            row = tidy_row(identity, results.label(model), "annealed", metric.name, found)
            row |= {"truth": of_model["n_true"].mean() if metric is N_CLUSTERS else np.nan}
            row |= {"n_draws": of_model["draw"].nunique()} | results.diagnostics_of(of_model)
            if model != base:
                change = by_draw(part, model, metric.column) - by_draw(part, base, metric.column)
                row["change"], row["change_se"], _n = mean_and_error(change)
            yield row


def _scored(identity, part, model, name):
    of_model = part[part["model"] == model]
    # A model that keeps labels is scored on only some objects, among which classes may be missing.
    on_all = model == "tiwd_free" or model in results.BASELINES
    for metric in (N_CLUSTERS, results.ARI, *results.PLACES):
        if metric.column not in part.columns:
            continue
        values = results.independent_values(part, model, metric.column)
        if len(values):
            found = (*mean_and_error(values)[:2], len(of_model))
            summary = of_model["partition"].iloc[0]
            row = tidy_row(identity, name, summary, metric.name, found)
            truth = of_model["n_true"].iloc[0] if metric is N_CLUSTERS and on_all else np.nan
            yield row | {"truth": truth} | results.diagnostics_of(of_model)


def _unlabelled(identity, blocks, assignments, published):
    yield from count_rows(identity, blocks, published)
    if assignments is not None:
        share = placed_right(rows_of(assignments, dataset=identity["dataset"]), blocks)
        if not np.isnan(share):
            yield tidy_row(identity, SYSTEM, "annealed", "placed right", (share, np.nan, 1))


# ---- Agreement with the true blocks, repetition by repetition --------------------------------

#: Panels of Figure 2, and of Figure 4 row by row: first theta = 100/d, then theta = 15/d.
FIGURE2 = ("separated", "overlapping")
FIGURE4 = tuple(results.means_role(*panel) for panel in results.PANELS)

#: Titles of the panels; those of Figure 4 have two lines with mathematical notation.
TITLES = results.ROLES | {
    results.means_role(theta, dim, mean): f"$\\theta = {theta}/d$, $d = {dim}$\n"
    + ("$\\mu_i \\sim N(40, 0.1)$" if mean else "$\\mu = 0$")
    for theta, dim, mean in results.PANELS
}

BOX_COLUMNS = (
    *("artefact", "role", "dataset", "status", "comparable", "system", "start", "draw"),
    *("n_chains", "ari", "n_clusters", "n_true", "rhat_max", "theta", "log_joint"),
    *("log_joint_true", "mean", "se", "median", "n_draws", "above_true", "at_end", NOTE),
)

#: From this adjusted Rand index on, a partition counts as the true one.
FOUND = 0.9


def figure2_table(artefact, scores):
    """Return the table of Figure 2: ARI of TIWD and hierarchical methods on each repetition.

    `log_joint` (nats) is of the best state visited, and `above_true` counts draws on which it is
    above that of the true blocks, although its index is below :data:`FOUND`.
    """
    return _boxes(artefact, scores, FIGURE2, results.EXPERIMENT1)


def figure4_table(artefact, scores):
    """Return the same for Figure 4: ARI of WD, WD_R and TIWD, with zero and nonzero means."""
    return _boxes(artefact, scores, FIGURE4, tuple(results.MODELS))


def _boxes(artefact, scores, roles, models):
    rows = []
    keys = ["dataset", "model", "start", "draw"]
    best = scores[scores["partition"] == "map"].groupby(keys)["log_joint"].mean()
    for identity, part in by_dataset(results.final_scores(scores), artefact, roles, order=roles):
        for model, start in product(models, (*STARTS, TRUTH)):
            own = part[(part["model"] == model) & (part["start"] == start)].dropna(subset=["ari"])
            by_draw = own.groupby("draw")
            means = by_draw["ari"].mean()
            mean, error, n_draws = mean_and_error(means)
            apart = int((by_draw["rhat"].max() > AGREED).sum())
            said = f"{NOT_CONVERGED}: chains disagree on {apart} of {n_draws} draws"
            reached = {
                draw: best.get((identity["dataset"], model, start, draw), np.nan)
                for draw in means.index
            }
            true = by_draw["log_joint_true"].first()
            above = sum(means[draw] < FOUND and reached[draw] > true[draw] for draw in reached)
            known = identity | {"comparable": identity["status"] == FAITHFUL, "start": start}
            known |= {"system": results.label(model), NOTE: said if apart else ""}
            known |= {"mean": mean, "se": error, "median": means.median(), "n_draws": n_draws}
            known |= {"above_true": above, "at_end": results.at_end(own)}
            for draw, on_draw in by_draw:
                row = {"draw": int(draw), "n_chains": len(on_draw), "ari": means[draw]}
                row |= {"n_true": on_draw["n_true"].iloc[0], "rhat_max": on_draw["rhat"].max()}
                row |= {name: on_draw[name].mean() for name in ("n_clusters", "theta")}
                row |= {"log_joint": reached[draw], "log_joint_true": true[draw]}
                rows.append(known | row)
    return pd.DataFrame(rows, columns=list(BOX_COLUMNS))


# ---- What a sweep costs: measured seconds, and the powers of n and k that they follow --------

#: Ways to compute the weights of a sweep, slowest first, and their names in print.
ALGORITHMS = {
    "naive": "dense matrices",
    "secular": "secular roots (the paper's)",
    "closed": "closed form",
    "cached": "closed form, cached sums",
}

#: Axes along which the cost is followed: the column that varies and the one that is held fixed.
AXES = {"n": ("n_items", "n_clusters"), "k": ("n_clusters", "n_items")}

_SIZES = ("algorithm", "n_items", "n_clusters")
_COSTS = ("seconds_per_sweep", "low", "high", "terms")

#: Number of points from which only the upper half is fitted.
MANY = 8


def read_timings(path):
    """Read the measured seconds per sweep (`scaling.csv`)."""
    return read_frames([path], (*_SIZES, "n_draws", *_COSTS), "timings")


def series(timings, algorithm, axis):
    """Return the points of one algorithm along one axis, the other held at its commonest size."""
    moving, held = AXES[axis]
    own = timings[timings["algorithm"] == algorithm]
    points = own.groupby(held)[moving].nunique()
    if not (points > 1).any():
        return own.iloc[:0]
    chosen = points[points == points.max()].index.max()
    return own[own[held] == chosen].sort_values(moving)


def exponent(points, axis, cost="seconds_per_sweep"):
    """Return the fitted exponent of the cost of a sweep, its error, and the number of points."""
    fitted = points.iloc[len(points) // 2 :] if len(points) >= MANY else points
    moving, _held = AXES[axis]
    return (*log_slope(fitted[moving], fitted[cost]), len(fitted))


def scaling_table(artefact, timings, published):
    """Return the seconds per sweep of each algorithm, with fitted and published exponents."""
    known = {"artefact": artefact, "dataset": "timed sweeps", "status": GENERATED}
    frames = []
    for axis, algorithm in product(AXES, ALGORITHMS):
        points = series(timings, algorithm, axis)
        if len(points) == 0:
            continue
        power, error, n_fitted = exponent(points, axis)
        found = {"exponent": power, "exponent_se": error, "n_fitted": n_fitted}
        found["published"] = published.get((algorithm, axis), np.nan)
        frames.append(points.assign(**known, axis=axis, system=ALGORITHMS[algorithm], **found))
    columns = [*known, "axis", "algorithm", "system", *_SIZES[1:], *_COSTS, "n_draws", *found]
    return pd.concat(frames, ignore_index=True)[columns]
