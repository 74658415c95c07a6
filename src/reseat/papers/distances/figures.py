"""The figures of Vogt et al. (2010)."""

from itertools import product

import numpy as np
import pandas as pd
from matplotlib.cbook import boxplot_stats
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import MaxNLocator, MultipleLocator

from reseat.plots import layout, style
from reseat.plots.layout import letter
from reseat.vocabulary import CONFIRMED, REFUTED, UNTESTABLE

# ---- Box plots of the agreement with the true blocks (Vogt et al. 2010, Figures 2 and 4) -----

#: Places in the palette: the paper's model is blue, and others have other colours.
_COLORS = {"TIWD": 0, "WD": 1, "WD_R": 2, "WD_R (kernel PCA)": 5}
_COLORS |= {"Ward": 1, "CL": 2, "SL": 3, "AL": 4}

#: Fill of the boxes by the start of the chains, from left to right; None is the model's colour.
_FILLS = {"one": None, "many": "white", "truth": "#d0d0d0"}
_STARTS = {"one": "started in one block", "many": "in many blocks", "truth": "in the true blocks"}
_SHORT = {"one": "one block", "many": "many blocks", "truth": "true blocks"}
_ANY_COLOR = "#777777"

IN_A_ROW = 4


def accuracy_boxes(table, titles=None):
    """Draw the ARI of each model, with one panel per data set and one dot per repetition."""
    roles = list(pd.unique(table["role"]))
    columns = min(IN_A_ROW, len(roles))
    with style.house_style():
        width = max(style.TEXT_WIDTH * columns / IN_A_ROW, style.COLUMN_WIDTH)
        fig, axes = layout.panel_grid(len(roles), columns, width, 2.3, 0.15, sharey=True)
        for index, (role, ax) in enumerate(zip(roles, axes, strict=True)):
            part = table[table["role"] == role]
            draw_accuracy(ax, part, table["ari"].min())
            ax.set_title(f"({letter(index)}) {layout.panel_title(part, titles)}", fontsize=7.5)
            if index % columns == 0:
                ax.set_ylabel("adjusted Rand index")
        name_starts(fig, table)
    return fig


def name_starts(fig, table):
    """Add a legend of where the chains of the boxes start, if there are several kinds of start."""
    starts = [start for start in _FILLS if (table["start"] == start).any()]
    if len(starts) < 2:
        return
    handles = [
        Patch(facecolor=_FILLS[start] or _ANY_COLOR, edgecolor=_ANY_COLOR, label=_STARTS[start])
        for start in starts
    ]
    fig.legend(handles=handles, loc="outside lower center", ncols=len(handles))


def draw_accuracy(ax, part, lowest):
    """Draw a box of each model and start on one data set, with one dot per repetition."""
    systems = list(pd.unique(part["system"]))
    starts = [start for start in _FILLS if (part["start"] == start).any()]
    room = 0.76 / len(starts) if len(starts) > 1 else 0.69
    width, spread = 0.9 * room, 0.3 * room
    for (place, system), (turn, start) in product(enumerate(systems), enumerate(starts)):
        own = part[(part["system"] == system) & (part["start"] == start)]
        values = own.sort_values("draw")["ari"].to_numpy()
        if len(values) == 0:
            continue
        color = style.PALETTE[_COLORS.get(system, place % len(style.PALETTE))]
        middle = place + room * (turn - (len(starts) - 1) / 2)
        fill = _FILLS[start] or color
        layout.draw_boxes(ax, boxplot_stats(values), [middle], width, color, [fill])
        # Spread sideways by the number of the draw, so that equal values stay apart.
        aside = np.linspace(-spread, spread, len(values)) if len(values) > 1 else np.zeros(1)
        look = {"marker": "o", "markersize": 2.2, "markerfacecolor": "white", "zorder": 4}
        look |= {"markeredgecolor": "#222222", "markeredgewidth": 0.4}
        ax.plot(middle + aside, values, linestyle="none", **look)
    printed = {"WD_R (kernel PCA)": "WD$_R$\nkPCA", "WD_R": "WD$_R$"}
    ax.set_xticks(range(len(systems)), [printed.get(system, system) for system in systems])
    ax.set_xlim(-0.55, len(systems) - 0.45)
    ax.set_ylim(min(0.0, lowest) - 0.04, 1.04)
    ax.yaxis.set_major_locator(MultipleLocator(0.2))
    ax.grid(False, axis="x")


