"""Quilts of divergences between clusters (Walker & Ringger 2008, Figure 3)."""

from __future__ import annotations

import numpy as np
from matplotlib.ticker import MaxNLocator

from reseat.plots.style import PALETTE, TEXT_WIDTH, house_style, new_figure


def kl_quilts(matrices, nearest=None):
    """Scaled Kullback-Leibler divergences between clusters as grey squares: black 0, white 1.

    Parameters
    ----------
    matrices : dict of str to ndarray of shape (n_clusters, n_clusters)
        Panel title to a matrix already divided by its own maximum; row h is a cluster of the
        reference sample, column j one of the compared sample.
    nearest : dict of str to ndarray of shape (n_clusters,), optional
        For each panel the column of the smallest entry of each row, or a negative number for a
        row not to be marked (an empty cluster). Rows whose nearest cluster is not their own get
        an orange dot there.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If a matrix is not square or leaves the unit interval.
    """
    if not matrices:
        raise ValueError("no matrix was given, so there is nothing to draw.")
    arrays = {title: np.asarray(matrix, dtype=float) for title, matrix in matrices.items()}
    for title, matrix in arrays.items():
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(
                f"the matrix of '{title}' has shape {matrix.shape}; it must be square."
            )
        if matrix.size == 0 or matrix.min() < 0 or matrix.max() > 1:
            raise ValueError(f"the matrix of '{title}' leaves [0, 1]; divide it by its maximum.")
    with house_style():
        fig = new_figure(TEXT_WIDTH, 3.55)
        axes = fig.subplots(1, len(arrays), squeeze=False)[0]
        for index, (ax, (title, matrix)) in enumerate(zip(axes, arrays.items(), strict=True)):
            image = ax.imshow(matrix, cmap="gray", vmin=0, vmax=1, interpolation="nearest")
            ax.grid(False)
            ax.set_title(f"({chr(ord('a') + index)}) {title}")
            ax.set_xlabel("cluster j, compared sample")
            if index == 0:
                ax.set_ylabel("cluster h, reference sample")
            ax.xaxis.set_major_locator(MaxNLocator(7, integer=True, steps=[1, 2, 5, 10]))
            ax.yaxis.set_major_locator(MaxNLocator(7, integer=True, steps=[1, 2, 5, 10]))
            _mark_switched(ax, (nearest or {}).get(title))
        bar = fig.colorbar(image, ax=list(axes), shrink=0.82, pad=0.02)
        bar.set_label("KL divergence / its maximum")
        bar.outline.set_linewidth(0.5)
    return fig


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
