"""Metrics that count pairs of items. All counts are exact integers until the last division."""

import math
from dataclasses import dataclass

import numpy as np

from reseat.metrics.contingency import of_labels
from reseat.metrics.registry import metric

__all__ = [
    "PairCounts",
    "adjusted_rand",
    "false_discovery_rate",
    "false_negative_rate",
    "pair_counts",
    "pair_f",
    "pair_precision",
    "pair_recall",
    "pairs_within",
    "rand_index",
]


@dataclass(frozen=True)
class PairCounts:
    """Counts of the n(n-1)/2 pairs of items, by whether each partition puts the two together.

    Attributes
    ----------
    n11, n10, n01, n00 : int
        Together in both, in the true one only (missed), in the predicted one only (false), in none.

    Examples
    --------
    >>> from reseat.metrics import pair_counts
    >>> pair_counts([0, 0, 1, 1], [0, 0, 0, 1])
    PairCounts(n11=1, n10=1, n01=2, n00=2)
    """

    n11: int
    n10: int
    n01: int
    n00: int


#: Largest number of items whose ordered pairs can be counted in int64, about three billion.
_MOST_ITEMS = math.isqrt(np.iinfo(np.int64).max)


def pairs_within(sizes):
    """Return the number of pairs of items that are in the same block.

    Parameters
    ----------
    sizes : array_like of int, shape (n_blocks,)

    Returns
    -------
    int
        Exact for any number of items.
    """
    sizes = np.asarray(sizes, dtype=np.int64)
    if sizes.sum(dtype=float) <= _MOST_ITEMS:
        return int(np.sum(sizes * (sizes - 1))) // 2
    return sum(n * (n - 1) for n in sizes.tolist()) // 2


def _ratio(numerator, denominator, if_undefined):
    return numerator / denominator if denominator else if_undefined


@of_labels
def pair_counts(table):
    """Count the pairs of items that are together or apart in the two partitions.

    Returns
    -------
    PairCounts
        Python integers, hence exact for any number of items.
    """
    n11 = pairs_within(table.counts)
    n10 = pairs_within(table.class_sizes) - n11
    n01 = pairs_within(table.cluster_sizes) - n11
    total = table.n_items * (table.n_items - 1) // 2
    return PairCounts(n11, n10, n01, total - n11 - n10 - n01)


@metric("RI", better=+1)
def rand_index(table):
    """Share of pairs on which the partitions agree, (N11 + N00) / C(N, 2) (Rand 1971).

    In [0, 1]; 1 for a single item, which has no pair to disagree on.
    """
    pairs = pair_counts(table)
    agree = pairs.n11 + pairs.n00
    return _ratio(agree, agree + pairs.n10 + pairs.n01, 1.0)


@metric("P", better=+1)
def pair_precision(table):
    """Share of the predicted pairs that are true, P = N11 / (N11 + N01).

    In [0, 1]; 1 (0/0) if no two items are predicted together, as in Daume and Marcu (2005).
    """
    pairs = pair_counts(table)
    return _ratio(pairs.n11, pairs.n11 + pairs.n01, 1.0)


@metric("R", better=+1)
def pair_recall(table):
    """Share of the true pairs that are predicted, R = N11 / (N11 + N10).

    In [0, 1]; 1 (0/0) if no two items truly belong together.
    """
    pairs = pair_counts(table)
    return _ratio(pairs.n11, pairs.n11 + pairs.n10, 1.0)


@metric("F", better=+1)
def pair_f(table):
    """Harmonic mean of pairwise precision and recall, F = 2PR / (P + R).

    Daume and Marcu (2005, section 6) print (1/P + 1/R)^-1, but not so their tables. In [0, 1]; 0 if
    P or R is 0, 1 if both partitions are into singletons.
    """
    pairs = pair_counts(table)
    return _ratio(2 * pairs.n11, 2 * pairs.n11 + pairs.n10 + pairs.n01, 1.0)


@metric("FNR", better=-1)
def false_negative_rate(table):
    """Share of the true pairs that are missed, FNR = N10 / (N11 + N10).

    In [0, 1]; 0 (0/0) if no two items truly belong together.
    """
    pairs = pair_counts(table)
    return _ratio(pairs.n10, pairs.n11 + pairs.n10, 0.0)


@metric("FDR", better=-1)
def false_discovery_rate(table):
    """Share of the predicted pairs that are false, FDR = N01 / (N11 + N01).

    In [0, 1]; 0 (0/0) if no two items are predicted together.
    """
    pairs = pair_counts(table)
    return _ratio(pairs.n01, pairs.n11 + pairs.n01, 0.0)


@metric("ARI", better=+1)
def adjusted_rand(table):
    """Rand index corrected for chance (Hubert and Arabie 1985, equation 5).

    As 2 (N11 N00 - N10 N01) / [(N11 + N10)(N10 + N00) + (N11 + N01)(N01 + N00)], it is one division
    of two exact integers. At most 1; 1 for equal partitions, even if that is 0/0.
    """
    pairs = pair_counts(table)
    if pairs.n10 == 0 and pairs.n01 == 0:
        return 1.0
    above = 2 * (pairs.n11 * pairs.n00 - pairs.n10 * pairs.n01)
    below = (pairs.n11 + pairs.n10) * (pairs.n10 + pairs.n00)
    below += (pairs.n11 + pairs.n01) * (pairs.n01 + pairs.n00)
    return above / below
