"""Tables of other readings of what the paper leaves open, and of the labelled data sets."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseat.errors import DataError
from reseat.experiments.distances.new_blocks import SYSTEM, count_rows, placed_right, rhat_of
from reseat.experiments.distances.plan import TRUTH
from reseat.experiments.distances.results import (
    ARI,
    BASELINES,
    HELD,
    MODELS,
    READINGS,
    RIGHT,
    by_draw,
    final_scores,
    independent_values,
    label,
    other_models,
)
from reseat.experiments.printed_metrics import N_CLUSTERS
from reseat.experiments.tidy import COLUMNS, by_dataset, identity_of, mean_and_error, tidy_row

#: Columns next to the shared ones: the true value, and the largest R-hat of the number of clusters.
EXTRA = ("truth", "rhat_max")

#: The same, with the number of data draws, and the mean change from the model that is varied, draw
#: by draw, with its standard error.
READING_EXTRA = (*EXTRA, "n_draws", "change", "change_se")

#: Labelled sets; the stand-in for the paper's own set comes last.
LABELLED = ("protein213", "globins_scop", "globins", "families")


def readings_table(artefact, scores):
    """Return the number of clusters and ARI under other readings, next to the paper's model.

    A model and its readings are averaged over the draws that they have in common, so that they are
    compared on the same data. The user's own models are shown under their names next to TIWD.
    Standard errors are between draws or, if there is a single draw, between chains.
    """
    scores = final_scores(scores)
    scores = scores[scores["start"] != TRUTH]  # few readings have chains from the truth
    named = {*MODELS, *BASELINES, *READINGS, *HELD}
    readings = {name: base for name, (base, _words) in READINGS.items()}
    readings |= dict.fromkeys(other_models(scores, named), "tiwd")
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


def labelled_table(artefact, scores, blocks, assignments, published):
    """Return the scores of all methods on labelled data, and where unlabelled objects go.

    The methods are TIWD and the hierarchical ones. A model that keeps labels is scored on the other
    objects whose class is known; trees are cut at the number of clusters of TIWD without labels.
    Standard errors are between draws or, if there is a single draw, between chains.
    """
    rows = []
    for identity, part in by_dataset(final_scores(scores), artefact, order=LABELLED):
        others = other_models(part, {*HELD, *BASELINES})
        for model, name in (HELD | {name: label(name) for name in others} | BASELINES).items():
            rows += _scored(identity, part, model, name)
        if blocks is not None:
            own = blocks[blocks["dataset"] == identity["dataset"]]
            if own["n_unlabelled"].sum() > 0:
                found = _unlabelled(identity, own, assignments, published)
                rows += [row | {"rhat_max": rhat_of(part)} for row in found]
    return pd.DataFrame(rows, columns=[*COLUMNS, *EXTRA])


def _readings_of(artefact, models, part):
    """Return the rows of one data set for the first model and for its readings, the other models.

    There are none unless a reading ran and all of these models that ran have a draw in common.
    """
    base = models[0]
    draws = part[part["model"].isin(models)].groupby("model")["draw"].agg(set)
    if base not in draws or len(draws) < 2:
        return []
    part = part[part["draw"].isin(set.intersection(*draws))]
    if len(part) == 0:
        return []
    identity = identity_of(part, artefact)
    rows = []
    for model in (name for name in models if name in draws):
        of_model = part[part["model"] == model]
        for metric in (N_CLUSTERS, ARI):
            values = independent_values(part, model, metric.column)
            if len(values) == 0:
                continue
            mean, error, _n = mean_and_error(values)
            found = (mean, error, len(of_model))
            row = tidy_row(identity, label(model), "annealed", metric.name, found)
            extra = {"truth": of_model["n_true"].mean() if metric is N_CLUSTERS else np.nan}
            extra |= {"rhat_max": of_model["rhat"].max()}
            extra |= {"n_draws": of_model["draw"].nunique()}
            if model != base:
                change = by_draw(part, model, metric.column) - by_draw(part, base, metric.column)
                extra["change"], extra["change_se"], _n = mean_and_error(change)
            rows.append(row | extra)
    return rows


def _scored(identity, part, model, name):
    of_model = part[part["model"] == model]
    # A model that keeps labels is scored on only some objects, among which classes may be missing.
    on_all = model == "tiwd_free" or model in BASELINES
    rows = []
    for metric in (N_CLUSTERS, ARI, RIGHT):
        if metric.column not in part.columns:
            continue
        values = independent_values(part, model, metric.column)
        if len(values):
            mean, error, _n = mean_and_error(values)
            found = (mean, error, len(of_model))
            summary = of_model["partition"].iloc[0]
            row = tidy_row(identity, name, summary, metric.name, found)
            truth = of_model["n_true"].iloc[0] if metric is N_CLUSTERS and on_all else np.nan
            rows.append(row | {"truth": truth, "rhat_max": of_model["rhat"].max()})
    return rows


def _unlabelled(identity, blocks, assignments, published):
    rows = count_rows(identity, blocks, published)
    if assignments is not None:
        own = assignments[assignments["dataset"] == identity["dataset"]]
        share = placed_right(own, blocks)
        if not np.isnan(share):
            found = (share, np.nan, 1)
            rows.append(tidy_row(identity, SYSTEM, "annealed", "placed right", found))
    return rows
