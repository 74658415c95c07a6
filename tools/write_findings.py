"""Write the findings, with their numbers, to reports/published/findings.

    python tools/write_findings.py

The pages of docs/findings name the numbers of the published run by reference, and `make docs` looks
them up for the website. Here they become plain Markdown, which anybody who opens the repository can
read without building anything.
"""

import os
import re
import shlex
import sys
from pathlib import Path

from reseat.errors import DataError
from reseat.files.atomic import write_text
from reseat.kept_run import PublishedRun
from reseat.kept_run.writing import FOLDER

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs" / "extensions"))

from generated import BLOCK, KINDS  # noqa: E402

PAGES = ROOT / "docs" / "findings"
TARGET = ROOT / FOLDER / "findings"

ROLE = re.compile(r"\{([a-z:]+)\}`([^`]+)`")
LABEL = re.compile(r"^\([a-z0-9-]+\)=\n", re.M)
LINK = re.compile(r"\[([^\]]*)\]\((?!https?:|#)([^)#]+)(#[^)]*)?\)")
TAG = re.compile(r"</?span[^>]*>")


def page(path, run):
    """Return a page of docs/findings as Markdown without references to be looked up."""
    text = path.read_text(encoding="utf-8")
    text = BLOCK.sub(lambda block: _generated(path, text[: block.start()], block[1]), text)
    text = looked_up(TAG.sub("", LABEL.sub("", text)), run)
    title, _line, rest = text.partition("\n")
    source = os.path.relpath(path, TARGET)
    said = f"*Written by `tools/write_findings.py` from [{path.name}]({source}) and this run.*"
    return f"{title}\n\n{said}\n{LINK.sub(lambda link: _link(path, *link.groups()), rest)}"


def looked_up(text, run):
    """Return a text with numbers of a run in place of references to them."""
    return ROLE.sub(lambda role: _shown(run, *role.groups()), text)


def _generated(path, before, words):
    kind, *arguments = shlex.split(words)
    return KINDS[kind](path, before, *arguments)[0]


def _shown(run, role, reference):
    if role == "num":
        return run.look_up(reference)
    if role == "claim":
        return run.look_up(f"claims:{reference}")
    return f"`{reference.removeprefix('~')}`"


def _link(path, words, target, anchor):
    """Return a link as it is from the folder of the published run, with a title if it has none."""
    file = path.parent / target
    if file.parent == PAGES:
        place = target
    else:
        place = os.path.relpath(file, TARGET)
    title = words or file.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
    return f"[{title}]({place}{anchor or ''})"


def main():
    """Write all pages, or none."""
    try:
        run = PublishedRun(ROOT / FOLDER)
        written = {path.name: page(path, run) for path in sorted(PAGES.glob("*.md"))}
    except (DataError, LookupError) as error:  # such as a run without some of the data sets
        print(f"The findings are not written, because a number is not in this run: {error}")
        return
    TARGET.mkdir(exist_ok=True)
    for name, text in written.items():
        write_text(TARGET / name, text)
    print(f"The findings are in {TARGET.relative_to(ROOT)}.")


if __name__ == "__main__":
    main()
