"""All metrics of a clustering at once."""

from __future__ import annotations

from reseat.metrics.coding import q0, q2, q2_ratio
from reseat.metrics.contingency import as_contingency
from reseat.metrics.editing import (
    edit_distance,
    edit_distance_pantel_lin,
    edit_score,
    edit_score_as_printed,
)
from reseat.metrics.information import completeness, homogeneity, nvi, v_measure, vi
from reseat.metrics.matching import inverse_purity, purity, steinbach_f
from reseat.metrics.pairs import adjusted_rand, pair_f, pair_precision, pair_recall, rand_index

METRICS = {
    metric.__name__: metric
    for metric in (
        rand_index,
        pair_precision,
        pair_recall,
        pair_f,
        adjusted_rand,
        vi,
        nvi,
        homogeneity,
        completeness,
        v_measure,
        purity,
        inverse_purity,
        edit_distance,
        edit_distance_pantel_lin,
        edit_score,
        edit_score_as_printed,
        steinbach_f,
        q0,
        q2,
        q2_ratio,
    )
}
"""Every metric that `evaluate` reports, by name, in the order of its report."""


def evaluate(labels_true, labels_pred=None):
    """Score a clustering by every metric, counting the contingency table once.

    Parameters
    ----------
    labels_true : array_like of hashable, shape (n_items,), or Contingency
        Class of each item, or the table of both labellings.
    labels_pred : array_like of hashable, shape (n_items,)
        Cluster of each item; left out if a table is given.

    Returns
    -------
    dict of str to float
        One entry for each of `METRICS` (entropies in nats), and `n_clusters` and `n_classes`,
        the numbers of blocks that have an item.

    Raises
    ------
    ValueError
        If the labels differ in length, are empty or missing.
    """
    table = as_contingency(labels_true, labels_pred)
    scores = {name: metric(table) for name, metric in METRICS.items()}
    scores["n_clusters"] = table.n_clusters
    scores["n_classes"] = table.n_classes
    return scores
