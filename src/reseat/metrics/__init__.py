"""External metrics of a clustering, each exact on its definition.

Every metric takes `(labels_true, labels_pred)` or one `Contingency`, and `evaluate` returns all of
them from one table. Labels may be anything hashable; only the partitions matter.
"""

import lazy_loader

# Imported when they are asked for: a score needs one metric.
__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "coding": ["q0", "q2", "q2_ratio"],
        "contingency": ["Contingency", "as_contingency", "factorise"],
        "editing": [
            "edit_distance",
            "edit_distance_as_printed",
            "edit_distance_pantel_lin",
            "edit_score",
            "edit_score_as_printed",
        ],
        "evaluation": ["METRICS", "evaluate"],
        "information": ["completeness", "homogeneity", "nvi", "v_measure", "vi"],
        "matching": ["inverse_purity", "purity", "steinbach_f"],
        "pairs": [
            "PairCounts",
            "adjusted_rand",
            "false_discovery_rate",
            "false_negative_rate",
            "pair_counts",
            "pair_f",
            "pair_precision",
            "pair_recall",
            "pairs_within",
            "rand_index",
        ],
    },
)
