"""Maps of the co-membership of blocks of objects (Vogt et al. 2010, Figure 5)."""

from __future__ import annotations

import math

import pandas as pd

from reseat.plots.accuracy import panel_title
from reseat.plots.checks import require_columns
from reseat.plots.layout import letter
from reseat.plots.style import PALETTE, TEXT_WIDTH, house_style, new_figure

#: Smallest and largest type size, in points, of the names of blocks at the side.
SMALLEST, LARGEST = 5.5, 6.5

#: Largest number of maps side by side; more would be too small for the names of their blocks.
IN_A_ROW = 2


def membership_maps(heat, titles=None):
    """Draw the mean posterior co-membership of each pair of blocks, one panel per data set.

    White is 0 and dark is 1; classes come first, the largest of them at the top, then the new
    blocks, which are set apart by lines. Blocks are named if there is room.
    """
    columns = ["dataset", "role", "status", "row_block", "column_block", "row_kind"]
    columns += ["row_size", "mean"]
    require_columns(heat, columns, "the frame of co-memberships")
    names = list(pd.unique(heat["dataset"]))
    with house_style():
        width = TEXT_WIDTH if len(names) > 1 else 4.6
        # Leave room for the colour bar, the names of the blocks and the title; the maps are square.
        n_columns = min(len(names), IN_A_ROW)
        n_rows = math.ceil(len(names) / n_columns)
        side = (width - 0.7 - 0.5 * n_columns) / n_columns
        fig = new_figure(width, n_rows * (side + 0.5) + 0.3)
        axes = fig.subplots(n_rows, n_columns, squeeze=False).ravel()
        for ax in axes[len(names) :]:
            ax.set_axis_off()
        for index, (name, ax) in enumerate(zip(names, axes, strict=False)):
            part = heat[heat["dataset"] == name]
            image = _draw_map(ax, part, side)
            ax.set_title(f"({letter(index)}) {panel_title(part, titles)}")
        bar = fig.colorbar(image, ax=list(axes), shrink=0.75, pad=0.02)
        bar.set_label("mean posterior co-membership")
        bar.outline.set_linewidth(0.5)
    return fig


def _draw_map(ax, part, side):
    blocks = part.drop_duplicates("row_block")[["row_block", "row_kind", "row_size"]]
    # Classes come before new blocks, because "class" < "new".
    blocks = blocks.sort_values(["row_kind", "row_size"], ascending=[True, False], kind="stable")
    order = list(blocks["row_block"])
    matrix = part.pivot_table(index="row_block", columns="column_block", values="mean")
    image = ax.imshow(
        matrix.reindex(index=order, columns=order).to_numpy(),
        cmap="Blues",
        vmin=0,
        vmax=1,
        interpolation="nearest",
    )
    ax.grid(False)
    is_new = (blocks["row_kind"] == "new").to_numpy()
    n_classes = int((~is_new).sum())
    if 0 < n_classes < len(order):
        for line in (ax.axhline, ax.axvline):
            line(n_classes - 0.5, color=PALETTE[1], linewidth=0.8)
    ax.set_xticks([])
    ax.set_xlabel(f"{n_classes} classes, {len(order) - n_classes} new blocks")
    ax.set_yticks([])
    size = min(LARGEST, 0.9 * 72 * side / len(order))
    if size >= SMALLEST:
        ax.set_yticks(range(len(order)), order, fontsize=size)
        for new, tick in zip(is_new, ax.get_yticklabels(), strict=True):
            tick.set_color("#A34700" if new else "#222222")
    return image
