"""Write measured results into README.md.

    python tools/readme.py

The text between the first two marks has what was learned, the scoreboard of reports/published and a
picture; if no run is published, it is a sentence that says so.
The text between the other two marks
is a comparison of reseat with other programs, from benchmarks/own_data.csv.
"""

import csv
import sys
from pathlib import Path

from reseat.errors import DataError
from reseat.files.atomic import write_text
from reseat.kept_run import PublishedRun, findings, learned
from reseat.kept_run.writing import FOLDER
from reseat.papers.catalogue import CATALOGUE

ROOT = Path(__file__).resolve().parent.parent
START = "<!-- Found: written by tools/readme.py from reports/published -->\n"
END = "<!-- End of what was found -->\n"
BESIDE_START = "<!-- Beside others: written by tools/readme.py from benchmarks/own_data.csv -->\n"
BESIDE_END = "<!-- End of beside others -->\n"

NOT_YET = """\
No run has been published in `reports/published` yet: `make all`, then `make publish`, writes
what was found into this place.
"""


def block(root):
    """Return the text that belongs between the first two marks."""
    try:
        run = PublishedRun(root / FOLDER)
    except DataError:
        return NOT_YET
    text = "\n".join([*learned(run), "", *findings(run)]) + "\n"
    for ending in ("svg", "png"):
        picture = run.folder / f"overview.{ending}"
        if picture.is_file():
            where = picture.relative_to(root).as_posix()
            text += f"\n![Published numbers next to ours, one panel per paper]({where})\n"
            break
    for paper in CATALOGUE.papers.values():
        page = f"{FOLDER}/findings/{paper.family}.md"
        if not (ROOT / page).is_file():  # see write_findings.py
            page = f"docs/findings/{paper.family}.md"
        text = text.replace(
            f"| {paper.short} |", f"| [{paper.short}]({page}): {paper.about.lower()} |"
        )
    return text


def beside(root):
    """Return a table of the ARI of reseat and the three best other methods, by data set."""
    with open(root / "benchmarks" / "own_data.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    lines = ["| data | reseat | others |", "|---|---|---|"]
    for about in dict.fromkeys(row["about"] for row in rows):
        own = [row for row in rows if row["about"] == about and row["ARI"]]  # empty if it failed
        scores = {row["method"]: float(row["ARI"]) for row in own}
        ours = scores.pop("reseat")
        best = sorted(scores, key=scores.get, reverse=True)[:3]
        others = ", ".join(f"{name} {_score(scores[name], ours)}" for name in best)
        # The note that data are generated follows the details that are cut off here.
        name = about.split(":")[0]
        if "(generated)" in about and "generated" not in name:
            name += " (generated)"
        lines.append(f"| {name} | {_score(ours, max(scores.values()))} | {others} |")
    return "\n".join(lines) + "\n"


def _score(value, other):
    """Return a score with two decimals, in bold if it is the larger of the two as printed."""
    text = f"{value:.2f}"
    return f"**{text}**" if float(text) > float(f"{other:.2f}") else text


def renewed(text, inside, marks=(START, END)):
    """Return `text` with `inside` between the marks; raise ValueError unless each is there once."""
    before, _start, rest = text.partition(marks[0])
    _old, end, after = rest.partition(marks[1])
    if not end or any(text.count(mark) != 1 for mark in marks):
        first, last = (mark.strip() for mark in marks)
        raise ValueError(f"README.md must contain the lines {first} and {last} exactly once.")
    return before + marks[0] + inside + end + after


def main():
    """Update README.md."""
    path = ROOT / "README.md"
    text = path.read_text(encoding="utf-8")
    try:
        text = renewed(text, block(ROOT))
        write_text(path, renewed(text, beside(ROOT), (BESIDE_START, BESIDE_END)))
    except ValueError as error:
        sys.exit(str(error))
    print("README.md says what was measured.")


if __name__ == "__main__":
    main()
