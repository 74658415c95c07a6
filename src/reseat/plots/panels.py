"""Positions of the panels of a figure, as text in the description of its SVG."""

from __future__ import annotations

import re

#: Text that precedes the boxes.
_WORD = "panels "


def describe_panels(boxes):
    """Return boxes as text."""
    return _WORD + "; ".join(" ".join(map(str, box)) for box in boxes)


def read_panels(text):
    """Return the boxes in a text that `describe_panels` wrote; an empty list if it has none."""
    found = re.search(rf"{_WORD}([\d ;]+)", text)
    return [tuple(map(int, box.split())) for box in found.group(1).split(";")] if found else []
