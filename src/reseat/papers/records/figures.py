"""The figures of Zanella et al. (2016), and the comparison of moves."""

import numpy as np
import pandas as pd
from matplotlib.colors import to_rgba
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from reseat.papers.records.results import BOX
from reseat.papers.records.study_tables import RATIO
from reseat.plots.layout import INK, draw_boxes, fitted, legend_below, letter, noted, panel_title
from reseat.plots.style import (
    TEXT_WIDTH,
    house_style,
    in_order,
    new_figure,
    plain_ticks,
    prior_style,
    series_style,
    short_number,
)

#: Look of small text to the right of a point.
_BESIDE = {"textcoords": "offset points", "va": "center", "fontsize": 7}

# ---- Growth of blocks with the number of items (Zanella et al. 2016, Figure 1 and theorem 1) ----


def prior_growth(table):
    """Draw M/N beside the published draws of each prior, which are crosses, and K/N."""
    systems = in_order(table["system"])
    printed = table[table["source"] == "published"]
    ours = table[table["source"] == "ours"]
    compared = in_order(printed["system"])
    with house_style():
        fig = new_figure(TEXT_WIDTH, 2.6)
        axes = fig.subplots(1, len(compared) + 1)
        for index, (ax, focus) in enumerate(zip(axes, [*compared, None], strict=True)):
            column = "largest_share" if focus else "cluster_share"
            _draw_points(ax, printed[printed["system"] == focus], column, None, systems)
            for system in systems:
                if not focus or system.split(",")[0] not in {*compared} - {focus}:
                    _draw_points(ax, ours[ours["system"] == system], column, system, systems)
            _log_axes(ax, f"({letter(index)}) {focus or 'all priors'}")
            if focus:
                ax.set_ylim(table["largest_share"].min() / 1.6, 1.5)
            _name_points(ax)
        axes[0].set_ylabel("largest cluster, M / N")
        axes[-1].set_ylabel("clusters, K / N")
    return fig


def largest_share(table):
    """Draw the mean share of the largest block, and the probability of few blocks (theorem 1)."""
    systems = in_order(table["system"])
    few = int(table["few"].iloc[0])
    with house_style():
        fig = new_figure(TEXT_WIDTH, 3.0)
        left, right = fig.subplots(1, 2)
        for ax, quantity in ((left, "largest_share"), (right, "few_clusters")):
            for system in systems:
                chosen = (table["system"] == system) & (table["quantity"] == quantity)
                part = table[chosen].sort_values("n_items")
                look = prior_style(system, systems) | {"elinewidth": 0.9, "capsize": 2}
                ends = [part["mean"] - part["low"], part["high"] - part["mean"]]
                look |= {"markersize": 3.8, "label": system}
                ax.errorbar(part["n_items"], part["mean"], yerr=ends, **look)
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
        color = line.get_color() if line.get_label() != "published" else "#555555"
        look = _BESIDE | {"xytext": (3, 0), "annotation_clip": False, "color": color}
        place = {"xy": (1, 10**height), "xycoords": ("axes fraction", "data")}
        ax.annotate(line.get_label(), **place, **look)


def _log_axes(ax, title):
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("number of items N")
    ax.set_title(title)
    plain_ticks(ax.xaxis)
    plain_ticks(ax.yaxis)


# ---- Box plots of posterior statistics beside the published ones (Figure 2) ------------------

STATISTICS = {
    "n_singletons": "singletons",
    "max_size": "maximum size",
    "mean_size": "mean size",
    "size_p90": "90th percentile",
}

#: Opacity of a box whose numbers have a note against them.
_PALE = 0.3

#: Statistics that count records: their axes show whole numbers and span at least two.
_WHOLE = ("max_size", "size_p90")


