"""Short descriptions of what characterises each cluster."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import scipy.sparse as sp

N_WORDS = 8  # largest number of words that are named for a cluster
N_MEANS = 4  # largest number of columns whose means are named for a cluster
#: Ratio of a word's share in the cluster to its share in all rows above which it may be named.
LIFT = 1.1
#: Largest number of members, evenly spread, among which the medoid of a cluster is sought, so that
#: memory grows with the objects and not with their pairs.
MAX_MEMBERS = 2000


def typical_columns(counts: sp.csr_array, names: Sequence[str], labels: np.ndarray) -> list[str]:
    """Return columns with a larger share of each cluster's counts than of all, by divergence."""
    n_clusters = int(labels.max()) + 1
    member = sp.csr_array(
        (np.ones(labels.size), (labels, np.arange(labels.size))), shape=(n_clusters, labels.size)
    )
    sums = (member @ counts).toarray().astype(float)
    overall = sums.sum(axis=0) / sums.sum()
    found = []
    for row in sums:
        share = row / max(row.sum(), 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = np.where(share > LIFT * overall, share * np.log(share / overall), 0.0)
        order = np.argsort(-gain, kind="stable")[:N_WORDS]
        found.append(", ".join(names[place] for place in order if gain[place] > 0))
    return found


def modal_values(cells: np.ndarray, fields: Sequence[str], labels: np.ndarray) -> list[str]:
    """Return each cluster's most frequent value of each field, with its share unless all agree."""
    n_clusters = int(labels.max()) + 1
    parts = [[] for _ in range(n_clusters)]
    for place, name in enumerate(fields):
        codes, values = pd.factorize(cells[:, place])
        known = codes >= 0
        # Only pairs of a cluster and a value that occur, so that memory grows with the records.
        pairs, times = np.unique(
            labels[known].astype(np.int64) * len(values) + codes[known], return_counts=True
        )
        clusters, codes = np.divmod(pairs, max(len(values), 1))
        # The most frequent value of each cluster comes last; of equal ones, the first by name.
        rank = np.empty(len(values), dtype=np.int64)
        rank[np.argsort(values.astype(str), kind="stable")] = np.arange(len(values))
        order = np.lexsort((-rank[codes], times, clusters))
        clusters, codes, times = clusters[order], codes[order], times[order]
        best = np.flatnonzero(np.append(clusters[1:] != clusters[:-1], True)[: clusters.size])
        sums = np.bincount(clusters, weights=times, minlength=n_clusters)
        clusters, texts = clusters[best], [f"{name} {value}" for value in values]
        shares = times[best] / sums[clusters]
        for cluster, code, share in zip(clusters, codes[best], shares, strict=True):
            of_all = f" ({share:.0%})" if share < 1 else ""
            parts[cluster].append(f"{texts[code]}{of_all}")
    return [", ".join(part) for part in parts]


def typical_means(values: np.ndarray, names: Sequence[str], labels: np.ndarray) -> list[str]:
    """Return the columns whose mean in each cluster differs most, in SDs, from that of all rows."""
    centre, spread = np.nanmean(values, 0, dtype=float), np.nanstd(values, 0, dtype=float)
    found = []
    for cluster in range(int(labels.max()) + 1):
        members = values[labels == cluster]
        known = ~np.isnan(members).all(axis=0)
        means = centre.copy()
        means[known] = np.nanmean(members[:, known], 0, dtype=float)
        moved = np.divide(means - centre, spread, out=np.zeros_like(means), where=spread > 0)
        order = np.argsort(-np.abs(moved).round(9), kind="stable")[:N_MEANS]
        shown = [f"{names[place]} {means[place]:.3g} ({moved[place]:+.1f} sd)" for place in order]
        found.append(", ".join(shown))
    return found


def medoids(
    distances: np.ndarray | Callable[[np.ndarray, np.ndarray], np.ndarray],
    names: Sequence[str],
    labels: np.ndarray,
    n_compared: int = MAX_MEMBERS,
) -> list[str]:
    """Return the member of each cluster that is nearest to at most `n_compared` of the others."""
    found = []
    for cluster in range(int(labels.max()) + 1):
        members = np.flatnonzero(labels == cluster)
        members = members[:: -(-members.size // MAX_MEMBERS)]
        compared = members[:: -(-members.size // n_compared)]
        if callable(distances):
            between = distances(compared, members)
        else:
            between = np.asarray(distances)[compared][:, members]
        found.append(names[members[between.sum(axis=0).argmin()]])
    return found
