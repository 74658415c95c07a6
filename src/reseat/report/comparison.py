"""Every number of ours that stands beside a published one, and whether the two agree.

A number agrees with the published one if they are the same to the digits that the paper prints, or
lie within :data:`AGREES` standard errors of their difference. That error is the table's own, where
it has one; else the paper's runs are taken to vary as ours do. A number without an error is exact:
it agrees if it is the same. Where a table has a rule of its own, in its column `agrees`, that
decides. A posterior mean whose chains disagree is no number of ours yet: it has not converged, and
neither agrees nor differs.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from reseat.errors import DataError
from reseat.metrics import is_measured
from reseat.report.chance import PARTS
from reseat.report.numbers import absent
from reseat.summaries import AGREED

AGREE, DIFFER = "agree", "differ"
NOT_CONVERGED, NOT_COMPARABLE = "not converged", "not comparable"
VERDICTS = (AGREE, DIFFER, NOT_CONVERGED, NOT_COMPARABLE)

#: Standard errors of the difference up to which two numbers agree, and up to which they are near.
AGREES, NEAR = 3.0, 10.0

#: Column that says why the published number of a row says nothing of ours; empty if it does.
OBSTACLE = "obstacle"

#: Columns that have the R-hat of a posterior mean.
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
    "stand-in": "other data in the paper's place",
    "generated": "generated data",
    "own": "your own data",
}
#: Columns beside system and metric that tell published numbers apart.
_VARIANTS = ("delta_true", "delta", "pairs")


def compare(artefact, table):
    """Cells of the table of an artefact that have a published number.

    Parameters
    ----------
    artefact : Artefact
    table : pandas.DataFrame
        Its CSV. Pairs whose published column is not there are passed over.

    Returns
    -------
    pandas.DataFrame
        Columns :data:`COLUMNS` and `row`, the index of the row of `table`. `errors_apart` is the
        difference in `combined_error`; `counted` is false for what repeats a published number.

    Raises
    ------
    DataError
        If there are published numbers, but not the columns that `artefact.compare` names beside
        them.
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
    """How many published numbers there are of each verdict, each counted once."""
    found = cells.loc[cells["counted"].astype(bool), "verdict"].value_counts()
    return {verdict: int(found.get(verdict, 0)) for verdict in VERDICTS}


def size_of(cell):
    """`same`, `near` or `far`: how a cell is marked; empty if it neither agrees nor differs."""
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
    same = f"{value:z.{digits[metric]}f}" == f"{printed:z.{digits[metric]}f}"  # z: no sign of zero
    why = _obstacle(artefact, row, metric, value, error)
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
    """Standard error of the difference: the table's own, or from ours alone."""
    if "combined" in row and not absent(row["combined"]):
        return float(row["combined"])
    if "z" in row and not absent(row["z"]) and row["z"] != 0:
        return abs(difference / row["z"])
    return 0.0 if absent(error) else math.sqrt(2) * error


def _obstacle(artefact, row, metric, value, error):
    """Why a number cannot be compared; empty if it can."""
    spec = artefact.compare
    if math.isnan(value):
        return "not run"
    if is_measured(metric):
        return TIME
    if spec.not_comparable:
        return spec.not_comparable
    status = row.get("status", "faithful")
    if not row.get("comparable", status == "faithful"):
        return _OTHER_DATA.get(status, "not on the paper's data")
    if isinstance(row.get(OBSTACLE), str) and row[OBSTACLE]:
        return row[OBSTACLE]
    if spec.without_error and absent(error):
        return spec.without_error
    if "agrees" in row and absent(row["agrees"]):
        return "no part in the rule of the table"
    return ""


def disagreement(row):
    """What speaks against a posterior mean: its R-hat, or a note of its table; empty if nothing.

    Parameters
    ----------
    row : mapping
        Of a table of an artefact.

    Returns
    -------
    str
    """
    if str(row.get("note", "")).startswith(NOT_CONVERGED):
        return row["note"]
    worst = largest_rhat(row)
    return f"R-hat {rhat_in_words(worst)}" if worst > AGREED else ""


def rhat_in_words(rhat):
    """An R-hat rounded up, so that one above a limit never looks like it."""
    return "\N{INFINITY}" if math.isinf(rhat) else f"{math.ceil(round(100 * rhat, 6)) / 100:.2f}"


def largest_rhat(row):
    """The largest R-hat that the row of a table has; 0 if it has none."""
    values = [row.get(name) for name in R_HATS]
    return max([float(value) for value in values if value != "" and not absent(value)], default=0.0)


def _printed_digits(table, published, metric):
    """Decimals to which the paper prints each metric: the most that any of its numbers has."""
    rows = table[table[published].notna()]
    names = rows[metric].astype(str)
    return rows[published].map(printed_decimals).groupby(names).max().to_dict()


def printed_decimals(value):
    """Decimals of a number as it was printed, but for zeros at the end."""
    text = f"{value:.10g}"
    return len(text.partition(".")[2]) if "e" not in text else 10


def _counted(artefact, frame):
    """A number that is printed counts once: where the data are the paper's, as the text reads."""
    if not artefact.published:
        return np.zeros(len(frame), dtype=bool)
    uncounted = tuple(artefact.compare.uncounted)
    main = ~frame["system"].str.endswith(uncounted) if uncounted else np.ones(len(frame), bool)
    counted = pd.Series(False, index=frame.index)
    repeated = artefact.compare.repeated_over
    keys = [key for key in ("role", "variant", "system", "metric") if key not in repeated]
    best_first = frame[main].sort_values(
        "status", key=lambda status: status != "faithful", kind="stable"
    )
    counted[best_first.drop_duplicates(keys).index] = True
    return counted.to_numpy()
