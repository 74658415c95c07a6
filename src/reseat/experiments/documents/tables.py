"""Tables 1 to 6 and the extension table (Walker & Ringger 2008, section 6)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseat.experiments.documents.mixing import MOVES
from reseat.experiments.documents.results import (
    METRICS,
    SUMMARIES,
    SUPPLEMENT,
    cell,
    each_dataset,
    select,
)
from reseat.experiments.modes import notes_on_modes
from reseat.experiments.printed_metrics import N_CLUSTERS
from reseat.experiments.tidy import COLUMNS
from reseat.vocabulary import NOTE

#: The rows of Tables 4 to 6 that are compared with "Gibbs": system, model, summary. The paper does
#: not say how its EM smooths, where it starts or when it stops, so every form is compared with its
#: single row.
EM_SYSTEMS = (
    ("EM (add-one smoothing)", "em_laplace", "argmax"),
    ("EM (no smoothing)", "em_mle", "argmax"),
    ("EM (add-one smoothing, uniform start, early stop)", "em_early", "argmax"),
    ("EM (add-one smoothing, uniform start)", "em_uniform", "argmax"),
    ("EM (add-one smoothing, early stop)", "em_stopped", "argmax"),
    ("EM (add-one smoothing, random labels)", "em_labels", "argmax"),
    ("EM (add-one smoothing, random labels, early stop)", "em_labels_stopped", "argmax"),
)

#: Rows of the extension table: system, model, summaries.
EXTENSIONS = (
    ("Gibbs, K fixed", "gibbs", ("marginal", "map", "binder", "vi")),
    ("Dirichlet process", "gibbs_dp", ("map", "random", "binder", "vi")),
    ("Pitman-Yor process", "gibbs_pyp", ("map", "random", "binder", "vi")),
    ("EM", "em_laplace", ("argmax",)),
    ("EM from a Gibbs sample", "em_from_gibbs", ("argmax",)),
)

#: Note on the row "Gibbs" of Tables 4 to 6.
BEST_OF = "best of three summaries, metric by metric"

#: Summaries that are shown for models that no table names.
SHOWN = ("marginal", "map", "random", "binder", "vi", "argmax")


def read_table(path):
    """Read a table that was made before; the cluster names of Table 7 keep their leading zeros."""
    return pd.read_csv(path, dtype={"system": str})


def summaries_table(artefact, role, scores, published, traces):
    """Return Tables 1, 2 and 3: three summaries of a chain, each metric averaged over chains.

    The traces are of the data sets and samplers of `scores`, in the same order.
    """
    notes, rows = notes_on_modes(scores, traces), []
    for identity, part in each_dataset(scores, role, artefact):
        for system, summary in SUMMARIES:
            chains = select(part, "gibbs", summary)
            for metric in (*METRICS, *SUPPLEMENT):
                value = published.get((system, metric.name), np.nan)
                found = cell(identity, system, summary, metric.name, chains[metric.column], value)
                rows.append(found | {NOTE: notes.get((identity["dataset"], "gibbs"), "")})
    return pd.DataFrame(rows, columns=[*COLUMNS, NOTE])


def best_summary(scores, metric):
    """Return the name of the summary with the best mean of a metric; the earlier one wins a tie.

    It is None if no summary has a score.
    """
    best, best_value = None, -np.inf
    for _system, summary in SUMMARIES:
        value = metric.better * select(scores, "gibbs", summary)[metric.column].mean()
        if value > best_value:
            best, best_value = summary, value
    return best


def methods_table(artefact, role, scores, published, traces):
    """Return Tables 4, 5 and 6: Gibbs against EM.

    The row "Gibbs" has the best of the three summaries for each metric, as in the printed tables;
    every summary follows in a row of its own.

    The parameters and the returned value are those of :func:`summaries_table`. In the "Gibbs" row,
    the column `summary` names the summary that was used, and the note says so.
    """
    notes, rows = notes_on_modes(scores, traces), []
    for identity, part in each_dataset(scores, role, artefact):
        systems = [("Gibbs", "gibbs", None, "Gibbs")]
        systems += [(f"Gibbs, {name}", "gibbs", key, None) for name, key in SUMMARIES]
        systems += [(system, model, summary, "EM") for system, model, summary in EM_SYSTEMS]
        systems += [("EM from a Gibbs sample", "em_from_gibbs", "argmax", None)]
        for system, model, summary, printed in systems:
            for metric in (*METRICS, *SUPPLEMENT):
                taken = summary or best_summary(part, metric)
                chains = select(part, model, taken)
                if len(chains) == 0:
                    continue
                value = published.get((printed, metric.name), np.nan)
                found = cell(identity, system, taken, metric.name, chains[metric.column], value)
                told = [notes.get((identity["dataset"], model), "")]
                told += [BEST_OF] if summary is None else []
                rows.append(found | {NOTE: "; ".join(filter(None, told))})
    return pd.DataFrame(rows, columns=[*COLUMNS, NOTE])


def readings_table(artefact, role, scores, published, published_methods, traces):
    """Return Table 2 and the rows of EM in Table 5, on several readings of one data set."""
    summaries = summaries_table(artefact, role, scores, published, traces)
    methods = methods_table(artefact, role, scores, published_methods, traces)
    of_em = methods["system"].isin([system for system, *_model in EM_SYSTEMS])
    tables = [
        table[table["dataset"] == name]
        for name in scores["dataset"].unique()
        for table in (summaries, methods[of_em])
    ]
    return pd.concat(tables, ignore_index=True)


def _others(scores):
    """Yield rows as in :data:`EXTENSIONS` for the models that ran but are in no table."""
    named = {*MOVES, *(model for _system, model, _summary in (*EM_SYSTEMS, *EXTENSIONS))}
    for model in scores["model"].unique():
        if model not in named:
            ran = set(scores.loc[scores["model"] == model, "summary"])
            yield model, model, [summary for summary in SHOWN if summary in ran]


def extensions_table(artefact, scores, roles, traces):
    """Return the paper's future work, and loss-based point estimates, on every data set.

    Models that no table of this family names follow under their own names.
    """
    notes, rows = notes_on_modes(scores, traces), []
    for role, names in roles.items():
        of_role = scores[scores["dataset"].isin(names)]
        if len(of_role) == 0:
            continue
        for identity, part in each_dataset(of_role, role, artefact):
            for system, model, summaries in (*EXTENSIONS, *_others(part)):
                for summary in summaries:
                    chains = select(part, model, summary)
                    if len(chains) == 0:
                        continue
                    label = system if summary == "argmax" else f"{system}: {summary}"
                    note = {NOTE: notes.get((identity["dataset"], model), "")}
                    rows += [
                        cell(identity, label, summary, metric.name, chains[metric.column]) | note
                        for metric in (*METRICS, N_CLUSTERS, *SUPPLEMENT)
                    ]
    return pd.DataFrame(rows, columns=[*COLUMNS, NOTE])
