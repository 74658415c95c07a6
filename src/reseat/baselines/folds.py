"""Folds of items that keep all pairs of an entity, or of a document, on one side."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from reseat.baselines.item_pairs import count_pairs
from reseat.errors import DataError

__all__ = ["grouped_folds"]


def grouped_folds(entities, groups, n_folds: int, rng) -> list[np.ndarray]:
    """Return the items that each fold holds out.

    With several groups (documents), whole groups are held out. With one group, whole entities are,
    at least two in each fold, since the items of one entity form no dissimilar pair: if there are
    fewer than 2 `n_folds` entities, the folds are pairs of entities, all of them or `n_folds` that
    are drawn. Folds that do not leave both kinds of pairs to train on, or that hold out no pair,
    are omitted.
    """
    units = groups if np.unique(groups).size > 1 else entities
    names, sizes = np.unique(units, return_counts=True)
    order = rng.permutation(names.size)
    if units is groups or names.size >= 2 * n_folds:
        sides = _balanced(sizes, order, n_folds, least=1 if units is groups else 2)
    else:
        sides = [np.array(pair) for pair in combinations(range(names.size), 2)]
        chosen = rng.permutation(len(sides))[:n_folds]
        sides = [sides[number] for number in np.sort(chosen)]
    held = [np.isin(units, names[side]) for side in sides]
    folds = [side for side in held if _is_useful(side, entities, groups)]
    if not folds:
        kind = "groups" if units is groups else "entities"
        raise DataError(
            f"the training items have {names.size} {kind}, too few to hold some of them out and "
            "still have similar and dissimilar pairs to train on."
        )
    return folds


def _balanced(sizes: np.ndarray, order: np.ndarray, n_folds: int, least: int) -> list[np.ndarray]:
    """Assign units to folds of about equal numbers of items: the largest first, to the emptiest.

    Folds with fewer than `least` units come before all others, so that a unit that is larger than
    the other folds does not remain alone.
    """
    load, sides = np.zeros(n_folds), [[] for _ in range(n_folds)]
    for unit in order[np.argsort(-sizes[order], kind="stable")]:
        few = np.array([len(side) < least for side in sides])
        emptiest = int(np.argmin(np.where(few | ~few.any(), load, np.inf)))
        sides[emptiest].append(unit)
        load[emptiest] += sizes[unit]
    return [np.array(side) for side in sides if side]


def _is_useful(held: np.ndarray, entities: np.ndarray, groups: np.ndarray) -> bool:
    trained = count_pairs(entities[~held], groups[~held])
    return min(trained) > 0 and sum(count_pairs(entities[held], groups[held])) > 0
