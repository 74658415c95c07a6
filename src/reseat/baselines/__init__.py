"""What the papers compare their samplers with."""

from reseat.baselines.em import EMResult, fit_em, predict_em
from reseat.baselines.restarts import fit_em_restarts

__all__ = ["EMResult", "fit_em", "fit_em_restarts", "predict_em"]
