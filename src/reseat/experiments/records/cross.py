"""Comparison of partition priors on records and documents."""

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
from reseat.experiments.tidy import COLUMNS, mean_and_error, tidy_row
from reseat.vocabulary import NOTE

#: Metrics by which the priors are compared; error rates are for records only, and the adjusted Rand
#: index is for documents only.
CROSS_METRICS = (E_K, MEAN_SIZE, FNR, FDR, ARI)

#: Models of records, mapped to the printed names of their priors.
RECORD_PRIORS = {"finite": "finite Dirichlet", **MODELS}

#: Models of documents, mapped to the printed names of their priors.
DOCUMENT_PRIORS = {
    "gibbs": "finite Dirichlet",
    "gibbs_dp": "DP",
    "gibbs_pyp": "PYP",
    "gibbs_nbnb": "NBNB",
    "gibbs_nbd": "NBD",
}


def cross_table(artefact, summaries, scores=None, n_items=None, traces=()):
    """Return the number, mean size and accuracy of clusters for every prior on every data set.

    For recipes only the first draw is used, which has run at full length; for documents, the rows
    ``random``, which score one sample of each chain. `se` is the Monte Carlo error for records, and
    the standard error between chains for documents. Without `n_items`, documents have no mean size.
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
