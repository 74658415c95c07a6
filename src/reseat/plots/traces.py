"""Log joint against sweep, one panel per data set (Walker & Ringger 2008, Figure 2)."""

from __future__ import annotations

import pandas as pd
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from reseat.plots.checks import require_columns, title_of
from reseat.plots.layout import fitted, legend_below, letter, panel_grid
from reseat.plots.style import PALETTE, TEXT_WIDTH, house_style, short_number

#: Share of the burn-in, and smallest sweep, from which on the trace determines the scale of its
#: panel; earlier sweeps are shown in the inset.
RISE, LEAST_RISE = 0.1, 5

#: Share of the height of a panel that the trace takes; the inset has the rest.
UPPER = 0.5


def log_joint_traces(table, titles=None):
    """Draw the trace of the log joint of one chain per data set, with the burn-in shaded.

    The scale is chosen for the sweeps after the initial rise, which an inset shows. Where several
    chains ran, `low` and `high` are the smallest and largest log joint over the chains at that
    sweep.
    """
    require_columns(
        table, ["dataset", "status", "sweep", "log_joint", "burn_in"], "the frame of traces"
    )
    names = list(pd.unique(table["dataset"]))
    # Three panels in a row only if the last row is then full.
    columns = min(3 if len(names) % 3 == 0 else 2, len(names))
    with house_style():
        width = TEXT_WIDTH if columns > 1 else TEXT_WIDTH / 2
        fig, axes = panel_grid(len(names), columns, width, 2.35, 0.4)
        for index, (name, ax) in enumerate(zip(names, axes, strict=True)):
            part = table[table["dataset"] == name].sort_values("sweep")
            _draw_trace(ax, part)
            title = title_of(name, titles, part["status"].iloc[0])
            ax.set_title(fitted(f"({letter(index)}) {title}", columns))
            if index % columns == 0:
                ax.set_ylabel("log p(w, z)  [nats]")
            if index + columns >= len(names):
                ax.set_xlabel("sweep")
        legend_below(fig, axes[0])
    return fig


def _draw_trace(ax, part):
    burn_in = float(part["burn_in"].iloc[0])
    first, last = part["sweep"].iloc[0], part["sweep"].iloc[-1]
    _draw_chain(ax, part)
    if burn_in > 0:
        ax.axvspan(first, min(burn_in, last), color="#000000", alpha=0.07, linewidth=0)
        ax.axvline(burn_in, color=PALETTE[1], linestyle=(0, (3, 2)), linewidth=0.9)
        ax.annotate(
            f"burn-in {burn_in:.0f}",
            xy=(burn_in, 1),
            xycoords=("data", "axes fraction"),
            xytext=(3, -8),
            textcoords="offset points",
            color="#A34700",
            fontsize=7.5,
        )
    ax.set_xlim(first, max(last, burn_in))
    ax.xaxis.set_major_locator(MaxNLocator(5, integer=True, steps=[1, 2, 2.5, 5, 10]))
    settled = part[part["sweep"] >= max(LEAST_RISE, RISE * burn_in)]
    low, high = _range(settled if len(settled) else part)
    reach = (high - low) or 1.0
    # The band of all chains is in the upper half, below the label of the burn-in.
    ax.set_ylim(high + 0.3 * reach - 1.3 * reach / UPPER, high + 0.3 * reach)
    ax.yaxis.set_major_locator(MaxNLocator(5))
    ax.yaxis.set_major_formatter(FuncFormatter(short_number))
    _draw_rise(ax.inset_axes((0.36, 0.15, 0.6, 0.25)), part, burn_in)


def _draw_chain(ax, part):
    if _has_band(part):
        ax.fill_between(
            part["sweep"],
            part["low"],
            part["high"],
            color=PALETTE[0],
            alpha=0.22,
            linewidth=0,
            label="lowest to highest of all chains",
        )
    ax.plot(
        part["sweep"], part["log_joint"], color=PALETTE[0], linewidth=0.9, label="the first chain"
    )


def _draw_rise(ax, part, burn_in):
    """Draw the sweeps of the burn-in on their full scale."""
    part = part[part["sweep"] <= max(burn_in, LEAST_RISE)]
    _draw_chain(ax, part)
    ax.set_xscale("log")
    ax.set_xlim(part["sweep"].iloc[0], max(part["sweep"].iloc[-1], 2))
    ax.set_title("from the first sweep", fontsize=6.5, fontweight="normal", pad=2)
    ax.xaxis.set_major_locator(LogLocator(numticks=5))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _place: f"{value:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.yaxis.set_major_locator(MaxNLocator(2))
    ax.yaxis.set_major_formatter(FuncFormatter(short_number))
    ax.tick_params(labelsize=6, length=2)


def _has_band(part):
    return {"low", "high"} <= set(part.columns) and part[["low", "high"]].notna().all(axis=None)


def _range(part):
    columns = ["log_joint", "low", "high"] if _has_band(part) else ["log_joint"]
    return part[columns].min(axis=None), part[columns].max(axis=None)
