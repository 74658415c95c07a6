"""The figures of Kurihara et al. (2006), and the comparison with Gibbs sampling."""

import math
import string

import numpy as np
from matplotlib.ticker import MaxNLocator, PercentFormatter

from reseat.papers.relational.results import PAIRS
from reseat.plots.enumeration import draw_check, judge
from reseat.plots.layout import letter, noted, panel_title, title_of
from reseat.plots.style import (
    PALETTE,
    TEXT_WIDTH,
    house_style,
    new_figure,
    plain_ticks,
    short_number,
)

# ---- Dot plots of tables of pairs, sorted by cluster (Kurihara et al. 2006, Figures 1 to 3) ----

_DOT, _LINE = "#222222", PALETTE[1]

#: Size in points of a pixel at the resolution of the style; smaller dots are drawn as one pixel.
PIXEL = 0.36

#: Greatest width of a line between clusters, in points, and as a share of their mean width.
LIMIT, LIMIT_SHARE = 0.35, 0.03


def toy_blocks(toy):
    """Draw a small table of links before and after its rows and columns are sorted by cluster."""
    matrix = np.asarray(toy.matrix)
    identity = [np.arange(size) for size in matrix.shape]
    orders = (identity, [np.asarray(toy.row_order), np.asarray(toy.column_order)])
    with house_style():
        fig = new_figure(4.6, 2.45)
        axes = fig.subplots(1, 2)
        titles = ("before sorting (generated)", "after sorting (generated)")
        panels = zip(axes, orders, titles, strict=True)
        for index, (ax, (rows, columns), title) in enumerate(panels):
            ax.imshow(matrix[np.ix_(rows, columns)] > 0, cmap="Greys", vmin=0, vmax=1.15)
            ax.set_yticks(range(len(rows)), rows + 1, fontsize=6.5)
            letters = [string.ascii_lowercase[k] if k < 26 else str(k + 1) for k in columns]
            ax.set_xticks(range(len(columns)), letters, fontsize=6.5)
            ax.tick_params(length=0)
            ax.grid(False)
            ax.set_title(f"({letter(index)}) {title}")
        _draw_limits(axes[1], toy, (1.2, 1.2))
    return fig


def dot_matrices(found, table, titles=None, sides=None):
    """Draw the pairs that occur, rasterised and sorted by cluster, one panel per data set."""
    height = [min(4.6, max(2.5, 6.3 * of.shape[0] / of.shape[1])) for of in found]
    with house_style():
        fig = new_figure(TEXT_WIDTH, sum(height) + 0.55 * len(found))
        axes = fig.subplots(len(found), 1, squeeze=False, height_ratios=height)[:, 0]
        for index, (of, ax, inches) in enumerate(zip(found, axes, height, strict=True)):
            part = table[table["dataset"] == of.dataset]
            _draw_dots(ax, of, inches)
            role = part.iloc[0]["role"]
            names = (sides or {}).get(role, ("rows", "columns"))
            ax.set_ylabel(f"{of.shape[0]:,} {names[0]}")
            ax.set_xlabel(f"{of.shape[1]:,} {names[1]}")
            ax.set_title(f"({letter(index)}) {_heading(of, part, titles)}")
    return fig


def _heading(of, part, titles):
    first = part.iloc[0]
    sizes = [len(limits) + 1 for limits in _limits(of)]
    title = title_of(first["role"], titles, first["status"])
    text = f"{title}: {first['system']}, {_product(sizes)} clusters"
    of_system = part[part["system"] == first["system"]]
    printed = of_system.drop_duplicates("metric").set_index("metric")["published"]
    printed = [printed.get(f"{side} clusters", np.nan) for side in ("row", "column")]
    return text if np.isnan(printed).any() else f"{text}, printed {_product(printed)}"


