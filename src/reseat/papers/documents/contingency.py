"""Table 7: the classes in the clusters of one sample, and the shape of the clustering."""

from itertools import combinations

import numpy as np
import pandas as pd
import scipy

from reseat.metrics import evaluate
from reseat.papers.documents.results import METRICS, cell
from reseat.papers.statistics import note_on_modes
from reseat.papers.tables import COLUMNS
from reseat.vocabulary import NOTE

#: Number of clusters that hold "most documents" in the paper's reading of the table (section 6.3).
LARGEST = 7

#: Standard errors up to which a statistic agrees; share of samples at either end that do not.
WITHIN, TAIL = 3.0, 0.025

#: Classes that the paper calls almost evenly split over two clusters (section 6.3).
SPLIT_CLASSES = ("misc.forsale", "sci.electronics")

_SHAPE = ("exp H(K)", "clusters covering 90 %", f"share of the {LARGEST} largest")


def contingency(labels_true, labels_pred, n_classes, n_clusters):
    """Count the (cluster, class) pairs; the table has shape (n_clusters, n_classes)."""
    counts = np.zeros((n_clusters, n_classes), dtype=np.int64)
    np.add.at(counts, (labels_pred, labels_true), 1)
    return counts


def match_clusters(published, ours):
    """Match rows of the first of two tables to rows of the second, by the largest total overlap."""
    overlap = np.minimum(published[:, None, :], ours[None, :, :]).sum(axis=2)
    rows, columns = scipy.optimize.linear_sum_assignment(overlap, maximize=True)
    return dict(zip(rows.tolist(), columns.tolist(), strict=True))


def distances_between(tables):
    """Return the shares of items that two tables cannot have in common, for all pairs of tables."""
    apart = np.zeros((len(tables), len(tables)))
    for (i, first), (j, second) in combinations(enumerate(tables), 2):
        match = match_clusters(second, first)
        shared = np.minimum(second[[*match]], first[[*match.values()]]).sum()
        apart[i, j] = apart[j, i] = 1 - 2 * shared / (first.sum() + second.sum())
    return apart


def place_among(ours, other):
    """Return the mean distance of each of our tables from all others, that of another, its place.

    Only our largest clusters count. The place is uniform if the other is a sample like ours.
    """
    largest = [table[np.argsort(-table.sum(axis=1), kind="stable")[: len(other)]] for table in ours]
    apart = distances_between([*largest, other]).sum(axis=1) / max(1, len(ours))
    distances, own = apart[:-1], apart[-1]
    before = np.sum(distances < own) + 0.5 * (np.sum(distances == own) + 1)
    return distances, float(own), float(before / (len(ours) + 1))


def shape_statistics(sizes):
    """Return how many clusters are really used: exp H(K), those of 90 %, the share of seven."""
    sizes = np.sort(np.asarray(sizes, dtype=float))[::-1]
    sizes = sizes[sizes > 0]
    share = sizes / sizes.sum()
    covering = int(np.searchsorted(np.cumsum(share), 0.9 - 1e-12) + 1)
    values = (np.exp(-np.sum(share * np.log(share))), covering, share[:LARGEST].sum())
    return {name: float(value) for name, value in zip(_SHAPE, values, strict=True)}


def minor_share(counts):
    """Return the smaller's share of the two largest clusters of a class; one half is even."""
    first, second = np.sort(np.asarray(counts, dtype=float))[::-1][:2]
    return float(second / (first + second)) if first + second > 0 else np.nan


def published_contingency(published, label_names):
    """Return the published cluster names and counts, none if they are not about these classes."""
    if {metric for _system, metric in published} != set(label_names):
        return [], np.zeros((0, len(label_names)), dtype=np.int64)
    counts = pd.Series(published).unstack()[list(label_names)]
    return list(counts.index), counts.to_numpy(dtype=np.int64)


def contingency_table(artefact, role, corpus, samples, published, traces):
    """Return Table 7: `contingency_rows` of one sample of each chain, the first of `traces`."""
    card = corpus.identity
    identity = {"artefact": artefact, "role": role, "dataset": card.name, "status": card.status}
    chains = [labels for ((labels, _sweep),) in samples]
    classes, sweep = (corpus.labels, corpus.label_names), samples[0][0][1]
    return contingency_rows(identity, *classes, chains, sweep, published, note_on_modes(traces[0]))


def contingency_rows(identity, labels_true, label_names, chains, sweep, published, note=""):
    """Return Table 7, of the first chain, and what the paper reads off it, over all chains."""
    n_classes = len(label_names)
    tables = [contingency(labels_true, of, n_classes, int(of.max()) + 1) for of in chains]
    names, printed = published_contingency(published, label_names)
    summary = f"sample {sweep}"
    rows = _count_rows(identity, summary, label_names, tables[0], names, printed)
    means = _statistic_rows(identity, summary, labels_true, label_names, chains, tables, printed)
    rows = [row | {NOTE: ""} for row in rows] + [row | {NOTE: note} for row in means]
    return pd.DataFrame(rows, columns=[*COLUMNS, "cluster", "agrees", NOTE])


def _count_rows(identity, summary, label_names, table, names, printed):
    match, nothing = match_clusters(printed, table), np.full(len(label_names), np.nan)
    order = [(name, match.get(place), printed[place]) for place, name in enumerate(names)]
    for k in np.argsort(-table.sum(axis=1), kind="stable").tolist():
        if table[k].any() and k not in match.values():
            order.append((f"other {k:02d}", k, nothing))
    for system, k, values in order:
        counts = table[k] if k is not None else np.zeros(len(label_names))
        for label, count, value in zip(label_names, counts, values, strict=True):
            row = cell(identity, system, summary, label, [count], float(value))
            yield {**row, "cluster": np.nan if k is None else k}


def _statistic_rows(identity, summary, labels_true, label_names, chains, tables, printed):
    # Each of these published numbers comes from one run, and not from a mean of a hundred.
    def row(system, metric, values, value=np.nan, agrees=None):
        found = cell(identity, system, summary, metric, values, value, published_chains=1)
        if agrees is None:
            agrees = abs(found["z"]) <= WITHIN if np.isfinite(found["z"]) else np.nan
        return found | {"cluster": np.nan, "agrees": agrees}

    known, shape_of_theirs, score_of_theirs = len(printed) > 0, {}, {}
    if known:
        clusters, classes = np.nonzero(printed)
        repeats = printed[clusters, classes]
        shape_of_theirs = shape_statistics(printed.sum(axis=1))
        score_of_theirs = evaluate(np.repeat(classes, repeats), np.repeat(clusters, repeats))
    shapes = [shape_statistics(table.sum(axis=1)) for table in tables]
    for name in _SHAPE:
        values = [shape[name] for shape in shapes]
        yield row("shape", name, values, shape_of_theirs.get(name, np.nan))
    for label in SPLIT_CLASSES:
        if label in label_names:
            column = list(label_names).index(label)
            value = minor_share(printed[:, column]) if known else np.nan
            yield row("split", label, [minor_share(t[:, column]) for t in tables], value)
    scores = [evaluate(labels_true, labels) for labels in chains]
    for metric in METRICS:
        values = [score[metric.column] for score in scores]
        yield row("score", metric.name, values, score_of_theirs.get(metric.column, np.nan))
    if known and len(tables) > 1:
        distances, own, place = place_among(tables, printed)
        yield row("table", "distance from others", distances, own, TAIL < place < 1 - TAIL)
        yield row("table", "place among ours", [place])
