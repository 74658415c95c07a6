"""Known classes of objects: those that a model holds, where its chains start, and the truth."""

from __future__ import annotations

import numpy as np

from reseat.chains import by_turns, chain_seed
from reseat.datasets import Dissimilarities, Points
from reseat.datasets.dissimilarities import UNLABELLED
from reseat.experiments.distances.plan import HELD, PAPER_KEY, STARTS, Run

__all__ = ["held_classes", "start_of", "true_classes"]


def held_classes(run: Run, objects: Points | Dissimilarities) -> np.ndarray:
    """Return the class that each object keeps in a model, or -1 if the object may move.

    Points have no classes.  If the model hides labels, a share of every class is drawn to be
    hidden, the same for all chains, but at least one object of each class keeps its label.
    """
    clamp = run.settings.get("clamp", "labelled")
    if isinstance(objects, Points) or clamp == "none":
        return np.full(objects.n_items, UNLABELLED)
    held = objects.classes.astype(int)
    if clamp == "hidden":
        rng = np.random.default_rng(chain_seed(run.seed, PAPER_KEY, run.dataset, "hidden"))
        for number in range(objects.n_classes):
            members = np.flatnonzero(objects.classes == number)
            n_hidden = int(round(run.settings["hidden_share"] * members.size))
            held[rng.permutation(members)[: min(n_hidden, members.size - 1)]] = UNLABELLED
    return held


def start_of(run: Run, objects: Points | Dissimilarities, number: int) -> str:
    """Return where a chain starts.

    If classes are held, each of them has a block, and the other objects start in one more block or
    in many; chains take turns.  Otherwise chains take turns as the study says.  If it says nothing,
    points start in one block, as in the paper, and real objects take turns between one block and
    many at random, which shows whether chains have forgotten where they began.
    """
    if (held_classes(run, objects) != UNLABELLED).any():
        return by_turns(HELD, number)
    usual = STARTS[:1] if isinstance(objects, Points) else STARTS
    return by_turns(run.settings.get("starts", usual), number)


def true_classes(objects: Points | Dissimilarities) -> np.ndarray:
    """Return the true block or class of each object, or -1 if it is unknown.

    The group of an object without a class, if known, counts as its class.
    """
    if isinstance(objects, Points):
        return objects.labels.astype(int)
    truth = objects.classes.astype(int)
    if objects.groups is not None:
        groups = np.asarray(objects.groups)
        known = (truth == UNLABELLED) & (groups != "")
        names, numbers = np.unique(groups[known], return_inverse=True)
        # A group with the same name as a class is that class.
        places = {name: number for number, name in enumerate(objects.class_names)}
        found = [places.get(name, objects.n_classes + at) for at, name in enumerate(names)]
        truth[known] = np.array(found, dtype=int)[numbers]
    return truth
