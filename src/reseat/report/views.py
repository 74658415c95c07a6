"""From the tidy CSV of an artefact to what its place on the page shows."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseat.report.numbers import absent, closeness, count, number, signed

#: Metrics of which a smaller value is better; of every other one known, a larger.
SMALLER_IS_BETTER = frozenset({"VI", "FNR", "FDR", "R-hat", "seconds"})
#: Metrics that are neither good nor bad.
NEUTRAL = frozenset(
    {"clusters", "E[K]", "sd[K]", "E[delta]", "mean size"}
    | {"labelled", "classes", "unlabelled", "share in classes", "new blocks", "new blocks of 1 %"}
    | {"row clusters", "column clusters", "cells", "ties", "iterations", "rows", "columns"}
    | {"observed pairs", "tokens", "classes of its pairs", "entities", "largest cluster"}
)
#: Numbers of clusters need no fourth decimal.
ONE_DECIMAL = frozenset({"clusters", "E[K]", "sd[K]"})
#: End of the identifier of a claim that is judged on the paper's own printed numbers.
AS_PRINTED = " (as printed)"


def direction(metric):
    """An arrow that says which way is better."""
    if metric in NEUTRAL:
        return ""
    return "\N{DOWNWARDS ARROW}" if metric in SMALLER_IS_BETTER else "\N{UPWARDS ARROW}"


def comparison_views(table, titles):
    """A table for each data set: a system a row, a metric a column.

    Parameters
    ----------
    table : pandas.DataFrame
        Tidy rows `dataset`, `status`, `comparable`, `system`, `summary`, `metric`, `mean`, `se`,
        `n_chains`, `published`, `difference`, `z`, and where the table has them `truth` and
        `agrees` (true, false or NaN).
    titles : dict of str to str
        Data set to title.

    Returns
    -------
    list of dict
        `dataset`, `title`, `status`, `comparable`, `chains` (text), `metrics` and `rows`; a row
        has `system`, `note` and `cells`.
    """
    views = []
    for name, part in table.groupby("dataset", sort=False):
        metrics = list(pd.unique(part["metric"]))
        comparable = bool(part["comparable"].iloc[0])
        rows = []
        for system, of_system in part.groupby("system", sort=False):
            by_metric = {row["metric"]: row for row in of_system.to_dict("records")}
            cells = [_cell(by_metric.get(metric), comparable) for metric in metrics]
            rows.append({"system": system, "note": _taken(of_system), "cells": cells})
        chains = sorted(set(part["n_chains"].astype(int)))
        span = (
            count(chains[0]) if len(chains) == 1 else f"{count(chains[0])} to {count(chains[-1])}"
        )
        views.append(
            {
                "dataset": name,
                "title": titles.get(name, name),
                "status": part["status"].iloc[0],
                "comparable": comparable,
                "chains": span,
                "metrics": [{"name": metric, "arrow": direction(metric)} for metric in metrics],
                "rows": rows,
                "published": bool(part["published"].notna().any()),
            }
        )
    return views


def _taken(rows):
    """Which summaries a row took, if it is the best of several metric by metric."""
    summaries = list(pd.unique(rows["summary"].dropna()))
    if len(summaries) < 2:
        return ""
    return "best of " + ", ".join(summaries) + ", metric by metric"


def _cell(row, comparable):
    if row is None:
        return None
    known = not absent(row["published"])
    show = "{:.1f}".format if row["metric"] in ONE_DECIMAL else number
    return {
        "mean": show(row["mean"]),
        "error": "" if absent(row["se"]) else show(row["se"]),
        "published": number(row["published"], 4) if known else "",
        "difference": signed(row["difference"]) if known else "",
        "z": "" if absent(row["z"]) else signed(row["z"], 1),
        "truth": _truth(row),
        "mark": _mark(row) if comparable else "",
        "summary": row["summary"],
    }


def _truth(row):
    """The true value, of numbers that are not errors themselves and where the table has it."""
    known = row["metric"] in NEUTRAL and not absent(row.get("truth"))
    return number(row["truth"]) if known else ""


def _mark(row):
    """By the table's own rule, if it has a column `agrees`, else how close the numbers are."""
    if "agrees" not in row:
        return closeness(row["mean"], row["published"])
    if absent(row["agrees"]):
        return ""
    return "agrees" if row["agrees"] else "differs"


