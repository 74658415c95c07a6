"""What the papers compare their samplers with."""

from reseat.baselines.em import EMResult, fit_em, predict_em
from reseat.baselines.hierarchical import LINKAGES, hierarchical_labels
from reseat.baselines.restarts import fit_em_restarts

__all__ = [
    "LINKAGES",
    "EMResult",
    "fit_em",
    "fit_em_restarts",
    "hierarchical_labels",
    "predict_em",
]
