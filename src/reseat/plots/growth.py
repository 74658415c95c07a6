"""Growth of blocks with the number of items (Zanella et al. 2016, Figure 1 and theorem 1)."""

from __future__ import annotations

import numpy as np

from reseat.plots.checks import require_columns
from reseat.plots.layout import legend_below, letter
from reseat.plots.priors import in_order, prior_style
from reseat.plots.style import TEXT_WIDTH, house_style, new_figure, plain_ticks


def prior_growth(table):
    """Draw the largest block and the number of blocks of one prior draw per number of items.

    A panel of M/N for each prior with published draws, which are crosses, with the priors without
    such draws for contrast (a single panel if nothing is published), and a panel of K/N; all axes
    are logarithmic.
    """
    columns = ["source", "system", "n_items", "largest_share", "cluster_share"]
    require_columns(table, columns, "the table of prior draws")
    systems = in_order(table["system"])
    printed = table[table["source"] == "published"]
    ours = table[table["source"] == "ours"]
    compared = in_order(printed["system"]) or [None]
    with house_style():
        fig = new_figure(TEXT_WIDTH, 2.6)
        axes = fig.subplots(1, len(compared) + 1)
        for index, (ax, focus) in enumerate(zip(axes, compared, strict=False)):
            shown = [s for s in systems if s == focus or s not in compared]
            _draw_points(ax, printed[printed["system"] == focus], "largest_share", None, systems)
            for system in shown:
                _draw_points(ax, ours[ours["system"] == system], "largest_share", system, systems)
            _log_axes(ax, f"({letter(index)}) {focus or 'all priors'}")
            ax.set_ylim(table["largest_share"].min() / 1.6, 1.5)
            _name_points(ax)
        for system in systems:
            _draw_points(axes[-1], ours[ours["system"] == system], "cluster_share", system, systems)
        _log_axes(axes[-1], f"({letter(len(compared))}) all priors")
        axes[0].set_ylabel("largest cluster, M / N")
        axes[-1].set_ylabel("clusters, K / N")
        _name_points(axes[-1])
    return fig


def largest_share(table):
    """Draw the mean share of the largest block, and the probability of few blocks (theorem 1)."""
    columns = ["system", "n_items", "quantity", "few", "mean", "low", "high"]
    require_columns(table, columns, "the table of shares")
    systems = in_order(table["system"])
    few = int(table["few"].iloc[0])
    with house_style():
        fig = new_figure(TEXT_WIDTH, 3.0)
        left, right = fig.subplots(1, 2)
        for ax, quantity in ((left, "largest_share"), (right, "few_clusters")):
            for system in systems:
                chosen = (table["system"] == system) & (table["quantity"] == quantity)
                _draw_line(ax, table[chosen].sort_values("n_items"), system, systems)
        _log_axes(left, "(a) mean share of the largest cluster, E[M]/N")
        left.set_ylim(top=1.2)
        right.set_xscale("log")
        plain_ticks(right.xaxis)
        right.set_xlabel("number of items N")
        right.set_ylim(-0.04, 1.04)
        right.set_title(f"(b) probability of at most {few} clusters")
        legend_below(fig, left)
    return fig


def _draw_points(ax, part, column, system, systems):
    """Draw one prior as dots, or published draws as light crosses if `system` is None."""
    part = part.dropna(subset=[column])
    if len(part) == 0:
        return
    look = {"marker": "x", "markersize": 3.6, "markeredgewidth": 0.6, "color": "#888888"}
    if system is not None:
        style = prior_style(system, systems)
        look = {"marker": style["marker"], "markersize": 3.4, "markeredgewidth": 0.3}
        look |= {"markeredgecolor": "white", "color": style["color"]}
    ax.plot(part["n_items"], part[column], linestyle="none", label=system or "published", **look)


def _name_points(ax):
    """Write the name of each prior at the right edge, at the height of its last points."""
    ends = []
    for line in ax.lines:
        heights = np.log10(line.get_ydata()[np.argsort(line.get_xdata())][-10:])
        ends.append([float(np.median(heights)), line])
    ends.sort(key=lambda end: end[0])
    least = 0.065 * np.diff(np.log10(ax.get_ylim()))[0]
    for below, end in zip(ends, ends[1:], strict=False):
        end[0] = max(end[0], below[0] + least)  # names must not overlap
    for height, line in ends:
        ax.annotate(
            line.get_label(),
            xy=(1, 10**height),
            xycoords=("axes fraction", "data"),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            fontsize=7,
            color=line.get_color() if line.get_label() != "published" else "#555555",
            annotation_clip=False,
        )


def _draw_line(ax, part, system, systems):
    style = prior_style(system, systems)
    ax.errorbar(
        part["n_items"],
        part["mean"],
        yerr=[part["mean"] - part["low"], part["high"] - part["mean"]],
        markersize=3.8,
        elinewidth=0.9,
        capsize=2,
        label=system,
        **style,
    )


def _log_axes(ax, title):
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("number of items N")
    ax.set_title(title)
    plain_ticks(ax.xaxis)
    plain_ticks(ax.yaxis)
