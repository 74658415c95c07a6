"""One comparison of partition priors over records and documents."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseat.errors import DataError
from reseat.experiments.modes import notes_on_modes
from reseat.experiments.records.results import (
    ARI,
    E_K,
    FDR,
    FNR,
    MEAN_SIZE,
    MODELS,
    finite_max,
    posterior_of,
)
from reseat.experiments.tidy import COLUMNS, NOTE, mean_and_error, tidy_row

#: What the priors are compared by; records have error rates, documents the adjusted Rand index.
CROSS_METRICS = (E_K, MEAN_SIZE, FNR, FDR, ARI)

#: Model to the printed name of its prior: records.
RECORD_PRIORS = {"finite": "finite Dirichlet", **MODELS}

#: The same for documents.
DOCUMENT_PRIORS = {
    "gibbs": "finite Dirichlet",
    "gibbs_dp": "DP",
    "gibbs_pyp": "PYP",
    "gibbs_nbnb": "NBNB",
    "gibbs_nbd": "NBD",
}


def cross_table(artefact, summaries, scores=None, n_items=None, traces=()):
    """Every prior on every data set: number and mean size of clusters, and how right they are.

    Parameters
    ----------
    artefact : str
    summaries : pandas.DataFrame
        Posterior summaries, from `read_summaries`, of record sets (or of any other data summarised
        in the same form); of recipes the first draw is taken, the one that has run at full length.
    scores : pandas.DataFrame, optional
        Scores of documents, one row a (data set, model, chain, summary); the rows ``random``, one
        sample of each chain, stand for the posterior.
    n_items : dict of str to int, optional
        Number of items of each data set in `scores`, for the mean size; it is left out of the
        table without.
    traces : list of reseat.experiments.documents.series.Traces
        Of the data sets and models of `scores`, in the same order.

    Returns
    -------
    pandas.DataFrame
        :data:`~reseat.experiments.tidy.COLUMNS`, `family`, `truth` (of the number of clusters
        and the mean size), of records `rhat_max`, the largest of these metrics, and of documents
        :data:`NOTE`. `se` is the Monte Carlo error, of documents the standard error between chains.
        Nothing in it is published.

    Raises
    ------
    DataError
        If no model of the two lists was run.
    """
    rows = _of_summaries(artefact, summaries[summaries["draw"] <= 0], RECORD_PRIORS)
    if scores is not None and len(scores):
        notes = notes_on_modes(scores, traces) if traces else {}
        rows += _of_scores(artefact, scores, n_items or {}, DOCUMENT_PRIORS, notes)
    if not rows:
        raise DataError(f"{artefact} has no prior to compare; run its models first.")
    return pd.DataFrame(rows, columns=[*COLUMNS, "family", "truth", "rhat_max", "n_parts", NOTE])


def _of_summaries(artefact, summaries, priors):
    rows = []
    for identity, part in _datasets(artefact, summaries):
        for model, prior in priors.items():
            of_model = part[part["model"] == model]
            posteriors = {
                metric.name: posterior_of(of_model, metric).dropna(subset=["mean"])
                for metric in CROSS_METRICS
            }
            rhat = finite_max(pd.concat([found["rhat"] for found in posteriors.values()]))
            more = {"family": "records", "rhat_max": rhat, "n_parts": np.nan, NOTE: ""}
            for name, found in posteriors.items():
                if len(found):
                    row = found.iloc[0]
                    values = (row["mean"], row["mcse"], int(row["n_chains"]))
                    cell = tidy_row(identity, prior, "posterior", name, values)
                    rows.append({**cell, **more, "truth": row["truth"]})
    return rows


def _of_scores(artefact, scores, n_items, priors, notes):
    rows = []
    for identity, part in _datasets(artefact, scores):
        for model, prior in priors.items():
            found = part[(part["model"] == model) & (part["summary"] == "random")]
            if len(found) == 0:
                continue
            clusters = found["n_clusters"].to_numpy(float)
            size = n_items.get(identity["dataset"], np.nan)
            for metric, values in (
                (E_K, clusters),
                (MEAN_SIZE, size / clusters),
                (ARI, found["adjusted_rand"]),
            ):
                if np.isfinite(values).any():
                    cell = tidy_row(identity, prior, "random", metric.name, mean_and_error(values))
                    more = {"family": "documents", "truth": np.nan, "n_parts": cell["n_chains"]}
                    more[NOTE] = notes.get((identity["dataset"], model), "")
                    rows.append({**cell, **more})
    return rows


def _datasets(artefact, frame):
    for name, part in frame.groupby("dataset", sort=False):
        first = part.iloc[0]
        role = first.get("role", name)
        yield {"artefact": artefact, "role": role, "dataset": name, "status": first["status"]}, part
