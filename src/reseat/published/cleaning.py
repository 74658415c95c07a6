"""Removal of paths of one machine, and of links to files that are not published."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import Any

from reseat.published.manifest import PACKED

__all__ = ["machine_paths", "mend_page", "without_paths"]

ANCHOR = re.compile(r'<a\b[^>]*?\bhref="([^"]*)"[^>]*>(.*?)</a>', re.S)
HREF = re.compile(r'\s*\bhref="[^"]*"')
#: A figure as a whole, followed by its panels one by one, which are parts of an SVG.
PANELS = re.compile(
    r'class="sheet whole" (href="([^"]*)"[^>]*>.*?</a>)\s*<div class="sheet panels">.*?</div>', re.S
)
IMAGE = re.compile(r'(<img\b[^>]*?\bsrc=")([^"]*)(")')


def without_paths(settings: Any) -> Any:
    """Return settings in which paths outside the project are reduced to their last part."""
    if isinstance(settings, dict):
        return {key: without_paths(value) for key, value in settings.items()}
    if isinstance(settings, list):
        return [without_paths(value) for value in settings]
    # The default folder of mirrors is beside the project; anything further away is the user's.
    if isinstance(settings, str) and settings.startswith(("/", "~", "../..")):
        return PurePosixPath(settings).name
    return settings


def machine_paths(text: str, root: str | os.PathLike) -> list[str]:
    """Return those of the project's folder and the user's home folder that a text mentions."""
    folders = {str(Path(root).resolve()), str(Path.home())} - {"/"}
    # Only as whole names: a short path such as /root may also be part of a longer name, and /code
    # of the tag </code>.
    whole = r"(?<![\w./<-]){}(?![\w-])"
    return [one for one in sorted(folders) if re.search(whole.format(re.escape(one)), text)]


def mend_page(page: str, published: set[str]) -> str:
    """Return a page of the report with its dead links mended or removed.

    Links to files that are not published are removed, and links to tables that were compressed lead
    to the compressed file. Where an SVG was replaced by a PNG, the PNG is shown, and only as a
    whole, since its panels cannot be shown separately.
    """

    def place(target):
        """Return the new target of a link, or an empty string if the file is not published."""
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
            return HREF.sub("", found[0], count=1)  # <a> stays: SVG has no <span>
        return found[0].replace(f'href="{found[1]}"', f'href="{target}"', 1)

    def image(found):
        start, target, end = found.groups()
        return start + (place(target) or target) + end

    def sheet(found):
        return found[0] if place(found[2]) == found[2] else f'class="sheet" {found[1]}'

    return IMAGE.sub(image, ANCHOR.sub(link, PANELS.sub(sheet, page)))
