"""What the posterior prefers: chains from starts far apart, and the log joint of the truth."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseat.experiments.supervised import scale_of
from reseat.experiments.supervised.results import LABELS, SYSTEMS, by_dataset, in_order
from reseat.experiments.tidy import COLUMNS, mean_and_error, rows_of, tidy_row
from reseat.summaries import AGREED
from reseat.vocabulary import NOT_CONVERGED, NOTE

__all__ = ["STARTS", "posterior_table", "rhat_of", "starts_disagree"]

#: Quantities of chains with joint moves, in words.
QUANTITIES = {
    "log_integrated": "log joint",
    "F": "F",
    "n_test_clusters": "test clusters",
    "n_clusters_type": "types",
    "accepted": "acceptance",
}

#: Starts, in words.
STARTS = {
    "one": "from one cluster",
    "singletons": "from singletons",
    "k_means": "from K-means",
    "scdp1": "from SCDP-1",
    "truth": "from the truth",
}

#: Names of the log joint in files, the preferred one first: with the means integrated out, which
#: only chains with joint moves trace; of everything that is drawn; and the name in ``full.csv``,
#: whose quantities are words.
LOG_JOINTS = ("log_integrated", "log_joint", "log joint")

#: The variant whose publications are held at the truth.
HELD = "truth held"


def rhat_of(diagnostics):
    """Return the R-hat by which chains of a model are judged: the larger of log joint and F.

    The result is NaN if there is only one chain, about which nothing can be said.
    """
    names = set(diagnostics["quantity"])
    judged = [*[name for name in LOG_JOINTS if name in names][:1], "F"]
    return float(diagnostics.loc[diagnostics["quantity"].isin(judged), "rhat"].max())


def starts_disagree(diagnostics):
    """Return whether chains of a model are in different places; False for a single chain."""
    return rhat_of(diagnostics) > AGREED


def posterior_table(artefact, diagnostics):
    """Return what chains with joint moves found, start by start, next to the truth.

    ``log joint over the truth`` is the difference from chains whose publications are held at the
    truth, and ``R-hat`` that of `rhat_of` over all chains of the model.
    """
    traced = diagnostics.loc[
        diagnostics["quantity"] == "log_integrated", ["dataset", "system", "variant"]
    ].drop_duplicates()
    found = diagnostics.merge(traced, on=["dataset", "system", "variant"])
    rows = []
    for identity, part in by_dataset(found, artefact):
        for system in in_order(part["system"], SYSTEMS):
            of_system = rows_of(part, system=system)
            held = rows_of(of_system, variant=HELD)
            truth = _mean(rows_of(held, quantity="log_integrated"))
            for variant, own in of_system.groupby("variant", sort=False):
                # On another scale, the same partition has a different density.
                own_truth = truth if scale_of(variant) is None else _NONE
                rows += _rows(identity, system, variant, own, own_truth)
    return pd.DataFrame(rows, columns=[*COLUMNS, NOTE])


#: Mean, error and number of chains if no chains are held at the truth.
_NONE = (np.nan, np.nan, 0)


def _rows(identity, system, variant, own, truth):
    """Return the rows of one model, one start after the other."""
    note = NOT_CONVERGED if starts_disagree(own) else ""
    rows = []
    for start in in_order(own["start"], STARTS):
        part = rows_of(own, start=start)
        words = [LABELS.get(system, system), variant]
        words += [] if variant == HELD else [STARTS.get(start, start)]
        name = ", ".join(word for word in words if word)
        found = {words: _mean(rows_of(part, quantity=q)) for q, words in QUANTITIES.items()}
        here = found["log joint"]
        if variant != HELD and truth[2]:
            error = float(np.hypot(here[1], truth[1]))
            found["log joint over the truth"] = (here[0] - truth[0], error, here[2])
        rhat = rhat_of(own)
        if np.isfinite(rhat):
            found["R-hat"] = (rhat, np.nan, here[2])
        rows += [
            tidy_row(identity, name, "mean", metric, values) | {NOTE: note}
            for metric, values in found.items()
            if values[2]
        ]
    return rows


def _mean(rows):
    """Return the mean over chains, its error, and their number.

    The error is the larger of that within chains and that between them, because a few chains say
    little about how far apart chains are.
    """
    mean, between, n = mean_and_error(rows["value"])
    if n == 0:
        return mean, between, n
    within = float(np.sqrt(np.sum(rows["mcse"].to_numpy() ** 2)) / n)
    return mean, np.nanmax([between, within]) if np.isfinite([between, within]).any() else np.nan, n
