"""Duplicates: probable pairs, questions about them, expected quality, and golden records."""

import heapq
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
import scipy

from reseat.checks import as_labels, check_choice
from reseat.equal_pairs import equal_pairs
from reseat.errors import DataError
from reseat.metrics.contingency import Contingency, factorise
from reseat.metrics.pairs import pair_f, pair_precision, pair_recall, pairs_within
from reseat.summaries.draws import canonical

#: Number of pairs that are collected before they are counted.
HELD = 5_000_000
#: Largest number of pairs of a component that may become questions, those nearest to one half.
CONSIDERED = 60


def probable_pairs(draws, threshold=0.05):
    """Return the pairs of items that are in the same cluster in at least some share of the draws.

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

    Raises
    ------
    ValueError
        If the draws are not a two-dimensional array of integers, or the threshold is not in (0, 1].
    """
    if not 0.0 < threshold <= 1.0:
        raise ValueError(f"threshold is {threshold}: it must be above 0 and at most 1.")
    codes, _ = canonical(draws)
    n_draws, n_items = codes.shape
    pairs = times = np.empty(0, dtype=np.int64)
    waiting, n_waiting = [], 0
    for draw in codes:
        first, second = equal_pairs(draw)
        waiting.append(first * n_items + second)
        n_waiting += first.size
        if n_waiting > HELD:
            pairs, times = _counted(pairs, times, waiting)
            waiting, n_waiting = [], 0
    pairs, times = _counted(pairs, times, waiting)
    # Counts are compared, not shares, so that 5 draws of 100 do reach a threshold of 0.05.
    kept = times >= threshold * n_draws * (1 - 1e-12)
    return pairs[kept] // n_items, pairs[kept] % n_items, times[kept] / n_draws


def _counted(pairs, times, waiting):
    codes = np.concatenate([pairs, *waiting])
    weights = np.concatenate([times, np.ones(codes.size - pairs.size, dtype=np.int64)])
    pairs, place = np.unique(codes, return_inverse=True)
    return pairs, np.bincount(place, weights=weights, minlength=pairs.size).astype(np.int64)


