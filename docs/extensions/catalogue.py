"""Lists of the papers' tables and figures, from their declarations and the folders of runs."""

import json
import os
import re
from pathlib import Path

from reseat.papers.catalogue import CATALOGUE
from reseat.report.drawings import picture
from reseat.report.pages.paper import BEYOND

ROOT = Path(__file__).resolve().parents[2]
#: Source files of the pages.
FILES = sorted((ROOT / "src" / "reseat" / "papers").glob("*/paper.py"))
#: Runs whose figures may be shown, best first: the one under version control, then others.
RUNS = ("published", "paper", "standard")


def artefacts_of(family):
    """Return the names of the artefacts of a family."""
    found = {name for name, made in CATALOGUE.artefacts.items() if made.family == family}
    if not found:
        raise LookupError(f"no artefact is of the family {family!r}")
    return found


def artefact_table(page, before, family):
    """Return a table of all artefacts of a family: name, the paper's label, and what it shows."""
    lines = ["| name | in the paper | what it shows |", "|---|---|---|"]
    own = artefacts_of(family)
    for name, entry in CATALOGUE.artefacts.items():
        if name in own:
            lines.append(f"| `{name}` | {entry.published or '–'} | {entry.shows} |")
    return "\n".join(lines), FILES


def gallery(page, before):
    """Return the figures of the first of `RUNS` that exists, or a text on how to make them."""
    folder = next(filter(Path.is_dir, (ROOT / "reports" / run / "figures" for run in RUNS)), None)
    if folder is None:
        return NO_RUN, FILES
    lines = [_whose(folder.parent), ""]
    for paper in CATALOGUE.papers.values():
        own = [name for name in CATALOGUE.artefacts if name in artefacts_of(paper.family)]
        pictures = {name: picture(folder, name) for name in own}
        drawn = [name for name in own if pictures[name]]
        lines += [f"## {paper.about}", ""] if drawn else []
        for name in drawn:
            entry = CATALOGUE.artefacts[name]
            figure = os.path.relpath(folder.parent / pictures[name], page.parent)
            lines += [
                *(
                    f"({name.replace('_', '-')})=",
                    f"### {entry.published or 'Beyond'}: `{name}`",
                    "",
                ),
                *(f"{entry.shows.removeprefix(BEYOND)}. {_label(paper, entry)}", ""),
                *(f"![{_plain(entry.shows)}]({figure})", ""),
                *(" ".join(entry.caption.split()), ""),
                *(f"Made by `snakemake --cores 2 {name}`.", ""),
            ]
    return "\n".join(lines), FILES


NO_RUN = """\
No run lies in `reports/`, so there are no figures to show. Make them, then the site again:

    make all
    make docs

This page then shows every figure of `reports/published`, `reports/paper` or `reports/standard`,
whichever is found first. `make demo` makes them in minutes, of generated data, which say nothing
about the papers and are not shown here; they are in `reports/demo/figures`."""


def _whose(run):
    manifest = run / "manifest.json"
    if not manifest.is_file():
        return f"These are the figures of the run `{run.name}`."
    facts = json.loads(manifest.read_text(encoding="utf-8"))
    return f"These are the figures of the published run, made at the **{facts['scale']} scale**."


def _label(paper, entry):
    if entry.published:
        return f"*{paper.short}, {entry.published}.*"
    return f"*After {paper.short}.*"


def _plain(text):
    return re.sub(r"[\[\]`*]", "", text)
