"""The report as a static site: its list of pages, and how they are rendered and written."""

import json
import os
import re
from collections.abc import Container, Iterator
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import Any

import jinja2
import numpy as np
import pandas as pd
from markupsafe import Markup, escape

from reseat.errors import DataError, unforeseen
from reseat.files.atomic import write_table, write_text
from reseat.report import comparison, numbers
from reseat.report.comparison import DOUBTFUL, LEVEL, NO_ERROR, TIME
from reseat.report.data import ReportData
from reseat.report.pages.front import front_page
from reseat.report.pages.paper import paper_page
from reseat.report.pages.run import data_page, diagnostics_page, timings_page
from reseat.vocabulary import AGREE, CONFIRMED, DIFFER, REFUTED

#: Title and context of the pages that every report has in addition to one page per paper.
GENERAL = {
    "index": ("Overview", front_page),
    "data": ("Data", data_page),
    "diagnostics": ("Diagnostics", diagnostics_page),
    "timings": ("Timings", timings_page),
}


def build_site(inputs):
    """Return all pages by file name, every number with a published counterpart, and the card."""
    report, templates = ReportData(inputs), engine()
    pages = {f"{name}.html": (name, context(report)) for name, (_, context) in GENERAL.items()}
    titles = {f"{name}.html": title for name, (title, _) in GENERAL.items()}
    links = [("index.html", titles.pop("index.html"))]
    for paper in inputs.catalogue.papers.values():
        pages[paper.page] = ("paper", paper_page(report, paper))
        links.append((paper.page, paper.family.capitalize()))
    links += titles.items()
    rendered = {
        name: templates.get_template(f"{template}.html.j2").render(
            page=name, links=links, report=report, inputs=inputs, **context
        )
        for name, (template, context) in pages.items()
    }
    return rendered, report.comparison, run_card(report)


