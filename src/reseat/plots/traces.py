"""Log joint against sweep, one panel a data set (Walker & Ringger 2008, Figure 2)."""

from __future__ import annotations

import math

import pandas as pd
from matplotlib.ticker import FuncFormatter, MaxNLocator

from reseat.plots.checks import require_columns, title_of
from reseat.plots.style import PALETTE, TEXT_WIDTH, house_style, new_figure, short_number


def log_joint_traces(table, titles=None, columns=2):
    """Trace of the log joint of one chain a data set, with the burn-in shaded.

    Parameters
    ----------
    table : pandas.DataFrame
        One row a (data set, sweep): `dataset`, `sweep` (1, 2, ...), `log_joint` (nats), `burn_in`
        (sweeps) and, where several chains ran, `low` and `high`: the smallest and largest log
        joint over the chains at that sweep. Panels come in the order of first appearance.
    titles : dict of str to str, optional
        Title of each data set's panel.
    columns : int
        Panels in a row.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If a column is missing or the frame is empty.
    """
    require_columns(table, ["dataset", "sweep", "log_joint", "burn_in"], "the frame of traces")
    names = list(pd.unique(table["dataset"]))
    columns = min(columns, len(names))
    rows = math.ceil(len(names) / columns)
    with house_style():
        fig = new_figure(TEXT_WIDTH if columns > 1 else TEXT_WIDTH / 2, 1.95 * rows + 0.2)
        axes = fig.subplots(rows, columns, squeeze=False).ravel()
        for ax in axes[len(names) :]:
            ax.set_axis_off()
        for index, (name, ax) in enumerate(zip(names, axes, strict=False)):
            part = table[table["dataset"] == name].sort_values("sweep")
            _draw_trace(ax, part)
            ax.set_title(f"({chr(ord('a') + index)}) {title_of(name, titles)}")
            if index % columns == 0:
                ax.set_ylabel("log p(w, z)  [nats]")
            if index + columns >= len(names):
                ax.set_xlabel("sweep")
    return fig


def _draw_trace(ax, part):
    burn_in = float(part["burn_in"].iloc[0])
    first, last = part["sweep"].iloc[0], part["sweep"].iloc[-1]
    if {"low", "high"} <= set(part.columns) and part[["low", "high"]].notna().all(axis=None):
        ax.fill_between(
            part["sweep"], part["low"], part["high"], color=PALETTE[0], alpha=0.22, linewidth=0
        )
    ax.plot(part["sweep"], part["log_joint"], color=PALETTE[0], linewidth=0.9)
    if burn_in > 0:
        ax.axvspan(first, min(burn_in, last), color="#000000", alpha=0.07, linewidth=0)
        ax.axvline(burn_in, color=PALETTE[1], linestyle=(0, (3, 2)), linewidth=0.9)
        ax.annotate(
            f"burn-in {burn_in:.0f}",
            xy=(burn_in, 0.06),
            xycoords=("data", "axes fraction"),
            xytext=(3, 0),
            textcoords="offset points",
            color="#A34700",
            fontsize=7.5,
        )
    ax.set_xlim(first, max(last, burn_in))
    ax.margins(y=0.06)
    ax.xaxis.set_major_locator(MaxNLocator(5, integer=True, steps=[1, 2, 2.5, 5, 10]))
    ax.yaxis.set_major_locator(MaxNLocator(5))
    ax.yaxis.set_major_formatter(FuncFormatter(short_number))
