"""What figures share: rows, letters, titles, legends, and boxes."""

import math
import string
import textwrap

import pandas as pd

from reseat.plots.style import new_figure
from reseat.vocabulary import FAITHFUL

INK = "#222222"


def panel_grid(n_panels, columns, width, height, rest=0.0, **shared):
    """Return a figure whose panels, in inches, stand in rows, with `rest` beyond their height."""
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


def noted(table):
    """Return which rows of a table have a note, as they do if chains disagree."""
    notes = table["note"] if "note" in table else pd.Series("", index=table.index)
    return notes.fillna("").ne("")


def title_of(name, titles, status=FAITHFUL):
    """Return the title of `name`, with the status of the data if they are not the paper's."""
    title = (titles or {}).get(name, name)
    said = title.lower().startswith(status)
    return title if said else title + status_note(status)


def status_note(status):
    """Return what follows the name of data that are not the paper's: their status in brackets."""
    return "" if status == FAITHFUL else f" ({status})"


def panel_title(part, titles):
    """Return the title of the panel of a role, with the status of data that are not the paper's."""
    first = part.iloc[0]
    return title_of(first["role"], titles, first["status"])


def draw_boxes(ax, boxes, positions, width, color, fills):
    """Draw boxes of one colour, filled with `fills`, from the numbers that `Axes.bxp` takes."""
    line = {"color": color, "linewidth": 0.7}
    look = {"whiskerprops": line, "capprops": line, "widths": width, "capwidths": 0.5 * width}
    look["boxprops"] = {"edgecolor": color, "linewidth": 0.7}
    look["medianprops"] = {"color": INK, "linewidth": 0.9, "solid_capstyle": "butt"}
    look |= {"patch_artist": True, "showfliers": False, "manage_ticks": False}
    drawn = ax.bxp(boxes, positions=positions, **look)
    for place, (x, box, fill) in enumerate(zip(positions, boxes, fills, strict=True)):
        drawn["boxes"][place].set_facecolor(fill)
        if box["q1"] == box["q3"]:  # without height it would be a speck: draw a square instead
            look = {"markerfacecolor": fill, "markeredgecolor": color, "markeredgewidth": 0.7}
            ax.plot(x, box["med"], linestyle="none", marker="s", markersize=2.6, zorder=3, **look)


def draw_heatmap(ax, matrix, colors, low, high, columns=5, rows=5):
    """Draw a matrix as squares, the first row at the top and every fifth numbered; return them."""
    import seaborn  # here, because it takes longer to import than many figures to be drawn

    look = {"square": True, "cbar": False, "rasterized": True}
    ticks = {"xticklabels": columns, "yticklabels": rows}
    seaborn.heatmap(matrix, cmap=colors, vmin=low, vmax=high, ax=ax, **look, **ticks)
    ax.tick_params(rotation=0)
    return ax.collections[0]
