"""The figures of Walker & Ringger (2008)."""

import numpy as np
import pandas as pd
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from reseat.plots import layout, style

# ---- Log joint against sweep, one panel per data set (Walker & Ringger 2008, Figure 2) -------

#: Share of the burn-in, and smallest sweep, before which sweeps are shown in the inset.
RISE, MIN_RISE = 0.1, 5


def log_joint_traces(table, titles=None):
    """Draw the log joint of one chain per data set, the range of all, and the rise in an inset."""
    names = list(pd.unique(table["dataset"]))
    # Three panels in a row only if the last row is then full.
    columns = min(3 if len(names) % 3 == 0 else 2, len(names))
    with style.house_style():
        width = style.TEXT_WIDTH if columns > 1 else style.TEXT_WIDTH / 2
        fig, axes = layout.panel_grid(len(names), columns, width, 2.35, 0.4)
        for index, (name, ax) in enumerate(zip(names, axes, strict=True)):
            part = table[table["dataset"] == name].sort_values("sweep")
            _draw_trace(ax, part)
            title = layout.title_of(name, titles, part["status"].iloc[0])
            ax.set_title(layout.fitted(f"({layout.letter(index)}) {title}", columns))
            if index % columns == 0:
                ax.set_ylabel("log p(w, z)  [nats]")
            if index + columns >= len(names):
                ax.set_xlabel("sweep")
        layout.legend_below(fig, axes[0])
    return fig


def _draw_trace(ax, part):
    burn_in = float(part["burn_in"].iloc[0])
    first, last = part["sweep"].iloc[0], part["sweep"].iloc[-1]
    _draw_chain(ax, part)
    if burn_in > 0:
        ax.axvspan(first, min(burn_in, last), color="#000000", alpha=0.07, linewidth=0)
        ax.axvline(burn_in, color=style.PALETTE[1], linestyle=(0, (3, 2)), linewidth=0.9)
        look = {"color": "#A34700", "fontsize": 7.5, "xycoords": ("data", "axes fraction")}
        look |= {"xytext": (3, -8), "textcoords": "offset points"}
        ax.annotate(f"burn-in {burn_in:.0f}", xy=(burn_in, 1), **look)
    ax.set_xlim(first, max(last, burn_in))
    ax.xaxis.set_major_locator(MaxNLocator(5, integer=True, steps=[1, 2, 2.5, 5, 10]))
    settled = part[part["sweep"] >= max(MIN_RISE, RISE * burn_in)]
    seen = (settled if len(settled) else part)[["log_joint", "low", "high"]]
    low, high = seen.min(axis=None), seen.max(axis=None)
    reach = (high - low) or 1.0
    # The band of all chains is in the upper half, below the label of the burn-in.
    ax.set_ylim(high + 0.3 * reach - 1.3 * reach / 0.5, high + 0.3 * reach)
    ax.yaxis.set_major_locator(MaxNLocator(5))
    ax.yaxis.set_major_formatter(FuncFormatter(style.short_number))
    _draw_rise(ax.inset_axes((0.36, 0.15, 0.6, 0.25)), part, burn_in)


def _draw_chain(ax, part):
    look = {"alpha": 0.22, "linewidth": 0, "label": "lowest to highest of all chains"}
    ax.fill_between(part["sweep"], part["low"], part["high"], color=style.PALETTE[0], **look)
    look = {"linewidth": 0.9, "label": "the first chain"}
    ax.plot(part["sweep"], part["log_joint"], color=style.PALETTE[0], **look)


def _draw_rise(ax, part, burn_in):
    """Draw the sweeps of the burn-in on their full scale."""
    part = part[part["sweep"] <= max(burn_in, MIN_RISE)]
    _draw_chain(ax, part)
    ax.set_xscale("log")
    ax.set_xlim(part["sweep"].iloc[0], max(part["sweep"].iloc[-1], 2))
    ax.set_title("from the first sweep", fontsize=6.5, fontweight="normal", pad=2)
    ax.xaxis.set_major_locator(LogLocator(numticks=5))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _place: f"{value:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.yaxis.set_major_locator(MaxNLocator(2))
    ax.yaxis.set_major_formatter(FuncFormatter(style.short_number))
    ax.tick_params(labelsize=6, length=2)
    ax.set_xlabel("sweep", fontsize=6, labelpad=1)


# ---- Heat maps of divergences between clusters (Walker & Ringger 2008, Figure 3) -------------

#: Colour of rows of empty clusters, which is none of the two scales of colours.
BLANK = "#cfe3f5"


