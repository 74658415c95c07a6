"""Write what was found into README.md, from reports/published.

    python tools/readme.py

Between the two marks, a picture and the scoreboard of the published run take the place of what
stands there; if no run is published, a sentence that says so.
"""

import sys
from pathlib import Path

from reseat.errors import DataError
from reseat.io import write_text
from reseat.published import PublishedRun, findings
from reseat.published.writing import FOLDER

ROOT = Path(__file__).resolve().parent.parent
START = "<!-- Found: written by tools/readme.py from reports/published -->\n"
END = "<!-- End of what was found -->\n"

NOT_YET = """\
No run has been published in `reports/published` yet: `make all`, then `make publish`, writes
what was found into this place.
"""

#: Shown as long as the published run has no overview of its own.
PICTURE = """
![Log joint density of one Gibbs chain against the sweep, a panel a data set](docs/docs_fig2.png)

*`docs_fig2`, after Figure 2 of Walker & Ringger (2008): the log joint density of one chain on each
data set, and the range of all; the shaded sweeps are the burn-in.*
"""


def block(root):
    """What belongs between the marks.

    Parameters
    ----------
    root : Path
        Folder of the project.

    Returns
    -------
    str
    """
    try:
        run = PublishedRun(root / FOLDER)
    except DataError:
        return NOT_YET + PICTURE
    lines = findings(run)
    picture = next(
        (
            path.relative_to(root).as_posix()
            for ending in ("svg", "png")
            if (path := run.folder / f"overview.{ending}").is_file()
        ),
        None,
    )
    text = "\n".join(lines) + "\n"
    if picture is None:
        return text + PICTURE
    return f"{text}\n![Every published number beside ours, a panel a paper]({picture})\n"


def renewed(text, inside):
    """`text` with `inside` between the marks; ValueError if they are not there once each."""
    before, start, rest = text.partition(START)
    old, end, after = rest.partition(END)
    if not start or not end or START in after or START in old:
        raise ValueError(f"README.md must have the lines {START.strip()} and {END.strip()} once.")
    return before + start + inside + end + after


def main():
    """Renew README.md."""
    path = ROOT / "README.md"
    text = path.read_text(encoding="utf-8")
    try:
        write_text(path, renewed(text, block(ROOT)))
    except ValueError as error:
        sys.exit(str(error))
    print("README.md says what was found.")


if __name__ == "__main__":
    main()