# ---- Verdicts on the claims about Figure 4 under every combination of readings ---------------

_COLORED = {CONFIRMED: "#bfdcf2", REFUTED: "#f4c9b2", UNTESTABLE: "#e4e4e4"}


def verdict_maps(table):
    """Draw the verdict on each claim under each reading as a coloured square with the effect."""
    claims = list(pd.unique(table["claim"]))
    thetas = list(pd.unique(table["theta"]))
    readings = table[["start", "procedure"]].drop_duplicates().to_records(index=False).tolist()
    joint = table[table["joint"]]
    with style.house_style():
        fig = style.new_figure(style.TEXT_WIDTH, 0.9 + 0.23 * len(readings))
        axes = fig.subplots(1, len(thetas), squeeze=False, sharey=True)[0]
        for theta, ax in zip(thetas, axes, strict=True):
            for row in table[table["theta"] == theta].to_dict("records"):
                place = claims.index(row["claim"]), readings.index((row["start"], row["procedure"]))
                ax.add_patch(Rectangle(place, 1, 1, color=_COLORED[row["verdict"]], linewidth=0))
                ax.text(place[0] + 0.5, place[1] + 0.5, f"{row['effect']:.2f}", size=6.5,
                        ha="center", va="center")  # fmt: skip
            for row in joint[joint["theta"] == theta].drop_duplicates("start").to_dict("records"):
                at = readings.index((row["start"], row["procedure"])) + 0.5
                ax.text(len(claims) + 0.1, at, "\N{BLACK STAR}", va="center")
            ax.set(xlim=(0, len(claims)), ylim=(len(readings), 0), title=f"theta = {theta}")
            ax.set_xticks(np.arange(len(claims)) + 0.5, [key[5:] for key in claims])
            ax.grid(False)
        names = [f"{_SHORT[start]}, {procedure}" for start, procedure in readings]
        axes[0].set_yticks(np.arange(len(readings)) + 0.5, names)
        handles = [Patch(color=color, label=verdict) for verdict, color in _COLORED.items()]
        fig.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return fig


# ---- Data sets in the plane beside the accuracy of the models on them (Figure 2) -------------


def embeddings_and_accuracy(points, table, titles=None):
    """Draw a row per data set: one draw in the plane, and the ARI of each model over all draws."""
    roles = list(pd.unique(table["role"]))
    with style.house_style():
        fig = style.new_figure(style.TEXT_WIDTH, 2.9 * len(roles))
        panels = fig.subplots(len(roles), 2, squeeze=False, width_ratios=(1.15, 1))
        for index, (role, (left, right)) in enumerate(zip(roles, panels, strict=True)):
            part = table[table["role"] == role]
            _draw_points(left, points[points["role"] == role])
            draw_accuracy(right, part, table["ari"].min())
            left.set_title(f"({'ace'[index % 3]}) {layout.panel_title(part, titles)}: one draw")
            right.set_title(f"({'bdf'[index % 3]}) {part['draw'].nunique()} draws")
            right.set_ylabel("adjusted Rand index")
        name_starts(fig, table)
        fig.get_layout_engine().set(hspace=0.06)
    return fig


