"""Moves: how does the partition change?"""

from reseat.moves._chaperones import Chaperones
from reseat.moves._gibbs import gibbs_sweep
from reseat.moves._pairs import Pairs, SimilarPairs
from reseat.moves._restricted import RestrictedSweep
from reseat.moves._split_merge import SplitMerge
from reseat.moves.canopies import CanopySweep
from reseat.moves.clamped import UNLABELLED, ClampedSweep

__all__ = [
    "UNLABELLED",
    "CanopySweep",
    "Chaperones",
    "ClampedSweep",
    "Pairs",
    "RestrictedSweep",
    "SimilarPairs",
    "SplitMerge",
    "gibbs_sweep",
]
