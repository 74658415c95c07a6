"""Distributions of cluster sizes (Zanella et al. 2016, supplement, figure 1)."""

from __future__ import annotations

import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from reseat.plots.checks import noted, require_columns, title_of
from reseat.plots.priors import in_order, prior_style
from reseat.plots.style import TEXT_WIDTH, house_style, new_figure

_TRUTH = "#b0b0b0"

#: Smallest posterior mean that is drawn, because there are no fractions of a cluster.
SMALLEST = 1.0


def size_distributions(table, titles=None):
    """Draw the number of clusters of each size: the truth, and lines of the posterior means.

    One row of panels per role and one column per delta, with a logarithmic axis of counts that
    begins just below one; bands are 95 % intervals, and markers are hollow where there is a note.
    """
    columns = ["role", "status", "delta", "system", "size", "truth", "mean", "q025", "q975", "note"]
    require_columns(table, columns, "the table of sizes")
    roles = list(pd.unique(table["role"]))
    deltas = sorted(pd.unique(table["delta"]))
    systems = in_order(table["system"])
    with house_style():
        fig = new_figure(TEXT_WIDTH, 2.15 * len(roles) + 0.45)
        panels = fig.subplots(len(roles), len(deltas), squeeze=False, sharey="row", sharex="row")
        for row, role in zip(panels, roles, strict=True):
            for ax, delta in zip(row, deltas, strict=True):
                part = table[(table["role"] == role) & (table["delta"] == delta)]
                if len(part) == 0:
                    ax.set_axis_off()
                    continue
                _draw_panel(ax, part, systems)
                status = part["status"].iloc[0]
                title = title_of(role, titles, status)
                ax.set_title(
                    f"{title}, \N{GREEK SMALL LETTER DELTA} = {delta:g}",
                    fontsize=7.8,
                )
            row[0].set_ylabel("number of clusters")
        for ax in panels[-1]:
            ax.set_xlabel("cluster size")
        _legend(fig, table, systems)
    return fig


def _draw_panel(ax, part, systems):
    truth = part.drop_duplicates("size").sort_values("size")
    # Lines, because bars would have to start at 0, which is not on this axis.
    some = truth[truth["truth"] > 0]
    ax.hlines(
        some["truth"], some["size"] - 0.45, some["size"] + 0.45, color=_TRUTH, linewidth=3, zorder=1
    )
    for system in systems:
        own = part[(part["system"] == system) & (part["mean"] >= SMALLEST)].sort_values("size")
        style = prior_style(system, systems)
        apart = noted(own).any()
        ax.fill_between(
            own["size"],
            own["q025"].clip(lower=SMALLEST / 2),  # 0 has no place on this axis
            own["q975"],
            color=style["color"],
            alpha=0.16,
            linewidth=0,
            zorder=2,
        )
        ax.plot(
            own["size"],
            own["mean"],
            **style,
            **_marker(style["color"], apart),
            zorder=3,
        )
    shown = part[(part["mean"] >= SMALLEST) | (part["truth"] > 0)]
    ax.set_xlim(0.4, max(5, shown["size"].max()) + 0.6)
    ax.set_yscale("log")
    ax.set_ylim(bottom=0.8 * SMALLEST)
    ax.yaxis.set_major_locator(LogLocator())
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _place: f"{value:g}"))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_locator(MaxNLocator(6, integer=True, steps=[1, 2, 5, 10]))
    ax.grid(False, axis="x")


def _marker(color, apart=False):
    """Return the style of a line and of its markers, which are hollow if the chains disagree."""
    return {
        "linewidth": 0.9,
        "markersize": 3.4,
        "markerfacecolor": "white" if apart else color,
        "markeredgecolor": color if apart else "white",
        "markeredgewidth": 0.8 if apart else 0.4,
    }


def _legend(fig, table, systems):
    handles = [Line2D([], [], color=_TRUTH, linewidth=3, label="truth")]
    for system in systems:
        style = prior_style(system, systems)
        handles.append(Line2D([], [], **style, **_marker(style["color"]), label=system))
    if noted(table).any():
        grey = {"color": "#777777", "linestyle": "none", "marker": "o"}
        look = _marker("#777777", apart=True)
        handles.append(Line2D([], [], **grey, **look, label="chains disagree"))
    fig.legend(handles=handles, loc="outside lower center", ncols=len(handles))