def posterior_boxes(table, titles=None):
    """Draw box plots: a row of panels per statistic, a column per data set, a group per delta."""
    table = _without_readings(table)
    roles = list(pd.unique(table["role"]))
    statistics = [name for name in STATISTICS if name in set(table["statistic"])]
    systems = in_order(table["system"])
    # Only the deltas of each data set: a place for any other delta would stay empty.
    deltas = {role: sorted(own["delta"].unique()) for role, own in table.groupby("role")}
    widths = [max(2.2, len(deltas[role])) for role in roles]
    with house_style():
        heights = [0.7 if name == "size_p90" else 1.0 for name in statistics]
        fig = new_figure(max(TEXT_WIDTH * len(roles) / 4, 3.4), 1.55 * sum(heights) + 0.75)
        look = {"sharex": "col", "height_ratios": heights, "width_ratios": widths}
        panels = fig.subplots(len(statistics), len(roles), squeeze=False, **look)
        for row, statistic in zip(panels, statistics, strict=True):
            for ax, role in zip(row, roles, strict=True):
                part = table[(table["role"] == role) & (table["statistic"] == statistic)]
                _draw_panel(ax, part, systems, deltas[role])
                if statistic in _WHOLE:
                    low, high = ax.get_ylim()
                    middle, half = (low + high) / 2, max(1.05, (high - low) / 2)
                    ax.set_ylim(middle - half, middle + half)
                    ax.yaxis.set_major_locator(MaxNLocator(4, integer=True))
            row[0].set_ylabel(STATISTICS[statistic])
        for ax, role in zip(panels[0], roles, strict=True):
            title = panel_title(table[table["role"] == role], titles)
            ax.set_title(fitted(title, len(roles)), fontsize=7.5)
        for ax, role in zip(panels[-1], roles, strict=True):
            ax.set_xticks(range(len(deltas[role])), [f"{delta:g}" for delta in deltas[role]])
            ax.set_xlabel("\N{GREEK SMALL LETTER DELTA}")
        _legend(fig, table, systems)
    return fig


def _without_readings(table):
    """Return a table with the names of the priors alone: each has one reading in a figure."""
    return table.assign(system=table["system"].str.partition(",")[0])


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
                    ours = to_rgba(color, _PALE) if row["noted"] else color
                    fills.append("white" if kind else ours)
            if boxes:
                draw_boxes(ax, boxes, positions, 0.9 * slot, color, fills)
    for truth in part["truth"].dropna().unique():
        ax.axhline(truth, color=INK, linestyle=(0, (4, 2)), linewidth=0.7, zorder=1.5)
    ax.grid(False, axis="x")
    for edge in range(1, len(deltas)):
        ax.axvline(edge - 0.5, color="#dddddd", linewidth=0.5, zorder=0)
    ax.set_xlim(-0.5, len(deltas) - 0.5)
    ax.yaxis.set_major_locator(MaxNLocator(4))
    ax.margins(y=0.1)


def _legend(fig, table, systems):
    handles = [
        Patch(facecolor=prior_style(system, systems)["color"], label=system) for system in systems
    ]
    grey, fills = "#777777", {}
    if table["published_median"].notna().any():
        fills |= {"ours": grey, "published": "white"}
    if noted(table).any():
        fills["chains disagree"] = to_rgba(grey, _PALE)
    handles += [Patch(facecolor=fill, edgecolor=grey, label=name) for name, fill in fills.items()]
    handles.append(Line2D([], [], color=INK, linestyle=(0, (4, 2)), linewidth=0.8, label="truth"))
    fig.legend(handles=handles, loc="outside lower center", ncols=len(handles), columnspacing=1.4)


# ---- Distributions of cluster sizes (Zanella et al. 2016, supplement, figure 1) --------------

_TRUTH = "#b0b0b0"

#: Smallest posterior mean that is drawn, because there are no fractions of a cluster.
SMALLEST = 1.0


def size_distributions(table, titles=None):
    """Draw the number of clusters of each size: the truth, and lines of the posterior means."""
    table = _without_readings(table)
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
                _draw_sizes(ax, part, systems)
                title = panel_title(part, titles)
                ax.set_title(f"{title}, \N{GREEK SMALL LETTER DELTA} = {delta:g}", fontsize=7.8)
            row[0].set_ylabel("number of clusters")
        for ax in panels[-1]:
            ax.set_xlabel("cluster size")
        _legend_of_sizes(fig, table, systems)
    return fig


def _draw_sizes(ax, part, systems):
    truth = part.drop_duplicates("size").sort_values("size")
    # Lines, because bars would have to start at 0, which is not on this axis.
    some = truth[truth["truth"] > 0]
    left, right = some["size"] - 0.45, some["size"] + 0.45
    ax.hlines(some["truth"], left, right, color=_TRUTH, linewidth=3, zorder=1)
    for system in systems:
        own = part[(part["system"] == system) & (part["mean"] >= SMALLEST)].sort_values("size")
        style = prior_style(system, systems)
        apart = noted(own).any()
        low = own["q025"].clip(lower=SMALLEST / 2)  # 0 has no place on this axis
        look = {"color": style["color"], "alpha": 0.16, "linewidth": 0, "zorder": 2}
        ax.fill_between(own["size"], low, own["q975"], **look)
        ax.plot(own["size"], own["mean"], **style, **_marker(style["color"], apart), zorder=3)
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
    fill, edge = ("white", color) if apart else (color, "white")
    look = {"linewidth": 0.9, "markersize": 3.4, "markeredgewidth": 0.8 if apart else 0.4}
    return look | {"markerfacecolor": fill, "markeredgecolor": edge}


