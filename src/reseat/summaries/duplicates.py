"""Duplicates: probable pairs, expected quality of a set of clusters, and golden records."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from reseat.checks import as_labels, check_choice
from reseat.equal_pairs import equal_pairs
from reseat.errors import DataError
from reseat.metrics import factorise
from reseat.summaries.draws import canonical

#: Number of pairs that are collected before they are counted.
HELD = 5_000_000


def probable_pairs(draws, threshold=0.05):
    """Return the pairs of items that are in the same cluster in at least some share of the draws.

    No array of all pairs is made, so there may be any number of items.

    Parameters
    ----------
    draws : array_like of int, shape (n_draws, n_items)
    threshold : float
        Smallest share, in (0, 1].

    Returns
    -------
    first, second : ndarray of int64, shape (n_pairs,)
        Items of each pair, the lower one first; the pairs are sorted by them.
    probability : ndarray of float64, shape (n_pairs,)
        Share of the draws.
    """
    if not 0.0 < threshold <= 1.0:
        raise ValueError(f"threshold is {threshold}: it must be above 0 and at most 1.")
    codes, _ = canonical(draws)
    n_draws, n_items = codes.shape
    pairs, times = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    waiting, n_waiting = [], 0
    for draw in codes:
        waiting.append(_pairs_of(draw))
        n_waiting += waiting[-1].size
        if n_waiting > HELD:
            pairs, times = _counted(pairs, times, waiting)
            waiting, n_waiting = [], 0
    pairs, times = _counted(pairs, times, waiting)
    # Counts are compared, not shares, so that 5 draws of 100 do reach a threshold of 0.05.
    kept = times >= threshold * n_draws * (1 - 1e-12)
    return pairs[kept] // n_items, pairs[kept] % n_items, times[kept] / n_draws


def _pairs_of(labels: np.ndarray) -> np.ndarray:
    """Return the pairs of items with the same label, as ``first * n_items + second``."""
    first, second = equal_pairs(labels)
    return first * labels.size + second


def _counted(pairs, times, waiting):
    codes = np.concatenate([pairs, *waiting])
    weights = np.concatenate([times, np.ones(codes.size - pairs.size, dtype=np.int64)])
    pairs, place = np.unique(codes, return_inverse=True)
    return pairs, np.bincount(place, weights=weights, minlength=pairs.size).astype(np.int64)


@dataclass(frozen=True)
class ExpectedQuality:
    """Expected quality of a set of clusters under the posterior.

    Attributes
    ----------
    precision, recall, f : tuple of float
        Over pairs of items: the mean and the bounds of the central 95 % over the draws, with each
        draw taken as the truth.

    Examples
    --------
    >>> from reseat.summaries import expected_quality
    >>> draws = [[0, 0, 1], [0, 0, 0], [0, 0, 1], [0, 0, 1]]
    >>> found = expected_quality([0, 0, 1], draws)
    >>> found.precision[0], round(found.recall[0], 4)
    (1.0, 0.8333)
    """

    precision: tuple[float, float, float]
    recall: tuple[float, float, float]
    f: tuple[float, float, float]


def expected_quality(labels, draws) -> ExpectedQuality:
    """Return pairwise precision, recall and F of clusters, with each draw in turn as the truth.

    If the model is correct, the truth is one more draw, so the intervals cover its values as often
    as they state.

    Parameters
    ----------
    labels : array_like of hashable, shape (n_items,)
    draws : array_like of int, shape (n_draws, n_items)
    """
    codes, _ = canonical(draws)
    labels, _ = factorise(labels)
    if labels.size != codes.shape[1]:
        raise DataError(
            f"There are {labels.size} labels, but the draws are of {codes.shape[1]} items: both "
            "must be of the same items in the same order."
        )
    found = n_pairs(labels)
    rows = []
    for draw in codes:
        true = n_pairs(draw)
        both = n_pairs(labels * (int(draw.max()) + 1) + draw)
        # If there are no pairs, none is wrong and none is missed.
        precision, recall = both / found if found else 1.0, both / true if true else 1.0
        rows.append((precision, recall, 2 * both / (found + true) if found + true else 1.0))
    means = np.mean(rows, axis=0)
    low, high = np.quantile(rows, [0.025, 0.975], axis=0)
    return ExpectedQuality(*zip(means.tolist(), low.tolist(), high.tolist(), strict=True))


def n_pairs(labels: np.ndarray) -> int:
    """Return the number of pairs of items that have the same label.

    Parameters
    ----------
    labels : ndarray of int, shape (n_items,)
    """
    sizes = np.unique(labels, return_counts=True)[1].astype(np.int64)
    return int((sizes * (sizes - 1) // 2).sum())


#: Rules by which a field of a golden record is chosen among the known values of a cluster, in the
#: order of the records, other than by frequency.
RULES = {
    "first": lambda values: values[0],
    "last": lambda values: values[-1],
    "longest": lambda values: max(values, key=lambda value: len(str(value))),
    "least": min,
    "greatest": max,
}


def golden_records(
    columns: Sequence[Sequence], labels, rules: Mapping[int, str | Callable] | None = None
) -> list[list]:
    """Return one record for each cluster: the most frequent value of each field in its records.

    Of equally frequent values, the one that is more frequent in all records is taken, since
    mistakes are rare; if they are still tied, the longer one, since others may be abbreviations.
    `golden_sources` returns which record each value is from.

    Parameters
    ----------
    columns : sequence of sequences, one of length n_items a field
        Values for which `pandas.isna` is true, such as None and NaN, are missing.
    labels : array_like of int, shape (n_items,)
        Cluster of each record, numbered from 0 without a gap.
    rules : mapping of int, optional
        For some of the fields, by number, another rule than the most frequent value: ``"first"`` or
        ``"last"`` of the records, ``"longest"``, ``"least"`` or ``"greatest"`` value, or a function
        of the list of the known values of a cluster that returns one of them.

    Returns
    -------
    list of list
        The value of each field for each cluster; None if all its values are missing.
    """
    labels, rules = as_labels(labels), dict(rules or {})
    for rule in rules.values():
        if not callable(rule):
            check_choice("rules", rule, RULES)
    columns = [[None if pd.isna(value) else value for value in column] for column in columns]
    for field, column in enumerate(columns):
        if len(column) != labels.size:
            raise DataError(
                f"Field {field} has {len(column)} values, but there are {labels.size} labels: "
                "give each record one of both."
            )
    sizes = np.bincount(labels)
    if not sizes.all():
        raise DataError(
            f"No record has the label {int(np.argmin(sizes))}, but one has {sizes.size - 1}: "
            "number the clusters from 0 without a gap."
        )
    order = np.argsort(labels, kind="stable")
    ends = np.cumsum(sizes).tolist()
    order = order.tolist()
    clusters = [order[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]
    found = []
    for field, column in enumerate(columns):
        overall, rule = Counter(column), rules.get(field)
        choose = partial(_typical, overall=overall) if rule is None else RULES.get(rule, rule)
        values = ([column[k] for k in members if column[k] is not None] for members in clusters)
        found.append([choose(known) if len(known) > 1 else (*known, None)[0] for known in values])
    return [list(record) for record in zip(*found, strict=True)]


def golden_sources(columns: Sequence[Sequence], labels, records: Sequence[Sequence]) -> np.ndarray:
    """Return the first record of the cluster that has each value of `golden_records`.

    Parameters
    ----------
    columns, labels
        As for `golden_records`.
    records : sequence of sequences
        What it returned, perhaps changed by hand.

    Returns
    -------
    ndarray of int, shape (n_clusters, n_fields)
        Numbers of the records; -1 where no record of the cluster has the value.

    Examples
    --------
    >>> from reseat.summaries import golden_records, golden_sources
    >>> columns, labels = [["a", "b", "b", "c"], ["x", None, "xyz", "z"]], [0, 0, 0, 1]
    >>> records = golden_records(columns, labels, rules={1: "longest"})
    >>> records
    [['b', 'xyz'], ['c', 'z']]
    >>> golden_sources(columns, labels, records).tolist()
    [[1, 2], [3, 3]]
    """
    found = np.full((len(records), len(columns)), -1)
    for field, column in enumerate(columns):
        for place, (label, value) in enumerate(zip(labels, column, strict=True)):
            if found[label, field] < 0 and not pd.isna(value) and value == records[label][field]:
                found[label, field] = place
    return found


def _typical(values: list, overall: Counter):
    if len(set(values)) < 2:
        return values[0]
    return max(
        dict.fromkeys(values), key=lambda v: (values.count(v), overall[v], len(str(v)), str(v))
    )
