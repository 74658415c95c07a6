"""Scores of finished chains and trees, co-memberships, and points in the plane."""

from collections import Counter, namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from reseat.baselines import LINKAGES, hierarchical_labels
from reseat.chains import read_groups
from reseat.datasets import Dissimilarities, Points
from reseat.datasets.dissimilarities import UNLABELLED
from reseat.dissimilarities import kernel_pca, squared_distances
from reseat.metrics import adjusted_rand
from reseat.models.distances import SHARE
from reseat.papers.distances.chains import log_joint_of_truth
from reseat.papers.distances.objects import (
    dimension,
    distances_of,
    held_classes,
    load_objects,
    start_of,
    true_classes,
)
from reseat.papers.distances.plan import Run
from reseat.papers.distances.results import REFERENCES
from reseat.summaries import describe, whole_trace

# ---- Scores of the partitions of finished chains, and of hierarchical trees cut to match them ----

#: Number of objects above which no tree is cut and no truth weighed, by 4 n^2 bytes.
MAX_FOR_TREES = 5000

#: Up to this factor from an end of its range, a mean of theta counts as being there.
NEAR = 1.1


def score_models(
    runs: Sequence[Run], load: Callable[[Run], Points | Dissimilarities], folder: Path
) -> SimpleNamespace:
    """Return `rows` per draw, model, chain and partition, and `traces` with burn-in by name."""
    scores = SimpleNamespace(rows=[], traces={})
    reference = next((name for name in REFERENCES if name in {run.model for run in runs}), None)
    for run in runs:
        objects = load(run)
        stored = [read_groups(Path(folder) / run.file(chain)) for chain in run.chains]
        _score_run(scores, run, objects, stored)
        if run.model == reference and objects.n_items <= MAX_FOR_TREES:
            for chain, (groups, _) in zip(run.chains, stored, strict=True):
                labels = groups["finish"]["annealed"]
                scores.rows += _tree_rows(run, objects, chain, np.unique(labels).size)
    keys = [(run.dataset, str(run.draw), run.model) for run in runs]
    scores.traces["runs"] = np.array(keys, dtype=np.str_)
    return scores


def _identity(run: Run, objects: Points | Dissimilarities) -> dict[str, Any]:
    made = objects.settings if isinstance(objects, Points) else {}
    status, dim = objects.identity.status, dimension(objects, run.settings)
    row = {"dataset": run.dataset, "status": status, "role": run.role, "draw": run.draw}
    row |= {"n_items": objects.n_items, "dim": dim}
    return row | {f"{name}_true": made.get(name, np.nan) for name in ("theta", "mean")}


def _score_run(scores, run: Run, objects, stored: Sequence[tuple[Mapping, Mapping]]):
    held, truth = held_classes(run, objects), true_classes(objects)
    identity = _identity(run, objects) | {"model": run.model}
    trees = [groups for groups, _ in stored]
    found = describe(np.stack([tree["posterior"]["n_clusters"][0] for tree in trees]))
    summary = {"n_clusters_mean": found["mean"], "n_clusters_sd": found["sd"]}
    summary |= {"ess": found["ess"], "rhat": found["rhat"], "n_sweeps": run.schedule.n_sweeps}
    summary |= {"log_joint_true": np.nan, "nearest": nearest_share(objects, held, truth)}
    if isinstance(objects, Points) and objects.n_items <= MAX_FOR_TREES:
        summary["log_joint_true"] = log_joint_of_truth(run, objects)
    for chain, (tree, attributes) in zip(run.chains, stored, strict=True):
        log_joint = tree["sample_stats"]["log_joint"][0]
        # Not every model has a theta.
        theta = float(np.mean(tree["posterior"].get("theta", [[np.nan]])[0]))
        partitions = {
            "annealed": (tree["finish"]["annealed"], np.nan),
            "last": (tree["finish"]["last"], float(log_joint[-1])),
            "map": (tree["summary"]["map"], float(log_joint.max())),
        }
        timing = {name: attributes[name] for name in ("seconds", "seconds_per_sweep")}
        for name, (labels, value) in partitions.items():
            row = {"chain": chain, "start": start_of(run, objects, chain), "partition": name}
            row |= {"log_joint": value, "theta": theta, "at_end": at_end(theta)}
            measured = measure(labels.astype(int), held, truth)
            scores.rows.append(identity | row | measured | summary | timing)
    key = f"{run.dataset}/{run.draw}/{run.model}"
    groups = {"n_clusters": "posterior", "theta": "posterior", "log_joint": "sample_stats"}
    for quantity, group in groups.items():
        if quantity in trees[0][group]:
            scores.traces[f"{key}/{quantity}"] = np.stack(
                [whole_trace(tree, group, quantity) for tree in trees]
            )
    scores.traces[f"{key}/burn_in"] = np.array(run.schedule.burn_in)


