"""Sampled against enumerated probabilities of partitions."""

import numpy as np
import pandas as pd
from matplotlib.ticker import LogLocator, NullFormatter

from reseat.plots.layout import panel_grid
from reseat.plots.style import TEXT_WIDTH, house_style, prior_style

#: Longest name, in letters, for which the title of a panel stays on one line.
LONG = 6

#: Largest number of panels in a row.
IN_A_ROW = 4


def exact_versus_sampled(table):
    """Draw sampled against exact probabilities on logarithmic axes, one panel per prior.

    The line is equality, and the band shows two standard errors of independent draws; the titles
    give the total variation distance between the two distributions.
    """
    priors = list(pd.unique(table["prior"]))
    columns = min(IN_A_ROW, len(priors))
    positive = table[table["sampled"] > 0]
    ends = np.array([positive[["exact", "sampled"]].min().min() / 2, 1.0])
    with house_style():
        width = TEXT_WIDTH * columns / IN_A_ROW
        fig, axes = panel_grid(len(priors), columns, width, 2.05, sharex=True, sharey=True)
        for ax, prior in zip(axes, priors, strict=True):
            part = positive[positive["prior"] == prior]
            draw_check(ax, part, ends, prior_style(prior, priors))
            first = part.iloc[0]
            gap = ": " if len(prior) <= LONG else "\n"
            ax.set_title(f"{prior}{gap}distance {first['total_variation']:.4f}", fontsize=8)
            ax.text(
                *(0.04, 0.96, by_chance_text(table[table["prior"] == prior])),
                transform=ax.transAxes,
                va="top",
                fontsize=7,
                color="#555555",
            )
            ax.set_xlabel("exact probability")
        for ax in axes[::columns]:
            ax.set_ylabel("sampled")
    return fig


def by_chance_text(part):
    """Return the text in the corner of a panel: the distance by chance, and what is not drawn.

    It counts the partitions that were never sampled, which logarithmic axes cannot show.
    """
    n_unseen = int((part["sampled"] <= 0).sum())
    unseen = f"\n{n_unseen} of {len(part)} never sampled" if n_unseen else ""
    return f"{part['by_chance'].iloc[0]:.4f}\nby chance{unseen}"


def draw_check(ax, part, ends, style):
    """Draw sampled against exact probabilities of one distribution, with the line of equality."""
    line = np.geomspace(*ends, 100)
    spread = 2 * np.sqrt(line * (1 - line) / part["n_draws"].iloc[0])
    ax.fill_between(
        line, np.maximum(line - spread, ends[0] / 10), line + spread, color="#e3e3e3", linewidth=0
    )
    ax.plot(ends, ends, color="#555555", linewidth=0.8)
    ax.plot(
        part["exact"],
        part["sampled"],
        linestyle="none",
        marker=style["marker"],
        color=style["color"],
        markersize=3.6,
        markeredgecolor="white",
        markeredgewidth=0.3,
    )
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlim(*ends)
    ax.set_ylim(*ends)
    ax.set_aspect("equal")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(LogLocator(numticks=4))
        axis.set_minor_formatter(NullFormatter())
