"""Heat maps of divergences between clusters (Walker & Ringger 2008, Figure 3)."""

from __future__ import annotations

import numpy as np
from matplotlib.ticker import MaxNLocator

from reseat.plots.checks import title_of
from reseat.plots.layout import fitted, letter
from reseat.plots.style import PALETTE, TEXT_WIDTH, house_style, new_figure


def kl_heatmaps(matrices, nearest=None, table=None, titles=None):
    """Draw scaled Kullback-Leibler divergences between clusters in grey: 0 is black, 1 is white.

    One panel per matrix and, for two matrices of the same shape, a panel of the second minus the
    first.

    `matrices`: matrix of each panel title, already divided by its own maximum; row h is a cluster
        of the reference sample, column j one of the compared sample.
    `nearest`: for each panel, the column of the smallest entry of each row, or a negative number
        for a row that is not to be marked (an empty cluster). Rows whose nearest cluster is not
        their own get an orange dot there.
    """
    if not matrices:
        raise ValueError("no matrix was given, so there is nothing to draw.")
    arrays = {title: np.asarray(matrix, dtype=float) for title, matrix in matrices.items()}
    for panel, matrix in arrays.items():
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(
                f"the matrix of '{panel}' has shape {matrix.shape}; it must be square."
            )
        if matrix.size == 0 or matrix.min() < 0 or matrix.max() > 1:
            raise ValueError(f"the matrix of '{panel}' leaves [0, 1]; divide it by its maximum.")
    panels = list(arrays.values())
    compared = len(panels) == 2 and panels[0].shape == panels[1].shape
    with house_style():
        fig = new_figure(TEXT_WIDTH, 3.3)
        if table is not None:
            first = table.iloc[0]
            fig.suptitle(title_of(first["dataset"], titles, first["status"]))
        axes = fig.subplots(1, len(arrays) + compared, squeeze=False)[0]
        for index, (ax, (panel, matrix)) in enumerate(zip(axes, arrays.items(), strict=False)):
            image = ax.imshow(matrix, cmap="gray", vmin=0, vmax=1, interpolation="nearest")
            _name_axes(ax, fitted(f"({letter(index)}) {panel}", len(axes)))
            _mark_switched(ax, (nearest or {}).get(panel))
        axes[0].set_ylabel("cluster h of the first sample")
        _bar(fig, image, axes[: len(arrays)], "KL divergence / its maximum")
        if compared:
            difference = panels[1] - panels[0]
            most = np.abs(difference).max() or 1.0
            image = axes[2].imshow(
                difference, cmap="RdBu_r", vmin=-most, vmax=most, interpolation="nearest"
            )
            _name_axes(axes[2], "(c) difference, (b) \N{MINUS SIGN} (a)")
            _bar(fig, image, axes[2:], "difference")
    return fig


def _name_axes(ax, title):
    ax.grid(False)
    ax.set_title(title)
    ax.set_xlabel("cluster j of the compared sample")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(5, integer=True, steps=[1, 5, 10]))


def _bar(fig, image, axes, label):
    """Add a colour bar below its panels, which keep the same size."""
    bar = fig.colorbar(
        image, ax=list(axes), location="bottom", shrink=0.8 / len(axes), aspect=18, pad=0.03
    )
    bar.set_label(label)
    bar.ax.xaxis.set_major_locator(MaxNLocator(4))
    bar.outline.set_linewidth(0.5)


def _mark_switched(ax, nearest):
    if nearest is None:
        return
    nearest = np.asarray(nearest)
    rows = np.flatnonzero((nearest >= 0) & (nearest != np.arange(len(nearest))))
    if len(rows):
        ax.plot(
            nearest[rows],
            rows,
            linestyle="none",
            marker="o",
            markersize=4,
            markerfacecolor=PALETTE[4],
            markeredgecolor="black",
            markeredgewidth=0.5,
        )
