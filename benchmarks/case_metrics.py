"""Metrics of two labellings, compared with those of scikit-learn."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import adjusted_rand_score, homogeneity_completeness_v_measure
from timing import Row, compare, ratio

from reseat.metrics import adjusted_rand, evaluate, metrics

__all__ = ["run"]


def run(quick: bool) -> list[Row]:
    """Return rows for 20,000 labels of 20 clusters, and a million labels of 1,000 clusters."""
    rows = []
    for n, n_clusters in ((20_000, 20), (100_000 if quick else 1_000_000, 1_000)):
        rng = np.random.default_rng(0)
        truth = rng.integers(n_clusters, size=n)
        found = np.where(rng.random(n) < 0.5, truth, rng.integers(n_clusters, size=n))
        repeats = 5 if quick else 9
        pairs = [
            ("adjusted Rand", adjusted_rand, "adjusted_rand_score", adjusted_rand_score),
            (
                f"all {len(metrics())} metrics",
                evaluate,
                "homogeneity, completeness, V",
                homogeneity_completeness_v_measure,
            ),
        ]
        for what, ours, peer, theirs in pairs:
            a, b = compare(
                lambda ours=ours: ours(truth, found),  # noqa: B023
                lambda theirs=theirs: theirs(truth, found),  # noqa: B023
                repeats,
            )
            rows.append(
                Row(f"{what}, {n:,} labels", str(a), f"scikit-learn {peer}", str(b), ratio(a, b))
            )
    return rows
