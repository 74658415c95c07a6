"""Pictures of the pages."""

from __future__ import annotations

from pathlib import Path

#: Above this many bytes an SVG weighs more than it is worth, and the PNG is taken.
LARGEST_SVG = 1_500_000


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
