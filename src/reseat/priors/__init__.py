"""Partition priors: how likely are these block sizes?"""

from reseat.priors._prior import PartitionPrior
from reseat.priors.dirichlet import FiniteDirichlet
from reseat.priors.hyper import GammaHyperprior, sample_concentration, slice_sample
from reseat.priors.process import DirichletProcess, PitmanYor

__all__ = [
    "DirichletProcess",
    "FiniteDirichlet",
    "GammaHyperprior",
    "PartitionPrior",
    "PitmanYor",
    "sample_concentration",
    "slice_sample",
]