def kl_heatmaps(matrices, nearest=None, table=None, titles=None):
    """Draw scaled Kullback-Leibler divergences, by panel title, in grey: 0 is black, 1 is white.

    `nearest` has the column of the smallest entry of each row, which is marked if not its own, or
    -1 for an empty row, which is blank.
    """
    panels = [np.array(matrix, dtype=float) for matrix in matrices.values()]
    known = nearest or {}
    nearest = [np.asarray(known.get(name, range(len(of)))) for name, of in matrices.items()]
    for matrix, columns in zip(panels, nearest, strict=True):
        matrix[columns < 0] = np.nan
    compared = len(panels) == 2
    with style.house_style():
        fig = style.new_figure(style.TEXT_WIDTH, 3.3)
        if table is not None:
            first = table.iloc[0]
            fig.get_layout_engine().set(h_pad=0.1)  # inches, also between the two titles
            title = layout.title_of(first["dataset"], titles, first["status"])
            fig.suptitle(title, x=0.01, ha="left")
        axes = fig.subplots(1, len(panels) + compared, squeeze=False)[0]
        for index, title in enumerate(matrices):
            image = layout.draw_heatmap(axes[index], panels[index], "gray", 0, 1)
            _name_axes(axes[index], f"({layout.letter(index)}) {title}")
            _mark_switched(axes[index], nearest[index])
        axes[0].set_ylabel("cluster h of the first sample")
        _bar(fig, image, axes[: len(panels)], "KL divergence / its maximum")
        if compared:
            difference = panels[1] - panels[0]
            most = np.nanmax(np.abs(difference), initial=0.0) or 1.0
            image = layout.draw_heatmap(axes[2], difference, "RdBu_r", -most, most)
            _name_axes(axes[2], "(c) difference, (b) \N{MINUS SIGN} (a)")
            _bar(fig, image, axes[2:], "difference")
    return fig


def _name_axes(ax, title):
    ax.set_facecolor(BLANK)
    ax.set_title(title, fontsize=8)
    ax.set_xlabel("cluster j of the compared sample")


def _bar(fig, image, axes, label):
    look = {"location": "bottom", "shrink": 0.8 / len(axes), "aspect": 18, "pad": 0.03}
    bar = fig.colorbar(image, ax=list(axes), **look)
    bar.set_label(label)
    bar.ax.xaxis.set_major_locator(MaxNLocator(4))
    bar.outline.set_linewidth(0.5)


def _mark_switched(ax, nearest):
    rows = np.flatnonzero((nearest >= 0) & (nearest != np.arange(len(nearest))))
    if len(rows):
        look = {"marker": "o", "markersize": 4, "markerfacecolor": style.PALETTE[4]}
        look |= {"markeredgecolor": "black", "markeredgewidth": 0.5, "linestyle": "none"}
        ax.plot(nearest[rows] + 0.5, rows + 0.5, **look)  # the middle of a square


# ---- Score of a single sample against its place in the chain (Figure 4) ----------------------


def scores_by_sample(table, titles=None):
    """Draw the mean score over chains, with its error, of the i-th sample, a panel per metric."""
    metrics = list(pd.unique(table["metric"]))
    status_of = dict(zip(table["dataset"], table["status"], strict=True))
    apart = set(table.loc[layout.noted(table), "dataset"])
    labels = {}
    for name, status in status_of.items():
        said = ", chains disagree" if name in apart else ""
        labels[name] = layout.title_of(name, titles, status) + said
    with style.house_style():
        fig = style.new_figure(style.TEXT_WIDTH if len(metrics) > 1 else style.COLUMN_WIDTH, 2.75)
        axes = fig.subplots(1, len(metrics), squeeze=False, sharey=True)[0]
        for index, (metric, ax) in enumerate(zip(metrics, axes, strict=True)):
            for position, (name, label) in enumerate(labels.items()):
                part = table[(table["metric"] == metric) & (table["dataset"] == name)]
                _draw_line(ax, part.sort_values("sample"), position, label)
            alone = "" if len(labels) > 1 else f", {label}"
            ax.set_title(layout.fitted(f"({layout.letter(index)}) {metric}{alone}", len(metrics)))
            ax.set_xlabel("place of the sample in the chain")
            ax.xaxis.set_major_locator(MaxNLocator(6, integer=True, steps=[1, 2, 2.5, 5, 10]))
        # The axis starts at no agreement: one fitted to the scores would magnify their noise.
        axes[0].set_ylim(min(0.0, (table["mean"] - table["se"].fillna(0)).min()), None)
        axes[0].margins(y=0.1)
        axes[0].set_ylabel("mean over chains")
        if len(labels) > 1:
            layout.legend_below(fig, axes[0], 3)
    return fig


def _draw_line(ax, part, position, label):
    look = style.series_style(position)
    few = max(1, len(part) // 4)  # markers tell lines apart, and need not be at every sample
    ax.plot(part["sample"], part["mean"], markersize=4, markevery=few, label=label, **look)
    low, high = part["mean"] - part["se"], part["mean"] + part["se"]
    ax.fill_between(part["sample"], low, high, color=look["color"], alpha=0.2, linewidth=0)
