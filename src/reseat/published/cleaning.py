"""Take out what belongs to one machine, and links to what is not published."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import Any

from reseat.published.manifest import PACKED

__all__ = ["machine_paths", "mend_page", "without_paths"]

ANCHOR = re.compile(r'<a\b[^>]*?\bhref="([^"]*)"[^>]*>(.*?)</a>', re.S)
HREF = re.compile(r'\s*\bhref="[^"]*"')
#: A figure as a whole, and its panels one by one: parts of an SVG.
PANELS = re.compile(
    r'class="sheet whole" (href="([^"]*)"[^>]*>.*?</a>)\s*<div class="sheet panels">.*?</div>', re.S
)
IMAGE = re.compile(r'(<img\b[^>]*?\bsrc=")([^"]*)(")')


def without_paths(settings: Any) -> Any:
    """Settings in which of a path outside the project only the last part is left.

    Parameters
    ----------
    settings : object
        As YAML has them.
    """
    if isinstance(settings, dict):
        return {key: without_paths(value) for key, value in settings.items()}
    if isinstance(settings, list):
        return [without_paths(value) for value in settings]
    # The default folder of mirrors is beside the project; what lies further away is the user's.
    if isinstance(settings, str) and settings.startswith(("/", "~", "../..")):
        return PurePosixPath(settings).name
    return settings


def machine_paths(text: str, root: str | os.PathLike) -> list[str]:
    """Mentions of the folder of the project, or of the user's, in a text."""
    folders = {str(Path(root).resolve()), str(Path.home())} - {"/"}
    # Not as a part of a longer name, as short ones such as /root may be.
    whole = r"(?<![\w./-]){}(?![\w-])"
    return [one for one in sorted(folders) if re.search(whole.format(re.escape(one)), text)]


def mend_page(page: str, published: set[str]) -> str:
    """A page of the report whose links all lead somewhere.

    Parameters
    ----------
    page : str
        HTML.
    published : set of str
        Files beside it, by their path below its folder.

    Returns
    -------
    str
        What leads to another file of the run leads nowhere, and to a table that was compressed to
        that; an SVG that gave way to a PNG is shown as that, and only as a whole, since a PNG has
        no parts that can be shown alone.
    """

    def place(target):
        """Where a link leads now; empty if to nothing that is published."""
        path = target.partition("#")[0]
        if not path or ":" in path or path in published:
            return target
        if path + PACKED in published:
            return path + PACKED
        raster = str(PurePosixPath(path).with_suffix(".png"))
        return raster if path.endswith(".svg") and raster in published else ""

    def link(found):
        target = place(found[1])
        if not target:
            return HREF.sub("", found[0], count=1)  # an element of another name is none in an SVG
        return found[0].replace(f'href="{found[1]}"', f'href="{target}"', 1)

    def image(found):
        start, target, end = found.groups()
        return start + (place(target) or target) + end

    def sheet(found):
        return found[0] if place(found[2]) == found[2] else f'class="sheet" {found[1]}'

    return IMAGE.sub(image, ANCHOR.sub(link, PANELS.sub(sheet, page)))
