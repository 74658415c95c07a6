"""The layout of figures with several panels: rows, letters, titles and legends."""

from __future__ import annotations

import math
import string
import textwrap

from reseat.plots.style import new_figure


def panel_grid(n_panels, columns, width, height, rest=0.0, **shared):
    """Return a figure whose panels stand in rows; unused places of the last row are blank.

    All sizes are in inches; `rest` is the height beyond that of the rows.
    """
    rows = math.ceil(n_panels / columns)
    fig = new_figure(width, height * rows + rest)
    axes = fig.subplots(rows, columns, squeeze=False, **shared).ravel()
    for ax in axes[n_panels:]:
        ax.set_axis_off()
    for ax in axes[max(0, n_panels - columns) : n_panels]:
        ax.tick_params(labelbottom=True)  # a shared axis is labelled in the last row only
    return fig, axes[:n_panels]


def letter(index):
    """Return the letter of a panel, counted from 0."""
    return string.ascii_lowercase[index % len(string.ascii_lowercase)]


def fitted(title, n_columns):
    """Return a title broken into lines that fit above one of `n_columns` panels side by side."""
    # The labels of its axis take part of the width of a panel.
    width = max(100 // n_columns - 6, 21)
    return textwrap.fill(title, width, break_on_hyphens=False)


def legend_below(fig, ax, most=None):
    """Add a legend of one panel below all panels, in one row or in rows of `most` names."""
    handles, labels = ax.get_legend_handles_labels()
    if labels:
        columns = min(most or len(labels), len(labels))
        fig.legend(handles, labels, loc="outside lower center", ncols=columns)
