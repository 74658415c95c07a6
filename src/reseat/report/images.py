"""Pictures of the pages."""

from __future__ import annotations

from pathlib import Path
from statistics import median

from reseat.plots.panels import read_panels

#: Above this many bytes an SVG weighs more than it is worth, and the PNG is taken.
LARGEST_SVG = 1_500_000


#: Points from which a panel needs the whole width of a phone.
HALF = 135

#: Characters of an SVG before which its description stands.
HEAD = 4000


def panels(folder, name):
    """The panels of a figure one by one, for screens on which they cannot stand side by side.

    Returns
    -------
    list of dict
        `src`, the part of ``NAME.svg`` that shows a panel, its `width` and `height`, and whether
        two of them stand side by side (`half`); empty if the figure is one panel or is shown as a
        PNG.
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
    """Address of `NAME.svg` in a folder, or of `NAME.png` if the SVG is too large or missing.

    Returns
    -------
    str or None
        Relative to the folder above; None if there is neither.
    """
    folder = Path(folder)
    vector, raster = folder / f"{name}.svg", folder / f"{name}.png"
    if vector.is_file() and (vector.stat().st_size <= LARGEST_SVG or not raster.is_file()):
        return f"{folder.name}/{vector.name}"
    return f"{folder.name}/{raster.name}" if raster.is_file() else None
