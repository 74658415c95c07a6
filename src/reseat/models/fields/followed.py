"""Fields that others determine, as a post code does a city."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reseat.models.fields.matches import agreement_by_chance, coded

__all__ = ["followed_fields"]

#: Of pairs that do not agree in a field by chance, the share that must from which it follows.
FOLLOWS = 0.5
#: Of pairs that agree in two fields, or might, the share that must be strangers who do.
STRANGE = 0.3
#: Pairs of strangers without which nothing is said of two fields, and places they are apart.
ENOUGH, STEPS = 30, 3


def followed_fields(columns: Sequence[Sequence]) -> dict[int, list[int]]:
    """Fields that others determine, as a post code does a city: for each of them the others.

    The likelihood takes the fields of a record for independent, so that two strangers of one post
    code would agree twice.  Looked at are pairs of records that agree in one field and disagree in
    most of the rest, so that they hardly are duplicates: if they agree in a second one in more
    than half of the cases in which it does not happen by chance, that one follows the first.  A
    field is not followed if most pairs that agree in it agree in the rest, as with telephone
    numbers: it tells who it is.

    Parameters
    ----------
    columns : sequence of sequences, one of length n_items a field

    Returns
    -------
    dict of int to list of int
        A field has fewer different values than those that it follows.
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
    """Some pairs of records with the same value, a few for each record."""
    order = np.argsort(codes, kind="stable")
    order = order[codes[order] >= 0]
    pairs = [(order[:-step], order[step:]) for step in range(1, STEPS + 1)]
    one, other = (np.concatenate(part) for part in zip(*pairs, strict=True))
    same = codes[one] == codes[other]
    return one[same], other[same]
