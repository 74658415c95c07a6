"""The page itself: everything that was made, put into one HTML file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import jinja2
import pandas as pd

from reseat.errors import DataError
from reseat.io import write_text
from reseat.plots import published_versus_measured
from reseat.report import numbers
from reseat.report.artefacts import Catalogue
from reseat.report.images import figure_uri, picture
from reseat.report.timings import chain_rates, summarise_benchmarks
from reseat.report.views import (
    claim_views,
    comparison_views,
    contingency_view,
    verdict_counts,
)

#: Longest list of jobs shown under timings.
MOST_JOBS = 25


@dataclass(frozen=True)
class ReportInputs:
    """What the page is made from.

    Attributes
    ----------
    scale : str
        ``demo``, ``standard`` or ``paper``.
    catalogue : Catalogue
    tables, figures : path-like
        Folders that hold `NAME.csv`, and `NAME.svg`, `NAME.png`, `NAME.pdf`, of each artefact.
        An artefact without files is listed as not made.
    claims : pandas.DataFrame
        Columns of ``claims.csv``.
    datasets : list of dict
        Identity cards (`DatasetIdentity.to_dict`), each with `sizes` (name to whole number) and,
        where the data serve for a paper's set, `role`.
    runs : list of dict
        `family`, `dataset`, `model`, `n_chains`, `n_sweeps`, `burn_in`.
    benchmarks : pandas.DataFrame
        From `read_benchmarks`.
    environment : dict of str to str
    settings : dict
        What else was set, such as the seed; shown as it is.
    """

    scale: str
    catalogue: Catalogue
    tables: Path
    figures: Path
    claims: pd.DataFrame
    datasets: list = field(default_factory=list)
    runs: list = field(default_factory=list)
    benchmarks: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(columns=["job", "seconds", "cpu_seconds", "memory_mb"])
    )
    environment: dict = field(default_factory=dict)
    settings: dict = field(default_factory=dict)


def build_page(inputs):
    """Render the report.

    Parameters
    ----------
    inputs : ReportInputs

    Returns
    -------
    str
        HTML that refers to nothing outside itself, but for links to the files of each artefact,
        relative to the folder the page lies in (`tables/`, `figures/`).
    """
    loader = jinja2.PackageLoader("reseat.report")
    engine = jinja2.Environment(
        loader=loader,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    for function in (numbers.number, numbers.count, numbers.size, numbers.duration):
        engine.filters[function.__name__] = function
    style = loader.get_source(engine, "style.css")[0]
    return engine.get_template("index.html.j2").render(style=style, **_context(inputs))


def write_page(inputs, path):
    """Render the report and write it atomically."""
    write_text(path, build_page(inputs))


def _context(inputs):
    titles = {card["name"]: card["title"] for card in inputs.datasets}
    claims = claim_views(inputs.claims)
    families = _families(inputs, titles, claims)
    seconds = float(inputs.benchmarks["seconds"].sum()) if len(inputs.benchmarks) else None
    summary = summarise_benchmarks(inputs.benchmarks)
    return {
        "scale": inputs.scale,
        "families": families,
        "datasets": inputs.datasets,
        "titles": titles,
        "runs": inputs.runs,
        "verdicts": verdict_counts(inputs.claims),
        "environment": inputs.environment,
        "settings": inputs.settings,
        "jobs": summary.head(MOST_JOBS).to_dict("records"),
        "jobs_left": max(0, len(summary) - MOST_JOBS),
        "n_jobs": int(summary["jobs"].sum()) if len(summary) else 0,
        "rates": chain_rates(inputs.benchmarks, inputs.runs).to_dict("records"),
        "seconds": seconds,
        "n_chains": sum(run["n_chains"] for run in inputs.runs),
        "statuses": {card["status"] for card in inputs.datasets},
        "same": f"{numbers.SAME:.0%}",
        "near": f"{numbers.NEAR:.0%}",
    }


def _families(inputs, titles, claims):
    families = []
    for key, title in inputs.catalogue.families.items():
        papers = []
        for paper in inputs.catalogue.papers.values():
            if paper.family == key:
                own = [a for a in inputs.catalogue.artefacts.values() if a.paper.key == paper.key]
                papers.append(
                    {
                        "paper": paper,
                        "claims": claims.get(paper.short, []),
                        "artefacts": [_artefact(inputs, artefact, titles) for artefact in own],
                    }
                )
        if papers:
            families.append({"key": key, "title": title, "papers": papers})
    return families


def _artefact(inputs, artefact, titles):
    view = {
        "artefact": artefact,
        "csv": None,
        "files": [],
        "image": None,
        "alt": "",
        "comparisons": [],
        "dots": None,
        "contingency": None,
        "data": [],
    }
    path = Path(inputs.tables) / f"{artefact.name}.csv"
    if not path.is_file():
        return view
    table = pd.read_csv(path, dtype={"system": str})
    view["csv"] = f"tables/{artefact.name}.csv"
    view["data"] = _data_of(table, titles)
    if artefact.kind == "figure":
        view["image"] = picture(inputs.figures, artefact.name)
        names = ", ".join(entry["title"] for entry in view["data"])
        label = artefact.published or artefact.name
        view["alt"] = f"{label}: {artefact.shows}. Data: {names}."
        view["files"] = [
            f"figures/{artefact.name}.{extension}"
            for extension in ("pdf", "svg", "png")
            if (Path(inputs.figures) / f"{artefact.name}.{extension}").is_file()
        ]
        return view
    if len(table) == 0:
        raise DataError(f"{path} has no rows; make the artefact {artefact.name} again.")
    if artefact.kind == "contingency":
        view["contingency"] = contingency_view(table, titles)
        return view
    view["comparisons"] = comparison_views(table, titles)
    printed = table[table["published"].notna()]
    if len(printed):
        view["dots"] = figure_uri(published_versus_measured(printed, titles))
        label = artefact.published or artefact.name
        view["alt"] = f"Dot plot of {label}: measured and published values."
    return view


def _data_of(table, titles):
    if not {"dataset", "status"} <= set(table.columns):
        return []
    pairs = table[["dataset", "status"]].drop_duplicates().itertuples(index=False, name=None)
    return [{"name": n, "title": titles.get(n, n), "status": s} for n, s in pairs]
