"""Pictures of the pages."""

from __future__ import annotations

import base64
import io
from pathlib import Path

from reseat.plots import house_style
from reseat.plots.style import fix_layout

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


def figure_uri(fig):
    """A matplotlib figure as the data URI of an SVG, the same bytes for the same figure."""
    buffer = io.BytesIO()
    fix_layout(fig)
    with house_style():
        fig.savefig(buffer, format="svg", metadata={"Date": None, "Creator": "reseat"})
    return f"data:image/svg+xml;base64,{base64.b64encode(buffer.getvalue()).decode('ascii')}"