def _draw_dots(ax, of, inches):
    n_rows, n_columns = of.shape
    points = (72 * inches, 72 * (TEXT_WIDTH - 0.7))
    # Slightly smaller than a cell, so that neighbouring dots stay apart.
    size = 0.85 * min(points[0] / n_rows, points[1] / n_columns)
    look = {"marker": ",", "alpha": 0.75} if size < PIXEL else {"marker": "s", "markersize": size}
    look |= {"color": _DOT, "markeredgewidth": 0, "rasterized": True}
    ax.plot(of.columns, of.rows, linestyle="none", **look)
    ax.set_xlim(-0.5, n_columns - 0.5)
    ax.set_ylim(n_rows - 0.5, -0.5)
    widths = [
        min(LIMIT, LIMIT_SHARE * length / (len(limits) + 1))
        for length, limits in zip(points, _limits(of), strict=True)
    ]
    _draw_limits(ax, of, widths, zorder=1)  # below the dots, which may be smaller
    ax.grid(False)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[:].set_visible(True)


def _draw_limits(ax, of, widths, **look):
    for limits, line, width in zip(_limits(of), (ax.axhline, ax.axvline), widths, strict=True):
        for edge in limits:
            line(edge - 0.5, color=_LINE, linewidth=width, **look)


def _limits(of):
    """Return the borders between clusters of both sides, without the two ends of the table."""
    return [np.unique(edges)[1:-1] for edges in (of.row_edges, of.column_edges)]


def _product(sizes):
    return " \N{MULTIPLICATION SIGN} ".join(f"{int(size):,}" for size in sizes)


# ---- Coverage of classes by cells, and purity of the cells (Figures 4 and 5) -----------------

#: Style of each (model, control): the FIRM is solid, the IRM dash-dotted, the controls are dashed.
LOOKS = {
    ("firm", ""): {"color": PALETTE[0], "marker": "o", "linestyle": "solid"},
    ("irm", ""): {"color": PALETTE[1], "marker": "s", "linestyle": "dashdot"},
    ("firm", "same_numbers"): {"color": PALETTE[2], "marker": "^", "linestyle": (0, (5, 1.5))},
    ("firm", "random"): {"color": PALETTE[5], "marker": "v", "linestyle": (0, (1.2, 1.2))},
    ("irm", "random"): {"color": PALETTE[4], "marker": "P", "linestyle": (0, (5, 1.5, 1.2, 1.5))},
}


def class_shares(table, titles=None):
    """Draw the share of cells covered by each ranked class, a panel per data set and pairs."""
    panels = _panels(table[table["control"] != "random"])
    with house_style():
        fig = new_figure(TEXT_WIDTH, 2.1 * len(panels) + 0.3)
        axes = fig.subplots(len(panels), 1, squeeze=False)[:, 0]
        for index, (ax, part) in enumerate(zip(axes, panels, strict=True)):
            for (model, control), rows in _systems(part):
                rows = rows.sort_values("rank")
                first = rows.iloc[0]
                of = f"{first['covered']:.0f} of {first['n_classes']:.0f}"
                look = {"markersize": 3.2, "markeredgewidth": 0.3, "markeredgecolor": "white"}
                look |= _thin(model, control, 0.9)
                look["label"] = first["system"].replace(" with ", "\nwith ") + f"\n{of} covered"
                ax.plot(rows["rank"], rows["share"], clip_on=False, **look)
            ax.set_xlim(0.5, part["rank"].max() + 0.5)
            ax.set_ylim(bottom=0)
            ax.yaxis.set_major_formatter(PercentFormatter(1.0))
            ax.xaxis.set_major_locator(MaxNLocator(10, integer=True))
            ax.set_ylabel("share of the cells")
            ax.set_title(_panel_heading(index, part, titles))
            # Beside the panel, because inside it would cover a line.
            ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
        axes[-1].set_xlabel("classes of SAM, ranked by the FIRM's share")
    return fig