def at_end(theta: float) -> bool:
    """Return whether a mean of theta is at an end of its range, so that the range matters."""
    low, high = (share / (1 - share) for share in (SHARE.lower, SHARE.upper))
    return theta < NEAR * low or theta > high / NEAR


def nearest_share(objects: Points | Dissimilarities, held: np.ndarray, truth: np.ndarray) -> float:
    """Return the ``right`` of `measure` if free objects joined the class of the nearest held."""
    kept = np.flatnonzero(held != UNLABELLED)
    home = np.flatnonzero((held == UNLABELLED) & np.isin(truth, held[kept]))
    if home.size == 0:
        return np.nan
    nearest = kept[distances_of(objects)[np.ix_(home, kept)].argmin(axis=1)]
    return float(np.mean(held[nearest] == truth[home]))


def measure(labels: np.ndarray, held: np.ndarray, truth: np.ndarray) -> dict[str, float]:
    """Return the scores of one partition; `held` and `truth` are -1 where there is no class.

    ``n_new`` counts clusters without held objects, ``joined`` is the share of free objects in a
    class, ``right`` that in the right class of those whose class has held objects, ``apart`` that
    in new clusters of those whose class has none, and ``blocks_each`` the mean number of these.
    """
    free = held == UNLABELLED
    scored = free & (truth != UNLABELLED)
    slot_of = dict(zip(held[~free].tolist(), labels[~free].tolist(), strict=True))
    classes = np.isin(labels, list(slot_of.values()))
    home = scored & np.isin(truth, list(slot_of))
    strange = scored & ~home
    opened = [
        np.unique(labels[~classes & (truth == one)]).size for one in np.unique(truth[strange])
    ]
    at_home = [labels[item] == slot_of[truth[item]] for item in np.flatnonzero(home)]
    clamped = bool(slot_of)
    return {
        "n_true": np.unique(truth[scored]).size if scored.any() else np.nan,
        "n_clusters": np.unique(labels).size,
        "ari": adjusted_rand(truth[scored], labels[scored]) if scored.any() else np.nan,
        "n_new": np.unique(labels[~classes]).size,
        "joined": float(classes[free].mean()) if clamped and free.any() else np.nan,
        "right": float(np.mean(at_home)) if at_home else np.nan,
        "apart": float(np.mean(~classes[strange])) if clamped and opened else np.nan,
        "blocks_each": float(np.mean(opened)) if clamped and opened else np.nan,
    }


def _tree_rows(run: Run, objects, chain: int, n_clusters: int) -> Iterator[dict]:
    """Return the scores of hierarchical clusterings, cut at a chain's number of clusters."""
    distances, truth = distances_of(objects), true_classes(objects)
    start = start_of(run, objects, chain)
    for linkage in LINKAGES:
        labels = hierarchical_labels(distances, n_clusters, linkage)
        row = {"model": linkage, "chain": chain, "start": start, "partition": "cut"}
        free = np.full(objects.n_items, UNLABELLED)
        yield _identity(run, objects) | row | measure(labels, free, truth)


# ---- Blocks of a run that holds classes, and the co-membership of their objects --------------


#: Frames of the pairs of blocks of a partition, of its blocks, and of its free objects.
Memberships = namedtuple("Memberships", ["heat", "blocks", "assignments"])


