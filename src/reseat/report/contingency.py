"""Contingency tables: counts of classes in clusters, next to the published counts."""

from __future__ import annotations

from reseat.report.numbers import absent, count
from reseat.report.views import cell_view

_STATISTICS = {"shape": "Shape", "split": "Even split", "score": "Score"}


def contingency_view(table, titles, cells):
    """Return the counts of classes in clusters, and statistics of them, for a page.

    A row is a class, and its cells have `ours`, `published` and `share`, the fraction of the class
    in that cluster.
    """
    statistic = table["system"].isin(list(_STATISTICS))
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
    judged = cells.set_index("row").to_dict("index")
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
        "statistics": [
            _statistic(row, judged.get(index)) for index, row in rest.to_dict("index").items()
        ],
        "note": next(iter(rest["note"].dropna()), "") if "note" in rest else "",
    }


def _statistic(row, judged):
    name = row["metric"]
    if row["system"] == "split":
        name = f"{name}: smaller part of its two clusters"
    return {
        "group": _STATISTICS[row["system"]],
        "name": name,
        "chains": row["n_chains"],
        **cell_view(row, judged),
    }
