"""Moves: how does the partition change?"""

from reseat.moves._gibbs import gibbs_sweep

__all__ = ["gibbs_sweep"]
