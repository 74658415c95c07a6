"""Coverage of classes by cells, and purity of the cells (Kurihara et al. 2006, Figures 4 and 5)."""

from __future__ import annotations

from matplotlib.ticker import MaxNLocator, PercentFormatter

from reseat.plots.accuracy import panel_title
from reseat.plots.checks import require_columns
from reseat.plots.layout import letter
from reseat.plots.style import PALETTE, TEXT_WIDTH, house_style, new_figure

#: Style of each (model, control): the FIRM is solid, the IRM dash-dotted, the controls are dashed.
LOOKS = {
    ("firm", ""): {"color": PALETTE[0], "marker": "o", "linestyle": "solid"},
    ("irm", ""): {"color": PALETTE[1], "marker": "s", "linestyle": "dashdot"},
    ("firm", "same_numbers"): {"color": PALETTE[2], "marker": "^", "linestyle": (0, (5, 1.5))},
    ("firm", "random"): {"color": PALETTE[5], "marker": "v", "linestyle": (0, (1.2, 1.2))},
    ("irm", "random"): {"color": PALETTE[4], "marker": "P", "linestyle": (0, (5, 1.5, 1.2, 1.5))},
}
_OTHER = {"color": PALETTE[3], "marker": "X", "linestyle": "dotted"}

#: Printed names of the kinds of pairs.
_PAIRS = {"all": "all pairs", "observed": "observed pairs"}


def class_shares(table, titles=None):
    """Draw the share of cells covered by each ranked class, a panel per data set and kind of pairs.

    Random partitions are not drawn. The legends count the classes that are covered; those that are
    not covered lie on the axis.
    """
    columns = ["dataset", "role", "status", "pairs", "model", "control", "system", "rank"]
    require_columns(table, [*columns, "share", "covered", "n_classes"], "the table of shares")
    panels = _panels(table[table["control"] != "random"])
    with house_style():
        fig = new_figure(TEXT_WIDTH, 2.1 * len(panels) + 0.3)
        axes = fig.subplots(len(panels), 1, squeeze=False)[:, 0]
        for index, (ax, part) in enumerate(zip(axes, panels, strict=True)):
            for (model, control), rows in _systems(part):
                rows = rows.sort_values("rank")
                first = rows.iloc[0]
                of = f"{first['covered']:.0f} of {first['n_classes']:.0f}"
                ax.plot(
                    rows["rank"],
                    rows["share"],
                    label=f"{_two_lines(first['system'])}\n{of} covered",
                    markersize=3.2,
                    markeredgewidth=0.3,
                    markeredgecolor="white",
                    clip_on=False,
                    **_thin(model, control, 0.9),
                )
            ax.set_xlim(0.5, part["rank"].max() + 0.5)
            ax.set_ylim(bottom=0)
            ax.yaxis.set_major_formatter(PercentFormatter(1.0))
            ax.xaxis.set_major_locator(MaxNLocator(10, integer=True))
            ax.set_ylabel("share of the cells")
            ax.set_title(_heading(index, part, titles))
            # Beside the panel, because inside it would cover a line.
            ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
        axes[-1].set_xlabel("classes of SAM, ranked by the FIRM's share")
    return fig


def purity_curves(table, titles=None):
    """Draw purity S_i against i, one column per beta and one row per data set and kind of pairs.

    Lines of controls are thin and dashed, with a band between `low` and `high`.
    """
    columns = ["dataset", "role", "status", "pairs", "beta", "model", "control", "system", "i"]
    require_columns(table, [*columns, "purity", "low", "high"], "the table of purities")
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
                ax.text(
                    *(0.97, 0.05, f"$\\beta$ = {beta:g}"),
                    transform=ax.transAxes,
                    ha="right",
                    fontsize=8,
                )
                ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
            row[0].set_title(_heading(index, part, titles))
            row[0].set_ylabel("purity $S_i$")
        for ax in axes[-1]:
            ax.set_xlabel("$i$")
        fig.legend(
            handles.values(),
            handles.keys(),
            loc="outside lower center",
            ncols=min(3, len(handles)),
        )
    return fig


def _draw_curve(ax, rows, model, control):
    look = _thin(model, control, 1.3)
    del look["marker"]
    if (rows["high"] > rows["low"]).any():
        ax.fill_between(
            rows["i"], rows["low"], rows["high"], color=look["color"], alpha=0.25, linewidth=0
        )
    return ax.plot(rows["i"], rows["purity"], **look)[0]


def _thin(model, control, width):
    """Return the line style of a system; controls are thinner."""
    return LOOKS.get((model, control), _OTHER) | {"linewidth": 0.8 * width if control else width}


def _two_lines(system):
    return system.replace(" with ", "\nwith ")


def _systems(part):
    """Return the rows of each (model, control), those of :data:`LOOKS` first."""
    places = list(LOOKS)
    groups = dict(list(part.groupby(["model", "control"], sort=False)))
    order = sorted(groups, key=lambda key: places.index(key) if key in places else len(places))
    return [(key, groups[key]) for key in order]


def _panels(table):
    return [part for _key, part in table.groupby(["dataset", "pairs"], sort=False)]


def _heading(index, part, titles):
    pairs = part.iloc[0]["pairs"]
    return f"({letter(index)}) {panel_title(part, titles)}: {_PAIRS.get(pairs, pairs)}"
