"""A figure as bytes, and the titles of its panels."""

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


def titles_of(fig):
    """Titles of the panels that have one."""
    return [ax.get_title(loc="left") for ax in fig.axes if ax.get_title(loc="left")]


def names_in_legend(fig):
    """What the legend below the panels names, in its order."""
    return [text.get_text() for text in fig.legends[0].get_texts()]
