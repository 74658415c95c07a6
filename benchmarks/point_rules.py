"""Comparison of rules by which components of points are read as one cluster, on generated sets.

    python benchmarks/point_rules.py

Every set is fitted once; the rules are applied to the same draws.  A row of the table is the mean
adjusted Rand index over the sets of a kind, seed 0.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from own_points import _fit
from point_sets import PointSet
from sklearn.datasets import make_moons
from threadpoolctl import threadpool_limits
from timing import say

from reseat.estimators.points import CURVED, TOO_LARGE, _median_count
from reseat.metrics import adjusted_rand

SHARES = (0.35, 0.5, 0.65)
#: Kind, number of columns, sizes of clusters, scale of the centres, and degrees of freedom.
CLEAR = (
    ("clear", 2, (120, 100, 80, 150), 1.3, np.inf),
    ("clear", 4, (90, 60, 110), 1.2, np.inf),
    ("clear", 12, (60, 50, 80, 40, 70), 1.0, np.inf),
    ("clear", 5, (200, 90, 60, 40, 20, 30, 25), 1.4, 5),
)
OVERLAPPING = (
    ("overlapping", 2, (120, 100, 80), 1.0, np.inf),
    ("overlapping", 4, (90, 60, 110, 100), 0.6, np.inf),
    ("overlapping", 8, (160, 150, 80, 140), 0.5, np.inf),
    ("overlapping", 5, (200, 90, 60, 40), 0.8, 5),
)


def main() -> None:
    rows = []
    for number, (kind, found) in enumerate(sets()):
        say(f"{number}: {kind}, {len(found.truth)} points")
        with threadpool_limits(1):
            rows.append({"sets": kind} | scores(found))
    print(pd.DataFrame(rows).groupby("sets", sort=False).mean().round(3).to_string())


def sets():
    """Yield the kind and the points of each set."""
    for first, kinds in ((77, CLEAR), (78, OVERLAPPING)):
        for kind, (name, *shape) in enumerate(kinds):
            for number in range(4):
                yield name, _ellipses(np.random.default_rng([first, 10 * kind + number]), *shape)
    for number in range(4):
        yield "curved", PointSet(*make_moons(400, noise=0.08, random_state=50 + number))
        yield "curved", _ring(np.random.default_rng([78, 40 + number]), 250)
        yield "curved", _skewed(np.random.default_rng([78, 45 + number]), 3, 4, 120)


def scores(found: PointSet) -> dict[str, float]:
    """Return the score of components apart, of each share, and of each with the rule of a third."""
    _, model, _, _ = _fit(found, 0)
    of_components = _median_count(model._of_components())
    row = {"apart": adjusted_rand(found.truth, model.components_)}
    for share in SHARES:
        merged = model._at_depth(share)
        labels = model._estimate(merged, 0)
        small = np.bincount(labels).max() <= TOO_LARGE * labels.size
        row[f"{share}"] = adjusted_rand(found.truth, labels) if small else row["apart"]
        curved = of_components >= CURVED * _median_count(merged)
        row[f"{share}, a third"] = row[f"{share}" if curved else "apart"]
    return row


def _ellipses(rng, n_columns, sizes, apart, freedom) -> PointSet:
    centres = 3 * apart * rng.normal(size=(len(sizes), n_columns)) / np.sqrt(n_columns)
    parts = []
    for centre, size in zip(centres, sizes, strict=True):
        root = 0.7 * rng.normal(size=(n_columns,) * 2) / np.sqrt(n_columns)
        points = rng.normal(size=(size, n_columns)) @ (root + 0.5 * np.eye(n_columns)).T
        if np.isfinite(freedom):
            points /= np.sqrt(rng.chisquare(freedom, size) / freedom)[:, None]
        parts.append(centre + points)
    return PointSet(np.concatenate(parts), np.repeat(np.arange(len(sizes)), sizes))


def _ring(rng, n: int) -> PointSet:
    angle, radius = rng.uniform(0, 2 * np.pi, n), 5 + 0.4 * rng.normal(size=n)
    ring = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    points = np.concatenate([ring, 0.8 * rng.normal(size=(n, 2))])
    return PointSet(points, np.repeat([0, 1], n))


def _skewed(rng, n_columns: int, n_clusters: int, n: int) -> PointSet:
    truth = np.repeat(np.arange(n_clusters), n)
    centres = rng.uniform(0, 14, (n_clusters, n_columns))
    return PointSet(centres[truth] + rng.gamma(1.5, 1.5, (truth.size, n_columns)), truth)


if __name__ == "__main__":
    main()
