"""Time and memory of sweeps under the Wishart likelihood of distances, in equilibrium."""

from __future__ import annotations

import numpy as np
from child import run_child
from timing import Row, compare, measure, ratio

from reseat.chains import MixtureModel
from reseat.datasets import draw_points
from reseat.dissimilarities import squared_distances
from reseat.likelihoods import WishartDistances
from reseat.papers.distances.studies import pair_sums, secular_conditional
from reseat.priors import BetaHyperprior, DirichletProcess

__all__ = ["begin", "run"]

SETTINGS = {"n_blocks": 10, "dim": 100, "theta": 0.15}
#: Number of objects on which the program in Python is timed; the time is scaled up to all n.
TIMED_OBJECTS = 5


def begin(n_items: int, n_sweeps: int, cached: bool = True) -> MixtureModel:
    """Return a model of generated points, after some sweeps from a single block."""
    rng = np.random.default_rng(0)
    points = draw_points({**SETTINGS, "n_items": n_items}, rng, "benchmark", 0, 0)
    distances = squared_distances(points.values, np.float32)
    likelihood = WishartDistances(distances, points.dim, hyperprior=BetaHyperprior(), cached=cached)
    model = MixtureModel(DirichletProcess(1.0), likelihood)
    model.start(np.zeros(n_items, dtype=int))
    for _ in range(n_sweeps):
        model.sweep(rng)
    return model


def run(quick: bool) -> list[Row]:
    """Return the rows of each size beside peers, then one of a large size in its own process."""
    sizes = (500, 2_000) if quick else (500, 8_000)
    rows = [_beside_peers(n, quick) for n in sizes]
    return [*sum(rows, []), _large(3_000 if quick else 20_000)]


def _beside_peers(n_items: int, quick: bool) -> list[Row]:
    repeats = 10 if quick else 30
    model, plain = begin(n_items, 100), begin(n_items, 20, cached=False)
    rng, other = np.random.default_rng(1), np.random.default_rng(1)
    ours, theirs = compare(
        lambda: model.sweep(rng), lambda: plain.sweep(other), repeats if n_items < 1000 else 10
    )
    what = f"a sweep and theta, {n_items:,} objects, {model.partition.n_blocks} blocks"
    rows = [Row(what, str(ours), "row sums not kept", str(theirs), ratio(ours, theirs))]
    distances, labels = model.likelihood.blocks.matrix.astype(float), model.labels
    sums = pair_sums(distances, labels)
    items = rng.integers(0, n_items, TIMED_OBJECTS)

    def paper():
        for item in items:
            secular_conditional(distances, labels, item, 100, 0.15, 1.0, sums)

    found = measure(paper, 3)
    seconds = found.median * n_items / TIMED_OBJECTS
    rows.append(
        Row(
            f"the same, {n_items:,} objects",
            f"{ours.median * 1e3:.3g} ms",
            "the paper's roots (numpy)",
            f"{seconds:.3g} s",
            f"{seconds / ours.median:.3g}x",
            f"timed on {TIMED_OBJECTS} objects",
        )
    )
    return rows


CHILD = """
import time
import numpy as np
import case_distances

imports, began = peak(), time.thread_time()
model = case_distances.begin(int(sys.argv[1]), 0)
made = time.thread_time() - began
rng, seconds = np.random.default_rng(2), []
for sweep in range(60):
    began = time.thread_time()
    model.sweep(rng)
    seconds.append(time.thread_time() - began)
print(imports, peak(), made, np.median(seconds[30:]), model.partition.n_blocks)
"""


def _large(n_items: int) -> Row:
    imports, peak, made, seconds, blocks = run_child(CHILD, n_items)
    note = (
        f"a process of its own; {made:.3g} s to draw the points and compute their distances, "
        f"imports {imports:.0f} MB; median of 30 sweeps after 30, {blocks:.0f} blocks"
    )
    return Row(f"a sweep, {n_items:,} objects", f"{seconds:.3g} s, {peak:.0f} MB", note=note)
