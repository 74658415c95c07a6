"""Entity resolution on records with misspelt values: precision, recall and F of every prior."""

from __future__ import annotations

import math

import pandas as pd

from reseat.errors import DataError
from reseat.experiments.records.plan import SIMILAR
from reseat.experiments.records.results import (
    E_K,
    FDR,
    FNR,
    by_model,
    finite_max,
    posterior_of,
)
from reseat.experiments.tidy import COLUMNS, identity_of, tidy_row

__all__ = ["benchmarks_table"]


def benchmarks_table(artefact, summaries):
    """Return precision, recall, F and number of clusters on records with known entities.

    Only models of similar values on real records are shown; `se` is the Monte Carlo error.
    """
    summaries = summaries[(summaries["likelihood"] == SIMILAR) & summaries["delta_true"].isna()]
    if len(summaries) == 0:
        raise DataError(
            f"{artefact} has no model of similar values; run one on real records first."
        )
    rows = []
    for _name, part in summaries.groupby("dataset", sort=False):
        identity = identity_of(part, artefact)
        for _model, label, of_model in by_model(part):
            judged = of_model["quantity"].isin([metric.column for metric in (E_K, FDR, FNR)])
            more = {"rhat_max": finite_max(of_model.loc[judged, "rhat"])}
            for quantity, mean, error, truth, n in _quantities(of_model):
                row = tidy_row(identity, label, "posterior", quantity, (mean, error, n))
                rows.append({**row, "truth": truth, **more, "n_parts": math.nan})
    return pd.DataFrame(rows, columns=[*COLUMNS, "truth", "rhat_max", "n_parts"])


def _quantities(part):
    """Yield quantity, mean, Monte Carlo error, true value and number of chains of one model."""
    found = {metric: posterior_of(part, metric) for metric in (E_K, FDR, FNR)}
    row = found[E_K].iloc[0]
    yield E_K.name, row["mean"], row["mcse"], row["truth"], int(row["n_chains"])
    if len(found[FDR]) == 0 or len(found[FNR]) == 0:
        return
    wrong, missed = found[FDR].iloc[0], found[FNR].iloc[0]
    n = int(wrong["n_chains"])
    precision, recall = 1 - wrong["mean"], 1 - missed["mean"]
    yield "P", precision, wrong["mcse"], 1.0, n
    yield "R", recall, missed["mcse"], 1.0, n
    total = precision + recall
    if total > 0:
        slopes = 2 * (recall / total) ** 2, 2 * (precision / total) ** 2
        error = math.hypot(slopes[0] * wrong["mcse"], slopes[1] * missed["mcse"])
        yield "F", 2 * precision * recall / total, error, 1.0, n
