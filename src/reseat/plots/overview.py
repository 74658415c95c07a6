"""All published numbers of some papers against ours, as one picture."""

from __future__ import annotations

import numpy as np

from reseat.plots.style import PALETTE, TEXT_WIDTH, house_style, new_figure, short_number

#: Verdict to colour, marker, size and order of drawing: told apart without colour, too.
LOOKS = {
    "not comparable": ("#999999", ".", 2.0, 1),
    "not converged": (PALETTE[4], "s", 2.6, 2),
    "agree": (PALETTE[0], "o", 2.8, 4),
    "differ": (PALETTE[1], "^", 3.2, 3),
}


def published_against_ours(comparison):
    """A panel a paper: the published number across, ours upwards, equal ones on the line.

    Parameters
    ----------
    comparison : pandas.DataFrame
        Columns `paper`, `published`, `ours`, `error` (a standard error or NaN), `verdict`. Rows
        without a number of ours are left out.

    Returns
    -------
    matplotlib.figure.Figure
    """
    table = comparison[np.isfinite(comparison["ours"]) & np.isfinite(comparison["published"])]
    papers = list(dict.fromkeys(table["paper"]))
    n_columns = min(3, max(1, len(papers)))
    n_rows = max(1, -(-(len(papers) + 1) // n_columns))
    with house_style():
        figure = new_figure(TEXT_WIDTH, 2.3 * n_rows)
        panels = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
        for panel, paper in zip(panels, papers, strict=False):
            _panel(panel, table[table["paper"].eq(paper)], paper)
        rest = panels[len(papers) :]
        for panel in rest:
            panel.axis("off")
        handles = [
            panels[0].plot([], [], marker, color=colour, markersize=size + 1.5, label=verdict)[0]
            for verdict, (colour, marker, size, _order) in LOOKS.items()
        ]
        if len(rest):
            rest[0].legend(handles=handles[::-1], loc="center", title="ours and the published one")
        figure.supxlabel("published", fontsize=8)
        figure.supylabel("ours, with two standard errors", fontsize=8)
    return figure


def _panel(panel, table, title):
    numbers = np.concatenate([table["published"], table["ours"]])
    # Scores below one and counts of thousands share a panel: logarithmic beyond one.
    for name in ("x", "y"):
        getattr(panel, f"set_{name}scale")("symlog", linthresh=1.0)
    low, high = min(0.0, numbers.min()), max(1.0, numbers.max())
    panel.plot([low, high], [low, high], color="#333333", linewidth=0.7, zorder=0)
    for verdict, (colour, marker, size, order) in LOOKS.items():
        own = table[table["verdict"].eq(verdict)]
        panel.errorbar(
            own["published"],
            own["ours"],
            yerr=2 * own["error"].fillna(0.0),
            fmt=marker,
            color=colour,
            markersize=size,
            markeredgewidth=0,
            elinewidth=0.5,
            zorder=order,
        )
    panel.set_title(title)
    for axis in (panel.xaxis, panel.yaxis):
        axis.set_major_formatter(short_number)
        axis.set_minor_formatter("")
