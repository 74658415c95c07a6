"""Box plots of posterior statistics beside the published ones (Zanella et al. 2016, Figure 2)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.colors import to_rgba
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from reseat.plots.checks import noted, require_columns, title_of
from reseat.plots.layout import fitted
from reseat.plots.priors import in_order, prior_style
from reseat.plots.style import TEXT_WIDTH, house_style, new_figure

BOX = ("whisker_low", "q25", "median", "q75", "whisker_high")

STATISTICS = {
    "n_singletons": "singletons",
    "max_size": "maximum size",
    "mean_size": "mean size",
    "size_p90": "90th percentile",
}

_INK = "#222222"

#: Opacity of a box whose numbers have a note against them.
_PALE = 0.3

#: Statistics that count records: their axes show whole numbers and span at least two.
_WHOLE = ("max_size", "size_p90")


def posterior_boxes(table, titles=None):
    """Draw box plots: a row of panels per statistic, a column per data set, a group per delta.

    Filled boxes are ours, pale where there is a note, and the open ones to their right are the
    published ones; a dashed line is the truth.
    """
    columns = ["role", "status", "delta", "system", "statistic", "truth", "note", *BOX]
    columns += [f"published_{name}" for name in BOX]
    require_columns(table, columns, "the table of boxes")
    roles = list(pd.unique(table["role"]))
    statistics = [name for name in STATISTICS if name in set(table["statistic"])]
    systems = in_order(table["system"])
    # Only the deltas of each data set: a place for any other delta would stay empty.
    deltas = {role: sorted(own["delta"].unique()) for role, own in table.groupby("role")}
    widths = [max(2.2, len(deltas[role])) for role in roles]
    with house_style():
        heights = [0.7 if name == "size_p90" else 1.0 for name in statistics]
        fig = new_figure(max(TEXT_WIDTH * len(roles) / 4, 3.4), 1.55 * sum(heights) + 0.75)
        panels = fig.subplots(
            *(len(statistics), len(roles)),
            squeeze=False,
            sharex="col",
            height_ratios=heights,
            width_ratios=widths,
        )
        for row, statistic in zip(panels, statistics, strict=True):
            for ax, role in zip(row, roles, strict=True):
                part = table[(table["role"] == role) & (table["statistic"] == statistic)]
                _draw_panel(ax, part, systems, deltas[role])
                if statistic in _WHOLE:
                    _whole_axis(ax)
            row[0].set_ylabel(STATISTICS[statistic])
        for ax, role in zip(panels[0], roles, strict=True):
            status = table.loc[table["role"] == role, "status"].iloc[0]
            ax.set_title(fitted(title_of(role, titles, status), len(roles)), fontsize=7.5)
        for ax, role in zip(panels[-1], roles, strict=True):
            ax.set_xticks(range(len(deltas[role])), [f"{delta:g}" for delta in deltas[role]])
            ax.set_xlabel("\N{GREEK SMALL LETTER DELTA}")
        _legend(fig, table, systems)
    return fig


def _draw_panel(ax, part, systems, deltas):
    slot = 0.84 / (2 * len(systems))
    for place, system in enumerate(systems):
        color = prior_style(system, systems)["color"]
        of_system = part[part["system"] == system].assign(noted=noted)
        for kind, prefix in enumerate(("", "published_")):
            boxes, positions, fills = [], [], []
            for row in of_system.to_dict("records"):
                numbers = [row[prefix + name] for name in BOX]
                if np.isfinite(numbers).all():
                    keys = ("whislo", "q1", "med", "q3", "whishi")
                    boxes.append(dict(zip(keys, numbers, strict=True)))
                    offset = (2 * place + kind + 0.5) * slot - 0.42
                    positions.append(deltas.index(row["delta"]) + offset)
                    fills.append("white" if kind else _fill(color, row["noted"]))
            if boxes:
                draw_boxes(ax, boxes, positions, 0.9 * slot, color, fills)
    for truth in part["truth"].dropna().unique():
        ax.axhline(truth, color=_INK, linestyle=(0, (4, 2)), linewidth=0.7, zorder=1.5)
    ax.grid(False, axis="x")
    for edge in range(1, len(deltas)):
        ax.axvline(edge - 0.5, color="#dddddd", linewidth=0.5, zorder=0)
    ax.set_xlim(-0.5, len(deltas) - 0.5)
    ax.yaxis.set_major_locator(MaxNLocator(4))
    ax.margins(y=0.1)


def _fill(color, pale):
    """Return the fill of one of our boxes: pale if the table has a note against it."""
    return to_rgba(color, _PALE) if pale else color


def draw_boxes(ax, boxes, positions, width, color, fills=None):
    """Draw boxes of one colour from the numbers that `Axes.bxp` takes.

    They are filled with `fills`, by default the colour of the lines.
    """
    fills = [color] * len(boxes) if fills is None else fills
    line = {"color": color, "linewidth": 0.7}
    drawn = ax.bxp(
        boxes,
        positions=positions,
        widths=width,
        patch_artist=True,
        showfliers=False,
        manage_ticks=False,
        boxprops={"edgecolor": color, "linewidth": 0.7},
        medianprops={"color": _INK, "linewidth": 0.9, "solid_capstyle": "butt"},
        whiskerprops=line,
        capprops=line,
        capwidths=0.5 * width,
    )
    for place, (x, box, fill) in enumerate(zip(positions, boxes, fills, strict=True)):
        drawn["boxes"][place].set_facecolor(fill)
        if box["q1"] == box["q3"]:  # without height it would be a speck: draw a square instead
            look = {"markerfacecolor": fill, "markeredgecolor": color, "markeredgewidth": 0.7}
            ax.plot(x, box["med"], linestyle="none", marker="s", markersize=2.6, zorder=3, **look)


def _whole_axis(ax):
    low, high = ax.get_ylim()
    middle, half = (low + high) / 2, max(1.05, (high - low) / 2)
    ax.set_ylim(middle - half, middle + half)
    ax.yaxis.set_major_locator(MaxNLocator(4, integer=True))


def _legend(fig, table, systems):
    handles = [
        Patch(facecolor=prior_style(system, systems)["color"], label=system) for system in systems
    ]
    if table["published_median"].notna().any():
        handles += [
            Patch(facecolor="#777777", edgecolor="#777777", label="ours"),
            Patch(facecolor="white", edgecolor="#777777", label="published"),
        ]
    if noted(table).any():
        pale = to_rgba("#777777", _PALE)
        handles.append(Patch(facecolor=pale, edgecolor="#777777", label="chains disagree"))
    handles.append(Line2D([], [], color=_INK, linestyle=(0, (4, 2)), linewidth=0.8, label="truth"))
    fig.legend(handles=handles, loc="outside lower center", ncols=len(handles), columnspacing=1.4)
