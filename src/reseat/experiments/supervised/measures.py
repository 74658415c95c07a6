"""The metrics of Daumé and Marcu (2005) under the names that their tables print."""

from __future__ import annotations

from reseat.metrics import (
    adjusted_rand,
    as_contingency,
    edit_distance,
    edit_distance_as_printed,
    edit_distance_pantel_lin,
    edit_score,
    edit_score_as_printed,
    nvi,
    pair_f,
    pair_precision,
    pair_recall,
    rand_index,
    vi,
)

__all__ = ["MEASURES", "PRINTED", "measure"]

#: Columns of Tables 1 to 4, in their order.
PRINTED = ("RI", "P", "R", "F", "CED", "NES", "VI", "NVI")

#: Every measure by its name, the printed ones first. The edit distances are divided by the number
#: of items; VI is in nats. `CED_as_printed` and `NES_as_printed` follow the text, which the tables
#: contradict.
MEASURES = {
    "RI": rand_index,
    "P": pair_precision,
    "R": pair_recall,
    "F": pair_f,
    "CED": edit_distance,
    "NES": edit_score,
    "VI": vi,
    "NVI": nvi,
    "NES_as_printed": edit_score_as_printed,
    "CED_as_printed": edit_distance_as_printed,
    "CED_pantel_lin": edit_distance_pantel_lin,
    "ARI": adjusted_rand,
}


def measure(labels_true, labels_pred=None) -> dict[str, float]:
    """Score a clustering by every measure, counting the contingency table once.

    Parameters
    ----------
    labels_true : array_like of hashable, shape (n_items,), or Contingency
        True entity of each item, or the table of both labellings.
    labels_pred : array_like of hashable, shape (n_items,)
        Cluster of each item; left out if a table is given.

    Returns
    -------
    dict of str to float
        In the order of :data:`MEASURES`.

    Raises
    ------
    DataError
        If the labels differ in length, are empty or missing.
    """
    table = as_contingency(labels_true, labels_pred)
    return {name: float(metric(table)) for name, metric in MEASURES.items()}