def _draw_points(ax, points):
    for place, (_label, part) in enumerate(points.groupby("label")):
        look = {"markersize": 3.6, "markeredgewidth": 0.3, "markeredgecolor": "white"}
        look |= {"alpha": 0.85, "color": style.PALETTE[place % len(style.PALETTE)]}
        look["marker"] = style.MARKERS[place // len(style.PALETTE) % len(style.MARKERS)]
        ax.plot(part["x"], part["y"], linestyle="none", **look)
    ax.set_xlabel("first kernel principal component")
    ax.set_ylabel("second kernel principal component")
    ax.xaxis.set_major_locator(MaxNLocator(5))
    ax.yaxis.set_major_locator(MaxNLocator(5))


# ---- Traces of the number of clusters (Vogt et al. 2010, Figure 3) ---------------------------


def cluster_traces(table):
    """Draw the number of clusters after each sweep, how the chains rise, and where they settle."""
    traces = table[table["summary"] == "trace"]
    known = table[table["summary"] == "chains"].drop_duplicates("metric").set_index("metric")
    chains = [chain for _key, chain in traces.groupby(["draw", "chain"], sort=False)]
    first = table.iloc[0]
    stable = known.reindex(["sweeps until stable"])[["mean", "published"]].iloc[0].astype(float)
    last = max(2, traces["sweep"].max())
    with style.house_style():
        fig = style.new_figure(style.TEXT_WIDTH, 2.7)
        axes = fig.subplots(1, 3, width_ratios=(1.5, 1.1, 0.9))
        _draw_chain(axes[0], chains[0], 0, linewidth=0.5)
        axes[0].set_xlim(0, last)
        axes[0].xaxis.set_major_locator(MaxNLocator(5, integer=True, steps=[1, 2, 5, 10]))
        axes[0].set_title(
            f"(a) one chain, n = {int(first['n_items']):,}{layout.status_note(first['status'])}"
        )
        for place, chain in reversed(list(enumerate(chains))):
            _draw_chain(axes[1], chain, place, linewidth=1.0)
        axes[1].set_xscale("log")
        axes[1].set_xlim(1, min(last, max(100, 2 * np.nanmax([0, *stable]))))
        style.plain_ticks(axes[1].xaxis)
        axes[1].set_title("(b) the rise of every chain")
        for ax in axes[:2]:
            _mark(ax, known, stable)
            ax.set_xlabel("sweep")
            ax.yaxis.set_major_locator(MaxNLocator(7, integer=True))
            ax.set_ylim(0, 1.08 * traces["mean"].max())
        axes[0].set_ylabel("number of clusters")
        for place, chain in enumerate(chains):
            _draw_shares(axes[2], chain[chain["sweep"] > np.nan_to_num(stable["mean"])], place)
        axes[2].set_title("(c) once stable")
        axes[2].set_xlabel("number of clusters")
        axes[2].set_ylabel("share of the sweeps")
        axes[2].xaxis.set_major_locator(MaxNLocator(5, integer=True))
        axes[2].set_ylim(bottom=0)
        layout.legend_below(fig, axes[0])
    return fig


def _draw_chain(ax, chain, place, linewidth):
    look = {"color": style.series_style(place)["color"], "zorder": 3 if place == 0 else 2}
    ax.plot(chain["sweep"], chain["mean"], linewidth=linewidth, drawstyle="steps-post", **look)


def _draw_shares(ax, chain, place):
    look = style.series_style(place)
    look = {name: look[name] for name in ("color", "marker", "linestyle")}
    shares = chain["mean"].value_counts(normalize=True).sort_index()
    ax.plot(shares.index, shares, markersize=3, linewidth=1, **look)


def _mark(ax, known, stable):
    if "clusters" in known.index and known.loc["clusters", "truth"] > 0:
        truth = known.loc["clusters", "truth"]
        label = f"true number, {truth:g}"
        ax.axhline(truth, color=layout.INK, linestyle=(0, (4, 2)), linewidth=0.8, label=label)
    for column, color, dashes, words in (
        ("mean", style.PALETTE[2], "solid", "stable from"),
        ("published", "#A34700", (0, (1.2, 1.2)), "printed: stable from roughly"),
    ):
        if stable[column] > 0:
            label = f"{words} sweep {stable[column]:.0f}"
            ax.axvline(stable[column], color=color, linestyle=dashes, linewidth=1.1, label=label)


# ---- Maps of the co-membership of blocks of objects (Vogt et al. 2010, Figure 5) -------------

#: Largest number of blocks that are named at the side, and of letters of a name.
MAX_NAMED, MAX_LETTERS = 12, 14


def membership_maps(heat, titles=None):
    """Draw the mean co-membership of each pair of blocks, classes first, a panel per data set."""
    names = list(pd.unique(heat["dataset"]))
    with style.house_style():
        n_columns = min(len(names), 3)
        width = style.TEXT_WIDTH if n_columns > 1 else style.COLUMN_WIDTH
        # Leave room for the colour bar and the titles; the maps are square.
        height = (width - 0.7) / n_columns + 0.3
        fig, axes = layout.panel_grid(len(names), n_columns, width, height)
        for index, (name, ax) in enumerate(zip(names, axes, strict=True)):
            part = heat[heat["dataset"] == name]
            image = _draw_map(ax, part)
            title = f"({letter(index)}) {layout.panel_title(part, titles)}"
            ax.set_title(layout.fitted(title, n_columns))
        bar = fig.colorbar(image, ax=list(axes[:n_columns]), shrink=0.8, pad=0.02)
        bar.set_label("mean posterior co-membership")
        bar.outline.set_linewidth(0.5)
    return fig


def _draw_map(ax, part):
    blocks = part.drop_duplicates("row_block")[["row_block", "row_kind", "row_size"]]
    # Classes come before new blocks, because "class" < "new".
    blocks = blocks.sort_values(["row_kind", "row_size"], ascending=[True, False], kind="stable")
    order = list(blocks["row_block"])
    names = [name if len(name) <= MAX_LETTERS else f"{name[: MAX_LETTERS - 1]}…" for name in order]
    names = names if len(order) <= MAX_NAMED else False
    matrix = part.pivot(index="row_block", columns="column_block", values="mean").loc[order, order]
    image = layout.draw_heatmap(ax, matrix, "Blues", 0, 1, columns=False, rows=names)
    is_new = (blocks["row_kind"] == "new").to_numpy()
    n_classes = int((~is_new).sum())
    if 0 < n_classes < len(order):
        for line in (ax.axhline, ax.axvline):
            line(n_classes, color=style.PALETTE[1], linewidth=0.8)
    ax.set(xlabel=f"{n_classes} classes, {len(order) - n_classes} new blocks", ylabel="")
    ax.tick_params(axis="y", labelsize=6.5)
    for new, tick in zip(is_new, ax.get_yticklabels(), strict=False):  # there may be no names
        tick.set_color("#A34700" if new else "#222222")
    return image


# ---- Cost of a sweep against the number of objects and of clusters ---------------------------

#: For each axis: the column that varies, its name, the column that is held fixed, its name.
_AXES = {
    "n": ("n_items", "number of objects n", "n_clusters", "k"),
    "k": ("n_clusters", "number of clusters k", "n_items", "n"),
}


def sweep_costs(table):
    """Draw seconds per sweep, with quartiles, against n and k, one line per algorithm."""
    systems = list(pd.unique(table["system"]))
    axes_shown = [axis for axis in _AXES if (table["axis"] == axis).any()]
    with style.house_style():
        fig = style.new_figure(style.TEXT_WIDTH * len(axes_shown) / 2, 3.5)
        panels = fig.subplots(1, len(axes_shown), squeeze=False, sharey=True)[0]
        for index, (axis, ax) in enumerate(zip(axes_shown, panels, strict=True)):
            _draw_panel(ax, table[table["axis"] == axis], axis, systems)
            ax.set_title(f"({letter(index)}) cost in {axis}")
        panels[0].set_ylabel("seconds per sweep")
    return fig


def _draw_panel(ax, part, axis, systems):
    moving, name, held, letter = _AXES[axis]
    for system in (name for name in systems if name in set(part["system"])):
        points = part[part["system"] == system].sort_values(moving)
        middle, first = points["seconds_per_sweep"], points.iloc[0]
        power = ""  # without a fit
        if np.isfinite(first["exponent"]):
            power = f"${axis}^{{{first['exponent']:.2f} \\pm {first['exponent_se']:.2f}}}$, "
        look = style.series_style(systems.index(system))
        look |= {"markersize": 3.8, "elinewidth": 0.9, "capsize": 2}
        look["label"] = f"{system}: {power}{letter} = {int(first[held]):,}"
        spread = np.clip([middle - points["low"], points["high"] - middle], 0, None)
        ax.errorbar(points[moving], middle, yerr=spread, **look)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel(name)
    style.plain_ticks(ax.xaxis)
    # Below the panel, because inside it would cover a line.
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=1, fontsize=7)
