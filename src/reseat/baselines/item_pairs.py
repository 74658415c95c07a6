"""Pairs of items of one group: counted, listed or drawn, without an n by n table."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from reseat.checks import check_unmasked
from reseat.errors import DataError

__all__ = [
    "PairCount",
    "check_items",
    "count_pairs",
    "draw_dissimilar",
    "draw_pairs",
    "draw_rows",
    "require_both_kinds",
]


class PairCount(NamedTuple):
    """How many pairs of items of one group are of one entity (similar), and how many are not."""

    similar: int
    dissimilar: int


def check_items(entities, groups=None) -> tuple[np.ndarray, np.ndarray]:
    """Number entities within groups, and groups; two items are similar if they share the first.

    Parameters
    ----------
    entities : array_like, shape (n_items,)
    groups : array_like, shape (n_items,), optional
        Items of different groups form no pair.  Without it all items are one group.

    Returns
    -------
    entities, groups : ndarray of int64, shape (n_items,)

    Raises
    ------
    DataError
        If the two differ in length, there is no item or entries are masked.
    """
    check_unmasked("entities", entities, "fill them, or remove their items")
    check_unmasked("groups", groups, "fill them, or remove their items")
    entities = np.asarray(entities)
    groups = np.zeros(entities.shape, dtype=np.int64) if groups is None else np.asarray(groups)
    if entities.ndim != 1 or entities.shape != groups.shape:
        raise DataError(
            f"entities has shape {entities.shape} and groups {groups.shape}: there must be one of "
            "each for every item."
        )
    if not entities.size:
        raise DataError("entities is empty: there must be at least one item.")
    groups = np.unique(groups, return_inverse=True)[1]
    entities = np.unique(entities, return_inverse=True)[1]
    return groups * (entities.max() + 1) + entities, groups


def count_pairs(entities: np.ndarray, groups: np.ndarray) -> PairCount:
    """Count similar and dissimilar pairs of what `check_items` returns."""
    similar, all_pairs = _n_pairs(_sizes(entities)), _n_pairs(_sizes(groups))
    return PairCount(similar, all_pairs - similar)


def require_both_kinds(count: PairCount, system: str) -> None:
    """Refuse training items that cannot tell a system what it learns.

    Raises
    ------
    DataError
        If no pair is similar or none dissimilar.
    """
    if not count.similar:
        raise DataError(
            f"no two training items are similar: {system} needs an entity with two items."
        )
    if not count.dissimilar:
        raise DataError(
            f"no two training items are dissimilar: {system} needs a group with two entities."
        )


def _sizes(codes: np.ndarray) -> np.ndarray:
    return np.unique(codes, return_counts=True)[1]


def _n_pairs(sizes: np.ndarray) -> int:
    return int((sizes * (sizes - 1) // 2).sum())


def draw_pairs(groups: np.ndarray, at_most: int, rng) -> tuple[np.ndarray, np.ndarray]:
    """Distinct pairs of items of one group: all of them, or `at_most` drawn evenly.

    Parameters
    ----------
    groups : ndarray of int, shape (n_items,)
        Entities, if similar pairs are wanted.
    at_most : int
    rng : numpy.random.Generator
        Not used if all pairs are returned.

    Returns
    -------
    first, second : ndarray of int64, shape (n_pairs,)
        Places of the items.
    """
    order = np.argsort(groups, kind="stable")
    sizes = _sizes(groups)
    ends = np.cumsum(sizes * (sizes - 1) // 2)
    total = int(ends[-1])
    numbers = np.arange(total) if total <= at_most else rng.choice(total, at_most, replace=False)
    block = np.searchsorted(ends, numbers, side="right")
    numbers = numbers - (ends - sizes * (sizes - 1) // 2)[block]
    # Pair (i, j), i < j, has the number i + j (j - 1) / 2; the root may be off by one.
    j = ((1 + np.sqrt(1 + 8 * numbers)) // 2).astype(np.int64)
    j -= j * (j - 1) // 2 > numbers
    j += j * (j + 1) // 2 <= numbers
    i = numbers - j * (j - 1) // 2
    start = (np.cumsum(sizes) - sizes)[block]
    return order[start + i], order[start + j]


def draw_dissimilar(entities, groups, at_most: int, rng) -> tuple[np.ndarray, np.ndarray]:
    """Distinct pairs of items of one group and of different entities, as `draw_pairs`.

    Of more than `at_most` it draws that many, and now and then a few less: similar pairs are
    drawn with them and dropped.
    """
    count = count_pairs(entities, groups)
    total = sum(count)
    expected = at_most * total / max(count.dissimilar, 1)
    first, second = draw_pairs(groups, int(expected + 4 * np.sqrt(expected) + 16), rng)
    kept = np.flatnonzero(entities[first] != entities[second])
    if kept.size > at_most:
        # Listed pairs come in order, drawn ones do not.
        kept = np.sort(rng.permutation(kept)[:at_most])
    return first[kept], second[kept]


def draw_rows(entities, groups, n_pairs: int, similar_share, rng):
    """Pairs of both kinds, stratified: at most `n_pairs`.

    Parameters
    ----------
    entities, groups : ndarray of int, shape (n_items,)
        As from `check_items`.
    n_pairs : int
    similar_share : float or None
        Share of the similar pairs, as far as there are enough of them; None for their share among
        all pairs.  At least one pair of each kind is drawn if there is one.
    rng : numpy.random.Generator

    Returns
    -------
    first, second : ndarray of int64, shape (n_drawn,)
    similar : ndarray of bool, shape (n_drawn,)
    """
    count = count_pairs(entities, groups)
    if similar_share is None:
        similar_share = count.similar / max(sum(count), 1)
    n_similar = min(count.similar, max(1, round(similar_share * n_pairs)))
    similar = draw_pairs(entities, n_similar, rng)
    dissimilar = draw_dissimilar(entities, groups, max(1, n_pairs - n_similar), rng)
    first, second = (np.concatenate(both) for both in zip(similar, dissimilar, strict=True))
    return first, second, np.arange(first.size) < similar[0].size