def purity_curves(table, titles=None):
    """Draw purity S_i against i, one column per beta, with controls dashed within their range."""
    betas = sorted(table["beta"].unique(), reverse=True)
    panels = _panels(table)
    with house_style():
        fig = new_figure(max(3.4, TEXT_WIDTH * len(betas) / 3), 2.25 * len(panels) + 0.6)
        axes = fig.subplots(len(panels), len(betas), squeeze=False, sharex=True, sharey="row")
        handles = {}
        for index, (row, part) in enumerate(zip(axes, panels, strict=True)):
            for ax, beta in zip(row, betas, strict=True):
                for (model, control), rows in _systems(part[part["beta"] == beta]):
                    line = _draw_curve(ax, rows.sort_values("i"), model, control)
                    handles.setdefault(rows["system"].iloc[0], line)
                ax.set_xlim(1, table["i"].max())
                ax.set_ylim(part["purity"].min() - 0.02, 1.02)
                said = {"transform": ax.transAxes, "ha": "right", "fontsize": 8}
                ax.text(0.97, 0.05, f"$\\beta$ = {beta:g}", **said)
                ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
            row[0].set_title(_panel_heading(index, part, titles))
            row[0].set_ylabel("purity $S_i$")
        for ax in axes[-1]:
            ax.set_xlabel("$i$")
        fig.legend(
            handles.values(), handles.keys(), loc="outside lower center", ncols=min(3, len(handles))
        )
    return fig


def _draw_curve(ax, rows, model, control):
    look = _thin(model, control, 1.3)
    del look["marker"]
    if (rows["high"] > rows["low"]).any():
        band = {"color": look["color"], "alpha": 0.25, "linewidth": 0}
        ax.fill_between(rows["i"], rows["low"], rows["high"], **band)
    return ax.plot(rows["i"], rows["purity"], **look)[0]


def _thin(model, control, width):
    """Return the line style of a system; controls are thinner."""
    return LOOKS[model, control] | {"linewidth": 0.8 * width if control else width}


def _systems(part):
    """Return the rows of each (model, control), in the order of :data:`LOOKS`."""
    groups = dict(list(part.groupby(["model", "control"], sort=False)))
    return [(key, groups[key]) for key in LOOKS if key in groups]


def _panels(table):
    return [part for _key, part in table.groupby(["dataset", "pairs"], sort=False)]


def _panel_heading(index, part, titles):
    return f"({letter(index)}) {panel_title(part, titles)}: {PAIRS[part['pairs'].iloc[0]]}"


# ---- Variational inference compared with Gibbs sampling --------------------------------------

#: Name, colour and marker of each method.
_METHODS = {"vb": ("variational", PALETTE[0], "o"), "gibbs": ("collapsed Gibbs", PALETTE[1], "X")}


def inference_comparison(table, titles=None):
    """Draw the held-out log predictive against seconds, and both methods against enumeration."""
    runs = table[table["part"] == "held-out"]
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
            axes[row, 0].set_ylabel("log predictive per cell, nats")
        _draw_checks(lower, below, bounds, len(above))
        handles = {}
        for ax in upper:
            handles |= dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
        fig.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=3)
    return fig


def _draw_runs(ax, part):
    for method, (words, color, marker) in _METHODS.items():
        rows = part[part["method"] == method]
        if len(rows) == 0:
            continue
        apart = noted(rows).any()
        face, edge, width = ("white", color, 0.8) if apart else (color, "white", 0.4)
        look = {"marker": marker, "markersize": 4.5, "markerfacecolor": face, "alpha": 0.8}
        look |= {"markeredgecolor": edge, "markeredgewidth": width}
        look["label"] = f"{words}, chains disagree" if apart else words
        ax.plot(rows["seconds"], rows["log_predictive"], linestyle="none", **look)
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
        # The colour is not that of a method.
        style = {"color": "#444444", "marker": "o" if model == "firm" else "s"}
        draw_check(ax, shown, ends, style)
        ax.set_aspect("auto")  # as large as the panels above
        heading = f"({letter(shift + index)}) {first['prior']}"
        ax.set_title(f"{heading}\n{judge(ax, part, 6.5)}", fontsize=7.5)
        ax.set_xlabel("exact probability")
        small = {"transform": ax.transAxes, "fontsize": 6.5, "color": "#555555"}
        own = bounds[bounds["model"] == model]
        if len(own):
            gap = (own["log_evidence"] - own["elbo"]).min()
            note = f"ELBO {short_number(gap)} nats\nbelow the evidence"
            ax.text(0.97, 0.22, note, ha="right", **small)
        ax.set_ylabel("sampled")
