"""The methods with which the papers compare their samplers."""

import lazy_loader

# Imported on first use, so that a program that fits EM does not load scikit-learn.
__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "binary": ["LINKS", "BinaryClusterer", "OBJECTIVES", "alternate", "golden_section"],
        "em": ["EMResult", "fit_em", "predict_em", "fit_em_restarts"],
        "hierarchical": ["LINKAGES", "hierarchical_labels"],
        "kmeans": ["best_f_labels", "kmeans_labels", "oracle_n_clusters"],
        "pair_classifier": ["PairClassifier"],
        "xing": ["XingMetric", "xing_objective"],
    },
)
