"""Figures of the posterior: which items are together, and how many clusters there are."""

from collections.abc import Mapping
from itertools import zip_longest

import numpy as np
from matplotlib.ticker import MaxNLocator

from reseat.estimators.sampling import thinned
from reseat.metrics import factorise
from reseat.plots import PALETTE, TEXT_WIDTH, house_style, new_figure
from reseat.plots.style import plain_ticks
from reseat.summaries import coclustering

#: Largest number of evenly spaced items that are drawn, and of clusters that lines separate.
DRAWN, PARTED = 1000, 40
#: Largest number of draws in which sizes are counted.
COUNTED = 50
#: Mean size of a cluster up to which a matrix would show nothing but a diagonal.
MICRO = 5
#: Largest number of bars; a wider range of numbers of clusters is binned.
BARS = 60


def draw_posterior(draws: np.ndarray, labels: np.ndarray, n_clusters: np.ndarray):
    """Draw which items are together, or sizes if all clusters are small, and how many there are."""
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


def draw_coclustering(draws: np.ndarray, labels: np.ndarray):
    """Draw the co-clustering matrix alone; the parameters are those of `draw_posterior`."""
    with house_style():
        figure = new_figure(TEXT_WIDTH, 5.0)
        _draw_matrix(figure, figure.subplots(), draws, labels)
    return figure


def draw_sizes(draws: np.ndarray):
    """Draw the sizes of the largest clusters, ranked by size, with their spread over the draws."""
    ranked = [np.sort(np.bincount(factorise(draw)[0]))[::-1] for draw in thinned(draws, COUNTED)]
    sizes = np.transpose([*zip_longest(*ranked, fillvalue=0)][:BARS])
    middle, low, high = sizes.mean(axis=0), *np.quantile(sizes, [0.025, 0.975], axis=0)
    with house_style():
        figure = new_figure(TEXT_WIDTH, 3.0)
        ax = figure.subplots()
        places = np.arange(1, middle.size + 1)
        ax.bar(places, middle, color=PALETTE[0])
        ax.vlines(places, low, high, color=PALETTE[1], linewidth=1)
        ax.set_title("Sizes of the clusters, mean and 95 % of the draws")
        ax.set(xlabel="cluster, the largest first", ylabel="items")
        ax.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    return figure


def draw_traces(traces: Mapping[str, np.ndarray]):
    """Draw the traces of the chains, with one panel per quantity that varies."""
    shown = {name: values for name, values in traces.items() if np.ptp(values) > 0}
    with house_style():
        figure = new_figure(TEXT_WIDTH, 1.2 + 1.1 * max(1, len(shown)))
        axes = np.atleast_1d(figure.subplots(max(1, len(shown)), 1, sharex=True))
        for ax, (name, values) in zip(axes, shown.items(), strict=False):
            for number, chain in enumerate(values):
                ax.plot(chain, color=PALETTE[number % len(PALETTE)], linewidth=0.6)
            ax.set_ylabel(name.replace("_", " "))
        axes[-1].set_xlabel("sweep after the burn-in")
    return figure


def _draw_matrix(figure, ax, draws: np.ndarray, labels: np.ndarray) -> None:
    order = np.argsort(labels, kind="stable")
    drawn = thinned(order, DRAWN)
    together = _within(coclustering(draws[:, drawn], dtype=np.float32), labels[drawn])
    image = ax.imshow(together, cmap="Blues", vmin=0, vmax=1, interpolation="nearest")
    ax.grid(False)
    ax.set_title("Probability of sharing a cluster")
    of_all = "" if drawn.size == order.size else f" ({drawn.size:,} of {order.size:,})"
    ax.set(xlabel=f"items, sorted by cluster{of_all}", xticks=[], yticks=[])
    edges = np.flatnonzero(np.diff(labels[drawn]))
    if edges.size < PARTED:
        for edge in edges + 0.5:
            ax.axhline(edge, color=PALETTE[1], linewidth=0.4)
            ax.axvline(edge, color=PALETTE[1], linewidth=0.4)
    figure.colorbar(image, ax=ax, shrink=0.8, pad=0.02).outline.set_linewidth(0.5)


def draw_small_clusters(draws: np.ndarray, n_clusters: np.ndarray, pairs):
    """Draw sizes, probabilities of pairs and the number of clusters, which are very small."""
    with house_style():
        figure = new_figure(TEXT_WIDTH, 3.0)
        left, middle, right = figure.subplots(1, 3)
        _draw_sizes(left, thinned(draws, COUNTED))
        middle.hist(pairs["probability"], bins=np.linspace(0, 1, 21), color=PALETTE[0])
        middle.set_title("How certain the pairs are")
        middle.set(xlabel="probability to be together", ylabel="pairs")
        _draw_numbers(right, n_clusters)
    return figure


def _draw_sizes(ax, draws):
    """Draw the mean number of clusters of each size over the draws, with 95 % intervals."""
    sizes = [np.bincount(np.unique(draw, return_counts=True)[1]) for draw in draws]
    counts = np.transpose([*zip_longest(*sizes, fillvalue=0)])
    means = counts.mean(axis=0)
    shown = np.flatnonzero(means >= 0.5)
    means = means[shown]
    low, high = np.quantile(counts[:, shown], (0.025, 0.975), axis=0)
    ax.bar(shown, means, width=0.85, color=PALETTE[0])
    # Zero cannot be shown on a logarithmic axis.
    error = np.maximum([means - np.maximum(low, 0.5), high - means], 0)
    ax.errorbar(shown, means, error, fmt="none", ecolor="#222222", elinewidth=0.9, capsize=2)
    above = {"xytext": (0, 3), "textcoords": "offset points", "ha": "center"}
    for size, mean, top in zip(shown, means, high, strict=True):
        ax.annotate(f"{mean:,.0f}", (size, max(mean, top)), **above, fontsize=7)
    ax.set_yscale("log")
    ax.set_ylim(0.5, 3 * high.max())
    plain_ticks(ax.yaxis)
    ax.set_title("Clusters of each size")
    ax.set(xlabel="items in a cluster", ylabel="number of clusters")
    ax.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    ax.grid(axis="x", visible=False)


def _within(together: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Sort the items of each cluster by mean co-clustering with it, so that its edge is visible."""
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
    ax.set(xlabel="number of clusters", ylabel="posterior probability")
    ax.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    ax.set_xlim(edges[0] - 1.5 * width, edges[-1] + 1.5 * width)
    ax.grid(axis="x", visible=False)
