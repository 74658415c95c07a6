"""Dot plots of tables of pairs, sorted by cluster (Kurihara et al. 2006, Figures 1 to 3)."""

from __future__ import annotations

import string

import numpy as np

from reseat.plots.checks import require_columns, title_of
from reseat.plots.layout import letter
from reseat.plots.style import PALETTE, TEXT_WIDTH, house_style, new_figure

_DOT, _LINE = "#222222", PALETTE[1]

#: Size in points of a pixel at the resolution of the style; smaller dots are drawn as one pixel.
PIXEL = 0.36

#: Greatest width in points of a line between clusters, and its greatest share of the mean width of
#: a cluster: among narrow clusters a line is thinner than a pixel, and therefore pale.
LIMIT, LIMIT_SHARE = 0.35, 0.03


def toy_blocks(toy):
    """Draw a small table of links before and after its rows and columns are sorted by cluster.

    Rows are numbered and columns have letters, as in the paper.
    """
    matrix = np.asarray(toy.matrix)
    if not matrix.any():
        raise ValueError("the table has no link, so there is nothing to draw.")
    identity = [np.arange(size) for size in matrix.shape]
    orders = (identity, [np.asarray(toy.row_order), np.asarray(toy.column_order)])
    with house_style():
        fig = new_figure(4.6, 2.45)
        axes = fig.subplots(1, 2)
        titles = ("before sorting (generated)", "after sorting (generated)")
        for index, (ax, (rows, columns), title) in enumerate(
            zip(axes, orders, titles, strict=True)
        ):
            ax.imshow(matrix[np.ix_(rows, columns)] > 0, cmap="Greys", vmin=0, vmax=1.15)
            ax.set_yticks(range(len(rows)), rows + 1, fontsize=6.5)
            ax.set_xticks(range(len(columns)), [_letter(place) for place in columns], fontsize=6.5)
            ax.tick_params(length=0)
            ax.grid(False)
            ax.set_title(f"({letter(index)}) {title}")
        _draw_limits(axes[1], toy, matrix.shape, (1.2, 1.2))
    return fig


def dot_matrices(found, table, titles=None, sides=None):
    """Draw the pairs that occur, with rows and columns sorted by cluster, one panel per data set.

    The dots are rasterised, also in PDF and SVG; the lines between clusters are not.
    """
    columns = ["dataset", "role", "status", "system", "metric", "published"]
    require_columns(table, columns, "the table of clusters")
    height = [min(4.6, max(2.5, 6.3 * of.shape[0] / of.shape[1])) for of in found]
    with house_style():
        fig = new_figure(TEXT_WIDTH, sum(height) + 0.55 * len(found))
        axes = fig.subplots(len(found), 1, squeeze=False, height_ratios=height)[:, 0]
        for index, (of, ax, inches) in enumerate(zip(found, axes, height, strict=True)):
            part = table[table["dataset"] == of.dataset]
            if len(part) == 0:
                raise ValueError(f"the table of clusters lacks {of.dataset}; add its rows.")
            _draw_dots(ax, of, inches)
            role = part.iloc[0]["role"]
            names = (sides or {}).get(role, ("rows", "columns"))
            ax.set_ylabel(f"{of.shape[0]:,} {names[0]}")
            ax.set_xlabel(f"{of.shape[1]:,} {names[1]}")
            ax.set_title(f"({letter(index)}) {_heading(of, part, titles)}")
    return fig


def _heading(of, part, titles):
    first = part.iloc[0]
    sizes = [
        len(_limits(edges, size)) + 1
        for edges, size in zip((of.row_edges, of.column_edges), of.shape, strict=True)
    ]
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
    ax.plot(
        of.columns,
        of.rows,
        linestyle="none",
        color=_DOT,
        markeredgewidth=0,
        rasterized=True,
        **look,
    )
    ax.set_xlim(-0.5, n_columns - 0.5)
    ax.set_ylim(n_rows - 0.5, -0.5)
    widths = [
        min(LIMIT, LIMIT_SHARE * length / (len(_limits(edges, n)) + 1))
        for length, edges, n in zip(points, (of.row_edges, of.column_edges), of.shape, strict=True)
    ]
    _draw_limits(ax, of, of.shape, widths, zorder=1)  # below the dots, which may be smaller
    ax.grid(False)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[:].set_visible(True)


def _draw_limits(ax, of, shape, widths, **look):
    for edges, size, line, width in zip(
        (of.row_edges, of.column_edges), shape, (ax.axhline, ax.axvline), widths, strict=True
    ):
        for edge in _limits(edges, size):
            line(edge - 0.5, color=_LINE, linewidth=width, **look)


def _limits(edges, size):
    """Return the borders between clusters, without the two ends of the table."""
    edges = np.unique(np.asarray(edges))
    return edges[(edges > 0) & (edges < size)]


def _product(sizes):
    return " \N{MULTIPLICATION SIGN} ".join(f"{int(size):,}" for size in sizes)


def _letter(place):
    return string.ascii_lowercase[place] if place < 26 else str(place + 1)
