"""Fields that change together, as an address and a telephone number do when somebody moves.

They are found in pairs of records that are of the same entity, as far as the other fields tell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import expit

from reseat.models.fields.matches import among, linked

__all__ = ["changing_fields"]

#: Largest number of groups.
MOST = 6
#: Least odds of the pairs that count; least number of them for a group, each counting with its
#: probability; and the same as a share of the number of the most frequent group.
LEAST_ODDS, LEAST, LEAST_SHARE = 0.3, 1.0, 0.2


def changing_fields(
    codes: np.ndarray,
    near: Sequence,
    pairs: np.ndarray,
    log_odds: Callable[[list[tuple[int, ...]]], np.ndarray],
    follows: Sequence[tuple[int, int]] = (),
) -> list[tuple[int, ...]]:
    """Return groups of fields that may change together.

    They are found in pairs of records that agree in so much that they are unlikely to be strangers.
    The fields that differ clearly in such a pair are a candidate group. If the most frequent
    candidates are allowed to change, some of the pairs are likely to be of the same entity, and
    others are not, in spite of what they agree in; only the former show what does change. How often
    it does is left to the chains. `near` is that of `reseat.likelihoods.SimilarityIndex`: a value
    near the other one is mistyped, and has not changed. `log_odds` is called with groups and
    returns the log odds that each pair is of the same entity. A field that `follows` another, as a
    city follows its post code, changes with it, even if only one of them is known.
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
    # An entity counts once, however many records it has.
    likely = likely[np.unique(linked(pairs[likely], len(codes)), return_index=True)[1]]
    likely = likely[several[likely]]
    groups, weights = _frequent(changed[likely], expit(found[likely]))
    least = max(LEAST, LEAST_SHARE * weights.max(initial=0.0))
    return [group for group, weight in zip(groups, weights, strict=True) if weight >= least][:MOST]


def _frequent(rows: np.ndarray, weights: np.ndarray) -> tuple[list[tuple[int, ...]], np.ndarray]:
    """Return the distinct rows, as lists of marked fields, and their total weights, descending."""
    different, number = np.unique(rows, axis=0, return_inverse=True)
    total = np.bincount(number.reshape(-1), weights, len(different))
    order = np.argsort(-total, kind="stable")
    return [tuple(np.flatnonzero(different[place]).tolist()) for place in order], total[order]
