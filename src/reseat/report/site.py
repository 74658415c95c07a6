"""The report as a static site: its list of pages, and how they are rendered and written."""

from __future__ import annotations

import json
from pathlib import Path

from reseat.io import write_table, write_text
from reseat.report.all_runs import CARD, run_card
from reseat.report.data import ReportData
from reseat.report.engine import engine
from reseat.report.pages import (
    data_page,
    diagnostics_page,
    front_page,
    paper_page,
    timings_page,
)

#: Pages that every report has in addition to one page per paper.
GENERAL = {
    "index": "Overview",
    "data": "Data",
    "diagnostics": "Diagnostics",
    "timings": "Timings",
}


def build_site(inputs):
    """Render all pages of the report.

    Return the pages by file name, every number that has a published counterpart, which the
    scoreboard counts, and the summary of the run from `run_card`. Pages refer only to each other,
    to the files of the artefacts below `tables/` and `figures/`, to ``claims.csv`` and to
    ``comparison.csv``.
    """
    report = ReportData(inputs)
    templates = engine()
    links = _links(inputs.catalogue)
    pages = {
        "index.html": ("index", front_page(report)),
        "data.html": ("data", data_page(report)),
        "diagnostics.html": ("diagnostics", diagnostics_page(report)),
        "timings.html": ("timings", timings_page(report)),
    }
    for paper in inputs.catalogue.papers.values():
        pages[paper.page] = ("paper", paper_page(report, paper))
    rendered = {
        name: templates.get_template(f"{template}.html.j2").render(
            page=name,
            links=links,
            run=inputs.run,
            scale=inputs.scale,
            version=inputs.environment.get("reseat", ""),
            commit=inputs.commit,
            **context,
        )
        for name, (template, context) in pages.items()
    }
    scores = [report.score(paper) for paper in inputs.catalogue.papers.values()]
    return rendered, report.comparison, run_card(inputs, scores)


def write_site(inputs, folder):
    """Render all pages and write them, ``comparison.csv`` and ``run.json``, each atomically.

    The folder contains `tables/` and `figures/`.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    pages, comparison, card = build_site(inputs)
    write_table(comparison, folder / "comparison.csv")
    for name, text in pages.items():
        write_text(folder / name, text)
    write_text(folder / CARD, json.dumps(card, indent=1, ensure_ascii=False) + "\n")
    return [folder / "comparison.csv", folder / CARD, *(folder / name for name in pages)]


def _links(catalogue):
    """Return file name and title of the pages, in the order of the navigation bar."""
    first, *rest = GENERAL
    return [
        (f"{first}.html", GENERAL[first]),
        *((paper.page, paper.family.capitalize()) for paper in catalogue.papers.values()),
        *((f"{name}.html", GENERAL[name]) for name in rest),
    ]
