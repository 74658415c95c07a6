"""The report as a static site: which pages there are, and how they are written."""

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

#: Pages that every report has, beside one a paper.
GENERAL = {
    "index": "Overview",
    "data": "Data",
    "diagnostics": "Diagnostics",
    "timings": "Timings",
}


def build_site(inputs):
    """Render all pages.

    Parameters
    ----------
    inputs : ReportInputs

    Returns
    -------
    pages : dict of str to str
        File name to HTML. The pages refer to each other, to the files of the artefacts below
        `tables/` and `figures/`, to ``claims.csv`` and ``comparison.csv``, and to nothing else.
    comparison : pandas.DataFrame
        Every number beside a published one, from which the scoreboard is counted.
    card : dict
        From `run_card`.
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

    Parameters
    ----------
    inputs : ReportInputs
    folder : path-like
        Where `tables/` and `figures/` lie.

    Returns
    -------
    list of Path
        What was written.
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
    """The pages in the order of the bar on top: file name and words."""
    first, *rest = GENERAL
    return [
        (f"{first}.html", GENERAL[first]),
        *((paper.page, paper.family.capitalize()) for paper in catalogue.papers.values()),
        *((f"{name}.html", GENERAL[name]) for name in rest),
    ]