def contingency_view(table, titles):
    """Counts of classes in clusters, and the statistics that were read off them.

    Parameters
    ----------
    table : pandas.DataFrame
        Tidy rows of a contingency artefact: `system` names a cluster, or is ``shape``, ``split``
        or ``score``; `cluster` is our own index of the cluster.
    titles : dict of str to str

    Returns
    -------
    dict
        `columns` (clusters), `rows` (classes, each with `cells` of `ours`, `published` and
        `share`, the part of the class in that cluster), `totals`, `statistics`.
    """
    statistic = table["system"].isin(["shape", "split", "score"])
    counts, rest = table[~statistic], table[statistic]
    first = table.iloc[0]
    ours = counts.pivot_table(index="metric", columns="system", values="mean", sort=False)
    printed = counts.pivot_table(
        index="metric", columns="system", values="published", sort=False, dropna=False
    ).reindex(index=ours.index, columns=ours.columns)
    cluster = counts.drop_duplicates("system").set_index("system")["cluster"]
    share = ours.div(ours.sum(axis=1).where(lambda total: total > 0, 1.0), axis=0)
    rows = [
        {
            "name": name,
            "cells": [
                {
                    "ours": count(ours.loc[name, system]),
                    "published": ""
                    if absent(float(printed.loc[name, system]))
                    else count(printed.loc[name, system]),
                    "share": round(float(share.loc[name, system]), 3),
                    "empty": ours.loc[name, system] == 0 and not printed.loc[name, system] > 0,
                }
                for system in ours.columns
            ],
        }
        for name in ours.index
    ]
    columns = [
        {
            "name": system.removeprefix("other ") if system.startswith("other ") else system,
            "matched": not system.startswith("other "),
            "cluster": "" if absent(float(cluster[system])) else f"{int(cluster[system]):02d}",
        }
        for system in ours.columns
    ]
    return {
        "dataset": first["dataset"],
        "title": titles.get(first["dataset"], first["dataset"]),
        "status": first["status"],
        "comparable": bool(first["comparable"]),
        "sample": first["summary"],
        "columns": columns,
        "rows": rows,
        "totals": [count(value) for value in ours.sum(axis=0)],
        "matched": any(column["matched"] for column in columns),
        "statistics": [_statistic(row) for row in rest.to_dict("records")],
    }


_STATISTICS = {
    "shape": "Shape",
    "split": "Even split",
    "score": "Score",
}


def _statistic(row):
    cell = _cell(row, bool(row["comparable"]))
    name = row["metric"]
    if row["system"] == "split":
        name = f"{name}: smaller part of its two clusters"
    return {"group": _STATISTICS[row["system"]], "name": name, "chains": row["n_chains"], **cell}


def claim_views(claims):
    """Claims as the page shows them.

    Parameters
    ----------
    claims : pandas.DataFrame
        `paper`, `claim` (an identifier, a colon, a sentence), `verdict`, `effect`, `low`, `high`,
        `evidence`.

    Returns
    -------
    dict of str to list of dict
        Paper to its claims in order. A claim has `key`, `statement`, `measured` and `printed`:
        lists of its judgements on our numbers and, for an identifier that ends in
        "(as printed)", on the paper's own.
    """
    views = {}
    for row in claims.to_dict("records"):
        key, _colon, statement = row["claim"].partition(": ")
        source = "printed" if key.endswith(AS_PRINTED) else "measured"
        key = key.removesuffix(AS_PRINTED)
        interval = ""
        if not absent(row["low"]) and not absent(row["high"]):
            interval = f"[{number(row['low'])}, {number(row['high'])}]"
        entry = {"key": key, "statement": statement[:1].upper() + statement[1:]}
        claim = views.setdefault(row["paper"], {}).setdefault(
            key, entry | {"measured": [], "printed": []}
        )
        claim[source].append(
            {
                "verdict": row["verdict"],
                "effect": "" if absent(row["effect"]) else number(row["effect"]),
                "interval": interval,
                "evidence": row["evidence"],
            }
        )
    return {paper: list(of_paper.values()) for paper, of_paper in views.items()}


def verdict_counts(claims):
    """How many claims are confirmed, refuted and untestable on what was measured."""
    printed = [claim.partition(": ")[0].endswith(AS_PRINTED) for claim in claims["claim"]]
    ours = claims[~np.array(printed, dtype=bool)]
    found = ours["verdict"].value_counts()
    return {key: int(found.get(key, 0)) for key in ("confirmed", "refuted", "untestable")}
