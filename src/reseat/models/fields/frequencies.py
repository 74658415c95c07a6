"""Frequencies of the values of a field among entities, including values that were not seen."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, gammaln

from reseat.equal_pairs import distinct
from reseat.models.fields.matches import among, components, telling_groups
from reseat.numerics import on_grid

#: Largest log of the shape plus one, where all values are equally frequent, and logit.
MAX_ODDS, MAX_LOGIT = 8.0, 20.0
#: Shapes nearer to zero than this are replaced by it, so that differences keep their digits.
TINY = 1e-5
#: Bits of the logarithms of the fitted law, which are below 16: steps of a thousandth.
BITS = 14


@dataclass(frozen=True)
class FieldLaw:
    """Probabilities that a further entity has each value of a field, shape (n_values,) each."""

    #: Those of the values that were seen and, with the same sum of one, of as many that were not.
    seen: np.ndarray
    unseen: np.ndarray
    #: That of the unseen values near each seen one, a part of that of all unseen values.
    beside: np.ndarray
    #: How near these are: the mean log factor of values that are near each other.
    log_gain: float


def frequencies(
    codes: np.ndarray,
    pairs: np.ndarray,
    near: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray] | None] | None = None,
) -> list[FieldLaw]:
    """Return how frequent values are among entities, by `pairs` of records of one entity.

    By empirical Bayes, the number of entities with a value is Poisson, and its mean has a gamma
    law that is fitted to all values of the field (Efron & Thisted 1976, section 3).
    """
    labels = components(pairs, len(codes)).astype(np.int64)
    found = []
    for column, close in zip(codes.T, near or [None] * codes.shape[1], strict=True):
        things, owner = _things(labels, column)
        n_values = things.size
        # Values near others may be mistakes, which hardly ever recur if a single entity has them.
        doubtful = np.zeros(n_values, dtype=bool)
        for values in close[:2] if close is not None else ():
            doubtful[values] = True
        shape, ratio = recurrence(things[~doubtful], things[doubtful & (things > 1)])
        # If two entities with the same value may be one, the second must not be counted.
        seen = ratio * (np.maximum(things - 1, 1) + shape)
        # A mistake is no more frequent than a value of a single entity by Good (1953), equation 2.
        once, twice = (np.count_nonzero(things == n) for n in (1, 2))
        lone = doubtful & (things == 1)
        seen[lone] = np.minimum(seen[lone], 2 * (twice + 1) / max(1, once))
        seen *= min(1.0, things.sum() / seen.sum())
        rest = things.sum() - seen.sum()
        # As many unseen values are near a seen one as there are now, and more near frequent ones.
        n_beside, log_gain = _near_others(things, owner, close)
        total = things.sum()
        unseen = np.full(n_values, rest / n_values) / total
        beside = min(n_beside, rest) * seen / seen.sum() / total
        found.append(FieldLaw(seen / total, unseen, beside, log_gain))
    return found


def correct_shares(
    codes: np.ndarray,
    pairs: np.ndarray,
    near: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray] | None],
) -> np.ndarray:
    """Return the share of each field's values that are not mistakes which nobody else makes."""
    # The lower of two estimates is taken, as pairs that agree in enough other fields may be of
    # careless entities, and unique values that are near others may be different names.
    labels, groups = components(pairs, len(codes)).astype(np.int64), telling_groups(codes)
    one, other = codes[pairs.T]
    known = (one >= 0) & (other >= 0)
    equal = known & (one == other)
    found = np.ones(codes.shape[1])
    for field, close in enumerate(near):
        if close is None:
            continue
        told = [equal[:, group].all(axis=1) for group in groups if field not in group]
        chosen = np.any(told, axis=0) & known[:, field]
        x, y = one[chosen, field], other[chosen, field]
        things, owner = _things(labels, codes[:, field])
        mistaken = (np.minimum(things[x], things[y]) == 1) & (x != y) & among(x, y, *close[:2])
        n_mistaken = np.count_nonzero(mistaken)
        in_pairs = n_mistaken / max(1, 2 * (np.count_nonzero(x == y) + n_mistaken))
        found[field] = 1 - min(in_pairs, _near_others(things, owner, close)[0] / things.sum())
    return found


def _things(labels: np.ndarray, column: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how many entities have each value, counted once, and one of them."""
    known, n_values = column >= 0, int(column.max()) + 1
    thing, value = np.divmod(distinct(labels[known] * n_values + column[known]), n_values)
    owner = np.empty(n_values, dtype=np.int64)
    owner[value] = thing
    return np.bincount(value, minlength=n_values), owner


def _near_others(things: np.ndarray, owner: np.ndarray, near) -> tuple[int, float]:
    """Return how many values of one entity are near a value of another, and how near on average."""
    if near is None or not len(near[0]):
        return 0, 0.0
    one, other, log_gain = near
    close = 2 * log_gain > log_gain.max()  # one letter apart, if others differ by two
    one, other = one[close], other[close]
    apart = (things[one] > 1) | (things[other] > 1) | (owner[one] != owner[other])
    beside = np.zeros(things.size, dtype=bool)
    beside[one[apart]] = beside[other[apart]] = True
    return np.count_nonzero(beside & (things == 1)), float(log_gain[close].mean())


def recurrence(counts: np.ndarray, repeated: np.ndarray) -> tuple[float, float]:
    """Fit the law by which a value seen ``c`` times is expected ``ratio (c + shape)`` times.

    It is negative binomial, without zeros and, for `repeated` counts, without ones. The shape is
    above -1, as unseen values need not be finite in number.
    """
    # The likelihood is maximal with one more value seen twice.
    counts, repeated = np.append(counts, 2), np.asarray(repeated, dtype=int)
    tallies = [np.unique(part, return_counts=True) for part in (counts, repeated)]

    def law(point: np.ndarray) -> tuple[float, float]:
        bounds = np.array([MAX_ODDS, MAX_LOGIT])
        log_shape, logit = np.clip(point, -bounds, bounds).tolist()
        return float(np.expm1(log_shape)), logit

    def loss(point: np.ndarray) -> float:
        return -sum(
            float(times @ log_recurrence(values, *law(point), least))
            for least, (values, times) in enumerate(tallies, start=1)
            if values.size
        )

    mean = float(np.concatenate([counts, repeated]).mean())
    start = np.log(2.0), np.log(mean)
    best = minimize(loss, start, method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-9}).x
    # Where the search ends depends on rounding in digits beyond these.
    shape, logit = law(on_grid(best, BITS))
    return shape, float(expit(logit))


def log_recurrence(counts: np.ndarray, shape: float, logit: float, least: int) -> np.ndarray:
    """Return the log of ``Gamma(c + shape) / c! q^c``, normalised over ``c`` from `least` on."""
    if abs(shape) < TINY:
        shape = TINY
    log_ratio, log_rest = -np.logaddexp(0.0, -logit), -np.logaddexp(0.0, logit)
    # The sum over all c from 1 is Gamma(shape) ((1 - q)^-shape - 1).
    power = -shape * log_rest
    log_power = power + np.log(-np.expm1(-power)) if power > 0 else np.log(-np.expm1(power))
    log_total = gammaln(1 + shape) - np.log(abs(shape)) + log_power
    if least == 2:
        once = gammaln(1 + shape) + log_ratio - log_total
        log_total += np.log(-np.expm1(min(once, -TINY * TINY)))
    return gammaln(counts + shape) - gammaln(counts + 1) + counts * log_ratio - log_total
