"""Effective draws per second of Gibbs sweeps, alone and alternating with split–merge moves."""

from __future__ import annotations

import time

import numpy as np
from timing import Row

from reseat.chains import MixtureModel
from reseat.dissimilarities import squared_distances
from reseat.likelihoods import WishartDistances
from reseat.moves import SplitMerge, gibbs_sweep
from reseat.priors import DirichletProcess
from reseat.summaries import diagnostics

__all__ = ["run"]

N_CLUSTERS, DIM, THETA, CONCENTRATION = 8, 12, 3.0, 0.5
#: Spread of the centres: so far apart that single items rarely leave a block of two clusters.
SPREAD = 1.2


def run(quick: bool) -> list[Row]:
    """Compare chains from one block and from singletons, for few objects and for more.

    Without labels, chains of few objects stay near where they begin; those of
    more find the clusters by single moves too, and splits only cost time.
    """
    sizes = [(120, 300)] if quick else [(120, 800), (300, 400)]
    return sum((_compare(*size) for size in sizes), [])


def _compare(n_items: int, n_sweeps: int) -> list[Row]:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, N_CLUSTERS, n_items)
    points = SPREAD * rng.normal(size=(N_CLUSTERS, DIM))[labels] + rng.normal(size=(n_items, DIM))
    distances = squared_distances(points)
    splits = SplitMerge()
    plain = _effective(distances, [gibbs_sweep], n_sweeps)
    both = _effective(distances, [gibbs_sweep, splits], n_sweeps)
    made = ", ".join(
        f"{n} of {splits.proposed_[kind]} {kind}s" for kind, n in splits.accepted_.items()
    )
    rows = []
    for name in ("log joint", "number of clusters"):
        ours, theirs = both[name] / both["seconds"], plain[name] / plain["seconds"]
        with_splits, without = both[f"rhat {name}"], plain[f"rhat {name}"]
        note = (
            f"{both['chains']} chains of {n_sweeps} sweeps; R-hat {with_splits:.2f}, without "
            f"splits {without:.2f}; {made}; {both['seconds'] / plain['seconds']:.2f} times the time"
        )
        rows.append(
            Row(
                f"{name}, {n_items} objects, Gibbs with splits",
                f"{ours:.3g} effective/s",
                "Gibbs alone",
                f"{theirs:.3g}",
                f"{ours / theirs:.3g}x",
                note,
            )
        )
    return rows


def _effective(distances: np.ndarray, moves, n_sweeps: int) -> dict[str, float]:
    """Return effective draws of two traces, and seconds, after a burn-in of ``n_sweeps // 5``."""
    n_items, kept, seconds = len(distances), [], 0.0
    starts = (np.zeros(n_items, dtype=int), np.arange(n_items)) * 2
    for number, start in enumerate(starts):
        likelihood = WishartDistances(distances, DIM, theta=THETA)
        model = MixtureModel(DirichletProcess(CONCENTRATION), likelihood, moves)
        model.start(start)
        rng = np.random.default_rng(number)
        for _ in range(n_sweeps // 5):
            model.sweep(rng)
        trace, begin = [], time.thread_time()
        for _ in range(n_sweeps):
            model.sweep(rng)
            trace.append((model.log_joint(), model.partition.n_blocks))
        seconds += time.thread_time() - begin
        kept.append(trace)
    traces = np.array(kept, dtype=float)
    found = {"seconds": seconds, "chains": len(starts)}
    for column, name in enumerate(("log joint", "number of clusters")):
        found[name] = diagnostics.bulk_ess(traces[..., column])
        found[f"rhat {name}"] = diagnostics.rhat(traces[..., column])
    return found
