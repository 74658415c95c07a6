"""The page of diagnostics: R-hat, effective sample size, moves and traces of every model."""

import math

from reseat.report.drawings import sparkline
from reseat.report.numbers import absent
from reseat.summaries import AGREED, STILL

#: R-hat up to which chains count as mixed, and as nearly mixed. Beyond that they disagree, and the
#: posterior means in the tables have not converged.
MIXED, NEARLY = 1.01, AGREED

#: Number of rows in the list of models that mixed worst.
MAX_LISTED = 10


def diagnostics_page(report):
    """Return the template context of the page of diagnostics."""
    inputs = report.inputs
    rows = [
        _row(report, key, own)
        for key, own in inputs.diagnostics.groupby(["family", "dataset", "model"], sort=False)
    ]
    families = []
    for key, title in inputs.catalogue.families.items():
        mine = [row for row in rows if row["family"] == key]
        restarts = inputs.restarts[inputs.restarts["family"] == key].to_dict("records")
        if mine or restarts:
            datasets = [_dataset(mine, name) for name in dict.fromkeys(r["dataset"] for r in mine)]
            families.append(
                {"key": key, "title": title, "datasets": datasets, "restarts": restarts}
            )
    # The chains of a demo run are too short to mix, and say nothing about longer ones.
    for row in rows if report.generated else ():
        row["mark"] = ""
    for family in families if report.generated else ():
        for found in family["datasets"]:
            found["mark"] = ""
    judged = [row for row in rows if row["mark"]]
    worst = sorted((r for r in judged if r["mark"] != "same"), key=lambda r: -r["rhat"])
    return {
        "generated": report.generated,
        "families": families,
        "n_models": len(rows),
        "n_chains": int(sum(row["n_chains"] for row in rows)),
        "counts": {mark: sum(r["mark"] == mark for r in rows) for mark in ("same", "near", "far")},
        "n_single": sum(row["n_most"] == 1 for row in rows),
        "n_still": sum(row["n_most"] > 1 and not row["mark"] for row in rows),
        "worst": worst[:MAX_LISTED],
        "n_worst": len(worst),
        "mixed": MIXED,
        "nearly": NEARLY,
        "runs": inputs.runs,
        "titles": report.titles,
    }


def _row(report, key, own):
    family, dataset, model = key
    first = own.iloc[0]
    draws = own.drop_duplicates("draw")
    # The R-hat of a constant quantity has no meaning; its sd may be above 0 from rounding alone.
    moving = own[~(own["sd"] <= STILL * own["mean"].abs())]
    worst = moving.loc[moving["rhat"].idxmax()] if moving["rhat"].notna().any() else None
    least = moving.loc[moving["ess"].idxmin()] if moving["ess"].notna().any() else None
    rhat = math.nan if worst is None else float(worst["rhat"])
    return {
        "family": family,
        "dataset": dataset,
        "title": report.titles.get(dataset, dataset),
        "anchor": f"{family}-{dataset}",
        "model": model,
        "n_draws": len(draws),
        "n_chains": int(draws["n_chains"].sum()),
        "n_most": int(draws["n_chains"].max()),
        "chains": _span(draws["n_chains"]),
        "n_sweeps": int(first["n_sweeps"]),
        "burn_in": int(first["burn_in"]),
        "rhat": rhat,
        "rhat_of": "" if worst is None else worst["quantity"],
        "mark": _mark(rhat),
        "ess": math.nan if least is None else float(least["ess"]),
        "ess_of": "" if least is None else least["quantity"],
        "moved": float(draws["moved"].mean()),
        "traces": [
            {"name": name, "svg": sparkline(values, first["burn_in"] / first["n_sweeps"], name)}
            for name, values in _traces(report.inputs.traces, "/".join(key))
        ],
    }


def _traces(traces, place):
    start = f"{place}/"
    return [(key.removeprefix(start), v) for key, v in traces.items() if key.startswith(start)]


def _span(values):
    low, high = int(values.min()), int(values.max())
    return str(low) if low == high else f"{low} to {high}"


def _mark(rhat):
    if absent(rhat):
        return ""
    return "same" if rhat <= MIXED else "near" if rhat <= NEARLY else "far"


def _dataset(rows, name):
    own = [row for row in rows if row["dataset"] == name]
    known = [row["rhat"] for row in own if not absent(row["rhat"])]
    rhat = max(known, default=math.nan)
    return {
        "name": name,
        "title": own[0]["title"],
        "anchor": own[0]["anchor"],
        "rows": own,
        "rhat": rhat,
        "mark": _mark(rhat),
        "ess": min((row["ess"] for row in own if not absent(row["ess"])), default=math.nan),
    }
