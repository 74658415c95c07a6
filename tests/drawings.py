"""Figures as bytes or empty files, the titles of their panels and the names in their legends."""

import io

from reseat.plots import house_style
from reseat.plots.style import fix_layout


def svg_of(fig):
    """Return a figure as the bytes of an SVG file, which are the same for equal figures."""
    buffer = io.BytesIO()
    fix_layout(fig)
    with house_style():
        fig.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()


def write_nothing(figure, stem):
    """Write an empty SVG instead of a figure, which must have been drawn."""
    assert figure.axes
    stem.with_name(f"{stem.name}.svg").touch()


def titles_of(fig):
    """Return the titles of the panels that have one."""
    return [ax.get_title(loc="left") for ax in fig.axes if ax.get_title(loc="left")]


def names_in_legend(fig):
    """Return the names in the legend below the panels, in order."""
    return [text.get_text() for text in fig.legends[0].get_texts()]
