"""Folds of items that keep all pairs of an entity, or of a document, on one side."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from reseat.baselines.item_pairs import count_pairs
from reseat.errors import DataError

__all__ = ["grouped_folds"]


def grouped_folds(entities, groups, n_folds: int, rng) -> list[np.ndarray]:
    """Which items each fold holds out.

    With several groups (documents) whole groups are held out.  With one, whole entities are, at
    least two in each fold, since those of one entity form no dissimilar pair: below 2 `n_folds`
    entities, the folds are pairs of entities, as many as there are and at most `n_folds`.

    Parameters
    ----------
    entities, groups : ndarray of int, shape (n_items,)
        As from `check_items`.
    n_folds : int
    rng : numpy.random.Generator

    Returns
    -------
    list of ndarray of bool, shape (n_items,)
        True for the held-out items.  Folds without both kinds of pairs left to train on, or
        without a pair held out, are left out.

    Raises
    ------
    DataError
        If no fold is left.
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


def _balanced(
    sizes: np.ndarray, order: np.ndarray, n_folds: int, least: int
) -> list[np.ndarray]:
    """Units into folds of about equal numbers of items: the largest first, to the emptiest."""
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
