"""Comparison of moves: traces over time, and effective samples per second."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from reseat.plots.checks import noted, require_columns, title_of
from reseat.plots.layout import letter
from reseat.plots.style import TEXT_WIDTH, house_style, new_figure, series_style, short_number

QUANTITIES = {"n_clusters": "number of clusters", "log_joint": "log joint [nats]"}
#: Columns with the speed as a multiple of that of Gibbs sweeps, and the ends of its interval.
RATIO = ("ratio", "ratio_low", "ratio_high")


def mixing_of_moves(traces, table, titles=None):
    """Draw traces of two quantities over CPU time, and effective samples per second by move.

    A ratio of NaN is not written; the points of chains that disagree are hollow.
    """
    columns = ["move", "chain", "seconds", *QUANTITIES]
    require_columns(traces, columns, "the frame of traces")
    columns = ["move", "quantity", "ess_per_second", *RATIO]
    require_columns(table, columns, "the table of moves")
    moves = list(pd.unique(table["move"]))
    with house_style():
        fig = new_figure(TEXT_WIDTH, 2.9)
        axes = fig.subplots(1, 3, width_ratios=(1.15, 1.15, 1.0))
        for index, (ax, quantity) in enumerate(zip(axes, QUANTITIES, strict=False)):
            for place, move in enumerate(moves):
                _draw_traces(ax, traces[traces["move"] == move], quantity, place)
            ax.set_xscale("log")
            ax.set_xlabel("CPU seconds")
            ax.set_title(f"({letter(index)}) {QUANTITIES[quantity]}")
            ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _place: f"{value:g}"))
            ax.xaxis.set_minor_formatter(NullFormatter())
            ax.yaxis.set_major_locator(MaxNLocator(5))
            ax.yaxis.set_major_formatter(FuncFormatter(short_number))
        _draw_speeds(axes[2], table, moves)
        handles = [
            axes[0].plot([], [], color=series_style(place)["color"], linewidth=2)[0]
            for place in range(len(moves))
        ]
        labels = [title_of(move, titles) for move in moves]
        fig.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return fig


def _draw_traces(ax, part, quantity, place):
    for _chain, trace in part.groupby("chain"):
        trace = trace.sort_values("seconds")
        ax.plot(
            trace["seconds"],
            trace[quantity],
            color=series_style(place)["color"],
            linewidth=0.7,
            alpha=0.75,
        )


def _draw_speeds(ax, table, moves):
    quantities = [name for name in QUANTITIES if name in set(table["quantity"])]
    height = 0.8 / len(moves)
    for place, move in enumerate(moves):
        part = table[table["move"] == move].assign(noted=noted).set_index("quantity")
        for line, quantity in enumerate(quantities):
            if quantity not in part.index:
                continue
            row = part.loc[quantity]
            y = len(quantities) - 1 - line + 0.4 - (place + 0.5) * height
            speed = row["ess_per_second"]
            style = series_style(place)
            filled = "white" if row["noted"] else style["color"]
            ax.plot(
                speed,
                y,
                linestyle="none",
                color=style["color"],
                marker=style["marker"],
                markerfacecolor=filled,
            )
            _write_ratio(ax, y, row)
    ax.set_xscale("log")
    speeds = table["ess_per_second"]
    ax.set_xlim(speeds.min() / 4, speeds.max() * 200)  # with room for the ratios
    ax.xaxis.set_major_locator(LogLocator(numticks=5))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _place: f"{value:g}"))
    ax.xaxis.set_minor_locator(NullLocator())
    names = {"n_clusters": "K", "log_joint": "log joint"}
    ax.set_yticks(range(len(quantities)), [names[name] for name in reversed(quantities)])
    ax.set_ylim(-0.5, len(quantities) - 0.5)
    ax.grid(False, axis="y")
    ax.set_xlabel("effective samples a second")
    ax.set_title("(c) speed")


def _write_ratio(ax, y, row):
    """Write the speed as a multiple of that of Gibbs sweeps, and its interval, at the point."""
    if not np.isfinite(row["ratio"]) or row["ratio"] == 1:
        return
    ratio, low, high = (f"{float(format(row[name], '.2g')):g}" for name in RATIO)
    ax.annotate(
        f"\N{MULTIPLICATION SIGN}{ratio} [{low}, {high}]",
        xy=(row["ess_per_second"], y),
        xytext=(5, 0),
        textcoords="offset points",
        va="center",
        fontsize=7,
    )