def read_memberships(run: Mapping[str, Any], objects: Path, chains: Path) -> Memberships:
    """Return the blocks of the annealed first chain of a run, judged by all its chains."""
    run = Run(**run)
    objects = load_objects(objects / run.data_file)
    trees = [read_groups(chains / run.file(chain))[0] for chain in run.chains]
    draws = np.concatenate([tree["partition"]["labels"][0] for tree in trees])
    labels = trees[0]["finish"]["annealed"].astype(int)
    return summarise_memberships(objects, held_classes(run, objects), labels, draws)


def summarise_memberships(
    objects: Dissimilarities, held: np.ndarray, labels: np.ndarray, draws: Sequence[np.ndarray]
) -> Memberships:
    """Return the blocks of a partition and, by the `draws` of all chains, how certain they are."""
    block, names, kinds = _name_blocks(objects, held, labels)
    sizes = np.bincount(block)
    together = np.zeros((sizes.size, sizes.size))
    sure = np.zeros(block.size)
    for draw in draws:
        _, slots = np.unique(draw, return_inverse=True)
        counts = np.zeros((sizes.size, slots.max() + 1))
        np.add.at(counts, (block, slots), 1)
        together += counts @ counts.T
        sure += (counts[block, slots] - 1) / np.maximum(sizes[block] - 1, 1)
    together /= len(draws)
    sure = np.where(sizes[block] == 1, 1.0, sure / len(draws))
    own = np.diag(sizes)  # of each object with itself
    pairs = np.outer(sizes, sizes) - own
    mean = np.where(pairs > 0, (together - own) / np.maximum(pairs, 1), 1.0)
    row, column = np.indices(mean.shape).reshape(2, -1)
    about = {"block": names, "kind": kinds, "size": sizes}
    sides = {"row": row, "column": column}
    heat = {f"{side}_{what}": about[what][at] for what in about for side, at in sides.items()}
    heat["mean"] = mean[row, column]
    free = held == UNLABELLED
    groups = np.asarray(objects.groups if objects.groups is not None else [""] * block.size)
    lengths = objects.lengths if objects.lengths is not None else np.full(block.size, np.nan)
    found = {"item": np.asarray(objects.item_ids), "group": groups, "length": lengths}
    found |= {"block": names[block], "kind": kinds[block], "probability": sure}
    assignments = pd.DataFrame(found)[free].reset_index(drop=True)
    rows = []
    for number, name in enumerate(names):
        members = block == number
        known = Counter(groups[members & free & (groups != "")].tolist())
        n_free, own = int((members & free).sum()), lengths[members]
        row = {"block": name, "kind": kinds[number], "n_labelled": int((members & ~free).sum())}
        row |= {"n_unlabelled": n_free, "share": n_free / max(1, free.sum())}
        words = ", ".join(f"{group} {n}" for group, n in known.most_common())
        row |= {"probability": mean[number, number], "groups": words}
        row |= {"shortest": own.min(), "longest": own.max(), "median_length": np.median(own)}
        rows.append(row)
    return Memberships(pd.DataFrame(heat), pd.DataFrame(rows), assignments)


def _name_blocks(objects, held, labels):
    """Return the block number of each object, and names and kinds of the blocks, classes first."""
    slots, block, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    classes = np.full(slots.size, UNLABELLED)
    classes[block[held != UNLABELLED]] = held[held != UNLABELLED]
    # Classes in their order, then new blocks, largest first.
    order = np.lexsort((-sizes, classes, classes == UNLABELLED))
    classes = classes[order]
    is_new = classes == UNLABELLED
    numbers = np.cumsum(is_new)
    names = [
        f"new {number}" if new else objects.class_names[known]
        for new, number, known in zip(is_new, numbers, classes, strict=True)
    ]
    return np.argsort(order)[block], np.array(names), np.where(is_new, "new", "class")


def embed(run: Mapping[str, Any], objects: Path, chains: Path) -> pd.DataFrame:
    """Return the first two kernel principal components of the points of a run."""
    run = Run(**run)
    points = load_objects(objects / run.data_file)
    groups, _ = read_groups(chains / run.file(0))
    x, y = kernel_pca(squared_distances(points.values), 2).T
    found = {"dataset": run.dataset, "role": run.role, "item": np.arange(points.n_items)}
    found |= {"x": x, "y": y, "label": points.labels, "cluster": groups["finish"]["annealed"]}
    return pd.DataFrame(found)
