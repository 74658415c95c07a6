"""Values that stand for each other though no letters say so: nicknames, short forms, old names.

They are told from pairs of records that agree in so many other fields that they hardly are
strangers: two values that meet in such pairs more often than two mistakes would by chance.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from scipy import sparse
from scipy.stats import poisson

from reseat.equal_pairs import distinct, equal_pairs

__all__ = ["agreement_by_chance", "aliases", "joined"]

#: Strangers that a record may agree with, on average, in the fields of a group.
STRANGERS = 0.1
#: Groups of fields that are looked at, those of fewest fields first, and fields in each.
MOST_GROUPS, MOST_FIELDS = 60, 4
#: Records that agree in a group, beyond which they are left out.
CROWD = 10
#: Probability, below which two values have not met by chance, and meetings without which they have.
CHANCE, LEAST = 1e-3, 2
#: Shape and rate of the gamma law, of mean 1, of how much likelier two values are to meet.
SHAPE = 0.1


def agreement_by_chance(codes: np.ndarray) -> float:
    """Probability that two records with a value in a field agree in it by chance.

    Parameters
    ----------
    codes : ndarray of int, shape (n_items,)
        -1 where the value is missing.
    """
    known = codes[codes >= 0]
    return float(np.sum((np.bincount(known) / max(1, known.size)) ** 2))


def aliases(codes: np.ndarray, near: Sequence) -> list[tuple[np.ndarray, ...]]:
    """Values of each field that stand for each other.

    Parameters
    ----------
    codes : ndarray of int, shape (n_items, n_fields)
        Number of each value in its field, -1 where it is missing.
    near : sequence of (ndarray, ndarray, ndarray) or None, one a field
        Values that are near by their letters, as `reseat.likelihoods.SimilarityIndex` takes them.

    Returns
    -------
    list of (ndarray, ndarray, ndarray), one a field
        Pairs of other values, the lower one first, and the log of how much likelier each is to
        be a mistake for the other than its frequency says: the posterior mean under a gamma law.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.models.aliases import aliases
    >>> names = np.repeat(np.arange(8), 5)  # of forty people, each of whom has a number
    >>> also = names ^ (names < 2)  # 0 is called 1 the second time, and 1 is called 0
    >>> codes = np.stack([np.append(names, also), np.tile(np.arange(40), 2)], axis=1)
    >>> first, second, log_gain = aliases(codes, [None, None])[0]
    >>> first, second
    (array([0]), array([1]))
    """
    n_items = len(codes)
    alike = [np.empty(0, dtype=np.int64)]
    for group in _groups(codes):
        one, other = equal_pairs(_joint(codes[:, group]), CROWD)
        known = (codes[one] >= 0) & (codes[other] >= 0)
        agree = known & (codes[one] == codes[other])
        # A pair that agrees by chance in the group hardly does so in most of the rest.
        most = 2 * agree.sum(axis=1) >= known.sum(axis=1)
        alike.append(one[most] * n_items + other[most])
    one, other = np.divmod(distinct(np.concatenate(alike)), n_items)
    links = sparse.coo_array((np.ones(one.size, dtype=bool), (one, other)), (n_items, n_items))
    people = sparse.csgraph.connected_components(links, directed=False)[1][one]
    return [
        _meeting(column, one, other, people, letters)
        for column, letters in zip(codes.T, near, strict=True)
    ]


def joined(near, found: tuple[np.ndarray, ...]):
    """Near values of a field and those that stand for each other, as one list."""
    if near is None or not len(near[0]):
        return found if len(found[0]) else near
    return tuple(np.concatenate(parts) for parts in zip(near, found, strict=True))


def _groups(codes: np.ndarray) -> list[list[int]]:
    """Least groups of fields in which hardly two strangers agree."""
    n_items, n_fields = codes.shape
    chance = [agreement_by_chance(column) for column in codes.T]
    found: list[tuple[int, ...]] = []
    for size in range(1, MOST_FIELDS + 1):
        for group in itertools.combinations(range(n_fields), size):
            if len(found) == MOST_GROUPS:
                return [list(group) for group in found]
            if any(set(smaller) <= set(group) for smaller in found):
                continue
            if n_items * np.prod([chance[field] for field in group]) <= STRANGERS:
                found.append(group)
    return [list(group) for group in found]


def _joint(codes: np.ndarray) -> np.ndarray:
    """Numbers of the rows of a table, each row with a missing value by itself."""
    found = np.zeros(len(codes), dtype=np.int64)
    for column in codes.T:
        found = np.unique(found * (int(column.max()) + 1) + column, return_inverse=True)[1]
    missing = (codes < 0).any(axis=1)
    found[missing] = -1 - np.flatnonzero(missing)
    return found


def _meeting(codes, one, other, people, near) -> tuple[np.ndarray, ...]:
    """Values of a field that meet more often in pairs of records than by chance.

    However often they do so in records of one thing, that is one mistake.
    """
    n_values = int(codes.max()) + 1
    x, y = np.sort(codes[np.stack([one, other])], axis=0).astype(np.int64)
    differ = (x >= 0) & (x != y)
    meeting, people = x[differ] * n_values + y[differ], people[differ]
    if near is not None:
        far = ~np.isin(meeting, np.asarray(near[0]) * n_values + np.asarray(near[1]))
        meeting, people = meeting[far], people[far]
    each = np.unique(np.stack([meeting, people]), axis=1)[0] if meeting.size else meeting
    values, times = np.unique(each, return_counts=True)
    first, second = np.divmod(values, n_values)
    share = np.bincount(codes[codes >= 0]) / np.count_nonzero(codes >= 0)
    expected = times.sum() * 2 * share[first] * share[second] / (1 - np.sum(share**2))
    often = (times >= LEAST) & (poisson.sf(times - 1, expected) < CHANCE)
    log_gain = np.log((times[often] + SHAPE) / (expected[often] + SHAPE))
    return first[often], second[often], log_gain
