"""External metrics of a clustering, each exact on its definition.

Every metric takes `(labels_true, labels_pred)` or one `Contingency`, and `evaluate` returns all of
them from one table. Labels may be anything hashable; only the partitions matter.
"""

from reseat.metrics.coding import q0, q2, q2_ratio
from reseat.metrics.contingency import Contingency, as_contingency, factorise
from reseat.metrics.editing import (
    edit_distance,
    edit_distance_as_printed,
    edit_distance_pantel_lin,
    edit_score,
    edit_score_as_printed,
)
from reseat.metrics.evaluation import METRICS, evaluate
from reseat.metrics.information import completeness, homogeneity, nvi, v_measure, vi
from reseat.metrics.matching import inverse_purity, purity, steinbach_f
from reseat.metrics.pairs import (
    PairCounts,
    adjusted_rand,
    false_discovery_rate,
    false_negative_rate,
    pair_counts,
    pair_f,
    pair_precision,
    pair_recall,
    pairs_within,
    rand_index,
)

__all__ = [
    "METRICS",
    "Contingency",
    "PairCounts",
    "adjusted_rand",
    "as_contingency",
    "completeness",
    "edit_distance",
    "edit_distance_as_printed",
    "edit_distance_pantel_lin",
    "edit_score",
    "edit_score_as_printed",
    "evaluate",
    "factorise",
    "false_discovery_rate",
    "false_negative_rate",
    "homogeneity",
    "inverse_purity",
    "nvi",
    "pair_counts",
    "pair_f",
    "pair_precision",
    "pair_recall",
    "pairs_within",
    "purity",
    "q0",
    "q2",
    "q2_ratio",
    "rand_index",
    "steinbach_f",
    "v_measure",
    "vi",
]
