"""The posterior at a glance: who is with whom, and how many clusters there are."""

from __future__ import annotations

import numpy as np
from matplotlib.ticker import MaxNLocator

from reseat.plots import PALETTE, TEXT_WIDTH, house_style, new_figure
from reseat.summaries import coclustering

__all__ = ["draw_posterior"]

#: Items that are drawn; of more, so many evenly.
DRAWN = 1000
#: Clusters up to which lines part them.
PARTED = 40
#: Bars up to which each number of clusters has its own.
BARS = 60


def draw_posterior(draws: np.ndarray, labels: np.ndarray, n_clusters: np.ndarray):
    """Draw the co-clustering matrix, its items sorted by cluster, and the numbers of clusters.

    Parameters
    ----------
    draws : ndarray of int, shape (n_draws, n_items)
    labels : ndarray of int, shape (n_items,)
    n_clusters : ndarray of int
        Draws of the number of clusters.

    Returns
    -------
    matplotlib.figure.Figure
    """
    order = np.argsort(labels, kind="stable")
    drawn = order[np.linspace(0, order.size - 1, min(order.size, DRAWN)).astype(int)]
    together = _within(coclustering(draws[:, drawn], dtype=np.float32), labels[drawn])
    with house_style():
        figure = new_figure(TEXT_WIDTH, 3.4)
        left, right = figure.subplots(1, 2, width_ratios=(1.15, 1))
        image = left.imshow(together, cmap="Blues", vmin=0, vmax=1, interpolation="nearest")
        left.grid(False)
        left.set_title("Probability to be in one cluster")
        of_all = "" if drawn.size == order.size else f" ({drawn.size:,} of {order.size:,})"
        left.set_xlabel(f"items, sorted by cluster{of_all}")
        left.set_xticks([])
        left.set_yticks([])
        edges = np.flatnonzero(np.diff(labels[drawn]))
        if edges.size < PARTED:
            for edge in edges + 0.5:
                left.axhline(edge, color=PALETTE[1], linewidth=0.4)
                left.axvline(edge, color=PALETTE[1], linewidth=0.4)
        bar = figure.colorbar(image, ax=left, shrink=0.8, pad=0.02)
        bar.outline.set_linewidth(0.5)
        _draw_numbers(right, n_clusters)
    return figure


def _within(together: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Sort the items of each cluster by what they share with it, so that its edge can be seen."""
    same = labels[:, None] == labels
    own = (together * same).sum(axis=1) / same.sum(axis=1)
    order = np.lexsort((-own, labels))
    return together[np.ix_(order, order)]


def _draw_numbers(ax, n_clusters: np.ndarray) -> None:
    low, high = int(n_clusters.min()), int(n_clusters.max())
    width = max(1, -(-(high - low + 1) // BARS))
    edges = np.arange(low, high + width + 1, width) - 0.5
    shares = np.histogram(n_clusters, edges)[0] / n_clusters.size
    ax.bar((edges[:-1] + edges[1:]) / 2, shares, width=0.85 * width, color=PALETTE[0])
    ax.set_title("Number of clusters")
    ax.set_xlabel("number of clusters")
    ax.set_ylabel("posterior probability")
    ax.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    ax.set_xlim(edges[0] - 1.5 * width, edges[-1] + 1.5 * width)
    ax.grid(axis="x", visible=False)
