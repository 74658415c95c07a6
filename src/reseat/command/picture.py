"""The posterior at a glance: who is with whom, and how many clusters there are."""

from __future__ import annotations

import numpy as np
from matplotlib.ticker import MaxNLocator

from reseat.plots import PALETTE, TEXT_WIDTH, house_style, new_figure
from reseat.plots.style import plain_ticks
from reseat.summaries import coclustering

__all__ = ["draw_posterior"]

#: Items that are drawn; of more, so many evenly.
DRAWN = 1000
#: Clusters up to which lines part them.
PARTED = 40
#: Bars up to which each number of clusters has its own.
BARS = 60
#: Mean size of a cluster up to which a matrix would show a diagonal and nothing else.
MICRO = 5


def draw_posterior(draws: np.ndarray, labels: np.ndarray, n_clusters: np.ndarray):
    """Draw who is with whom, and the numbers of clusters.

    Who is with whom is the co-clustering matrix, its items sorted by cluster; of very many small
    clusters, such as duplicates among records, it is how many clusters there are of each size.

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
    found = np.unique(labels).size
    with house_style():
        figure = new_figure(TEXT_WIDTH, 3.4)
        left, right = figure.subplots(1, 2, width_ratios=(1.15, 1))
        if found >= PARTED and labels.size <= MICRO * found:
            _draw_sizes(left, draws)
        else:
            _draw_matrix(figure, left, draws, labels)
        _draw_numbers(right, n_clusters)
    return figure


def _draw_matrix(figure, ax, draws, labels):
    order = np.argsort(labels, kind="stable")
    drawn = order[np.linspace(0, order.size - 1, min(order.size, DRAWN)).astype(int)]
    together = _within(coclustering(draws[:, drawn], dtype=np.float32), labels[drawn])
    image = ax.imshow(together, cmap="Blues", vmin=0, vmax=1, interpolation="nearest")
    ax.grid(False)
    ax.set_title("Probability to be in one cluster")
    of_all = "" if drawn.size == order.size else f" ({drawn.size:,} of {order.size:,})"
    ax.set_xlabel(f"items, sorted by cluster{of_all}")
    ax.set_xticks([])
    ax.set_yticks([])
    edges = np.flatnonzero(np.diff(labels[drawn]))
    if edges.size < PARTED:
        for edge in edges + 0.5:
            ax.axhline(edge, color=PALETTE[1], linewidth=0.4)
            ax.axvline(edge, color=PALETTE[1], linewidth=0.4)
    bar = figure.colorbar(image, ax=ax, shrink=0.8, pad=0.02)
    bar.outline.set_linewidth(0.5)


def _draw_sizes(ax, draws):
    """Mean number of clusters of each size over the draws, with 95 % intervals."""
    sizes = [np.bincount(np.unique(draw, return_counts=True)[1]) for draw in draws]
    counts = np.zeros((len(sizes), max(map(len, sizes))))
    for row, of_draw in zip(counts, sizes, strict=True):
        row[: len(of_draw)] = of_draw
    means = counts.mean(axis=0)
    shown = np.flatnonzero(means >= 0.5)
    low, high = np.quantile(counts[:, shown], (0.025, 0.975), axis=0)
    ax.bar(shown, means[shown], width=0.85, color=PALETTE[0])
    # On the logarithmic axis none at all has no place.
    error = [means[shown] - np.maximum(low, 0.5), high - means[shown]]
    ax.errorbar(
        shown,
        means[shown],
        yerr=np.maximum(error, 0),
        fmt="none",
        ecolor="#222222",
        elinewidth=0.9,
        capsize=2,
    )
    for size, mean, top in zip(shown, means[shown], high, strict=True):
        ax.annotate(
            f"{mean:,.0f}",
            (size, max(mean, top)),
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
            fontsize=7,
        )
    ax.set_yscale("log")
    ax.set_ylim(0.5, 3 * high.max())
    plain_ticks(ax.yaxis)
    ax.set_title("Clusters of each size")
    ax.set_xlabel("items in a cluster")
    ax.set_ylabel("number of clusters")
    ax.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    ax.grid(axis="x", visible=False)


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
