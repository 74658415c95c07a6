"""Published numbers beside measured ones, with their error bars."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.ticker import MaxNLocator

from reseat.plots.checks import require_columns, title_of
from reseat.plots.style import MARKERS, PALETTE, TEXT_WIDTH, house_style, new_figure


def published_versus_measured(table, titles=None):
    """Dot plot of a table: one panel a metric, one line a system, measured and published values.

    Parameters
    ----------
    table : pandas.DataFrame
        One row a (data set, system, metric): `dataset`, `system`, `metric`, `mean`, `se` (bars of
        two standard errors; NaN draws none), `published` (NaN draws none).
    titles : dict of str to str, optional
        Name of each data set in the legend.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If a column is missing or the frame is empty.
    """
    columns = ["dataset", "system", "metric", "mean", "se", "published"]
    require_columns(table, columns, "the table")
    metrics = list(pd.unique(table["metric"]))
    systems = list(pd.unique(table["system"]))
    names = list(pd.unique(table["dataset"]))
    position = {system: len(systems) - 1 - place for place, system in enumerate(systems)}
    offsets = np.linspace(0.17, -0.17, len(names)) if len(names) > 1 else np.zeros(1)
    with house_style():
        height = 0.95 + 0.3 * len(systems) * (1 + 0.25 * (len(names) - 1))
        fig = new_figure(TEXT_WIDTH, height)
        axes = fig.subplots(1, len(metrics), squeeze=False, sharey=True)[0]
        for metric, ax in zip(metrics, axes, strict=True):
            part = table[table["metric"] == metric]
            for place, name in enumerate(names):
                _draw_measured(
                    ax,
                    part[part["dataset"] == name],
                    position,
                    offsets[place],
                    place,
                    f"ours, {title_of(name, titles)}",
                )
            _draw_published(ax, part, position)
            ax.set_title(metric)
            ax.xaxis.set_major_locator(MaxNLocator(3))
            ax.margins(x=0.12)
        axes[0].set_yticks(list(position.values()), list(position.keys()))
        axes[0].set_ylim(-0.6, len(systems) - 0.4)
        handles, labels = axes[0].get_legend_handles_labels()
        fig.legend(handles, labels, loc="outside lower center", ncols=max(1, min(3, len(labels))))
    return fig


def _draw_measured(ax, part, position, offset, place, label):
    heights = np.array([position[system] + offset for system in part["system"]], dtype=float)
    ax.errorbar(
        part["mean"],
        heights,
        xerr=2 * part["se"].fillna(0.0),
        linestyle="none",
        marker=MARKERS[place % len(MARKERS)],
        markersize=4.5,
        color=PALETTE[place % len(PALETTE)],
        elinewidth=1.1,
        capsize=2,
        label=label,
    )


def _draw_published(ax, part, position):
    part = part.dropna(subset=["published"]).drop_duplicates("system")
    ax.plot(
        part["published"],
        [position[system] for system in part["system"]],
        linestyle="none",
        marker="D",
        markersize=5.5,
        markerfacecolor="none",
        markeredgecolor="#222222",
        markeredgewidth=1.0,
        label="published",
        zorder=4,
    )
