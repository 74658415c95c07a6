"""Pairs of items of the same group, and folds that keep such pairs on one side."""

from itertools import combinations
from typing import NamedTuple

import numpy as np

from reseat.checks import numbered_names
from reseat.errors import DataError
from reseat.metrics import pairs_within


class PairCount(NamedTuple):
    """Numbers of pairs within groups that are of the same entity (similar) and that are not."""

    similar: int
    dissimilar: int


def check_items(entities, groups=None) -> tuple[np.ndarray, np.ndarray]:
    """Number the groups, and the entities of each group; items of the same entity are similar."""
    shape = np.shape(entities)
    groups = np.zeros(shape, dtype=np.int64) if groups is None else groups
    if len(shape) != 1 or shape != np.shape(groups):
        raise DataError(
            f"entities has shape {shape} and groups {np.shape(groups)}: there must be one of "
            "each for every item."
        )
    if not shape[0]:
        raise DataError("entities is empty: there must be at least one item.")
    groups, entities = numbered_names(groups, "groups"), numbered_names(entities, "entities")
    return groups * (entities.max() + 1) + entities, groups


def count_pairs(entities: np.ndarray, groups: np.ndarray) -> PairCount:
    """Count similar and dissimilar pairs of items, numbered as by `check_items`."""
    similar = pairs_within(np.unique(entities, return_counts=True)[1])
    return PairCount(similar, pairs_within(np.unique(groups, return_counts=True)[1]) - similar)


def require_both_kinds(count: PairCount, system: str) -> None:
    """Raise a DataError unless training items have similar pairs and dissimilar ones."""
    if not count.similar:
        raise DataError(
            f"no two training items are similar: {system} needs an entity with two items."
        )
    if not count.dissimilar:
        raise DataError(
            f"no two training items are dissimilar: {system} needs a group with two entities."
        )


def draw_pairs(groups: np.ndarray, at_most: int, rng) -> tuple[np.ndarray, np.ndarray]:
    """Return distinct pairs of items of a group (or entity): all, or `at_most` drawn uniformly."""
    order = np.argsort(groups, kind="stable")
    sizes = np.unique(groups, return_counts=True)[1]
    ends = np.cumsum(sizes * (sizes - 1) // 2)
    total = int(ends[-1])
    numbers = np.arange(total) if total <= at_most else rng.choice(total, at_most, replace=False)
    block = np.searchsorted(ends, numbers, side="right")
    numbers = numbers - (ends - sizes * (sizes - 1) // 2)[block]
    # Pair (i, j), i < j, has the number i + j (j - 1) / 2; the rounded root may be off by one.
    j = ((1 + np.sqrt(1 + 8 * numbers)) // 2).astype(np.int64)
    j -= j * (j - 1) // 2 > numbers
    j += j * (j + 1) // 2 <= numbers
    i = numbers - j * (j - 1) // 2
    start = (np.cumsum(sizes) - sizes)[block]
    return order[start + i], order[start + j]


def draw_dissimilar(entities, groups, at_most: int, rng) -> tuple[np.ndarray, np.ndarray]:
    """Return pairs of items of a group but not an entity, as `draw_pairs`, at times a few less."""
    count = count_pairs(entities, groups)
    total = sum(count)
    expected = at_most * total / max(count.dissimilar, 1)
    first, second = draw_pairs(groups, int(expected + 4 * np.sqrt(expected) + 16), rng)
    kept = np.flatnonzero(entities[first] != entities[second])
    if kept.size > at_most:
        # Shuffled, because listed pairs are in order, so the first ones are not a random sample.
        kept = np.sort(rng.permutation(kept)[:at_most])
    return first[kept], second[kept]


def draw_rows(entities, groups, n_pairs: int, similar_share, rng):
    """Return at most `n_pairs` of both kinds; the `similar_share` is by default that of all."""
    count = count_pairs(entities, groups)
    if similar_share is None:
        similar_share = count.similar / max(sum(count), 1)
    n_similar = min(count.similar, max(1, round(similar_share * n_pairs)))
    similar = draw_pairs(entities, n_similar, rng)
    dissimilar = draw_dissimilar(entities, groups, max(1, n_pairs - n_similar), rng)
    first, second = (np.concatenate(both) for both in zip(similar, dissimilar, strict=True))
    return first, second, np.arange(first.size) < similar[0].size


def grouped_folds(entities, groups, n_folds: int, rng) -> list[np.ndarray]:
    """Return the items of each useful fold: groups or, of one group, at least two entities."""
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
    folds = [
        side
        for side in held
        if min(count_pairs(entities[~side], groups[~side])) > 0
        and sum(count_pairs(entities[side], groups[side])) > 0
    ]
    if not folds:
        kind = "groups" if units is groups else "entities"
        raise DataError(
            f"the training items have {names.size} {kind}, too few to hold some of them out and "
            "still have similar and dissimilar pairs to train on."
        )
    return folds


def _balanced(sizes: np.ndarray, order: np.ndarray, n_folds: int, least: int) -> list[np.ndarray]:
    """Assign units to folds of about equal items, the largest first, at least `least` to each."""
    load, sides = np.zeros(n_folds), [[] for _ in range(n_folds)]
    for unit in order[np.argsort(-sizes[order], kind="stable")]:
        few = np.array([len(side) < least for side in sides])
        emptiest = int(np.argmin(np.where(few | ~few.any(), load, np.inf)))
        sides[emptiest].append(unit)
        load[emptiest] += sizes[unit]
    return [np.array(side) for side in sides if side]
