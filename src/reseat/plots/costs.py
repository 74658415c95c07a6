"""Cost of a sweep against the number of objects and of clusters."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseat.plots.checks import require_columns
from reseat.plots.layout import letter
from reseat.plots.style import TEXT_WIDTH, house_style, new_figure, plain_ticks, series_style

#: For each axis: the column that varies, its name, the column that is held fixed, its name.
_AXES = {
    "n": ("n_items", "number of objects n", "n_clusters", "k"),
    "k": ("n_clusters", "number of clusters k", "n_items", "n"),
}


def sweep_costs(table):
    """Draw seconds per sweep against n and against k on logarithmic axes, one line per algorithm.

    Bars span the quartiles; the legends give the exponents with their standard errors.
    """
    columns = ["axis", "system", "n_items", "n_clusters", "seconds_per_sweep", "low", "high"]
    columns += ["exponent", "exponent_se"]
    require_columns(table, columns, "the table of timings")
    systems = list(pd.unique(table["system"]))
    axes_shown = [axis for axis in _AXES if (table["axis"] == axis).any()]
    with house_style():
        fig = new_figure(TEXT_WIDTH * len(axes_shown) / 2, 3.5)
        panels = fig.subplots(1, len(axes_shown), squeeze=False, sharey=True)[0]
        for index, (axis, ax) in enumerate(zip(axes_shown, panels, strict=True)):
            _draw_panel(ax, table[table["axis"] == axis], axis, systems)
            ax.set_title(f"({letter(index)}) cost in {axis}")
        panels[0].set_ylabel("seconds a sweep")
    return fig


def _draw_panel(ax, part, axis, systems):
    moving, name, held, letter = _AXES[axis]
    for system in (name for name in systems if name in set(part["system"])):
        points = part[part["system"] == system].sort_values(moving)
        middle = points["seconds_per_sweep"]
        first = points.iloc[0]
        ax.errorbar(
            points[moving],
            middle,
            yerr=np.clip([middle - points["low"], points["high"] - middle], 0, None),
            markersize=3.8,
            elinewidth=0.9,
            capsize=2,
            label=f"{system}: {_power(first, axis)}{letter} = {int(first[held]):,}",
            **series_style(systems.index(system)),
        )
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel(name)
    plain_ticks(ax.xaxis)
    # Below the panel, because inside it would cover a line.
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=1, fontsize=7)


def _power(row, axis):
    """Return the fitted power with its error, or an empty text without a fit."""
    if not np.isfinite(row["exponent"]):
        return ""
    return f"${axis}^{{{row['exponent']:.2f} \\pm {row['exponent_se']:.2f}}}$, "
