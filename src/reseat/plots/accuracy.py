"""Box plots of the agreement with the true blocks (Vogt et al. 2010, Figures 2 and 4)."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
from matplotlib.cbook import boxplot_stats
from matplotlib.patches import Patch
from matplotlib.ticker import MultipleLocator

from reseat.plots.boxes import draw_boxes
from reseat.plots.checks import require_columns, title_of
from reseat.plots.layout import letter, panel_grid
from reseat.plots.style import COLUMN_WIDTH, PALETTE, TEXT_WIDTH, house_style

#: Places in the palette: the paper's model is blue, and the methods that it is compared with have
#: other colours.
_COLORS = {"TIWD": 0, "WD": 1, "WD_R": 2, "WD_R (kernel PCA)": 5}
_COLORS |= {"Ward": 1, "CL": 2, "SL": 3, "AL": 4}

#: Columns of a table of repetitions.
COLUMNS = ("role", "status", "system", "start", "draw", "ari")

#: Fill of the boxes by the start of the chains, from left to right; None is the model's colour.
_FILLS = {"one": None, "many": "white", "truth": "#d0d0d0"}
_STARTS = {"one": "started in one block", "many": "in many blocks", "truth": "in the true blocks"}
_ANY_COLOR = "#777777"

#: Largest number of panels in a row.
IN_A_ROW = 4


def accuracy_boxes(table, titles=None):
    """Draw the ARI of each model, with one panel per data set and one dot per repetition."""
    require_columns(table, COLUMNS, "the table of repetitions")
    roles = list(pd.unique(table["role"]))
    columns = min(IN_A_ROW, len(roles))
    with house_style():
        width = max(TEXT_WIDTH * columns / IN_A_ROW, COLUMN_WIDTH)
        fig, axes = panel_grid(len(roles), columns, width, 2.3, 0.15, sharey=True)
        for index, (role, ax) in enumerate(zip(roles, axes, strict=True)):
            part = table[table["role"] == role]
            draw_accuracy(ax, part, table["ari"].min())
            ax.set_title(f"({letter(index)}) {panel_title(part, titles)}", fontsize=7.5)
            if index % columns == 0:
                ax.set_ylabel("adjusted Rand index")
        name_starts(fig, table)
    return fig


def name_starts(fig, table):
    """Add a legend of where the chains of the boxes start, if there are several kinds of start."""
    starts = [start for start in _FILLS if (table["start"] == start).any()]
    if len(starts) < 2:
        return
    handles = [
        Patch(facecolor=_FILLS[start] or _ANY_COLOR, edgecolor=_ANY_COLOR, label=_STARTS[start])
        for start in starts
    ]
    fig.legend(handles=handles, loc="outside lower center", ncols=len(handles))


def draw_accuracy(ax, part, lowest=0.0):
    """Draw the boxes of one data set, one per model, with one dot per repetition.

    If there are several kinds of start, their boxes stand side by side: filled for a start in one
    block, open for many blocks, and grey for the true blocks. The axis extends down to `lowest`,
    the smallest ARI in any panel, and at least to 0.
    """
    systems = list(pd.unique(part["system"]))
    starts = [start for start in _FILLS if (part["start"] == start).any()]
    room = 0.76 / len(starts) if len(starts) > 1 else 0.69
    width, spread = 0.9 * room, 0.3 * room
    for (place, system), (turn, start) in product(enumerate(systems), enumerate(starts)):
        own = part[(part["system"] == system) & (part["start"] == start)]
        values = own.sort_values("draw")["ari"].to_numpy()
        if len(values) == 0:
            continue
        color = PALETTE[_COLORS.get(system, place % len(PALETTE))]
        middle = place + room * (turn - (len(starts) - 1) / 2)
        fill = _FILLS[start] or color
        draw_boxes(ax, boxplot_stats(values), [middle], width, color, [fill])
        # Spread sideways by the number of the draw, so that equal values stay apart.
        aside = np.linspace(-spread, spread, len(values)) if len(values) > 1 else np.zeros(1)
        ax.plot(
            middle + aside,
            values,
            linestyle="none",
            marker="o",
            markersize=2.2,
            markerfacecolor="white",
            markeredgecolor="#222222",
            markeredgewidth=0.4,
            zorder=4,
        )
    names = [_printed(system) for system in systems]
    ax.set_xticks(range(len(systems)), names)
    ax.set_xlim(-0.55, len(systems) - 0.45)
    ax.set_ylim(min(0.0, lowest) - 0.04, 1.04)
    ax.yaxis.set_major_locator(MultipleLocator(0.2))
    ax.grid(False, axis="x")


def panel_title(part, titles):
    """Return the title of the panel of a role, with the status of data that are not the paper's."""
    first = part.iloc[0]
    return title_of(first["role"], titles, first["status"])


def _printed(system):
    return system.replace("WD_R (kernel PCA)", "WD$_R$\nkPCA").replace("WD_R", "WD$_R$")
