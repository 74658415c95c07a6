"""Comparison of our numbers with the published ones.

A number agrees with the published one if the two are equal to the digits that the paper prints, or
differ by at most :data:`AGREES` standard errors of their difference. This error is that of the
table, if it has one; otherwise the paper's runs are assumed to vary as ours do. A number without an
error is exact: it agrees if it is equal. If a table has a rule of its own, in its column `agrees`,
that rule decides. A posterior mean whose chains disagree has not converged, and neither agrees nor
differs.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from reseat.errors import DataError
from reseat.metrics import is_measured
from reseat.report.chance import PARTS
from reseat.report.numbers import absent
from reseat.summaries import AGREED, rhat_in_words
from reseat.vocabulary import (
    AGREE,
    DIFFER,
    FAITHFUL,
    GENERATED,
    NOT_COMPARABLE,
    NOT_CONVERGED,
    NOTE,
    NUMBER_VERDICTS,
    OBSTACLE,
    OWN,
    STAND_IN,
)

#: Numbers of standard errors of the difference up to which two numbers agree, and are near.
AGREES, NEAR = 3.0, 10.0

#: Columns with the R-hat of a posterior mean.
R_HATS = ("rhat_max", "rhat")

#: Columns of ``comparison.csv``.
COLUMNS = (
    *("paper", "artefact", "label", "dataset", "status", "system", "variant", "metric"),
    *("ours", "error", "n_chains", "n_parts", "published", "difference", "combined_error"),
    *("errors_apart", "verdict", "counted", "why"),
)

#: Why a measured time is not compared.
TIME = "a time, on another machine"
_OTHER_DATA = {
    STAND_IN: "other data in the paper's place",
    GENERATED: "generated data",
    OWN: "your own data",
}
#: Columns besides system and metric that distinguish published numbers.
_VARIANTS = ("delta_true", "delta", "pairs")


def compare(artefact, table):
    """Judge the cells of the table of an artefact that have a published number.

    `errors_apart` is the difference in units of `combined_error`; `counted` is false for
    repetitions of a published number.
    """
    spec = artefact.compare
    cells = []
    for ours, published in spec.pairs.items():
        if published not in table.columns:
            continue
        lacking = [name for name in (ours, spec.metric) if name not in table.columns]
        if lacking:
            raise DataError(
                f"The table of {artefact.name} has published numbers, but no column "
                f"{lacking[0]!r}; correct `compare` where the artefact is declared."
            )
        digits = _printed_digits(table, published, spec.metric)
        for index, row in table[table[published].notna()].iterrows():
            cell = _cell(artefact, row, ours, published, digits)
            cells.append(cell | {"row": index})
    frame = pd.DataFrame(cells, columns=[*COLUMNS, "row", "role"])
    frame["counted"] = _counted(artefact, frame)
    return frame.drop(columns="role")


def tally(cells):
    """Count the published numbers with each verdict, each number once."""
    found = cells.loc[cells["counted"].astype(bool), "verdict"].value_counts()
    return {verdict: int(found.get(verdict, 0)) for verdict in NUMBER_VERDICTS}


def size_of(cell):
    """Return the mark of a cell: `same`, `near`, `far`; empty if it neither agrees nor differs."""
    if cell["verdict"] in (NOT_CONVERGED, NOT_COMPARABLE):
        return ""
    if cell["verdict"] == AGREE:
        return "same"
    return "near" if abs(cell["errors_apart"]) <= NEAR else "far"


def _cell(artefact, row, ours, published, digits):
    spec = artefact.compare
    metric = str(row[spec.metric])
    value, printed = float(row[ours]), float(row[published])
    error = float(row.get(spec.error, math.nan)) if ours != "truth" else math.nan
    difference = value - printed
    combined = _combined(row, difference, error)
    same = f"{value:z.{digits[metric]}f}" == f"{printed:z.{digits[metric]}f}"  # z: no negative zero
    why = _obstacle(artefact, row, metric, ours, error)
    apart = disagreement(row) if ours != "truth" else ""
    if why:
        verdict = NOT_COMPARABLE
    elif apart:
        verdict, why = NOT_CONVERGED, apart
    elif "agrees" in row:
        verdict = AGREE if row["agrees"] in (True, "True", 1.0) else DIFFER
    else:
        verdict = AGREE if same or abs(difference) <= AGREES * combined else DIFFER
    return {
        "paper": artefact.paper.short,
        "artefact": artefact.name,
        "label": artefact.published,
        "dataset": row.get("dataset", ""),
        "status": row.get("status", ""),
        "role": row.get("role", ""),
        "system": str(row.get("system", "")),
        "variant": ", ".join(
            f"{name.removesuffix('_true')} {row[name]}"
            for name in _VARIANTS
            if name in row and not absent(row[name])
        ),
        "metric": metric if len(spec.pairs) == 1 else f"{metric}, {ours}",
        "ours": value,
        "error": error,
        "n_chains": next((row[name] for name in ("n_chains", "n_draws") if name in row), math.nan),
        "n_parts": next((row[name] for name in PARTS if name in row), math.nan),
        "published": printed,
        "difference": difference,
        "combined_error": combined,
        "errors_apart": difference / combined if combined > 0 else math.nan,
        "verdict": verdict,
        "why": why,
    }


def _combined(row, difference, error):
    """Return the standard error of the difference: that of the table, or else from our error."""
    if "combined" in row and not absent(row["combined"]):
        return float(row["combined"])
    if "z" in row and not absent(row["z"]) and row["z"] != 0:
        return abs(difference / row["z"])
    return 0.0 if absent(error) else math.sqrt(2) * error


def _obstacle(artefact, row, metric, ours, error):
    """Return why the number in the column `ours` cannot be compared; empty if it can."""
    spec = artefact.compare
    if math.isnan(float(row[ours])):
        return "not run"
    if spec.not_comparable:
        return spec.not_comparable
    # In some tables the quantity is the column of our number, and `metric` says what it is for.
    if is_measured(metric) or is_measured(ours):
        return TIME
    status = row.get("status", FAITHFUL)
    if not row.get("comparable", status == FAITHFUL):
        return _OTHER_DATA.get(status, "not on the paper's data")
    if isinstance(row.get(OBSTACLE), str) and row[OBSTACLE]:
        return row[OBSTACLE]
    if spec.without_error and absent(error):
        return spec.without_error
    if "agrees" in row and absent(row["agrees"]):
        return "no part in the rule of the table"
    return ""


def disagreement(row):
    """Return why a posterior mean has not converged: its R-hat or a note; empty if it has."""
    if str(row.get(NOTE, "")).startswith(NOT_CONVERGED):
        return row[NOTE]
    worst = largest_rhat(row)
    return f"R-hat {rhat_in_words(worst)}" if worst > AGREED else ""


def largest_rhat(row):
    """Return the largest R-hat in the row of a table; 0 if it has none."""
    values = [row.get(name) for name in R_HATS]
    return max([float(value) for value in values if value != "" and not absent(value)], default=0.0)


def _printed_digits(table, published, metric):
    """Return the decimals with which the paper prints each metric: the most of any number."""
    rows = table[table[published].notna()]
    names = rows[metric].astype(str)
    return rows[published].map(printed_decimals).groupby(names).max().to_dict()


def printed_decimals(value):
    """Return the decimals of a number as it was printed, without trailing zeros."""
    text = f"{value:.10g}"
    return len(text.partition(".")[2]) if "e" not in text else 10


def _counted(artefact, frame):
    """Return which cells are counted: one per printed number, on the paper's data if possible."""
    if not artefact.published:
        return np.zeros(len(frame), dtype=bool)
    uncounted = tuple(artefact.compare.uncounted)
    main = ~frame["metric"].isin(uncounted)
    if uncounted:
        main &= ~frame["system"].str.endswith(uncounted)
    counted = pd.Series(False, index=frame.index)
    repeated = artefact.compare.repeated_over
    keys = [key for key in ("role", "variant", "system", "metric") if key not in repeated]
    best_first = frame[main].sort_values(
        "status", key=lambda status: status != FAITHFUL, kind="stable"
    )
    counted[best_first.drop_duplicates(keys).index] = True
    return counted.to_numpy()
