"""Images on the pages of the report."""

from __future__ import annotations

from pathlib import Path
from statistics import median

from reseat.plots.panels import read_panels

#: Size in bytes above which the PNG is shown instead of the SVG.
LARGEST_SVG = 1_500_000


#: Width in points from which a panel needs the whole width of a phone.
HALF = 135

#: Number of characters at the beginning of an SVG that contain its description.
HEAD = 4000


def panels(folder, name):
    """Return the panels of a figure separately, for screens too narrow for two side by side.

    `src` is the part of ``NAME.svg`` that shows a panel, and `half` says whether two such panels
    fit side by side. There are none if the figure has a single panel or is shown as a PNG.
    """
    if not (picture(folder, name) or "").endswith(".svg"):
        return []
    folder = Path(folder)
    with open(folder / f"{name}.svg", encoding="utf-8") as file:
        boxes = read_panels(file.read(HEAD))
    if len(boxes) < 2:
        return []
    narrow = median(width for _x, _y, width, _height in boxes) < HALF
    return [
        {
            "half": narrow and width < 1.2 * HALF,
            "src": f"{folder.name}/{name}.svg#svgView(viewBox({x},{y},{width},{height}))",
            "width": width,
            "height": height,
        }
        for x, y, width, height in boxes
    ]


def picture(folder, name):
    """Return the address of `NAME.svg`, or of `NAME.png` if the SVG is too large or missing.

    The address is relative to the parent of the folder; None if there is neither file.
    """
    folder = Path(folder)
    vector, raster = folder / f"{name}.svg", folder / f"{name}.png"
    if vector.is_file() and (vector.stat().st_size <= LARGEST_SVG or not raster.is_file()):
        return f"{folder.name}/{vector.name}"
    return f"{folder.name}/{raster.name}" if raster.is_file() else None
