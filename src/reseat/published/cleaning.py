"""Take out what belongs to one machine, and links to what is not published."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import Any

__all__ = ["machine_paths", "mend_page", "without_paths"]

ANCHOR = re.compile(r'<a\b[^>]*?\bhref="([^"]*)"[^>]*>(.*?)</a>', re.S)
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
    folders = {str(Path(root).resolve()), str(Path.home())}
    return [folder for folder in sorted(folders) if len(folder) > 5 and folder in text]


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
        What leads to another file of the run is text without a link; an SVG that gave way to a
        PNG is shown as that.
    """

    def link(found):
        target = found[1].partition("#")[0]
        if not target or ":" in target or target in published:
            return found[0]
        return f"<span>{found[2]}</span>"

    def image(found):
        start, target, end = found.groups()
        other = str(PurePosixPath(target).with_suffix(".png"))
        known = target in published or ":" in target or other not in published
        return start + (target if known else other) + end

    return IMAGE.sub(image, ANCHOR.sub(link, page))
