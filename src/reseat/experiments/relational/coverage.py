"""The classes that the cells of a co-clustering cover, and the purity of the cells."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseat.errors import DataError
from reseat.experiments.printed_metrics import Metric
from reseat.experiments.relational.results import (
    BETAS,
    CONTROLS,
    MODELS,
    PAIRS,
    START,
    by_dataset,
    label,
)
from reseat.experiments.tidy import COLUMNS, mean_and_error, tidy_row

#: Columns of the table of coverage beside those of all tables.
EXTRA = ("pairs", "control", "lowest", "highest")

#: Metrics of the table of coverage, under the paper's names; ``S_1`` comes from the purity curves.
METRICS = (
    Metric("coverage", "coverage"),
    Metric("covered", "covered"),
    Metric("row clusters", "n_row_clusters"),
    Metric("column clusters", "n_column_clusters"),
    Metric("cells", "n_cells"),
    Metric("ties", "n_ties"),
    Metric("S_1", "purity"),
)

_GROUP = ["model", "beta", "initialisation", "control", "pairs"]


def coverage_table(artefact, coverage, purity, published):
    """Return the classes covered, numbers of clusters and purity of every partition and control.

    Numbers are those of the best restart, without a standard error; for random partitions they are
    means over draws, with the standard error of the mean. `lowest` and `highest` are their range.
    """
    first = purity[purity["i"] == 1]
    rows = []
    for identity, part in by_dataset(coverage, artefact):
        own = first[first["dataset"] == identity["dataset"]]
        for key, group in _ordered_groups(part):
            also = own[np.logical_and.reduce([own[k] == key[k] for k in _GROUP])]
            rows += _covered(identity, key, group, also, published)
    return pd.DataFrame(rows, columns=[*COLUMNS, *EXTRA])


def classes_table(artefact, classes):
    """Return Figure 4: share of the cells that each class covers, ranked by the FIRM's share."""
    rows = []
    for identity, part in by_dataset(classes, artefact):
        for pairs in PAIRS:
            shown = part[part["pairs"] == pairs]
            if len(shown):
                rows.append(_ranked(identity, pairs, shown))
    if not rows:
        raise DataError(f"{artefact} has no share of a class; count {' or '.join(PAIRS)}.")
    return pd.concat(rows, ignore_index=True)


def purity_table(artefact, purity):
    """Return Figure 5: S_i of the best restarts from the first start, and of controls, per beta.

    For random partitions, `purity` is the mean over draws, and `low` and `high` are their range.
    """
    chosen = purity[(purity["initialisation"] == START) & purity["best"]]
    rows = []
    for identity, part in by_dataset(chosen, artefact):
        for key, group in _ordered_groups(part):
            curve = group.groupby("i")["purity"].agg(["mean", "min", "max", "size"]).reset_index()
            curve.columns = ["i", "purity", "low", "high", "n_draws"]
            kept = {name: key[name] for name in ("pairs", "beta", "model", "control")}
            system = label(key["model"], key["control"])
            rows.append(curve.assign(**identity, **kept, system=system))
    table = pd.concat(rows, ignore_index=True)
    front = ["artefact", "role", "dataset", "status", "pairs", "beta", "model", "control"]
    return table[[*front, "system", "i", "purity", "low", "high", "n_draws"]]


def _ordered_groups(frame):
    """Yield the groups of partitions, ordered by pairs, beta and start, model, and control."""
    keys = frame[_GROUP].drop_duplicates().to_dict("records")
    places = [list(PAIRS), list(BETAS), list(MODELS), list(CONTROLS)]

    def place(key):
        named = (key["pairs"], key["beta"], key["model"], key["control"])
        found = [
            order.index(name) if name in order else len(order)
            for order, name in zip(places, named, strict=True)
        ]
        # The paper's beta and start come first.
        return (found[0], key["beta"] != 0.1, key["initialisation"] != START, *found[1:])

    for key in sorted(keys, key=place):
        yield key, frame[np.logical_and.reduce([frame[k] == key[k] for k in _GROUP])]


def _covered(identity, key, group, purity, published):
    printed = {}
    if identity["role"] == "adjectives" and key["pairs"] == "all" and key["control"] == "":
        printed = published.beside(key["model"], key["initialisation"], key["beta"])
    is_random = key["control"] == "random"
    summary = "mean over draws" if is_random else "best restart"
    rows = []
    for metric in METRICS:
        scored = purity if metric.column == "purity" else group
        frame = scored if is_random else scored[scored["best"]]
        if len(frame) == 0:
            continue
        mean, error, _n = mean_and_error(frame[metric.column])
        counted = frame["draw"].nunique() if is_random else group["restart"].nunique()
        found = (mean, error, counted)
        value = printed.get(metric.name, np.nan)
        row = tidy_row(identity, label(**key), summary, metric.name, found, value)
        spread = {"lowest": scored[metric.column].min(), "highest": scored[metric.column].max()}
        rows.append(row | {"pairs": key["pairs"], "control": key["control"]} | spread)
    return rows


def _ranked(identity, pairs, shown):
    firm = shown[(shown["model"] == "firm") & (shown["control"] == "")]
    if len(firm) == 0:
        raise DataError(
            f"{identity['artefact']} ranks classes by the FIRM, which is missing on "
            f"{identity['dataset']}; run it."
        )
    order = firm.sort_values(["share", "sam_class"], ascending=[False, True])["sam_class"]
    rank = {name: place + 1 for place, name in enumerate(order)}
    kept = ["model", "control", "sam_class", "share"]
    table = shown[kept].assign(**identity, pairs=pairs, rank=shown["sam_class"].map(rank))
    systems = table.groupby(["model", "control"])["share"]
    table["covered"] = systems.transform(lambda share: int((share > 0).sum()))
    table["n_classes"] = systems.transform("size")
    table["system"] = [
        label(model, control)
        for model, control in zip(table["model"], table["control"], strict=True)
    ]
    front = ["artefact", "role", "dataset", "status", "pairs", "model", "control", "system"]
    last = ["sam_class", "rank", "share", "covered", "n_classes"]
    return table.sort_values(["model", "control", "rank"], kind="stable")[[*front, *last]]
