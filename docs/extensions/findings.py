"""Results of the published run in pages: single numbers by reference, and scoreboards.

``{num}`TABLE:KEY/KEY:COLUMN` `` and ``{claim}`DOC-1` `` in a page are looked up in
``reports/published`` when the page is read, as `reseat.kept_run.numbers` describes. An unknown
reference ends the build; without a published run, each is replaced by a dash, and the page says so.
"""

import os
from functools import cache
from pathlib import Path

from docutils import nodes
from sphinx.errors import ExtensionError

from reseat.errors import DataError
from reseat.kept_run import PublishedRun, learned
from reseat.kept_run import findings as lines_of
from reseat.kept_run.numbers import COLUMNS
from reseat.kept_run.writing import FOLDER
from reseat.papers.catalogue import CATALOGUE
from reseat.report.comparison import claim_views, tally
from reseat.vocabulary import CLAIM_VERDICTS, NOT_COMPARABLE, NUMBER_VERDICTS

ROOT = Path(__file__).resolve().parents[2]
MANIFEST = ROOT / FOLDER / "manifest.json"

NONE = """\
:::{admonition} No run is published yet
:class: warning

`reports/published` does not exist, so every number of the run is a dash below, and the tables are
left out. `make all`, `make publish` and `make docs` fill them in.
:::"""


@cache
def published():
    """Return the published run, or None if there is none."""
    return PublishedRun(ROOT / FOLDER) if MANIFEST.is_file() else None


def setup(app):
    """Add the roles, and announce on the console if they have nothing to show."""
    app.add_role("num", role)
    app.add_role("claim", role)
    app.connect("builder-inited", announce)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def announce(app):
    """Say on the console if no run is published, so that pages have dashes for numbers."""
    published.cache_clear()
    if published() is None:
        print("No run is published in reports/published: the findings have no numbers.")


def role(name, rawtext, text, lineno, inliner, options=None, content=()):
    """Return a node with the text of a number, or of the verdict on a claim."""
    inliner.document.settings.env.note_dependency(str(MANIFEST))
    run = published()
    reference = f"claims:{text}" if name == "claim" else text
    try:
        shown = "\N{EN DASH}" if run is None else run.look_up(reference)
    except DataError as error:
        where = f"{inliner.document.current_source}, line {lineno}"
        raise ExtensionError(f"{where}: {error}") from error
    verdict = ["verdict", shown] if shown in CLAIM_VERDICTS else []
    return [nodes.inline(rawtext, shown, classes=[name, *verdict])], []


def overview(page, before):
    """Return a section with the picture of all numbers, and the scoreboard with links to papers."""
    run = published()
    if run is None:
        return "", [MANIFEST]
    picture = next(run.folder.glob("overview.*"), None)
    lines = ["## What was found", "", *lines_of(run), ""]
    if picture is not None:
        place = os.path.relpath(picture, page.parent)
        lines[2:2] = [
            f"![Published numbers next to ours, one panel per paper]({place})",
            "",
        ]
    lines[2:2] = [*learned(run), ""]
    text = "\n".join(lines)
    for paper in CATALOGUE.papers.values():
        link = f"[{paper.short}](findings/{paper.family}.md)"
        text = text.replace(f"| {paper.short} |", f"| {link} |")
    return text, [MANIFEST]


def lessons(page, before):
    """Return what was learned, as a list with numbers of the published run."""
    run = published()
    return "" if run is None else "\n".join(learned(run)), [MANIFEST]


def state(page, before):
    """Return a sentence that names the run from which the numbers of a page come."""
    run = published()
    if run is None:
        return NONE, [MANIFEST]
    facts = run.manifest
    chains = sum(entry["chains"] for entry in facts["chains"])
    short = "" if facts["scale"] == "paper" else ", not that of the papers"
    text = (
        f"Numbers of the run `{facts['run']}`: **{facts['scale']} scale**{short}, "
        f"seed {facts['settings']['seed']}, {chains} chains."
    )
    return text, [MANIFEST]


def score(page, before, paper):
    """Return the scoreboard of a paper: in total, and by table and figure."""
    run = published()
    if run is None:
        return "", [MANIFEST]
    lines = [f"| | {' | '.join(COLUMNS)} |", "|---|" + "--:|" * len(COLUMNS)]
    own = run.scoreboard[run.scoreboard["paper"].eq(paper)].to_dict("records")
    if not own:
        raise LookupError(f"the published run has no paper {paper!r}")
    lines.append("| all | " + " | ".join(str(own[0][name]) for name in COLUMNS) + " |")
    numbers = run.table("comparison")
    numbers = numbers[numbers["paper"].eq(paper) & numbers["counted"].eq("True")]
    for (name, label), part in numbers.groupby(["artefact", "label"], sort=False):
        if part["verdict"].ne(NOT_COMPARABLE).any():
            counts = tally(part.assign(counted=True))
            cells = [str(counts[verdict]) for verdict in NUMBER_VERDICTS]
            lines.append(
                f"| {label}, `{name}` | {' | '.join(cells)} |" + " |" * (len(COLUMNS) - len(cells))
            )
    return "\n".join(lines), [MANIFEST]


def claims(page, before, paper):
    """Return a paper's claims with the verdicts on our numbers, other readings, and its own."""
    run = published()
    if run is None:
        return "", [MANIFEST]
    lines = ["| claim | on our numbers | other readings | as printed |", "|---|---|---|---|"]
    for claim in claim_views(_floats(run.table("claims")))[paper]:
        parts = (
            ", ".join(
                f"{given['reading']}: {_coloured(given['verdict'])}"
                if part == "readings"
                else _coloured(given["verdict"])
                for given in claim[part]
            )
            for part in ("measured", "readings", "printed")
        )
        beyond = f" ({claim['uncounted']}; counted in no score)" if claim["uncounted"] else ""
        statement = claim["statement"].replace("|", "\\|")
        lines.append(f"| **{claim['key']}** {statement}{beyond} | {' | '.join(parts)} |")
    return "\n".join(lines), [MANIFEST]


def _coloured(verdict):
    return f'<span class="verdict {verdict}">{verdict}</span>'


def _floats(table):
    """Return the claims with the texts of their numbers converted to floats."""
    numbers = ["effect", "low", "high"]
    return table.assign(**{name: table[name].replace("", "nan").astype(float) for name in numbers})
