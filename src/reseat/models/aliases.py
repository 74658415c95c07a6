"""Values that stand for each other though no letters say so: nicknames, short forms, old names.

They are told from pairs of records that agree in so many other fields that they hardly are
strangers: two values that meet in such pairs more often than two mistakes would by chance.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from scipy.stats import poisson

from reseat.equal_pairs import distinct, equal_pairs

__all__ = ["agreement_by_chance", "with_aliases"]

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


def with_aliases(codes: np.ndarray, near: Sequence) -> list:
    """Near values of each field, and those that stand for each other.

    Parameters
    ----------
    codes : ndarray of int, shape (n_items, n_fields)
        Number of each value in its field, -1 where it is missing.
    near : sequence of (ndarray, ndarray, ndarray) or None, one a field
        As `reseat.likelihoods.SimilarityIndex` takes them.

    Returns
    -------
    list of (ndarray, ndarray, ndarray) or None
        With pairs of values that stand for each other, and the log of how much likelier each is to
        be a mistake for the other than its frequency says: the posterior mean under a gamma law.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.models.aliases import with_aliases
    >>> names = np.repeat([0, 1, 2, 3, 4, 5, 6, 7], 5)
    >>> people = np.arange(40)
    >>> codes = np.stack([np.append(names, names ^ (names < 2)), np.tile(people, 2)], axis=1)
    >>> first, second, log_gain = with_aliases(codes, [None, None])[0]
    >>> first, second
    (array([0]), array([1]))
    """
    met = [[] for _ in near]
    for group in _groups(codes):
        one, other = equal_pairs(_joint(codes[:, group]), CROWD)
        for field in np.setdiff1d(np.arange(len(near)), group):
            x, y = codes[one, field], codes[other, field]
            differ = (x >= 0) & (y >= 0) & (x != y)
            met[field].append(one[differ] * len(codes) + other[differ])
    return [
        _joined(pairs, _meeting(codes[:, field], distinct(np.concatenate(found)), pairs))
        if found
        else pairs
        for field, (pairs, found) in enumerate(zip(near, met, strict=True))
    ]


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


def _meeting(codes: np.ndarray, pairs: np.ndarray, near) -> tuple[np.ndarray, ...]:
    """Values of a field that meet more often in these pairs of records than by chance."""
    n_values = int(codes.max()) + 1
    sides = np.stack(np.divmod(pairs, len(codes)))
    sides = np.take_along_axis(sides, np.argsort(codes[sides], axis=0), axis=0)
    meeting = codes[sides[0]].astype(np.int64) * n_values + codes[sides[1]]
    if near is not None:
        far = ~np.isin(meeting, np.asarray(near[0]) * n_values + np.asarray(near[1]))
        sides, meeting = sides[:, far], meeting[far]
    values, place = np.unique(meeting, return_inverse=True)
    # One record beside several with the other value is one mistake, and not several.
    times = np.min([_n_different(place, records, values.size) for records in sides], axis=0)
    first, second = np.divmod(values, n_values)
    share = np.bincount(codes[codes >= 0]) / np.count_nonzero(codes >= 0)
    expected = times.sum() * 2 * share[first] * share[second] / (1 - np.sum(share**2))
    often = (times >= LEAST) & (poisson.sf(times - 1, expected) < CHANCE)
    log_gain = np.log((times[often] + SHAPE) / (expected[often] + SHAPE))
    return first[often], second[often], log_gain


def _n_different(place: np.ndarray, records: np.ndarray, size: int) -> np.ndarray:
    """How many different records there are at each place."""
    found = np.unique(np.stack([place, records]), axis=1)[0] if place.size else place
    return np.bincount(found, minlength=size)


def _joined(near, found: tuple[np.ndarray, ...]):
    if near is None or not len(near[0]):
        return found if len(found[0]) else near
    return tuple(np.concatenate(parts) for parts in zip(near, found, strict=True))
