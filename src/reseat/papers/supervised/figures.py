"""The figure of Daumé & Marcu (2005)."""

from reseat.plots.layout import legend_below, letter, panel_grid, panel_title
from reseat.plots.style import PALETTE, TEXT_WIDTH, house_style

#: Curves: prefix of the columns, name, colour, dashes, and opacity of the band, None for none.
_CURVES = (
    ("dp", "Dirichlet process", "#000000", "solid", 0.13),
    ("empirical", "data", PALETTE[0], (0, (5, 2)), 0.3),
    ("pyp", "Pitman-Yor", PALETTE[1], (0, (9, 2)), None),
)


def entity_growth(table, titles=None):
    """Draw expected and empirical numbers of clusters, a panel per data set, within two sd."""
    parts = [part for _name, part in table[table["main"]].groupby("dataset", sort=False)]
    columns = min(2, len(parts))
    with house_style():
        fig, axes = panel_grid(len(parts), columns, TEXT_WIDTH * columns / 2, 2.4, 0.3)
        for index, (ax, part) in enumerate(zip(axes, parts, strict=True)):
            _draw(ax, part.sort_values("n"))
            ax.set_title(f"({letter(index)}) {panel_title(part, titles)}")
            ax.set_xlabel("number of items")
            if index % columns == 0:
                ax.set_ylabel("expected number of clusters")
        legend_below(fig, axes[0], None if columns > 1 else 2)
    return fig


def _draw(ax, part):
    for name, words, color, solid, opacity in _CURVES:
        mean = part[f"{name}_mean"]
        # The data are drawn on top of the curves that are fitted to them.
        above = 3 if name == "empirical" else 2
        ax.plot(part["n"], mean, color=color, linestyle=solid, label=words, zorder=above)
        if opacity is None:
            continue
        spread = 2 * part[f"{name}_sd"]
        look = {"color": color, "alpha": opacity, "linewidth": 0, "zorder": above - 2}
        low, high = (mean - spread).clip(lower=0), mean + spread
        ax.fill_between(part["n"], low, high, label=f"{words} \u00b1 2 sd", **look)
    ax.set_xlim(0, max(part["n"].max(), 2))
    ax.set_ylim(bottom=0)
    ax.yaxis.get_major_locator().set_params(integer=True)
