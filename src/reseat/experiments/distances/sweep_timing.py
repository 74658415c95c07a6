"""Seconds per sweep of four algorithms for one conditional, by numbers of objects and blocks."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from reseat.datasets import draw_points
from reseat.dissimilarities import squared_distances
from reseat.experiments.distances.reference import (
    naive_conditional,
    pair_sums,
    secular_conditional,
)
from reseat.likelihoods import WishartDistances
from reseat.moves import gibbs_sweep
from reseat.partition import Partition
from reseat.priors import DirichletProcess

__all__ = ["ALGORITHMS", "measure_scaling"]

#: Slowest first: eigenvalues of dense matrices; the paper's roots; the closed form with row sums
#: computed for each object; the closed form with cached row sums.
ALGORITHMS = ("naive", "secular", "closed", "cached")
POINTS = {"dim": 100, "theta": 0.15, "weights": "equal"}
SMALLEST, N_CLUSTERS = 20, 8
#: Number of objects on which a sweep in plain Python is timed; the time is scaled up to all n.
TIMED_OBJECTS = 6


def measure_scaling(settings: Mapping[str, Any], rng: np.random.Generator, seed: int) -> list[dict]:
    """Time sweeps in equilibrium at growing sizes.

    A row has the median seconds per sweep and the quartiles ``low`` and ``high``; the seed is that
    of the identity of the points.

    `settings`: ``largest_<algorithm>``; ``n_clusters``, the numbers of clusters to time at the
        largest size of each algorithm; and ``n_repeats``.
    """
    rows = []
    for algorithm in ALGORITHMS:
        largest = settings[f"largest_{algorithm}"]
        sizes = [largest // 2**k for k in range(4) if largest // 2**k >= SMALLEST]
        cells = [(n, N_CLUSTERS) for n in sorted(sizes)]
        cells += [(largest, k) for k in settings["n_clusters"] if k != N_CLUSTERS]
        for n_items, n_blocks in cells:
            points = draw_points(
                {**POINTS, "n_items": n_items, "n_blocks": n_blocks}, rng, "scaling", 0, seed
            )
            sweep = _sweeper(algorithm, points, rng)
            sweep()  # the first sweep runs with cold caches
            seconds = [sweep() for _ in range(settings["n_repeats"])]
            low, median, high = np.quantile(seconds, [0.25, 0.5, 0.75])
            rows.append(
                {
                    "algorithm": algorithm,
                    "n_items": n_items,
                    "n_clusters": n_blocks,
                    "n_draws": settings["n_repeats"],
                    "seconds_per_sweep": median,
                    "low": low,
                    "high": high,
                }
            )
    return rows


def _sweeper(algorithm: str, points, rng: np.random.Generator) -> Callable[[], float]:
    """Return a function that runs a sweep from the true blocks and returns its CPU seconds."""
    distances = squared_distances(points.values, np.float32)
    if algorithm in ("closed", "cached"):
        return _compiled(distances, points, rng, algorithm == "cached")
    distances = distances.astype(float)
    labels, dim, theta = points.labels, points.dim, POINTS["theta"]

    def sweep() -> float:
        items = rng.integers(0, labels.size, TIMED_OBJECTS)
        sums = pair_sums(distances, labels)
        began = time.process_time()
        for item in items:
            if algorithm == "naive":
                naive_conditional(distances, labels, item, dim, theta, 1.0)
            else:
                secular_conditional(distances, labels, item, dim, theta, 1.0, sums)
        return (time.process_time() - began) * labels.size / TIMED_OBJECTS

    return sweep


def _compiled(distances, points, rng, cached: bool) -> Callable[[], float]:
    prior = DirichletProcess(1.0)
    prior.prepare(points.n_items)
    likelihood = WishartDistances(distances, points.dim, theta=POINTS["theta"], cached=cached)

    def sweep() -> float:
        partition = Partition(points.labels)
        likelihood.assign(partition.label_array, partition.capacity)
        began = time.process_time()
        gibbs_sweep(partition, prior, likelihood, rng)
        return time.process_time() - began

    return sweep
