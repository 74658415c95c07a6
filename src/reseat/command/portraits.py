"""What characterises a cluster, in a few words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import scipy.sparse as sp

from reseat.mapped import rows_of

__all__ = ["medoids", "modal_values", "typical_columns"]

#: Words of a cluster that are named.
N_WORDS = 8
#: How much more frequent they are there than in all, at least.
LIFT = 1.1
#: Members of a cluster among which its medoid is looked for: of more, evenly spread ones, so that
#: memory grows with the objects and not with their pairs.
MOST_MEMBERS = 2000


def typical_columns(counts: sp.csr_array, names: Sequence[str], labels: np.ndarray) -> list[str]:
    """Columns of counts that a cluster of rows has more of than all rows together.

    Parameters
    ----------
    counts : scipy.sparse.csr_array, shape (n_rows, n_columns)
    names : sequence of str, length n_columns
    labels : ndarray of int, shape (n_rows,)
        From 0, without a gap.

    Returns
    -------
    list of str
        One a cluster: names by what they add to the divergence of the cluster's
        distribution from that of all.
    """
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
    """The most frequent value of each field, and its share if not all agree.

    Parameters
    ----------
    cells : ndarray of object, shape (n_records, n_fields)
        None where a value is missing.
    fields : sequence of str
    labels : ndarray of int, shape (n_records,)

    Returns
    -------
    list of str
        One a cluster.
    """
    n_clusters = int(labels.max()) + 1
    parts = [[] for _ in range(n_clusters)]
    for place, name in enumerate(fields):
        codes, values = pd.factorize(cells[:, place])
        known = codes >= 0
        # Of the pairs of a cluster and a value those that occur: memory grows with the records.
        pairs, times = np.unique(
            labels[known].astype(np.int64) * len(values) + codes[known], return_counts=True
        )
        clusters, codes = np.divmod(pairs, max(len(values), 1))
        # Last of each cluster stands the most frequent, of equal ones the first by name.
        rank = np.empty(len(values), dtype=np.int64)
        rank[np.argsort(values.astype(str), kind="stable")] = np.arange(len(values))
        order = np.lexsort((-rank[codes], times, clusters))
        clusters, codes, times = clusters[order], codes[order], times[order]
        best = np.flatnonzero(np.append(clusters[1:] != clusters[:-1], True)[: clusters.size])
        sums = np.bincount(clusters, weights=times, minlength=n_clusters)
        clusters, texts = clusters[best], [f"{name} {value}" for value in values]
        shares = times[best] / sums[clusters]
        chosen = (clusters.tolist(), codes[best].tolist(), shares.tolist())
        for cluster, code, share in zip(*chosen, strict=True):
            of_all = f" ({share:.0%})" if share < 1 else ""
            parts[cluster].append(f"{texts[code]}{of_all}")
    return [", ".join(part) for part in parts]


def medoids(
    distances: np.ndarray | Callable[[np.ndarray, np.ndarray], np.ndarray],
    names: Sequence[str],
    labels: np.ndarray,
    n_compared: int = MOST_MEMBERS,
) -> list[str]:
    """The member of each cluster that is nearest to the others, or to many of them.

    Parameters
    ----------
    distances : ndarray, shape (n_items, n_items), or callable
        What is called with two arrays of items returns the distances of the first from the second.
    names : sequence of str, length n_items
    labels : ndarray of int, shape (n_items,)
    n_compared : int
        Members with which the others are compared: of a matrix on the disk, so many rows are read.

    Returns
    -------
    list of str
        One a cluster.
    """
    if callable(distances):
        between = distances
    else:

        def between(some, others):
            return rows_of(distances, some)[:, others]

    found = []
    for cluster in range(int(labels.max()) + 1):
        members = np.flatnonzero(labels == cluster)
        members = members[:: -(-members.size // MOST_MEMBERS)]
        compared = members[:: -(-members.size // n_compared)]
        sums = between(compared, members).sum(axis=0)
        found.append(names[members[sums.argmin()]])
    return found
