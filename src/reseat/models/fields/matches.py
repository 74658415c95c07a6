"""Pairs of records that agree in so many fields that they are unlikely to be strangers.

Strangers are records of different entities.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from scipy import sparse

from reseat.equal_pairs import distinct, equal_pairs

__all__ = [
    "agreeing",
    "agreement_by_chance",
    "among",
    "coded",
    "components",
    "linked",
    "matches",
    "telling_groups",
]

#: Number of strangers that a record may agree with, on average, in the fields of a group.
STRANGERS = 0.1
#: Largest number of groups of fields, those with the fewest fields first, and of fields in each.
MOST_GROUPS, MOST_FIELDS = 60, 4
#: Largest number of fields that are combined, those in which strangers agree least often.
MOST_COMBINED = 40
#: If more records than this agree in a group of fields, they are left out.
CROWD = 10


def agreement_by_chance(codes: np.ndarray) -> float:
    """Return the probability that two records with a value in a field agree in it by chance."""
    known = codes[codes >= 0]
    return float(np.sum((np.bincount(known) / max(1, known.size)) ** 2))


def coded(column: Sequence) -> np.ndarray:
    """Number the values in the order in which they first appear; -1 where one is missing."""
    from pandas import factorize  # slow to import, and most chains have no need of it

    return factorize(np.array(column, dtype=object))[0]


def matches(codes: np.ndarray) -> np.ndarray:
    """Return pairs of records that agree in a group of fields in which strangers hardly ever do.

    The lower item of a pair comes first. Missing codes are -1.
    """
    n_items = len(codes)
    found = [np.empty(0, dtype=np.int64)]
    for group in telling_groups(codes):
        one, other = equal_pairs(_joint(codes[:, group]), CROWD)
        found.append(one * n_items + other)
    return np.stack(np.divmod(distinct(np.concatenate(found)), n_items), axis=1)


def linked(pairs: np.ndarray, n_items: int) -> np.ndarray:
    """Return the number of the connected component that each pair is in."""
    return components(pairs, n_items)[pairs[:, 0]]


def components(pairs: np.ndarray, n_items: int) -> np.ndarray:
    """Return the number of the connected component that each item is in."""
    ones = np.ones(len(pairs), dtype=bool)
    graph = sparse.coo_array((ones, tuple(pairs.T)), shape=(n_items, n_items))
    return sparse.csgraph.connected_components(graph, directed=False)[1]


def among(one: np.ndarray, other: np.ndarray, first, second) -> np.ndarray:
    """Return which pairs of values, in either order, are listed with the lower value first."""
    n_values = 1 + max(one.max(initial=0), other.max(initial=0), np.max(second, initial=0))
    x, y = np.minimum(one, other).astype(np.int64), np.maximum(one, other)
    return np.isin(x * n_values + y, np.asarray(first, dtype=np.int64) * n_values + second)


def telling_groups(codes: np.ndarray) -> list[list[int]]:
    """Return the smallest groups of fields in which strangers hardly ever agree.

    Those with the fewest fields come first, and none contains another.
    """
    n_items = len(codes)
    chance = [agreement_by_chance(column) for column in codes.T]
    combined = sorted(np.argsort(chance, kind="stable")[:MOST_COMBINED].tolist())
    found: list[tuple[int, ...]] = []
    for size in range(1, MOST_FIELDS + 1):
        for group in itertools.combinations(combined, size):
            if len(found) == MOST_GROUPS:
                return [list(group) for group in found]
            if any(set(smaller) <= set(group) for smaller in found):
                continue
            if n_items * np.prod([chance[field] for field in group]) <= STRANGERS:
                found.append(group)
    return [list(group) for group in found]


def _joint(codes: np.ndarray) -> np.ndarray:
    """Number the distinct rows of a table; a row with a missing value is never equal to another."""
    found = np.zeros(len(codes), dtype=np.int64)
    for column in codes.T:
        found = np.unique(found * (int(column.max()) + 1) + column, return_inverse=True)[1]
    missing = (codes < 0).any(axis=1)
    found[missing] = -1 - np.flatnonzero(missing)
    return found


def agreeing(columns: Sequence[Sequence]) -> np.ndarray:
    """Return labels that are equal for records agreeing where strangers hardly ever do.

    Fields are taken in descending order of their numbers of values until a record is expected to
    agree with at most `STRANGERS` others by chance. A record in which one of these fields is
    missing is alone.
    """
    codes = [coded(column) for column in columns]
    chosen, strangers = [], float(len(columns[0]))
    for code in sorted(codes, key=lambda code: -int(code.max())):
        if strangers <= STRANGERS:
            break
        chosen.append(code)
        strangers *= agreement_by_chance(code)
    table = np.column_stack(chosen)
    alone = (table < 0).any(axis=1)
    table[alone] = -1 - np.arange(alone.sum())[:, None]
    return np.unique(table, axis=0, return_inverse=True)[1].reshape(-1)