def questions(draws, first, second, n_questions: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs to ask about, one after the other, and what each answer is expected to gain.

    Pairs are wrong with the smaller of the probabilities of being together and apart.  A question
    gains as many as its answer is expected to correct, with the earlier ones answered, among all
    pairs that are linked to it by possible ones: it also tells about other records of the entities.

    Parameters
    ----------
    draws : array_like of int, shape (n_draws, n_items)
    first, second : ndarray of int, shape (n_pairs,)
        Pairs that may be together (`probable_pairs`).
    n_questions : int

    Returns
    -------
    chosen : ndarray of int, shape (<= n_questions,)
        Numbers of pairs in doubt, the most useful first.
    gains : ndarray of float, shape (<= n_questions,)

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.summaries import questions
    >>> draws = [[0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 2, 3]] * 2
    >>> first, second = np.array([0, 0, 0, 1, 1, 2, 4]), np.array([1, 2, 3, 2, 3, 3, 5])
    >>> chosen, gains = questions(draws, first, second, 3)  # items 0, 1 and 2, 3; then 4 and 5
    >>> first[chosen].tolist(), second[chosen].tolist(), gains.tolist()
    ([0, 4], [2, 5], [2.0, 0.5])
    """
    codes, _ = canonical(draws)
    n_draws, n_items = codes.shape
    graph = scipy.sparse.coo_array(
        (np.ones(len(first), bool), (first, second)), shape=(n_items, n_items)
    )
    part = scipy.sparse.csgraph.connected_components(graph, directed=False)[1][first]
    order = np.argsort(part, kind="stable")
    starts = np.flatnonzero(np.diff(part[order], prepend=-1))
    heap = []
    for pairs in np.split(order, starts[1:]) if len(order) else []:
        times = (codes[:, first[pairs]] == codes[:, second[pairs]]).sum(axis=0)
        loss = np.minimum(times, n_draws - times).sum() / n_draws
        if loss > 0:  # which no question of this component can exceed
            unsure = pairs[(times > 0) & (times < n_draws)]
            heap.append((-loss, unsure[0], unsure, None, np.zeros(n_draws, dtype=int)))
    heapq.heapify(heap)
    chosen, gains = [], []
    while heap and len(chosen) < n_questions:
        bound, key, pairs, best, answers = heapq.heappop(heap)
        together = codes[:, first[pairs]] == codes[:, second[pairs]]
        if best is not None:
            chosen.append(pairs[best])
            gains.append(-bound)
            answers = np.unique(2 * answers + together[:, best], return_inverse=True)[1]
        gain, best = _best(together.astype(float), answers)
        if gain > 0:
            heapq.heappush(heap, (-gain, key, pairs, best, answers))
    return np.array(chosen, dtype=int), np.array(gains)


def _best(together: np.ndarray, answers: np.ndarray) -> tuple[float, int]:
    """Return the largest gain of a question, for draws that agree by `answers`, and its pair."""
    n_draws = len(together)
    groups = (answers[:, None] == np.arange(answers.max() + 1)).astype(float)
    sizes, sums = groups.sum(axis=0)[:, None], groups.T @ together
    loss = np.minimum(sums, sizes - sums)
    best = 0.0, 0
    for pair in np.argsort(-loss.sum(axis=0), kind="stable")[:CONSIDERED]:
        yes = groups * together[:, [pair]]
        size, found = yes.sum(axis=0)[:, None], yes.T @ together
        rest, left = sizes - size, sums - found
        after = np.minimum(found, size - found) + np.minimum(left, rest - left)
        best = max(best, (float((loss - after).sum() / n_draws), int(pair)), key=lambda b: b[0])
    return best


@dataclass(frozen=True)
class ExpectedQuality:
    """Expected quality of a set of clusters under the posterior.

    Attributes
    ----------
    precision, recall, f : tuple of float
        Over pairs of items: the mean and the bounds of the central 95 % over the draws.

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

    Parameters
    ----------
    labels : array_like of hashable, shape (n_items,)
    draws : array_like of int, shape (n_draws, n_items)

    Raises
    ------
    DataError
        If the draws are no table of integers, or there is not one label for each item.
    """
    codes, _ = canonical(draws)
    labels, _ = factorise(labels)
    if labels.size != codes.shape[1]:
        raise DataError(
            f"There are {labels.size} labels, but the draws are of {codes.shape[1]} items: both "
            "must be of the same items in the same order."
        )
    tables = (Contingency.from_labels(draw, labels) for draw in codes)
    rows = [[pair_precision(table), pair_recall(table), pair_f(table)] for table in tables]
    means = np.mean(rows, axis=0)
    low, high = np.quantile(rows, [0.025, 0.975], axis=0)
    return ExpectedQuality(*zip(means.tolist(), low.tolist(), high.tolist(), strict=True))


def n_pairs(labels: np.ndarray) -> int:
    """Return the number of pairs of items that have the same label.

    Parameters
    ----------
    labels : ndarray of int, shape (n_items,)
    """
    return pairs_within(np.unique(labels, return_counts=True)[1])


#: Rules by which a field of a golden record is chosen among the known values, other than frequency.
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

    Of equally frequent values, the one that is more frequent in all records is taken, and then the
    longer one.  `golden_sources` returns which record each value is from.

    Parameters
    ----------
    columns : sequence of sequences, one of length n_items a field
        Values for which `pandas.isna` is true, such as None and NaN, are missing.
    labels : array_like of int, shape (n_items,)
        Cluster of each record, numbered from 0 without a gap.
    rules : mapping of int, optional
        Other rules for fields, by number: ``"first"`` or ``"last"`` of the records, ``"longest"``,
        ``"least"`` or ``"greatest"`` value, or a function that chooses from a list of known values.

    Returns
    -------
    list of list
        The value of each field for each cluster; None if all its values are missing.

    Raises
    ------
    ValueError
        If labels are not whole numbers from 0 without a gap, a field does not have one value for
        each of them, or there is no such rule.
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
    clusters = [part.tolist() for part in np.split(order, np.cumsum(sizes)[:-1])]
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
    times = Counter(values)
    return max(times, key=lambda value: (times[value], overall[value], len(str(value)), str(value)))
