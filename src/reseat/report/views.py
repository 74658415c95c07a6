"""Tables for a page, from the tidy CSV of an artefact, with published numbers next to ours."""

import math

import numpy as np
import pandas as pd

from reseat.metrics import declared, known_quantity
from reseat.report.comparison import disagreement, largest_rhat, printed_decimals, size_of
from reseat.report.numbers import absent, count, decimals, number, signed, with_error
from reseat.summaries import AGREED, rhat_in_words
from reseat.vocabulary import NOT_CONVERGED, OBSTACLE

#: Largest number of rows shown; the CSV has the others.
MAX_ROWS = 30

#: What the line of our numbers is called, by their column; means are called "ours".
_LINES = {"median": "our median", "truth": "our data"}

_ARROWS = {1: "\N{UPWARDS ARROW}", -1: "\N{DOWNWARDS ARROW}", 0: ""}


def direction(metric):
    """Return an arrow that says which way is better; DataError if the metric is not declared."""
    return _ARROWS[declared(metric).better]


def meaning(metric):
    """Return what a metric is, in a sentence; empty if it is not declared."""
    known = known_quantity(metric)
    return " ".join(known.what.split()) if known else ""


def _has_truth(row):
    """Return whether to show the true value: if it is known, and neither direction is better."""
    return not absent(row.get("truth")) and declared(row["metric"]).better == 0


def comparison_views(table, titles, cells, arrows=True):
    """Return a table for each data set: a row per system, a column per metric, ours and theirs."""
    judged = cells.set_index("row").to_dict("index")
    return [
        {
            "title": titles.get(name, name),
            "status": part["status"].iloc[0],
            "chains": _behind(part),
            "line": "ours",
            **_grid(part, judged, arrows),
        }
        for name, part in table.groupby("dataset", sort=False)
    ]


def _behind(part):
    """Return how many chains, and draws of the data, are behind the numbers of a data set."""
    parts = [_span(part["n_chains"], "chain or restart", "chains or restarts")]
    if "n_draws" in part and (part["n_draws"] > 1).any():
        said = _span(part["n_draws"][part["n_draws"] > 1], "draw", "draws")
        parts.append(f"\N{PLUS-MINUS SIGN} between {said} of the data")
    return "; ".join(filter(None, parts))


def _span(numbers, one, many):
    """Return a range of numbers in words; empty if all are 0 or unknown."""
    known = sorted(set(numbers.dropna().astype(int)) - {0})
    if known == [1]:
        return f"1 {one}"
    ends = map(count, dict.fromkeys([*known[:1], *known[-1:]]))
    return f"{' to '.join(ends)} {many}" if known else ""


def _grid(part, judged, arrows):
    metrics = [
        {
            "name": metric,
            "what": meaning(metric),
            "arrow": direction(metric) if arrows else "",
            "digits": decimals(own["mean"]),
            "printed": max(map(printed_decimals, own["published"].dropna()), default=0),
            "published": bool(own["published"].notna().any()),
            "truth": any(_has_truth(row) for row in own.to_dict("records")),
        }
        for metric, own in part.groupby("metric", sort=False)
    ]
    rows = []
    for system, own in part.groupby("system", sort=False):
        by_metric = {row["metric"]: (index, row) for index, row in own.to_dict("index").items()}
        cells = []
        for metric in metrics:
            index, row = by_metric.get(metric["name"], (None, None))
            digits = (metric["digits"], metric["printed"])
            cells.append(row and cell_view(row, judged.get(index), *digits))
        marks = {cell["mark"] for cell in cells if cell}
        below = {line: any(cell[line] for cell in cells if cell) for line in ("truth", "published")}
        rows.append(
            {
                "system": system,
                "note": _note(own),
                "cells": cells,
                "differs": bool(marks & {"near", "far"}),
                "lines": 1 + sum(below.values()),
                **below,
            }
        )
    return {
        "metrics": metrics,
        "rows": rows[:MAX_ROWS],
        "left_out": max(0, len(rows) - MAX_ROWS),
        "published": any(metric["published"] for metric in metrics),
        "truth": any(metric["truth"] for metric in metrics),
    }


def _note(rows):
    """Return remarks on a system: notes of the table, a large R-hat and obstacles."""
    notes = list(pd.unique(rows["note"].replace("", np.nan).dropna())) if "note" in rows else []
    worst = max(largest_rhat(row) for row in rows.to_dict("records"))
    if worst > AGREED and not any(note.startswith(NOT_CONVERGED) for note in notes):
        notes.append(f"{NOT_CONVERGED}: largest R-hat {rhat_in_words(worst)}")
    if OBSTACLE in rows:
        told = rows[rows[OBSTACLE].replace("", np.nan).notna() & rows["published"].notna()]
        for why, own in told.groupby(OBSTACLE, sort=False):
            notes.append(f"published {', '.join(own['metric'])}: {why}")
    return "; ".join(notes)


