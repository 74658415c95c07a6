"""Scores of the partitions of finished chains, and of hierarchical trees cut to match them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from reseat.baselines import LINKAGES, hierarchical_labels
from reseat.chains import read_groups
from reseat.datasets import Dissimilarities, Points
from reseat.datasets.dissimilarities import UNLABELLED
from reseat.experiments.distances.classes import held_classes, start_of, true_classes
from reseat.experiments.distances.matrices import dimension, distances_of
from reseat.experiments.distances.plan import Run
from reseat.experiments.distances.results import REFERENCES
from reseat.metrics import adjusted_rand
from reseat.summaries import describe, whole_trace

__all__ = ["Scores", "score_models"]

#: Number of objects above which no tree is cut, because condensed distances in double precision
#: take 4 n^2 bytes.
MOST_FOR_TREES = 5000

QUANTITIES = (("n_clusters", "posterior"), ("theta", "posterior"), ("log_joint", "sample_stats"))


@dataclass
class Scores:
    """Tidy scores of a data set, and traces for the diagnostics."""

    #: One row per draw, model, chain and partition.
    rows: list = field(default_factory=list)
    #: ``{dataset}/{draw}/{model}/{quantity}``, shape (n_chains, n_sweeps), burn-in included, and
    #: ``…/burn_in``; ``runs``, shape (n_runs, 3), has the data set, draw and model of each run.
    traces: dict = field(default_factory=dict)


def score_models(
    runs: Sequence[Run], load: Callable[[Run], Points | Dissimilarities], folder: Path
) -> Scores:
    """Score the chains of all models on all draws of a data set.

    A partition is scored on the objects whose class its model did not hold and
    whose truth is known.
    """
    scores = Scores()
    trees_of = {run.draw: run for run in runs if run.model == _reference(runs)}
    for run in runs:
        objects = load(run)
        stored = [read_groups(Path(folder) / run.file(chain)) for chain in run.chains]
        _score_run(scores, run, objects, stored)
        if run is trees_of.get(run.draw) and objects.n_items <= MOST_FOR_TREES:
            for chain, (groups, _) in zip(run.chains, stored, strict=True):
                labels = groups["finish"]["annealed"]
                scores.rows += _tree_rows(run, objects, chain, np.unique(labels).size)
    keys = [(run.dataset, str(run.draw), run.model) for run in runs]
    scores.traces["runs"] = np.array(keys, dtype=np.str_)
    return scores


def _reference(runs: Iterable[Run]) -> str | None:
    models = {run.model for run in runs}
    return next((name for name in REFERENCES if name in models), None)


def _identity(run: Run, objects: Points | Dissimilarities) -> dict[str, Any]:
    made = objects.settings if isinstance(objects, Points) else {}
    return {
        "dataset": run.dataset,
        "status": objects.identity.status,
        "role": run.role,
        "draw": run.draw,
        "n_items": objects.n_items,
        "dim": dimension(objects, run.settings),
        "theta_true": made.get("theta", np.nan),
        "mean_true": made.get("mean", np.nan),
    }


def _score_run(scores: Scores, run: Run, objects, stored: Sequence[tuple[Mapping, Mapping]]):
    held, truth = held_classes(run, objects), true_classes(objects)
    identity = _identity(run, objects) | {"model": run.model}
    trees = [groups for groups, _ in stored]
    draws = np.stack([tree["posterior"]["n_clusters"][0] for tree in trees])
    found = describe(draws)
    summary = {
        "theta": _mean_theta(trees),
        "n_clusters_mean": found["mean"],
        "n_clusters_sd": found["sd"],
        "ess": found["ess"],
        "rhat": found["rhat"],
        "n_sweeps": run.schedule.n_sweeps,
    }
    for chain, (tree, attributes) in zip(run.chains, stored, strict=True):
        log_joint = tree["sample_stats"]["log_joint"][0]
        partitions = {
            "annealed": (tree["finish"]["annealed"], np.nan),
            "last": (tree["finish"]["last"], float(log_joint[-1])),
            "map": (tree["summary"]["map"], float(log_joint.max())),
        }
        timing = {name: attributes[name] for name in ("seconds", "seconds_per_sweep")}
        for name, (labels, value) in partitions.items():
            row = {"chain": chain, "start": start_of(run, objects, chain)}
            row |= {"partition": name, "log_joint": value}
            measured = measure(labels.astype(int), held, truth)
            scores.rows.append(identity | row | measured | summary | timing)
    key = f"{run.dataset}/{run.draw}/{run.model}"
    for quantity, group in QUANTITIES:
        if quantity in trees[0][group]:
            scores.traces[f"{key}/{quantity}"] = np.stack(
                [whole_trace(tree, group, quantity) for tree in trees]
            )
    scores.traces[f"{key}/burn_in"] = np.array(run.schedule.burn_in)


def _mean_theta(trees: Sequence[Mapping]) -> float:
    """Return the mean of theta over the draws of all chains, or NaN if there is no theta."""
    if "theta" not in trees[0]["posterior"]:
        return np.nan
    return float(np.mean([tree["posterior"]["theta"][0].mean() for tree in trees]))


def measure(labels: np.ndarray, held: np.ndarray, truth: np.ndarray) -> dict[str, float]:
    """Return the scores of one partition.

    ``n_new`` is the number of clusters without held objects, ``joined`` the share of the free
    objects that are in a class, and ``right``, of the free objects whose true class has held
    objects, the share that is in it; NaN where there is nothing to count. `held` and `truth` are -1
    where there is no class.
    """
    free = held == UNLABELLED
    scored = free & (truth != UNLABELLED)
    slot_of = dict(zip(held[~free].tolist(), labels[~free].tolist(), strict=True))
    classes = np.isin(labels, list(slot_of.values()))
    home = scored & np.isin(truth, list(slot_of))
    at_home = [labels[item] == slot_of[truth[item]] for item in np.flatnonzero(home)]
    clamped = bool(slot_of)
    return {
        "n_true": np.unique(truth[scored]).size if scored.any() else np.nan,
        "n_clusters": np.unique(labels).size,
        "ari": adjusted_rand(truth[scored], labels[scored]) if scored.any() else np.nan,
        "n_new": np.unique(labels[~classes]).size,
        "joined": float(classes[free].mean()) if clamped and free.any() else np.nan,
        "right": float(np.mean(at_home)) if at_home else np.nan,
    }


def _tree_rows(run: Run, objects, chain: int, n_clusters: int) -> list[dict]:
    """Return the scores of hierarchical clusterings, cut at a chain's number of clusters."""
    distances, truth = distances_of(objects), true_classes(objects)
    held = np.full(objects.n_items, UNLABELLED)
    rows = []
    for linkage in LINKAGES:
        labels = hierarchical_labels(distances, n_clusters, linkage)
        rows.append(
            _identity(run, objects)
            | {"model": linkage, "chain": chain, "start": start_of(run, objects, chain)}
            | {"partition": "cut"}
            | measure(labels, held, truth)
        )
    return rows
