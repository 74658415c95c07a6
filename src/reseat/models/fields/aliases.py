"""Values that stand for each other whatever their letters: nicknames, short forms, old names.

They are found in pairs of records that agree in so many other fields that they are unlikely to be
of different entities: two values are aliases if they meet in such pairs more often than two
mistakes would by chance.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import poisson

from reseat.models.fields.matches import linked

__all__ = ["aliases", "joined"]

#: Two values stand for each other if the probability that they meet so often by chance is below the
#: first number, and if they meet at least as often as the second number says.
CHANCE, LEAST = 1e-3, 2
#: Shape and rate of the gamma prior, with mean 1, of the ratio of actual to expected meetings.
SHAPE = 0.1


def aliases(codes: np.ndarray, near: Sequence, pairs: np.ndarray) -> list[tuple[np.ndarray, ...]]:
    """Return the values of each field that stand for each other.

    For each field, pairs of other values, the lower one first, come with the log of how much more
    probable each is as a mistake for the other than by its frequency: the posterior mean under a
    gamma prior. `near` has values that are near by their letters, as accepted by
    `reseat.likelihoods.SimilarityIndex`, and `pairs` records that are unlikely to be strangers.
    """
    one, other = codes[pairs.T]
    known = (one >= 0) & (other >= 0)
    # A pair that agrees in a group of fields by chance hardly ever agrees in most of the rest.
    most = 2 * (known & (one == other)).sum(axis=1) >= known.sum(axis=1)
    one, other = pairs[most].T
    people = linked(pairs[most], len(codes))
    return [
        _meeting(column, one, other, people, letters)
        for column, letters in zip(codes.T, near, strict=True)
    ]


def joined(near, found: tuple[np.ndarray, ...]):
    """Return the near values of a field, and those that stand for each other, as one list."""
    if near is None or not len(near[0]):
        return found if len(found[0]) else near
    return tuple(np.concatenate(parts) for parts in zip(near, found, strict=True))


def _meeting(codes, one, other, people, near) -> tuple[np.ndarray, ...]:
    """Return the values of a field that meet more often in pairs of records than by chance.

    Meetings in several records of one entity count once, since they are due to one mistake.
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