def cell_view(row, judged=None, digits=None, printed=None):
    """Return our number and the published one as text, and how many errors apart they are."""
    known = not absent(row.get("published"))
    compared = judged is not None and bool(size_of(judged))
    apart = judged["errors_apart"] if compared else None
    mean, error = with_error(row["mean"], row["se"], digits)
    decides = ""  # the error of the difference, unless runs of the paper vary as ours do
    if not absent(apart):
        usual = 0.0 if absent(row["se"]) else math.sqrt(2) * row["se"]
        if not math.isclose(usual, judged["combined_error"], rel_tol=0.05):
            decides = with_error(0.0, judged["combined_error"])[1]
    return {
        "mean": mean,
        "error": error,
        "published": number(row["published"], printed) if known else "",
        "difference": signed(row["mean"] - row["published"], digits) if known else "",
        "apart": "" if absent(apart) else signed(apart, 1 if abs(apart) < 10 else 0),
        "decides": decides,
        "truth": number(row["truth"]) if _has_truth(row) else "",
        "mark": size_of(judged) if compared else "",
    }


def pairs_views(artefact, rows, cells, titles):
    """Return tables of the numbers of a figure with published counterparts, one per data set."""
    table = cells.rename(columns={"ours": "mean", "error": "se"})
    table = table.assign(n_chains=0, system=table["system"].where(table["system"].ne(""), "ours"))
    pairs = list(artefact.compare.pairs)
    apart = cells["row"].map(lambda row: disagreement(rows.loc[row]))
    if pairs == ["truth"]:  # of the data, whatever the system
        table["system"], apart = "truth", apart.mask(apart.ne(""), "")
    # A note of the artefact says so itself, but an R-hat does not.
    unsaid = apart.ne("") & ~apart.str.startswith(NOT_CONVERGED)
    table["note"] = apart.mask(unsaid, f"{NOT_CONVERGED}: " + apart)
    repeated = table.duplicated(["dataset", "variant", "system", "metric"])
    judged = cells.assign(row=cells.index)
    views = comparison_views(table[~repeated], titles, judged, arrows=False)
    if len(pairs) == 1:
        views = [view | {"line": _LINES.get(pairs[0], view["line"])} for view in views]
    return views


_STATISTICS = {
    "shape": "Shape",
    "split": "Even split",
    "score": "Score",
    "table": "The whole table",
}


def contingency_view(table, titles, judged_cells):
    """Return the counts of classes in clusters, and statistics of them, for a page."""
    statistic = table["system"].isin(list(_STATISTICS))
    counts, rest = table[~statistic], table[statistic]
    first, axes = table.iloc[0], {"index": "metric", "columns": "system", "sort": False}
    ours = counts.pivot_table(values="mean", **axes)
    printed = counts.pivot_table(values="published", dropna=False, **axes)
    printed = printed.reindex(index=ours.index, columns=ours.columns)
    cluster = counts.drop_duplicates("system").set_index("system")["cluster"]
    share = ours.div(ours.sum(axis=1).where(lambda total: total > 0, 1.0), axis=0)
    rows = []
    for name in ours.index:
        triples = zip(ours.loc[name], printed.loc[name], share.loc[name], strict=True)
        cells = [
            {
                "ours": count(own),
                "published": "" if absent(float(theirs)) else count(theirs),
                "share": round(float(part), 3),
                "empty": own == 0 and not theirs > 0,
            }
            for own, theirs, part in triples
        ]
        rows.append({"name": name, "cells": cells})
    columns = [
        {
            "name": system.removeprefix("other "),
            "matched": not system.startswith("other "),
            "cluster": "" if absent(float(cluster[system])) else f"{int(cluster[system]):02d}",
        }
        for system in ours.columns
    ]
    judged = judged_cells.set_index("row").to_dict("index")
    return {
        "title": titles.get(first["dataset"], first["dataset"]),
        "status": first["status"],
        "sample": first["summary"],
        "columns": columns,
        "rows": rows,
        "totals": [count(value) for value in ours.sum(axis=0)],
        "matched": any(column["matched"] for column in columns),
        "statistics": [_statistic(row, judged.get(k)) for k, row in rest.to_dict("index").items()],
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
