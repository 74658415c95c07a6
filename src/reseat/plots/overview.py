"""The published numbers of some papers that can be compared against ours, in one figure."""

import numpy as np
from matplotlib.ticker import FixedLocator, NullLocator

from reseat.plots.beside_published import NEAR_ZERO, error_of_published, limits, round_ticks
from reseat.plots.style import PALETTE, TEXT_WIDTH, house_style, new_figure, short_number
from reseat.vocabulary import AGREE, DIFFER, NOT_CONVERGED

#: Colour, marker, size and drawing order of each verdict, which can be told apart without colour
#: too. Numbers that have not converged are hollow, as on the pages of the report.
LOOKS = {
    NOT_CONVERGED: ("#555555", "s", 2.8, 2),
    AGREE: (PALETTE[2], "o", 3.0, 4),
    DIFFER: (PALETTE[1], "^", 3.4, 3),
}
#: Smallest distance of two ticks, as a share of the axis.
APART = 1 / 8


def published_against_ours(comparison):
    """Draw a panel per paper: the published number across, ours upwards, equal ones on the line."""
    finite = np.isfinite(comparison["ours"]) & np.isfinite(comparison["published"])
    table = comparison[finite & comparison["verdict"].isin(LOOKS)]
    papers = list(dict.fromkeys(table["paper"]))
    n_columns = min(3, max(1, len(papers)))
    n_rows = -(-(len(papers) + 1) // n_columns)  # with room for the legend
    with house_style():
        figure = new_figure(TEXT_WIDTH, 2.3 * n_rows)
        panels = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
        for panel, paper in zip(panels, papers, strict=False):
            _panel(panel, table[table["paper"].eq(paper)], paper)
        rest = panels[len(papers) :]
        for panel in rest:
            panel.axis("off")
        handles = [
            panels[0].plot([], [], label=verdict, linestyle="", **_mark(verdict, larger=1.5))[0]
            for verdict in LOOKS
        ]
        title = "ours and the published one,\nwith two standard errors"
        rest[0].legend(handles=handles[::-1], loc="center", title=title)
        figure.supxlabel("published", fontsize=8)
        figure.supylabel("ours", fontsize=8)
    return figure


def _mark(verdict, larger=0.0):
    """Return the marker style of a point."""
    colour, marker, size, order = LOOKS[verdict]
    hollow = verdict == NOT_CONVERGED
    look = {"color": colour, "marker": marker, "markersize": size + larger, "zorder": order}
    look["markerfacecolor"] = "none" if hollow else colour
    return look | {"markeredgewidth": 0.6 if hollow else 0.0}


def _panel(panel, table, title):
    ends = limits(table[["published", "ours"]].to_numpy().ravel())
    low, high = NEAR_ZERO * np.sinh(ends)
    for name in ("x", "y"):
        getattr(panel, f"set_{name}scale")("asinh", linear_width=NEAR_ZERO)
    panel.plot([low, high], [low, high], color="#333333", linewidth=0.7, zorder=0)
    for verdict in LOOKS:
        own = table[table["verdict"].eq(verdict)]
        look = _mark(verdict) | {"linestyle": "", "elinewidth": 0.5}
        look["xerr"] = 2 * error_of_published(own["error"], own["combined_error"])
        look["yerr"] = 2 * own["error"].fillna(0.0)
        panel.errorbar(own["published"], own["ours"], **look)
    counts = table["verdict"].value_counts()
    said = ", ".join(f"{counts[verdict]} {verdict}" for verdict in LOOKS if verdict in counts)
    panel.set_title(title, pad=14)
    panel.text(0, 1.02, said, transform=panel.transAxes, fontsize=7, color="#555555")
    ticks = [tick for tick, _place in round_ticks(*ends, APART)]
    for axis in (panel.xaxis, panel.yaxis):
        axis.set_major_locator(FixedLocator(ticks))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(_number)
    panel.set_xlim(low, high)
    panel.set_ylim(low, high)


def _number(value, _place=None):
    return short_number(value) if abs(value) >= 1000 else f"{value:g}"
