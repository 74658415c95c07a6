"""Moves: how does the partition change?"""

from reseat.moves._chaperones import Chaperones
from reseat.moves._gibbs import gibbs_sweep
from reseat.moves._pairs import Pairs, SimilarPairs
from reseat.moves.clamped import UNLABELLED, ClampedSweep

__all__ = [
    "UNLABELLED",
    "Chaperones",
    "ClampedSweep",
    "Pairs",
    "SimilarPairs",
    "gibbs_sweep",
]
