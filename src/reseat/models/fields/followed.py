"""Fields that are determined by others, as a city is by its post code."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reseat.models.fields.matches import agreement_by_chance, coded

__all__ = ["followed_fields"]

#: A field follows another if more than this share of the pairs that would not agree in it by chance
#: do agree.
FOLLOWS = 0.5
#: Least number of pairs of strangers that agree in two fields, as a share of all pairs that agree
#: in the first one and have a value in the second.
STRANGE = 0.3
#: Least number of pairs of strangers for a decision on two fields, and most places between the
#: records of a pair when these are sorted by the value of a field.
ENOUGH, STEPS = 30, 3


def followed_fields(columns: Sequence[Sequence]) -> dict[int, list[int]]:
    """Return the fields that others determine, as a post code does a city, with these others.

    The likelihood treats the fields of a record as independent, so the agreement of two strangers
    with the same post code would count twice. The fields are found by pairs of records that agree
    in one field and disagree in most of the rest, so that they are hardly duplicates: if these
    agree in a second field in more than half of the cases in which they would not by chance, the
    second field follows the first. A field is not followed if most pairs that agree in it also
    agree in the rest, as with telephone numbers, which identify an entity. It has fewer different
    values than each of those that it follows.
    """
    codes = np.column_stack([coded(column) for column in columns])
    n_items, n_fields = codes.shape
    n_values = codes.max(axis=0) + 1
    chance = [agreement_by_chance(code) for code in codes.T]
    found: dict[int, list[int]] = {}
    for leader in range(n_fields):
        one, other = _agreeing(codes[:, leader])
        known = (codes[one] >= 0) & (codes[other] >= 0)
        agree = known & (codes[one] == codes[other])
        for field in np.flatnonzero(n_values < n_values[leader]):
            rest = np.setdiff1d(np.arange(n_fields), (leader, field))
            n_known = known[:, rest].sum(axis=1)
            told = (n_known > 0) & known[:, field]
            strangers = told & (2 * agree[:, rest].sum(axis=1) < n_known)
            both = np.count_nonzero(agree[strangers, field])
            if strangers.sum() < ENOUGH or both < STRANGE * told.sum():
                continue
            share = both / strangers.sum()
            if share - chance[field] > FOLLOWS * (1 - chance[field]):
                found.setdefault(int(field), []).append(leader)
    return found


def _agreeing(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return some pairs of records with the same value, a few for each record."""
    order = np.argsort(codes, kind="stable")
    order = order[codes[order] >= 0]
    pairs = [(order[:-step], order[step:]) for step in range(1, STEPS + 1)]
    one, other = (np.concatenate(part) for part in zip(*pairs, strict=True))
    same = codes[one] == codes[other]
    return one[same], other[same]
