"""Variational inference compared with Gibbs sampling, on held-out cells and on small tables."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.ticker import MaxNLocator

from reseat.plots.accuracy import panel_title
from reseat.plots.checks import noted, require_columns
from reseat.plots.enumeration import by_chance_text, draw_check
from reseat.plots.layout import letter
from reseat.plots.style import (
    PALETTE,
    house_style,
    new_figure,
    plain_ticks,
    short_number,
)

#: Name of each method, and its place in the palette.
_METHODS = {"vb": ("variational", 0), "gibbs": ("collapsed Gibbs", 1)}

#: Colour and markers of the models in the checks; the colour is not that of a method.
_CHECKED = "#444444"
_MARKERS = {"firm": "o", "irm": "s"}


def inference_comparison(table, titles=None):
    """Draw the held-out log predictive against seconds, and both methods against enumeration.

    The upper part has one panel per data set and model, because the log predictive probabilities of
    two models are of different observations; the lower part has one panel per distribution whose
    partitions can be enumerated.
    """
    require_columns(table, ["part"], "the table of runs")
    runs = table[table["part"] == "held-out"]
    columns = ["dataset", "role", "status", "model", "method", "system", "seconds"]
    require_columns(runs, [*columns, "log_predictive", "note"], "the part with held-out cells")
    above = [part for _key, part in runs.groupby(["dataset", "model"], sort=False)]
    checks = table[table["part"] == "enumeration"]
    below = [part for _name, part in checks.groupby("prior", sort=False)]
    bounds = table[table["part"] == "bound"]
    rows = [math.ceil(len(parts) / 2) for parts in (above, below)]
    with house_style():
        fig = new_figure(5.8, 2.35 * sum(rows) + 0.3)
        axes = fig.subplots(sum(rows), 2, squeeze=False)
        upper, lower = axes[: rows[0]].ravel(), axes[rows[0] :].ravel()
        for ax in (*upper[len(above) :], *lower[len(below) :]):
            ax.set_axis_off()
        for index, (ax, part) in enumerate(zip(upper, above, strict=False)):
            _draw_runs(ax, part)
            name = part["system"].iloc[0].split(",")[0]
            ax.set_title(f"({letter(index)}) {name}\n{panel_title(part, titles)}", fontsize=7.5)
        for row in range(rows[0]):
            _same_scales(axes[row], above[2 * row : 2 * row + 2])
            axes[row, 0].set_ylabel("log predictive a cell, nats")
        _draw_checks(lower, below, bounds, len(above))
        handles = {}
        for ax in upper:
            handles |= dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
        fig.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=3)
    return fig


def _draw_runs(ax, part):
    for method, (words, place) in _METHODS.items():
        rows = part[part["method"] == method]
        if len(rows) == 0:
            continue
        apart = noted(rows).any()
        color = PALETTE[place]
        ax.plot(
            rows["seconds"],
            rows["log_predictive"],
            linestyle="none",
            marker="oX"[place],
            markersize=4.5,
            markerfacecolor="white" if apart else color,
            alpha=0.8,
            markeredgecolor=color if apart else "white",
            markeredgewidth=0.8 if apart else 0.4,
            label=f"{words}, chains disagree" if apart else words,
        )
    ax.set_xscale("log")
    ax.set_xlabel("seconds a run")


def _same_scales(axes, parts):
    """Give a row of panels the same axis of seconds, and the same number of nats per inch."""
    seconds = [own for part in parts for own in part["seconds"]]
    middle, reach = _middle(np.log10(seconds), 1.0)
    ranges = [_middle(part["log_predictive"], 0.0) for part in parts]
    most = max(reach for _centre, reach in ranges) or 1e-3
    for ax, (centre, _own) in zip(axes, ranges, strict=False):
        ax.set_xlim(10 ** (middle - 0.6 * reach), 10 ** (middle + 0.6 * reach))
        plain_ticks(ax.xaxis)
        ax.set_ylim(centre - 0.6 * most, centre + 0.6 * most)
        ax.yaxis.set_major_locator(MaxNLocator(5))


def _middle(values, least):
    """Return the middle of some values and their range, or `least` if that is larger."""
    low, high = float(np.min(values)), float(np.max(values))
    return (low + high) / 2, max(least, high - low)


def _draw_checks(axes, below, bounds, shift):
    if not below:
        return
    positive = [part[part["sampled"] > 0] for part in below]
    least = min(part[["exact", "sampled"]].min().min() for part in positive)
    ends = np.array([least / 2, 1.0])
    for index, (ax, part, shown) in enumerate(zip(axes, below, positive, strict=False)):
        first = part.iloc[0]
        model = first["prior"].split(",")[0].lower()
        style = {"color": _CHECKED, "marker": _MARKERS.get(model, "D")}
        draw_check(ax, shown, ends, style)
        ax.set_aspect("auto")  # as large as the panels above
        heading = f"({letter(shift + index)}) {first['prior']}\ndistance "
        ax.set_title(f"{heading}{first['total_variation']:.4f}", fontsize=7.5)
        ax.set_xlabel("exact probability")
        small = {"transform": ax.transAxes, "fontsize": 6.5, "color": "#555555"}
        ax.text(0.04, 0.96, by_chance_text(part), va="top", **small)
        own = bounds[bounds["model"] == model]
        if len(own):
            gap = (own["log_evidence"] - own["elbo"]).min()
            note = f"ELBO {short_number(gap)} nats\nbelow the evidence"
            ax.text(0.97, 0.05, note, ha="right", **small)
        ax.set_ylabel("sampled")
