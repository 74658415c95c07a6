"""Traces of the number of clusters (Vogt et al. 2010, Figure 3)."""

from __future__ import annotations

import numpy as np
from matplotlib.ticker import MaxNLocator

from reseat.plots.checks import require_columns, status_note
from reseat.plots.layout import legend_below
from reseat.plots.style import (
    PALETTE,
    TEXT_WIDTH,
    house_style,
    new_figure,
    plain_ticks,
    series_style,
)

_INK, _PRINTED = "#222222", "#A34700"


def cluster_traces(table):
    """Draw the number of clusters after each sweep, how the chains rise, and where they settle.

    Three panels: all sweeps of the first chain; the first sweeps of every chain on a logarithmic
    axis; and how often each chain has each number of clusters once it is stable. The dashed line is
    the true number; vertical lines are the sweeps from which the number is stable, ours and the
    printed one.
    """
    columns = [
        "status",
        "n_items",
        "summary",
        "metric",
        "draw",
        "chain",
        "sweep",
        "mean",
        "truth",
        "published",
    ]
    require_columns(table, columns, "the table of traces")
    traces = table[table["summary"] == "trace"]
    require_columns(traces, columns, "the part of the table with traces")
    known = table[table["summary"] == "chains"].drop_duplicates("metric").set_index("metric")
    chains = [chain for _key, chain in traces.groupby(["draw", "chain"], sort=False)]
    first = table.iloc[0]
    settled = _settled(known)
    last = max(2, traces["sweep"].max())
    with house_style():
        fig = new_figure(TEXT_WIDTH, 2.7)
        axes = fig.subplots(1, 3, width_ratios=(1.5, 1.1, 0.9))
        _draw_chain(axes[0], chains[0], 0, linewidth=0.5)
        axes[0].set_xlim(0, last)
        axes[0].xaxis.set_major_locator(MaxNLocator(5, integer=True, steps=[1, 2, 5, 10]))
        axes[0].set_title(
            f"(a) one chain, n = {int(first['n_items']):,}{status_note(first['status'])}"
        )
        for place, chain in reversed(list(enumerate(chains))):
            _draw_chain(axes[1], chain, place, linewidth=1.0)
        axes[1].set_xscale("log")
        axes[1].set_xlim(1, min(last, max(100, 2 * _latest(known))))
        plain_ticks(axes[1].xaxis)
        axes[1].set_title("(b) the rise of every chain")
        for ax in axes[:2]:
            _mark(ax, known)
            ax.set_xlabel("sweep")
            ax.yaxis.set_major_locator(MaxNLocator(7, integer=True))
            ax.set_ylim(0, 1.08 * traces["mean"].max())
        axes[0].set_ylabel("number of clusters")
        for place, chain in enumerate(chains):
            _draw_shares(axes[2], chain[chain["sweep"] > settled], place)
        axes[2].set_title("(c) once stable")
        axes[2].set_xlabel("number of clusters")
        axes[2].set_ylabel("share of the sweeps")
        axes[2].xaxis.set_major_locator(MaxNLocator(5, integer=True))
        axes[2].set_ylim(bottom=0)
        legend_below(fig, axes[0])
    return fig


def _draw_chain(ax, chain, place, linewidth):
    look = series_style(place)
    ax.plot(
        chain["sweep"],
        chain["mean"],
        color=look["color"],
        linewidth=linewidth,
        drawstyle="steps-post",
        zorder=3 if place == 0 else 2,
    )


def _draw_shares(ax, chain, place):
    """Draw how often a chain has each number of clusters."""
    look = series_style(place)
    shares = chain["mean"].value_counts(normalize=True).sort_index()
    ax.plot(
        shares.index,
        shares,
        color=look["color"],
        marker=look["marker"],
        linestyle=look["linestyle"],
        markersize=3,
        linewidth=1,
    )


def _settled(known):
    """Return the sweep from which our chains are stable; 0 if that is not known."""
    if "sweeps until stable" not in known.index:
        return 0
    return np.nan_to_num(known.loc["sweeps until stable", "mean"])


def _latest(known):
    """Return the later of the sweeps from which the number is stable, ours and the printed one."""
    if "sweeps until stable" not in known.index:
        return 0
    return np.nanmax([0, *known.loc["sweeps until stable", ["mean", "published"]].astype(float)])


def _mark(ax, known):
    if "clusters" in known.index and known.loc["clusters", "truth"] > 0:
        truth = known.loc["clusters", "truth"]
        label = f"true number, {truth:g}"
        ax.axhline(truth, color=_INK, linestyle=(0, (4, 2)), linewidth=0.8, label=label)
    if "sweeps until stable" not in known.index:
        return
    for column, color, dashes, words in (
        ("mean", PALETTE[2], "solid", "stable from"),
        ("published", _PRINTED, (0, (1.2, 1.2)), "printed: stable from roughly"),
    ):
        sweep = known.loc["sweeps until stable", column]
        if sweep > 0:
            label = f"{words} sweep {sweep:.0f}"
            ax.axvline(sweep, color=color, linestyle=dashes, linewidth=1.1, label=label)