def write_site(inputs, folder):
    """Write all pages, ``comparison.csv`` and ``run.json`` to the folder, each atomically."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    pages, compared, card = build_site(inputs)
    write_table(compared, folder / "comparison.csv")
    for name, text in pages.items():
        write_text(folder / name, text)
    write_text(folder / "run.json", json.dumps(card, indent=1, ensure_ascii=False) + "\n")
    return [folder / "comparison.csv", folder / "run.json", *(folder / name for name in pages)]


def engine() -> jinja2.Environment:
    """Return a Jinja environment with the templates of the report and filters for numbers."""
    loader = jinja2.PackageLoader("reseat.report")
    blocks = {"trim_blocks": True, "lstrip_blocks": True, "undefined": jinja2.StrictUndefined}
    made = jinja2.Environment(loader=loader, autoescape=True, **blocks)
    for name in ("number", "count", "size", "duration", "with_error", "sort_key"):
        made.filters[name] = getattr(numbers, name)
    made.filters["with_code"] = _with_code
    made.globals["style"] = loader.get_source(made, "style.css")[0]
    made.globals["script"] = loader.get_source(made, "page.js")[0]
    return made


def _with_code(caption: str) -> Markup:
    """Return a caption as HTML, with names between double backquotes marked up as code."""
    return Markup(re.sub(r"``(.+?)``", r"<code>\1</code>", str(escape(" ".join(caption.split())))))


#: Columns of ``comparison.csv`` that identify a number.
KEYS = ["paper", "artefact", "label", "dataset", "system", "variant", "metric"]
VERDICTS = (AGREE, DOUBTFUL, DIFFER, NO_ERROR)


def run_card(report: ReportData) -> dict[str, Any]:
    """Return what the list of runs shows about one run."""
    inputs, total = report.inputs, report.total()
    return {
        "name": inputs.run,
        "scale": inputs.scale,
        "settings": inputs.settings,
        "written": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "version": inputs.environment.get("reseat", ""),
        "made": total["made"],
        "artefacts": len(inputs.catalogue.artefacts),
        "cells": total["cells"],
        "claims": total["claims"],
    }


def compare_runs(one: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """Compare the numbers that two runs have, except measured times, by the rule of `verify`."""
    tables = []
    for table in (one, other):
        table = table[table["why"].ne(TIME)]
        keys = table[KEYS].astype(object).fillna("").astype(str)
        judged = table[["ours", "error"]].astype(float)
        judged["n_parts"] = comparison.n_parts(table)
        # Rows of a table may agree in all of these columns; their order then distinguishes them.
        order = keys.groupby(KEYS, sort=False).cumcount().rename("order")
        tables.append(pd.concat([keys, order, judged], axis=1).dropna(subset="ours"))
    both = tables[0].merge(tables[1], on=[*KEYS, "order"], suffixes=("_one", "_other"))
    difference = both["ours_other"] - both["ours_one"]
    errors = [both["error_one"], both["error_other"]]
    apart = difference / np.hypot(*map(comparison.known_error, errors))
    p = comparison.by_chance(difference, errors, [both["n_parts_one"], both["n_parts_other"]])
    equal = comparison.equal_but_for_rounding(both["ours_one"], both["ours_other"])
    n_judged = int((apart.notna() & ~equal).sum())
    verdict = pd.Series(comparison.decide(p, n_judged, (AGREE, DIFFER)), both.index)
    verdict = verdict.mask(apart.isna(), NO_ERROR).mask(equal, AGREE)
    return both.drop(columns="order").assign(
        difference=difference, errors_apart=apart, verdict=verdict
    ).rename(columns={"ours_one": "one", "ours_other": "other"})  # fmt: skip


def write_all_runs(folder: str | os.PathLike) -> Path:
    """Write the list of all runs that can be read, and a page and a table for each pair of them."""
    folder = Path(folder)
    found = sorted(_runs(folder), key=lambda run: run[0]["written"], reverse=True)
    cards = [card for card, _table in found]
    tables = {card["name"]: table for card, table in found}
    render = engine()
    pairs = []
    for newer, older in combinations(cards, 2):
        one, other = sorted((newer["name"], older["name"]))
        table = compare_runs(tables[one], tables[other])
        stem = f"{one}--{other}"
        write_table(table, folder / f"{stem}.csv")
        pair = {"one": one, "other": other, "page": f"{stem}.html", "counts": _counts(table)}
        known = table["verdict"][table["errors_apart"].notna()]
        pair["share"] = float(known.eq(AGREE).mean()) if len(known) else None
        pairs.append(pair)
        page = render.get_template("two_runs.html.j2").render(
            **pair, papers=_by_paper(table), level=LEVEL, table=f"{stem}.csv"
        )
        write_text(folder / f"{stem}.html", page)
    _remove_stale(folder, tables)
    listing = render.get_template("all_runs.html.j2")
    for name, opens_newest in (("runs.html", False), ("index.html", bool(cards))):
        text = listing.render(runs=cards, pairs=pairs, opens_newest=opens_newest)
        write_text(folder / name, text)
    return folder / "index.html"


def _remove_stale(folder: Path, names: Container[str]) -> None:
    """Remove comparisons, and nothing else, with runs that have been removed."""
    for page in folder.glob("*--*.html"):
        text, parts = page.read_text("utf-8", "replace"), page.stem.split("--")
        # The name of a run may have two hyphens as well.
        for place in range(1, len(parts)):
            one, other = "--".join(parts[:place]), "--".join(parts[place:])
            ours = f"<h1>{one} and {other}</h1>" in text
            if ours and not (one in names and other in names):
                page.unlink()
                page.with_suffix(".csv").unlink(missing_ok=True)


def _runs(folder: Path) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Yield the card and numbers of each run from which the pages can be made."""
    for path in sorted(folder.glob("*/run.json")):
        what = f"{path.parent} is left out of the list of runs; make its report again"
        try:
            if (path.parent / "comparison.csv").is_file():
                with unforeseen(what):
                    yield _read_run(path)
        except DataError as error:
            print(error)


def _read_run(path):
    """Read the card and numbers of a run, trying all that the pages need so that it fails here."""
    card = json.loads(path.read_text(encoding="utf-8")) | {"name": path.parent.name}
    table = pd.read_csv(path.parent / "comparison.csv")
    compare_runs(table, table)
    datetime.fromisoformat(card["written"])
    named = [card["scale"], card["settings"]["seed"]]
    shown = [card["made"], card["artefacts"], card["cells"][AGREE], card["cells"][DIFFER]]
    shown += [card["claims"][CONFIRMED], card["claims"][REFUTED]]
    if any(isinstance(value, str) for value in shown) or None in [*named, *shown]:
        raise DataError(f"{path} has no number where one is shown; make its report again.")
    return card, table


def _by_paper(table):
    """Return the rows of each paper, those furthest apart first, with the counts of verdicts."""
    found = []
    for paper, part in table.groupby("paper", sort=False):
        order = part["errors_apart"].abs().fillna(-1).sort_values(ascending=False, kind="stable")
        part = part.loc[order.index]
        differs = part["verdict"].eq(DIFFER)
        parts = {"differ": part[differs], "do not differ": part[~differs]}
        rows = {title: own.to_dict("records") for title, own in parts.items()}
        found.append({"paper": paper, "counts": _counts(part), "parts": rows})
    return found


def _counts(table):
    return {verdict: int(table["verdict"].eq(verdict).sum()) for verdict in VERDICTS}
