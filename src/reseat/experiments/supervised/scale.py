"""Tables 1 to 4 under other scales of the data against the prior of the means."""

from __future__ import annotations

import pandas as pd

from reseat.experiments.supervised import name_scale, scale_of
from reseat.experiments.supervised.measures import PRINTED
from reseat.experiments.supervised.posterior import starts_disagree
from reseat.experiments.supervised.results import (
    LABELS,
    SYSTEMS,
    by_dataset,
    in_order,
    scored,
)
from reseat.experiments.tidy import COLUMNS, mean_and_error, rows_of, tidy_row
from reseat.vocabulary import NOT_CONVERGED, NOTE

__all__ = ["scale_table"]


def scale_table(artefact, chains, diagnostics, published):
    """Return the scores by the variance of the means, next to the printed ones.

    Every system that ran under another variance has one row per variance and metric, the largest
    variance first.
    """
    scaled = chains[chains["variant"].map(scale_of).notna()]
    kept = scored(chains, summary="mean").merge(
        scaled[["dataset", "system"]].drop_duplicates(), on=["dataset", "system"]
    )
    rows = []
    for identity, part in by_dataset(kept, artefact):
        here = rows_of(diagnostics, dataset=identity["dataset"])
        for system in in_order(part["system"], SYSTEMS):
            for sigma, own in _by_scale(rows_of(part, system=system)):
                name = f"{LABELS.get(system, system)}, {name_scale(sigma)}"
                variant = own["variant"].iloc[0]
                of_model = rows_of(here, system=system, variant=variant)
                note = NOT_CONVERGED if starts_disagree(of_model) else ""
                for metric in PRINTED:
                    found = mean_and_error(rows_of(own, metric=metric)["value"])
                    printed = published.beside(identity["role"], system, metric)
                    row = tidy_row(identity, name, "mean", metric, found, printed)
                    rows.append(row | {"sigma": sigma, NOTE: note})
    return pd.DataFrame(rows, columns=[*COLUMNS, "sigma", NOTE])


def _by_scale(part):
    """Return pairs of a variance and the rows of a system under it, the largest variance first."""
    unit = rows_of(part, variant="")
    found = [(1.0, unit)] if len(unit) else []
    for sigma, own in part.groupby(part["variant"].map(scale_of)):
        found.append((sigma, own))
    return sorted(found, key=lambda pair: -pair[0])
