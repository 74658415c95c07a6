"""Data sets in the plane beside the accuracy of the models on them (Vogt et al. 2010, Figure 2)."""

from __future__ import annotations

import pandas as pd
from matplotlib.ticker import MaxNLocator

from reseat.plots.accuracy import COLUMNS, draw_accuracy, name_starts, panel_title
from reseat.plots.checks import require_columns
from reseat.plots.style import MARKERS, PALETTE, TEXT_WIDTH, house_style, new_figure


def embeddings_and_accuracy(points, table, titles=None):
    """Draw a row per data set: one draw in the plane, and the ARI of each model over all draws."""
    require_columns(points, ["role", "x", "y", "label"], "the frame of points")
    require_columns(table, COLUMNS, "the table of repetitions")
    roles = list(pd.unique(table["role"]))
    with house_style():
        fig = new_figure(TEXT_WIDTH, 2.9 * len(roles))
        panels = fig.subplots(len(roles), 2, squeeze=False, width_ratios=(1.15, 1))
        for index, (role, (left, right)) in enumerate(zip(roles, panels, strict=True)):
            part = table[table["role"] == role]
            _draw_points(left, points[points["role"] == role])
            draw_accuracy(right, part, table["ari"].min())
            left.set_title(f"({'ace'[index % 3]}) {panel_title(part, titles)}: one draw")
            right.set_title(f"({'bdf'[index % 3]}) {part['draw'].nunique()} draws")
            right.set_ylabel("adjusted Rand index")
        name_starts(fig, table)
        fig.get_layout_engine().set(hspace=0.06)
    return fig


def _draw_points(ax, points):
    for place, (_label, part) in enumerate(points.groupby("label")):
        ax.plot(
            part["x"],
            part["y"],
            linestyle="none",
            # When the colours repeat, the markers change.
            marker=MARKERS[place // len(PALETTE) % len(MARKERS)],
            markersize=3.6,
            markeredgewidth=0.3,
            markeredgecolor="white",
            color=PALETTE[place % len(PALETTE)],
            alpha=0.85,
        )
    ax.set_xlabel("first kernel principal component")
    ax.set_ylabel("second kernel principal component")
    ax.xaxis.set_major_locator(MaxNLocator(5))
    ax.yaxis.set_major_locator(MaxNLocator(5))
