"""Published numbers beside measured ones, with their error bars."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.ticker import MaxNLocator

from reseat.plots.checks import require_columns, title_of
from reseat.plots.style import MARKERS, PALETTE, TEXT_WIDTH, house_style, new_figure


def published_versus_measured(table, titles=None):
    """Dot plot of a table: one panel a metric, one line a system, measured and published values.

    Data sets that share their published values share their panels; others have a row of panels of
    their own.

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
    groups = _same_published(table)
    most = max(len(names) for names in groups)
    with house_style():
        height = 0.95 + 0.3 * len(systems) * (1 + 0.25 * (most - 1))
        if len(groups) > 1:
            height = 0.5 + len(groups) * (0.45 + 0.17 * len(systems))
        fig = new_figure(TEXT_WIDTH, height)
        panels = fig.subplots(len(groups), len(metrics), squeeze=False, sharey="row")
        for row, names in zip(panels, groups, strict=True):
            part = table[table["dataset"].isin(names)]
            _draw_row(row, part, names, metrics, systems, titles, alone=len(groups) > 1)
        for ax, metric in zip(panels[0], metrics, strict=True):
            ax.set_title(metric)
        handles, labels = panels[0, 0].get_legend_handles_labels()
        fig.legend(handles, labels, loc="outside lower center", ncols=max(1, min(3, len(labels))))
    return fig


def _same_published(table):
    """Data sets in groups whose published values agree, in order of first appearance."""
    groups = []
    for name, part in table.groupby("dataset", sort=False):
        part = part.dropna(subset=["published"])
        values = part.set_index(["system", "metric"])["published"].to_dict()
        for names, known in groups:
            if all(known.get(key, value) == value for key, value in values.items()):
                names.append(name)
                known |= values
                break
        else:
            groups.append(([name], values))
    return [names for names, _known in groups]


def _draw_row(row, table, names, metrics, systems, titles, alone):
    position = {system: len(systems) - 1 - place for place, system in enumerate(systems)}
    offsets = np.linspace(0.17, -0.17, len(names)) if len(names) > 1 else np.zeros(1)
    for metric, ax in zip(metrics, row, strict=True):
        part = table[table["metric"] == metric]
        for place, name in enumerate(names):
            # A row of its own names its data set at the side, once.
            label = "ours" if alone else f"ours, {title_of(name, titles)}"
            chosen = part[part["dataset"] == name]
            _draw_measured(ax, chosen, position, offsets[place], place, label)
        _draw_published(ax, part, position)
        ax.xaxis.set_major_locator(MaxNLocator(3))
        ax.margins(x=0.12)
    row[0].set_yticks(list(position.values()), list(position.keys()))
    row[0].set_ylim(-0.6, len(systems) - 0.4)
    if alone:
        row[0].set_ylabel(", ".join(title_of(name, titles) for name in names), fontsize=7)


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
