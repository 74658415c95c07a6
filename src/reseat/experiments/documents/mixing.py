"""Agreement between chains of documents, for different moves and starts."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseat.experiments.documents.results import (
    METRICS,
    cell,
    each_dataset,
    select,
)
from reseat.experiments.modes import note_on_modes, traces_by_model
from reseat.experiments.printed_metrics import N_CLUSTERS
from reseat.experiments.tidy import COLUMNS, mean_and_error, tidy_row
from reseat.summaries import describe
from reseat.vocabulary import NOTE

__all__ = ["MOVES", "mixing_table"]

#: Models that differ only in their moves and starts, and their printed names.
MOVES = {
    "gibbs": "Gibbs sweeps",
    "gibbs_split": "Gibbs sweeps, splits and merges",
    "gibbs_annealed": "Gibbs sweeps, annealed start",
}

#: Metric of the traces to which the note on means over chains applies.
LOG_JOINT = "log joint"


def mixing_table(artefact, role, scores, traces):
    """Return the log joint of randomly started chains, between and within chains, and their scores.

    Rows ``random``, one sample of each chain, have its scores and number of clusters. Rows ``mean``
    have ``log joint`` (nats; its error is that between chains), ``between chains``, the standard
    deviation of the chains' means, ``within a chain``, the average Monte Carlo error of such a
    mean, ``R-hat``, and ``seconds a chain``, which is CPU time.
    """
    found = traces_by_model(scores, traces)
    rows = []
    for identity, part in each_dataset(scores, role, artefact):
        for model, system in MOVES.items():
            if (identity["dataset"], model) not in found:
                continue
            chains = found[identity["dataset"], model]
            note = note_on_modes(chains)
            for metric, values in _of_traces(chains).items():
                row = tidy_row(identity, system, "mean", metric, values)
                rows.append(row | {NOTE: note if metric == LOG_JOINT else ""})
            random = select(part, model, "random")
            rows += [
                cell(identity, system, "random", metric.name, random[metric.column]) | {NOTE: note}
                for metric in (*METRICS, N_CLUSTERS)
            ]
    return pd.DataFrame(rows, columns=[*COLUMNS, NOTE])


def _of_traces(chains):
    """Return the mean, error and number of chains of each quantity of the traces."""
    kept = chains.log_joint[:, chains.burn_in :]
    whole = describe(kept)
    means = kept.mean(axis=1)
    errors = [describe(chain[None])["mcse"] for chain in kept]
    mean, error, n = mean_and_error(means)
    spread = float(means.std(ddof=1)) if n > 1 else np.nan
    return {
        LOG_JOINT: (mean, error, n),
        "between chains": (spread, np.nan, n),
        "within a chain": (float(np.mean(errors)), np.nan, n),
        "R-hat": (whole["rhat"], np.nan, n),
        "seconds a chain": mean_and_error(chains.seconds),
    }
