"""Fields that change together, as an address and a telephone number do when somebody moves.

They are told from pairs of records that are of one thing for all that the other fields say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import expit

from reseat.models.fields.matches import among, linked

__all__ = ["changing_fields"]

#: Groups at most.
MOST = 6
#: Odds of the pairs that are looked at; how many of them a group takes at least, each counting by
#: its probability; and how many for each one of the most frequent group.
LEAST_ODDS, LEAST, LEAST_SHARE = 0.3, 1.0, 0.2


def changing_fields(
    codes: np.ndarray,
    near: Sequence,
    pairs: np.ndarray,
    log_odds: Callable[[list[tuple[int, ...]]], np.ndarray],
    follows: Sequence[tuple[int, int]] = (),
) -> list[tuple[int, ...]]:
    """Groups of fields that may change together.

    Looked at are pairs that agree in so much that they hardly are strangers.  All fields that are
    quite different in such a pair are a candidate.  Where the most frequent candidates may change,
    some of the pairs are likely to be of one thing, and others are not, for all that they agree in;
    only the former tell what does change.  How often it does is for the chains to say.

    Parameters
    ----------
    codes : ndarray of int, shape (n_items, n_fields)
        Number of each value in its field, -1 where it is missing.
    near : sequence of (ndarray, ndarray, ndarray) or None, one a field
        As `reseat.likelihoods.SimilarityIndex` takes them: a value near the other one is
        mistyped, and has not changed.
    pairs : ndarray of int, shape (n_pairs, 2)
        Records that hardly are strangers (`reseat.models.fields.matches`).
    log_odds : callable
        Groups that may change together -> ndarray of float, shape (n_pairs,), the log odds of each
        pair that it is of one thing.
    follows : sequence of (int, int)
        Fields and what they follow, as a city does a post code: one changes with the other, though
        perhaps only one of them is known.

    Returns
    -------
    list of tuple of int
        Two fields or more in each group.
    """
    one, other = codes[pairs.T]
    changed = (one >= 0) & (other >= 0) & (one != other)
    for field, values in enumerate(near):
        if values is not None:
            changed[:, field] &= ~among(one[:, field], other[:, field], *values[:2])
    several = changed.sum(axis=1) > 1
    for field, leader in follows:
        changed[:, [field, leader]] |= changed[:, [leader, field]]
    candidates = _frequent(changed[several], np.ones(several.sum()))[0]
    found = log_odds(candidates[:MOST])
    likely = np.flatnonzero(found > np.log(LEAST_ODDS))
    # However many records a thing has, they tell of it once.
    likely = likely[np.unique(linked(pairs[likely], len(codes)), return_index=True)[1]]
    likely = likely[several[likely]]
    groups, weights = _frequent(changed[likely], expit(found[likely]))
    least = max(LEAST, LEAST_SHARE * weights.max(initial=0.0))
    return [group for group, weight in zip(groups, weights, strict=True) if weight >= least][:MOST]


def _frequent(rows: np.ndarray, weights: np.ndarray) -> tuple[list[tuple[int, ...]], np.ndarray]:
    """Different rows of fields that are marked and the sums of their weights, in falling order."""
    different, number = np.unique(rows, axis=0, return_inverse=True)
    total = np.bincount(number.reshape(-1), weights, len(different))
    order = np.argsort(-total, kind="stable")
    return [tuple(np.flatnonzero(different[place]).tolist()) for place in order], total[order]
