"""Metrics that match every block of one partition with its best block of the other."""

from __future__ import annotations

import numpy as np

from reseat.metrics.registry import metric

__all__ = ["inverse_purity", "purity", "steinbach_f"]


@metric("purity", better=+1)
def purity(table):
    """Share of items that are in the majority class of their cluster, sum_h max_g n_gh / N.

    Returns
    -------
    float
        In (0, 1]; 1 also for the partition into singletons.
    """
    return int(table.largest_of_cluster.sum()) / table.n_items


@metric("inverse purity", better=+1)
def inverse_purity(table):
    """Share of items that are in the majority cluster of their class, sum_g max_h n_gh / N.

    Returns
    -------
    float
        In (0, 1]; 1 also for the partition into one cluster.
    """
    return int(table.largest_of_class.sum()) / table.n_items


@metric("F-Measure", better=+1)
def steinbach_f(table):
    """Class-weighted best F, sum_g (n_g/N) max_h 2 n_gh / (n_g + n_h) (Steinbach et al. 2000).

    The "F-measure" of Walker and Ringger (2008, section 4).

    Returns
    -------
    float
        In (0, 1]; 1 only for equal partitions.
    """
    class_sizes = table.class_sizes[table.class_index]
    cluster_sizes = table.cluster_sizes[table.cluster_index]
    f = 2.0 * table.counts / (class_sizes + cluster_sizes)
    starts = np.searchsorted(table.class_index, np.arange(table.n_classes))
    best = np.maximum.reduceat(f, starts)
    return float(np.sum(table.class_sizes * best)) / table.n_items
