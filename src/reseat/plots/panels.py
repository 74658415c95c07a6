"""Where the panels of a figure lie, as words in the description of its SVG."""

from __future__ import annotations

import re

#: What stands before the boxes.
_WORD = "panels "


def describe_panels(boxes):
    """Boxes as text.

    Parameters
    ----------
    boxes : iterable of tuple of int
        Left, top, width and height in points.
    """
    return _WORD + "; ".join(" ".join(map(str, box)) for box in boxes)


def read_panels(text):
    """The boxes that a text tells, as `describe_panels` writes them; none if it tells none."""
    found = re.search(rf"{_WORD}([\d ;]+)", text)
    return [tuple(map(int, box.split())) for box in found.group(1).split(";")] if found else []
