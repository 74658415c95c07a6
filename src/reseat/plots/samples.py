"""Score of a single sample against its place in the chain (Walker & Ringger 2008, Figure 4)."""

from __future__ import annotations

import pandas as pd
from matplotlib.ticker import MaxNLocator

from reseat.plots.checks import noted, require_columns, title_of
from reseat.plots.layout import fitted, legend_below, letter
from reseat.plots.style import COLUMN_WIDTH, TEXT_WIDTH, house_style, new_figure, series_style


def scores_by_sample(table, titles=None):
    """Draw the mean score over chains of the i-th sample, a panel per metric.

    Each data set has a line, with a band of one Monte Carlo standard error on either side; the
    legend says of data sets with a note that their chains disagree.
    """
    columns = ["metric", "dataset", "status", "sample", "mean", "se"]
    require_columns(table, columns, "the frame of scores")
    metrics = list(pd.unique(table["metric"]))
    status_of = dict(zip(table["dataset"], table["status"], strict=True))
    names = list(status_of)
    labels = [title_of(name, titles, status) for name, status in status_of.items()]
    apart = set(table.loc[noted(table), "dataset"])
    labels = [
        f"{label}, chains disagree" if name in apart else label
        for name, label in zip(names, labels, strict=True)
    ]
    with house_style():
        fig = new_figure(TEXT_WIDTH if len(metrics) > 1 else COLUMN_WIDTH, 2.75)
        axes = fig.subplots(1, len(metrics), squeeze=False, sharey=True)[0]
        for index, (metric, ax) in enumerate(zip(metrics, axes, strict=True)):
            for position, name in enumerate(names):
                part = table[(table["metric"] == metric) & (table["dataset"] == name)]
                if len(part):
                    _draw_line(ax, part.sort_values("sample"), position, labels[position])
            alone = "" if len(names) > 1 else f", {labels[0]}"
            ax.set_title(fitted(f"({letter(index)}) {metric}{alone}", len(metrics)))
            ax.set_xlabel("place of the sample in the chain")
            ax.xaxis.set_major_locator(MaxNLocator(6, integer=True, steps=[1, 2, 2.5, 5, 10]))
        # The axis starts at no agreement: one fitted to the scores would magnify their noise.
        axes[0].set_ylim(min(0.0, (table["mean"] - table["se"].fillna(0)).min()), None)
        axes[0].margins(y=0.1)
        axes[0].set_ylabel("mean over chains")
        if len(names) > 1:
            legend_below(fig, axes[0], 3)
    return fig


def _draw_line(ax, part, position, label):
    style = series_style(position)
    few = max(1, len(part) // 4)  # markers tell lines apart, and need not be at every sample
    ax.plot(part["sample"], part["mean"], markersize=4, markevery=few, label=label, **style)
    ax.fill_between(
        part["sample"],
        part["mean"] - part["se"],
        part["mean"] + part["se"],
        color=style["color"],
        alpha=0.2,
        linewidth=0,
    )
