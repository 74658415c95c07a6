"""Partition priors: how likely are these block sizes?"""

from reseat.hyperpriors import BetaHyperprior, GammaHyperprior, slice_sample
from reseat.priors._concentration import sample_concentration
from reseat.priors._prior import PartitionPrior
from reseat.priors.concentration import expected_blocks, solve_concentration
from reseat.priors.dirichlet import FiniteDirichlet
from reseat.priors.nbd import NBD, SampledNBD
from reseat.priors.nbnb import NBNB
from reseat.priors.process import DirichletProcess, PitmanYor
from reseat.priors.simulate import sample_sizes

__all__ = [
    "NBD",
    "NBNB",
    "BetaHyperprior",
    "DirichletProcess",
    "FiniteDirichlet",
    "GammaHyperprior",
    "PartitionPrior",
    "PitmanYor",
    "SampledNBD",
    "expected_blocks",
    "sample_concentration",
    "sample_sizes",
    "slice_sample",
    "solve_concentration",
]
