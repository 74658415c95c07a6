"""Metrics from information theory. All entropies are in nats."""

import math

import numpy as np
import scipy

from reseat.metrics.registry import metric

__all__ = ["completeness", "homogeneity", "nvi", "q0", "q2", "q2_ratio", "v_measure", "vi"]


def _entropy(table, sizes):
    share = sizes / table.n_items
    # log(n) - log(n_g) is never negative, whatever the rounding of the share.
    return float(np.sum(share * (math.log(table.n_items) - np.log(sizes))))


def _entropy_given(table, sizes, index):
    # A sum of non-negative terms.
    logs = np.log(sizes[index]) - np.log(table.counts)
    return float(np.sum(table.counts * logs)) / table.n_items


def _classes_given_clusters(table):
    return _entropy_given(table, table.cluster_sizes, table.cluster_index)


def _clusters_given_classes(table):
    return _entropy_given(table, table.class_sizes, table.class_index)


def _explained(conditional, entropy):
    # Rounding can carry the ratio of unrelated partitions just past 1.
    return max(0.0, 1.0 - conditional / entropy)


@metric("VI", better=-1)
def vi(table):
    """Variation of information H(C|K) + H(K|C) (Meila 2003).

    As a sum of conditional entropies it keeps its precision, unlike H(C) + H(K) - 2I. Nats, in [0,
    ln N]; 0 exactly if the partitions are equal.
    """
    return _classes_given_clusters(table) + _clusters_given_classes(table)


@metric("NVI", better=+1)
def nvi(table):
    """Normalised variation of information, 1 - VI / ln N (Daume and Marcu 2005, section 6.4).

    In [0, 1], 1 for equal partitions; 1 for a single item.
    """
    if table.n_items == 1:
        return 1.0
    return _explained(vi(table), math.log(table.n_items))


@metric("homogeneity", better=+1)
def homogeneity(table):
    """How nearly each cluster holds one class, 1 - H(C|K)/H(C) (Rosenberg and Hirschberg 2007).

    In [0, 1]; 1 if there is a single class.
    """
    if table.n_classes == 1:
        return 1.0
    return _explained(_classes_given_clusters(table), _entropy(table, table.class_sizes))


@metric("completeness", better=+1)
def completeness(table):
    """How nearly each class lies in one cluster, 1 - H(K|C)/H(K) (Rosenberg and Hirschberg 2007).

    In [0, 1]; 1 if there is a single cluster.
    """
    if table.n_clusters == 1:
        return 1.0
    return _explained(_clusters_given_classes(table), _entropy(table, table.cluster_sizes))


@metric("V-Measure", better=+1)
def v_measure(table):
    """Harmonic mean of homogeneity and completeness, beta = 1 (Rosenberg and Hirschberg 2007).

    In [0, 1]; 0 if both are 0.
    """
    h, c = homogeneity(table), completeness(table)
    return 2.0 * h * c / (h + c) if h + c > 0.0 else 0.0


# Dom (2001) measures the nats per item that encode the classes for someone who has the clusters:
# for the classes given the clusters, H(C|K), and for the table of counts that the code is built
# from, ln binom(h_k + |C| - 1, |C| - 1) for a cluster of h_k items.


def _cost_of_counts(table, sizes):
    """Return sum_k ln binom(h_k + |C| - 1, |C| - 1) / N; binom is 1 / [(h + |C|) B(h + 1, |C|)]."""
    betas = scipy.special.betaln(sizes + 1.0, table.n_classes)
    return float(np.sum(-np.log(sizes + table.n_classes) - betas)) / table.n_items


def _q_least(table):
    # Q0 of a clustering that equals the classes: only the counts remain to be encoded.
    return _cost_of_counts(table, table.class_sizes)


@metric("Q0", better=-1)
def q0(table):
    """Dom's Q0 = H(C|K) + (1/N) sum_k ln binom(h_k + |C| - 1, |C| - 1).

    Nats per item; lower is better.
    """
    return _classes_given_clusters(table) + _cost_of_counts(table, table.cluster_sizes)


@metric("Q2", better=+1)
def q2(table):
    """Dom's Q2, affine form: (Qmax - Q0) / (Qmax - Qmin).

    Qmax = H(C) + ln|C|, and Qmin is the Q0 of the true partition. Walker and Ringger (2008) print
    this form (Table 7: .719, theirs .729 to .731). At most 1; 1 if there is a single class.
    """
    if table.n_classes == 1:
        return 1.0
    most = _entropy(table, table.class_sizes) + math.log(table.n_classes)
    return (most - q0(table)) / (most - _q_least(table))


@metric("Q2 (ratio form)", better=+1)
def q2_ratio(table):
    """Dom's Q2, ratio form: Qmin / Q0, as Rosenberg and Hirschberg (2007) quote it.

    In (0, 1]; 1 if there is a single class.
    """
    if table.n_classes == 1:
        return 1.0
    return _q_least(table) / q0(table)
