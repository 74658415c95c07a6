"""A figure as bytes."""

import io

from reseat.plots import house_style
from reseat.plots.style import fix_layout


def svg_of(fig):
    """The file of a figure in one format: the same bytes for the same figure."""
    buffer = io.BytesIO()
    fix_layout(fig)
    with house_style():
        fig.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()
