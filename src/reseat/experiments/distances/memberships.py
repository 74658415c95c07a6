"""Blocks of a run that holds classes, and the co-membership of their objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from reseat.chains import read_groups
from reseat.datasets import Dissimilarities
from reseat.datasets.dissimilarities import UNLABELLED
from reseat.experiments.distances.classes import held_classes
from reseat.experiments.distances.plan import Run

__all__ = ["Memberships", "read_memberships", "summarise_memberships"]


@dataclass(frozen=True)
class Memberships:
    """Tidy frames of the blocks of one partition, and their support in the draws of all chains."""

    #: One row per pair of blocks: mean posterior co-membership of their objects.
    heat: pd.DataFrame
    #: One row per block.
    blocks: pd.DataFrame
    #: One row per free object.
    assignments: pd.DataFrame


def read_memberships(run: Run, objects: Dissimilarities, folder: Path) -> Memberships:
    """Return the blocks of the annealed first chain of a run, judged by all its chains."""
    trees = [read_groups(Path(folder) / run.file(chain))[0] for chain in run.chains]
    draws = np.concatenate([tree["partition"]["labels"][0] for tree in trees])
    labels = trees[0]["finish"]["annealed"].astype(int)
    return summarise_memberships(objects, held_classes(run, objects), labels, draws)


def summarise_memberships(
    objects: Dissimilarities, held: np.ndarray, labels: np.ndarray, draws: Sequence[np.ndarray]
) -> Memberships:
    """Return the blocks of a partition and how certain the posterior is of them.

    `held` has the class that an object keeps, or -1, and `draws` those of all chains.
    """
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
    pairs = np.outer(sizes, sizes).astype(float)
    inside = np.arange(sizes.size)
    together[inside, inside] -= sizes
    pairs[inside, inside] -= sizes
    mean = np.where(pairs > 0, together / np.maximum(pairs, 1), 1.0)
    row, column = np.indices(mean.shape).reshape(2, -1)
    heat = pd.DataFrame(
        {
            "row_block": names[row],
            "column_block": names[column],
            "row_kind": kinds[row],
            "column_kind": kinds[column],
            "row_size": sizes[row],
            "column_size": sizes[column],
            "mean": mean[row, column],
        }
    )
    free = held == UNLABELLED
    groups = np.asarray(objects.groups if objects.groups is not None else [""] * block.size)
    lengths = objects.lengths if objects.lengths is not None else np.full(block.size, np.nan)
    items = np.flatnonzero(free)
    assignments = pd.DataFrame(
        {
            "item": np.asarray(objects.item_ids)[items],
            "group": groups[items],
            "length": lengths[items],
            "block": names[block[items]],
            "kind": kinds[block[items]],
            "probability": sure[items],
        }
    )
    rows = []
    for number, name in enumerate(names):
        members = block == number
        known = Counter(groups[members & free & (groups != "")].tolist())
        rows.append(
            {
                "block": name,
                "kind": kinds[number],
                "n_labelled": int((members & ~free).sum()),
                "n_unlabelled": int((members & free).sum()),
                "share": (members & free).sum() / max(1, free.sum()),
                "probability": mean[number, number],
                "groups": ", ".join(f"{group} {n}" for group, n in known.most_common()),
                "shortest": np.min(lengths[members]),
                "longest": np.max(lengths[members]),
                "median_length": np.median(lengths[members]),
            }
        )
    return Memberships(heat, pd.DataFrame(rows), assignments)


def _name_blocks(objects, held, labels):
    """Return the block number of each object, and names and kinds of the blocks, classes first."""
    slots, block = np.unique(labels, return_inverse=True)
    classes = np.full(slots.size, UNLABELLED)
    classes[block[held != UNLABELLED]] = held[held != UNLABELLED]
    sizes = np.bincount(block)
    # Classes in their order, then new blocks, largest first.
    order = np.lexsort((-sizes, classes, classes == UNLABELLED))
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    classes = classes[order]
    is_new = classes == UNLABELLED
    numbers = np.cumsum(is_new)
    names = [
        f"new {number}" if new else objects.class_names[known]
        for new, number, known in zip(is_new, numbers, classes, strict=True)
    ]
    return place[block], np.array(names), np.where(is_new, "new", "class")
