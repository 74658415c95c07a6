"""Distributions of cluster sizes (Zanella et al. 2016, supplement, figure 1)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from reseat.plots.checks import require_columns, title_of
from reseat.plots.priors import in_order, prior_style
from reseat.plots.style import TEXT_WIDTH, house_style, new_figure

#: Smallest posterior mean that is drawn: one cluster in ten samples.
SMALLEST = 0.1


def size_distributions(table, titles=None):
    """Number of clusters of each size: bars of the truth, dots of the posterior means.

    Parameters
    ----------
    table : pandas.DataFrame
        One row a (role, delta, system, size): `role`, `status`, `delta`, `system`, `size`,
        `truth`, `mean`, `q025`, `q975`.
    titles : dict of str to str, optional
        Name of each role.

    Returns
    -------
    matplotlib.figure.Figure
        A row of panels a role, a column a delta, on a logarithmic axis of counts; bars at the dots
        are 95 % intervals.

    Raises
    ------
    ValueError
        If a column is missing or the frame is empty.
    """
    columns = ["role", "status", "delta", "system", "size", "truth", "mean", "q025", "q975"]
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
                note = "" if status == "faithful" else f" ({status})"
                ax.set_title(
                    f"{title_of(role, titles)}{note}, \N{GREEK SMALL LETTER DELTA} = {delta:g}",
                    fontsize=7.8,
                )
            row[0].set_ylabel("number of clusters")
        for ax in panels[-1]:
            ax.set_xlabel("cluster size")
        handles, labels = next(
            ax.get_legend_handles_labels() for ax in panels.ravel() if ax.has_data()
        )
        fig.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return fig


def _draw_panel(ax, part, systems):
    truth = part.drop_duplicates("size").sort_values("size")
    ax.bar(truth["size"], truth["truth"], width=0.86, color="#d3d3d3", label="truth", zorder=1)
    offsets = np.linspace(-0.27, 0.27, len(systems)) if len(systems) > 1 else [0.0]
    for offset, system in zip(offsets, systems, strict=True):
        of_system = part[(part["system"] == system) & (part["mean"] >= SMALLEST)]
        style = prior_style(system, systems)
        ax.errorbar(
            of_system["size"] + offset,
            of_system["mean"],
            yerr=np.clip(
                [
                    # A lower end of no cluster at all has no place on this axis.
                    of_system["mean"] - of_system["q025"].clip(lower=SMALLEST / 2),
                    of_system["q975"] - of_system["mean"],
                ],
                0,
                None,
            ),
            linestyle="none",
            marker=style["marker"],
            color=style["color"],
            markersize=3,
            markeredgecolor="white",
            markeredgewidth=0.3,
            elinewidth=0.8,
            label=system,
            zorder=3,
        )
    shown = part[(part["mean"] >= SMALLEST) | (part["truth"] > 0)]
    ax.set_xlim(0.4, max(5, shown["size"].max()) + 0.6)
    ax.set_yscale("log")
    ax.set_ylim(bottom=SMALLEST / 2)
    ax.yaxis.set_major_locator(LogLocator())
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _place: f"{value:g}"))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    ax.grid(False, axis="x")
