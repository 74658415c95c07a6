"""Sections of README.md, CONTRIBUTING.md and similar files, included in pages of the site."""

import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
BLOCK = re.compile(r'^```\{generated\} +(?:section|changes) +(\S+)(?: +"([^"]+)")?\n', re.M)

#: Where each section of a file of the project is included: file and anchor to page and anchor.
_PLACES = {}


def headings(text):
    """Yield line number, level and title of each heading that is not inside a block of code."""
    fenced = False
    for number, line in enumerate(text.splitlines()):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and (found := re.match(r"(#+) +(.+)", line)):
            yield number, len(found[1]), found[2].strip()


def slug(title):
    """Return the anchor of a heading, as GitHub and MyST make it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def cut(text, title=None):
    """Return level and lines of the section `title`, or of the file, without its heading."""
    found = list(headings(text))
    matching = [place for place in found if title in (None, place[2])]
    if title is None:
        matching = matching[:1]
    if len(matching) != 1:
        raise LookupError(f"there are {len(matching)} sections {title!r}; one is needed")
    start, level, _title = matching[0]
    end = next((n for n, other, _ in found if n > start and other <= level), None)
    return level, text.splitlines()[start + 1 : end]


def find_places(folder):
    """Record which sections the pages in `folder` include."""
    _PLACES.clear()
    for page in sorted(folder.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        for block in BLOCK.finditer(text):
            file, title = block.groups()
            _number, level, own = list(headings(text[: block.start()]))[-1]
            anchor = "" if level == 1 else slug(own)
            if title is None:
                _PLACES[file, ""] = page, anchor
            else:
                _PLACES[file, slug(title)] = page, anchor
            _level, body = cut((ROOT / file).read_text(encoding="utf-8"), title)
            for _line, _deep, below in headings("\n".join(body)):
                _PLACES.setdefault((file, slug(below)), (page, slug(below)))


def section(page, before, file, title=None):
    """Return the text below a heading of `file`, for the place in `page` after the text `before`.

    Headings inside are moved to the level below the last heading of `before`, and links lead to
    the pages that include their targets.
    """
    level, lines = cut((ROOT / file).read_text(encoding="utf-8"), title)
    _number, here, _own = list(headings(before))[-1]
    for number, deep, below in headings("\n".join(lines)):
        lines[number] = "#" * (deep + here - level) + " " + below
    return mend_links("\n".join(lines).strip(), page, file), [ROOT / file]


def changes(page, before, file):
    """Return a changelog in which the long lists of each version are folded."""
    text, files = section(page, before, file)
    part = r"^#+ (Added|Changed|Draws that changed|Fixed|Removed)$(.*?)(?=^#|\Z)"
    return re.sub(part, r":::{dropdown} \1\n\2\n:::\n", text, flags=re.M | re.S), files


def introduction(page, before, file):
    """Return the text of `file` between its first and second heading."""
    text = (ROOT / file).read_text(encoding="utf-8")
    (start, *_), (end, *_) = list(headings(text))[:2]
    return mend_links("\n".join(text.splitlines()[start + 1 : end]), page, file), [ROOT / file]


def mend_links(text, page, file):
    """Change links relative to `file` to links relative to `page`, except in blocks of code."""
    parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    for number in range(0, len(parts), 2):
        parts[number] = LINK.sub(lambda link: _mended(*link.groups(), page, file), parts[number])
    return "".join(parts)


def _mended(mark, words, target, page, file):
    if "://" in target:
        return f"{mark}[{words}]({target})"
    path, _hash, anchor = target.partition("#")
    path = path or file
    place, anchor = _PLACES.get((path, anchor)) or _PLACES.get((path, "")) or (ROOT / path, "")
    if not place.is_file() or (place.suffix == ".md" and not place.is_relative_to(ROOT / "docs")):
        return words  # the site has no such page
    relative = os.path.relpath(place, page.parent)
    return f"{mark}[{words}]({relative}{'#' if anchor else ''}{anchor})"
