"""Pages on the run as a whole: its data sets, the diagnostics of its chains, and timings."""

import math

import pandas as pd

from reseat.metrics import known_quantity
from reseat.report.drawings import sparkline
from reseat.report.numbers import absent, count, span
from reseat.report.timings import summarise_benchmarks
from reseat.summaries import AGREED, STILL
from reseat.vocabulary import FAITHFUL, PROJECTED, STATUSES

#: Fields that data sets drawn or cut from the same source have in common.
_COMMON = ("status", "stands_for", "licence", "citation", "note")


def data_page(report):
    """Return the template context of the page of data sets."""
    inputs = report.inputs
    families = []
    for key, title in inputs.catalogue.families.items():
        cards = [card for card in inputs.datasets if card.get("family") == key]
        if cards:
            groups = {}
            for card in cards:
                common = {field: card[field] for field in _COMMON}
                group = groups.setdefault(tuple(common.values()), common | {"cards": []})
                group["cards"].append(card)
            groups = [group | {"hashes": _hashes(group["cards"])} for group in groups.values()]
            families.append({"key": key, "title": title, "groups": groups})
    found = [card["status"] for card in inputs.datasets]
    replaced = {}
    for card in inputs.datasets:
        if card["stands_for"]:
            replaced.setdefault((card["stands_for"], card["status"]), []).append(card)
    return {
        "families": families,
        "counts": {status: found.count(status) for status in STATUSES},
        "left_out": inputs.settings.get("data sets left out", "none"),
        "replaced": replaced,
    }


def _hashes(cards):
    """Return each hash of some data sets once, with a title if only one of them has it."""
    owners = {}
    for card in cards:
        for file, hash_ in card["sha256"].items():
            owners.setdefault((_named(file, card), hash_), []).append(card["title"])
    return [
        {"title": titles[0] if len(cards) > len(titles) == 1 else "", "what": what, "sha256": hash_}
        for (what, hash_), titles in owners.items()
    ]


def _named(file, card):
    if file != "data as read":  # by `reseat.datasets.build`, without a raw file
        return file
    drawn = card["preprocessing"].get("parser", "").startswith("generated")
    return f"digest of the {'data as drawn' if drawn else file}"


#: R-hat up to which chains count as mixed, and as nearly mixed. Beyond that they disagree, and the
#: posterior means in the tables have not converged.
MIXED, NEARLY = 1.01, AGREED

#: Number of rows in the list of models that mixed worst.
N_WORST = 10


def diagnostics_page(report):
    """Return the template context of the page of diagnostics."""
    inputs = report.inputs
    groups = inputs.diagnostics.groupby(["family", "dataset", "model"], sort=False)
    rows = [_row(report, key, own) for key, own in groups]
    families = []
    for key, title in inputs.catalogue.families.items():
        mine = [row for row in rows if row["family"] == key]
        restarts = report.restarts(key)
        if mine or restarts:
            datasets = [_dataset(mine, name) for name in dict.fromkeys(r["dataset"] for r in mine)]
            families.append(
                {"key": key, "title": title, "datasets": datasets, "restarts": restarts}
            )
    # The chains of a demo run are too short to mix, and say nothing about longer ones.
    if report.generated:
        for found in (*rows, *(part for family in families for part in family["datasets"])):
            found["mark"] = ""
    judged = [row for row in rows if row["mark"]]
    worst = sorted((r for r in judged if r["mark"] != "same"), key=lambda r: -r["rhat"])
    return {
        "families": families,
        "n_models": len(rows),
        "n_chains": int(sum(row["n_chains"] for row in rows)),
        "counts": {mark: sum(r["mark"] == mark for r in rows) for mark in ("same", "near", "far")},
        "n_single": sum(row["n_most"] == 1 for row in rows),
        "n_still": sum(row["n_most"] > 1 and not row["mark"] for row in rows),
        "worst": worst[:N_WORST],
        "n_worst": len(worst),
        "mixed": MIXED,
        "nearly": NEARLY,
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
        "chains": span(draws["n_chains"]),
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
            for place, values in report.inputs.traces.items()
            if (name := place.removeprefix("/".join(key) + "/")) != place
        ],
    }


def _mark(rhat):
    if absent(rhat):
        return ""
    return "same" if rhat <= MIXED else "near" if rhat <= NEARLY else "far"


