"""Metrics that match the blocks of two partitions, or edit one into the other."""

import numpy as np
import scipy

from reseat.metrics.registry import metric

__all__ = [
    "edit_distance",
    "edit_distance_as_printed",
    "edit_distance_pantel_lin",
    "edit_score",
    "edit_score_as_printed",
    "inverse_purity",
    "purity",
    "steinbach_f",
]


# The text of Daume and Marcu (2005, sections 6.2 and 6.3) defines a cluster edit distance with
# three operations of cost 1 (open a cluster with an item, move an item, merge two clusters). Their
# tables follow another rule: only moves cost, merges are free, and the normalised edit score is not
# halved. Both are here: the rule of the tables under the plain names, the rule of the text under
# `..._as_printed`, and the rule of Pantel and Lin, whom they cite, under its own name.


def _moves_to_classes(table):
    return table.n_items - int(table.largest_of_cluster.sum())


def _moves_to_clusters(table):
    return table.n_items - int(table.largest_of_class.sum())


@metric("CED", better=-1)
def edit_distance(table):
    """Moves that turn the clusters into the classes with free merges, over N: 1 - purity.

    The CED of the tables of Daume and Marcu (2005). In [0, 1).
    """
    return _moves_to_classes(table) / table.n_items


@metric("CED (Pantel & Lin)", better=-1)
def edit_distance_pantel_lin(table):
    """One edit per cluster and one per misplaced item, over N (Pantel and Lin, as ELKI counts it).

    [n_clusters + N - sum_h max_g n_gh] / N, in (0, 1]; 1 for the partition into singletons.
    """
    return (table.n_clusters + _moves_to_classes(table)) / table.n_items


@metric("CED (text)", better=-1)
def edit_distance_as_printed(table):
    """Fewest edits that turn the clusters into the classes, merges at cost 1, over N.

    The CED of the text of Daume and Marcu (2005, section 6.2): opening a new cluster with an item,
    moving an item and merging two clusters cost 1 each. In [0, 1).
    """
    return (_moves_to_classes(table) + _merges_to_classes(table)) / table.n_items


def _merges_to_classes(table):
    """Return the fewest merges with which the fewest edits turn the clusters into the classes.

    Among ties, a maximum matching gives as many classes as possible a cluster of their own.
    """
    tied = table.counts == table.largest_of_cluster[table.cluster_index]
    classes, clusters = table.class_index[tied], table.cluster_index[tied]
    if classes.size == table.n_clusters:
        return table.n_clusters - np.unique(classes).size
    cells = np.ones(classes.size, dtype=bool), (classes, clusters)
    graph = scipy.sparse.csr_matrix(cells, (table.n_classes, table.n_clusters))
    matched = scipy.sparse.csgraph.maximum_bipartite_matching(graph, perm_type="column")
    return table.n_clusters - int(np.count_nonzero(matched >= 0))


@metric("NES", better=+1)
def edit_score(table):
    """Normalised edit score, 1 - [moves(H->G) + moves(G->H)] / N = purity + inverse purity - 1.

    The NES of the tables of Daume and Marcu (2005): max_g n_g / N for one cluster, K / N for
    singletons. At most 1, and negative (-1/3 for a 3 by 3 table of ones) if very little is shared.
    """
    moves = _moves_to_classes(table) + _moves_to_clusters(table)
    return (table.n_items - moves) / table.n_items


@metric("NES (text)", better=+1)
def edit_score_as_printed(table):
    """Normalised edit score according to the text, 1 - [CED(H, G) + CED(G, H)] / (2N).

    Daume and Marcu (2005, section 6.3), with `edit_distance_as_printed`. In (0, 1].
    """
    edits = _moves_to_classes(table) + _merges_to_classes(table)
    edits += _moves_to_clusters(table) + _merges_to_classes(table.transpose())
    return 1.0 - edits / (2 * table.n_items)


@metric("purity", better=+1)
def purity(table):
    """Share of items that are in the majority class of their cluster, sum_h max_g n_gh / N.

    In (0, 1]; 1 also for the partition into singletons.
    """
    return int(table.largest_of_cluster.sum()) / table.n_items


@metric("inverse purity", better=+1)
def inverse_purity(table):
    """Share of items that are in the majority cluster of their class, sum_g max_h n_gh / N.

    In (0, 1]; 1 also for the partition into one cluster.
    """
    return int(table.largest_of_class.sum()) / table.n_items


@metric("F-Measure", better=+1)
def steinbach_f(table):
    """Class-weighted best F, sum_g (n_g/N) max_h 2 n_gh / (n_g + n_h) (Steinbach et al. 2000).

    The "F-measure" of Walker and Ringger (2008, section 4). In (0, 1]; 1 only for equal partitions.
    """
    class_sizes = table.class_sizes[table.class_index]
    cluster_sizes = table.cluster_sizes[table.cluster_index]
    f = 2.0 * table.counts / (class_sizes + cluster_sizes)
    starts = np.searchsorted(table.class_index, np.arange(table.n_classes))
    best = np.maximum.reduceat(f, starts)
    return float(np.sum(table.class_sizes * best)) / table.n_items
