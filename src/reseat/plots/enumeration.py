"""Sampled against enumerated probabilities of partitions."""

import numpy as np
import pandas as pd
from matplotlib.ticker import LogLocator, NullFormatter

from reseat.plots.layout import panel_grid
from reseat.plots.style import PALETTE, TEXT_WIDTH, house_style

#: Number of standard deviations up to which a distance is due to chance.
BY_CHANCE = 3

#: Largest number of panels in a row.
IN_A_ROW = 4


def exact_versus_sampled(table):
    """Draw sampled against exact probabilities on logarithmic axes, one panel per prior."""
    priors = list(pd.unique(table["prior"]))
    columns = min(IN_A_ROW, len(priors))
    positive = table[table["sampled"] > 0]
    ends = np.array([positive[["exact", "sampled"]].min().min() / 2, 1.0])
    with house_style():
        width = TEXT_WIDTH * columns / IN_A_ROW
        fig, axes = panel_grid(len(priors), columns, width, 2.5, sharex=True, sharey=True)
        for ax, prior in zip(axes, priors, strict=True):
            part = positive[positive["prior"] == prior]
            draw_check(ax, part, ends, {"color": PALETTE[0], "marker": "o"})
            ax.set_title(f"{prior}\n{judge(ax, table[table['prior'] == prior], 6.5)}", fontsize=7.5)
            ax.set_xlabel("exact probability")
            ax.tick_params(labelbottom=True)  # as there is a name below it
        for ax in axes[::columns]:
            ax.set_ylabel("sampled")
    return fig


def judge(ax, part, size):
    """Return the verdict on a distribution; write its chance distance and gaps in the corners."""
    distance, usual = part[["total_variation", "by_chance"]].iloc[0]
    variance = part["exact"] * (1 - part["exact"]) / part["n_draws"]
    spread = np.sqrt((1 - 2 / np.pi) * variance.sum()) / 2  # of a sum of half-normal variables
    look = {"transform": ax.transAxes, "fontsize": size, "color": "#555555"}
    said = f"by chance\n{usual:.4f} \N{PLUS-MINUS SIGN} {spread:.4f}"
    ax.text(0.04, 0.96, said, va="top", **look)
    n_unseen = int((part["sampled"] <= 0).sum())
    if n_unseen:
        said = f"{n_unseen} of {len(part)}\nnever sampled"
        ax.text(0.97, 0.04, said, ha="right", **look)
    verdict = "by chance" if distance <= usual + BY_CHANCE * spread else "NOT by chance"
    return f"{distance:.4f} away\n{verdict}"


def draw_check(ax, part, ends, style):
    """Draw sampled against exact probabilities of one distribution, with the line of equality."""
    line = np.geomspace(*ends, 100)
    spread = 2 * np.sqrt(line * (1 - line) / part["n_draws"].iloc[0])
    low, high = np.maximum(line - spread, ends[0] / 10), line + spread
    ax.fill_between(line, low, high, color="#e3e3e3", linewidth=0)
    ax.plot(ends, ends, color="#555555", linewidth=0.8)
    look = style | {"markersize": 3.6, "markeredgecolor": "white", "markeredgewidth": 0.3}
    ax.plot(part["exact"], part["sampled"], linestyle="none", **look)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlim(*ends)
    ax.set_ylim(*ends)
    ax.set_aspect("equal")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(LogLocator(numticks=4))
        axis.set_minor_formatter(NullFormatter())