def _legend_of_sizes(fig, table, systems):
    handles = [Line2D([], [], color=_TRUTH, linewidth=3, label="truth")]
    for system in systems:
        style = prior_style(system, systems)
        handles.append(Line2D([], [], **style, **_marker(style["color"]), label=system))
    if noted(table).any():
        grey = {"color": "#777777", "linestyle": "none", "marker": "o"}
        look = _marker("#777777", apart=True)
        handles.append(Line2D([], [], **grey, **look, label="chains disagree"))
    fig.legend(handles=handles, loc="outside lower center", ncols=len(handles))


# ---- Comparison of moves: traces over time, and effective samples per second -----------------

QUANTITIES = {"n_clusters": "number of clusters", "log_joint": "log joint [nats]"}
#: Quantities whose effective samples are drawn, as short names.
SAMPLED = {"n_clusters": "K", "log_joint": "log joint", "fdr": "FDR"}


def mixing_of_moves(traces, table, titles=None):
    """Draw traces over CPU time, and effective samples per second by move, on one data set."""
    first = table["dataset"].iloc[0]
    table, traces = table[table["dataset"] == first], traces[traces["dataset"] == first]
    moves = list(pd.unique(table["move"]))
    with house_style():
        fig = new_figure(TEXT_WIDTH, 3.1)
        axes = fig.subplots(1, 3, width_ratios=(1.15, 1.15, 1.0))
        for index, (ax, quantity) in enumerate(zip(axes, QUANTITIES, strict=False)):
            for place, move in enumerate(moves):
                look = {"color": series_style(place)["color"], "linewidth": 0.7, "alpha": 0.75}
                for _chain, trace in traces[traces["move"] == move].groupby("chain"):
                    trace = trace.sort_values("seconds")
                    ax.plot(trace["seconds"], trace[quantity], **look)
            ax.set_xscale("log")
            ax.set_xlabel("CPU seconds")
            ax.set_title(f"({letter(index)}) {QUANTITIES[quantity]}")
            ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _place: f"{value:g}"))
            ax.xaxis.set_minor_formatter(NullFormatter())
            ax.yaxis.set_major_locator(MaxNLocator(5))
            whole = quantity == "n_clusters"
            form = (lambda value, _place: f"{value:,.0f}") if whole else short_number
            ax.yaxis.set_major_formatter(FuncFormatter(form))
        _draw_speeds(axes[2], table, moves)
        handles = [
            axes[0].plot([], [], color=series_style(place)["color"], linewidth=2)[0]
            for place in range(len(moves))
        ]
        labels = [(titles or {}).get(move, move) for move in moves]
        fig.legend(handles, labels, loc="outside lower center", ncols=3)
    return fig


def _draw_speeds(ax, table, moves):
    quantities = [name for name in SAMPLED if name in set(table["quantity"])]
    height = 0.8 / len(moves)
    for place, move in enumerate(moves):
        part = table[table["move"] == move].assign(noted=noted).set_index("quantity")
        style = series_style(place) | {"linestyle": "none"}
        for line, quantity in enumerate(quantities):
            row = part.loc[quantity]
            y = len(quantities) - 1 - line + 0.4 - (place + 0.5) * height
            filled = "white" if row["noted"] else style["color"]
            ax.plot(row["ess_per_second"], y, markerfacecolor=filled, **style)
            _write_ratio(ax, y, row)
    ax.set_xscale("log")
    speeds = table["ess_per_second"]
    ax.set_xlim(speeds.min() / 4, speeds.max() * 200)  # with room for the ratios
    ax.xaxis.set_major_locator(LogLocator(numticks=5))
    ax.xaxis.set_major_formatter(FuncFormatter(short_number))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_yticks(range(len(quantities)), [SAMPLED[name] for name in reversed(quantities)])
    ax.set_ylim(-0.5, len(quantities) - 0.5)
    ax.grid(False, axis="y")
    ax.set_xlabel("effective samples per second")
    ax.set_title("(c) speed")


def _write_ratio(ax, y, row):
    """Write the speed as a multiple of that of Gibbs sweeps, and its interval, at the point."""
    if not np.isfinite(row["ratio"]) or row["ratio"] == 1:
        return
    ratio, low, high = (f"{float(format(row[name], '.2g')):g}" for name in RATIO)
    said = f"\N{MULTIPLICATION SIGN}{ratio} [{low}, {high}]"
    ax.annotate(said, xy=(row["ess_per_second"], y), xytext=(5, 0), **_BESIDE)
