"""What the papers compare their samplers with."""

from reseat.baselines.agglomeration import LINKS
from reseat.baselines.binary import OBJECTIVES, BinaryClusterer
from reseat.baselines.em import EMResult, fit_em, predict_em
from reseat.baselines.golden import alternate, golden_section
from reseat.baselines.hierarchical import LINKAGES, hierarchical_labels
from reseat.baselines.kmeans import best_f_labels, kmeans_labels, oracle_n_clusters
from reseat.baselines.pair_classifier import PairClassifier
from reseat.baselines.restarts import fit_em_restarts
from reseat.baselines.xing import XingMetric, xing_constants, xing_objective

__all__ = [
    "LINKAGES",
    "LINKS",
    "OBJECTIVES",
    "BinaryClusterer",
    "EMResult",
    "PairClassifier",
    "XingMetric",
    "alternate",
    "best_f_labels",
    "fit_em",
    "fit_em_restarts",
    "golden_section",
    "hierarchical_labels",
    "kmeans_labels",
    "oracle_n_clusters",
    "predict_em",
    "xing_constants",
    "xing_objective",
]
