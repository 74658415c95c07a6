"""The page of timings: our times compared with the authors', speeds of chains, and jobs."""

import pandas as pd

from reseat.metrics import known_quantity
from reseat.report.numbers import count
from reseat.report.timings import summarise_benchmarks
from reseat.vocabulary import FAITHFUL, PROJECTED

#: Largest number of jobs shown.
MAX_LISTED = 25

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
        "jobs": summary.head(MAX_LISTED).to_dict("records"),
        "jobs_left": max(0, len(summary) - MAX_LISTED),
        "n_jobs": int(summary["jobs"].sum()) if len(summary) else 0,
        "seconds": float(inputs.benchmarks["seconds"].sum()),
        "memory_mb": float(inputs.benchmarks["memory_mb"].max()) if len(summary) else None,
        "environment": inputs.environment,
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
    chains = inputs.diagnostics.drop_duplicates(["family", "dataset", "draw", "model"])
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
    inputs = report.inputs
    for key, title in inputs.catalogue.families.items():
        own = inputs.diagnostics[inputs.diagnostics["family"] == key]
        own = own.drop_duplicates(["dataset", "draw", "model"])
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
        restarts = inputs.restarts[inputs.restarts["family"] == key].to_dict("records")
        if rows or restarts:
            families.append({"key": key, "title": title, "rows": rows, "restarts": restarts})
    return families
