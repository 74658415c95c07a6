"""Dom's measures: nats per item needed to encode the classes for someone who has the clusters.

Dom (2001) charges for the classes given the clusters, H(C|K), and for the table of counts that the
code is built from, ln binom(h_k + |C| - 1, |C| - 1) for a cluster of h_k items.
"""

from __future__ import annotations

import math

import numpy as np
import scipy

from reseat.metrics.information import class_entropy, class_entropy_given_clusters
from reseat.metrics.registry import metric

__all__ = ["q0", "q2", "q2_ratio"]


def _cost_of_counts(sizes, n_classes):
    """Return sum_k ln binom(h_k + |C| - 1, |C| - 1); binom is 1 / [(h + |C|) B(h + 1, |C|)]."""
    return float(np.sum(-np.log(sizes + n_classes) - scipy.special.betaln(sizes + 1.0, n_classes)))


def _q_least(table):
    # Q0 of a clustering that equals the classes: only the counts remain to be encoded.
    return _cost_of_counts(table.class_sizes, table.n_classes) / table.n_items


@metric("Q0", better=-1)
def q0(table):
    """Dom's Q0 = H(C|K) + (1/N) sum_k ln binom(h_k + |C| - 1, |C| - 1).

    Returns
    -------
    float
        Nats per item; lower is better.
    """
    counts = _cost_of_counts(table.cluster_sizes, table.n_classes) / table.n_items
    return class_entropy_given_clusters(table) + counts


@metric("Q2", better=+1)
def q2(table):
    """Dom's Q2, affine form: (Qmax - Q0) / (Qmax - Qmin).

    Qmax = H(C) + ln|C|, and Qmin is the Q0 of the true partition. This is the form that Walker and
    Ringger (2008) print (Table 7 gives .719, their tables .729 to .731).

    Returns
    -------
    float
        At most 1; 1 if there is a single class, when there is nothing to encode.
    """
    if table.n_classes == 1:
        return 1.0
    most = class_entropy(table) + math.log(table.n_classes)
    return (most - q0(table)) / (most - _q_least(table))


@metric("Q2 (ratio form)", better=+1)
def q2_ratio(table):
    """Dom's Q2, ratio form: Qmin / Q0, as Rosenberg and Hirschberg (2007) quote it.

    Returns
    -------
    float
        In (0, 1]; 1 if there is a single class.
    """
    if table.n_classes == 1:
        return 1.0
    return _q_least(table) / q0(table)
