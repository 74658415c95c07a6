"""Tables and figures of the papers, from config/artefacts.yaml and from the folders of runs."""

import functools
import os
import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "config" / "artefacts.yaml"
#: Runs whose figures are shown, best first: that which is kept under version control, then others.
RUNS = ("published", "paper", "standard")


def artefacts_of(family):
    """Names of the artefacts of a family.

    Raises
    ------
    LookupError
        If there are none.
    """
    _families, papers, artefacts = _catalogue()
    found = {name for name, a in artefacts.items() if papers[a["paper"]]["family"] == family}
    if not found:
        raise LookupError(f"no artefact is of the family {family!r}")
    return found


def artefact_table(page, before, family):
    """All artefacts of a family: name, the paper's label, what it shows."""
    _families, _papers, artefacts = _catalogue()
    lines = ["| name | in the paper | what it shows |", "|---|---|---|"]
    own = artefacts_of(family)
    for name, entry in artefacts.items():
        if name in own:
            lines.append(f"| `{name}` | {entry['published'] or '–'} | {entry['shows']} |")
    return "\n".join(lines), [FILE]


def gallery(page, before):
    """The figures of a run, or how to make them."""
    families, papers, artefacts = _catalogue()
    folder = next(filter(Path.is_dir, (ROOT / "reports" / run / "figures" for run in RUNS)), None)
    if folder is None:
        return NO_RUN, [FILE]
    lines = [f"These are the figures of the run `{folder.parent.name}`.", ""]
    for family, title in families.items():
        own = [name for name in artefacts if name in artefacts_of(family)]
        drawn = [name for name in own if (folder / f"{name}.svg").is_file()]
        lines += [f"## {title}", ""] if drawn else []
        for name in drawn:
            entry = artefacts[name]
            figure = os.path.relpath(folder / f"{name}.svg", page.parent)
            lines += [
                *(f"### {name}", "", f"{entry['shows']}. {_label(papers, entry)}", ""),
                *(f"![{_plain(entry['shows'])}]({figure})", ""),
            ]
    return "\n".join(lines), [FILE]


NO_RUN = """\
No run lies in `reports/`, so there are no figures to show. Make them, then the site again:

    make all
    make docs

This page then shows every figure of `reports/published`, `reports/paper` or `reports/standard`,
whichever is found first. `make demo` makes them in minutes, of generated data, which say nothing
about the papers and are not shown here; they are in `reports/demo/figures`."""


@functools.cache
def _catalogue():
    found = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return found["families"], found["papers"], found["artefacts"]


def _label(papers, entry):
    paper = papers[entry["paper"]]["short"]
    return f"*{paper}, {entry['published']}.*" if entry["published"] else f"*After {paper}.*"


def _plain(text):
    return re.sub(r"[\[\]`*]", "", text)