def _dataset(rows, name):
    own = [row for row in rows if row["dataset"] == name]
    known = [row["rhat"] for row in own if not absent(row["rhat"])]
    rhat = max(known, default=math.nan)
    return {
        "title": own[0]["title"],
        "anchor": own[0]["anchor"],
        "rows": own,
        "rhat": rhat,
        "mark": _mark(rhat),
        "ess": min((row["ess"] for row in own if not absent(row["ess"])), default=math.nan),
    }


#: Largest number of jobs shown.
N_JOBS = 25

#: Seconds in each unit that quantities and the catalogue use.
SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}


def timings_page(report):
    """Return the template context of the page of timings."""
    inputs = report.inputs
    summary = summarise_benchmarks(inputs.benchmarks)
    return {
        # Generated data sets are far smaller than the authors' data sets.
        "authors": [] if report.generated else [*_from_tables(report), *_from_papers(report)],
        "speeds": _speeds(report),
        "jobs": summary.head(N_JOBS).to_dict("records"),
        "jobs_left": max(0, len(summary) - N_JOBS),
        "n_jobs": int(summary["jobs"].sum()) if len(summary) else 0,
        "seconds": float(inputs.benchmarks["seconds"].sum()),
        "memory_mb": float(inputs.benchmarks["memory_mb"].max()) if len(summary) else None,
    }


def _entry(report, paper, dataset, status, what, authors, ours, where):
    return {
        "paper": paper,
        "title": report.titles.get(dataset, dataset),
        "status": status,
        "what": what,
        "authors": authors,
        "ours": ours,
        # On other data the ratio has no meaning.
        "ratio": authors / ours if ours > 0 and status == FAITHFUL else None,
        "where": where,
    }


def _from_tables(report):
    """Yield the times that one of our tables compares with published ones."""
    for name, cells in report.cells.items():
        artefact = report.inputs.catalogue.artefacts[name]
        for cell in cells.to_dict("records"):
            quantity = known_quantity(cell["metric"])
            unit = quantity and SECONDS.get(quantity.unit)
            repeated = cell["system"].endswith(tuple(artefact.compare.uncounted) or "\0")
            if unit is not None and cell["ours"] > 0 and not repeated:
                what = f"{cell['system']}: {cell['metric']}"
                if report.tables[name].loc[cell["row"]].get("summary") == PROJECTED:
                    what += f" ({PROJECTED})"
                times = (unit * cell["published"], unit * cell["ours"])
                place = (cell["dataset"], cell["status"], what)
                yield _entry(report, artefact.paper, *place, *times, artefact)


def _from_papers(report):
    """Yield times that only a published file has, with those of our chains."""
    inputs = report.inputs
    status = {card["name"]: card["status"] for card in inputs.datasets}
    chains = report.chains
    for paper in inputs.catalogue.papers.values():
        for time in paper.times:
            if time["file"] not in inputs.times:
                continue
            authors = SECONDS[time["unit"]] * _printed(inputs.times[time["file"]], time)
            mine = chains[(chains["family"] == paper.family) & chains["model"].isin(time["models"])]
            for dataset, own in mine.groupby("dataset", sort=False):
                sweeps = count(own["n_sweeps"].iloc[0])
                what = f"{time['what']}, {sweeps} sweeps"
                place = (dataset, status.get(dataset, ""), what)
                yield _entry(report, paper, *place, authors, float(own["seconds"].mean()), None)


def _printed(path, time):
    table = pd.read_csv(path)
    for column, value in time["row"].items():
        table = table[table[column].astype(str) == str(value)]
    return float(table.iloc[:, -1].item())


def _speeds(report):
    """Return the sweeps per second of every model with chains, and restarts, by family."""
    families = []
    for key, title in report.inputs.catalogue.families.items():
        own = report.chains[report.chains["family"] == key]
        rows = []
        for (dataset, model), part in own.groupby(["dataset", "model"], sort=False):
            seconds = float(part["seconds"].mean())
            rows.append(
                {
                    "title": report.titles.get(dataset, dataset),
                    "model": model,
                    "n_chains": int(part["n_chains"].sum()),
                    "n_sweeps": int(part["n_sweeps"].iloc[0]),
                    "seconds": seconds,
                    "rate": float(part["n_sweeps"].iloc[0]) / seconds if seconds > 0 else None,
                }
            )
        restarts = report.restarts(key)
        if rows or restarts:
            families.append({"title": title, "rows": rows, "restarts": restarts})
    return families
