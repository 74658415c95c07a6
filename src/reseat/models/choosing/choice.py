"""Settings of the model of two covariances."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SAMPLED", "Choice"]

#: Stands for a concentration that is sampled along with everything else.
SAMPLED = "sampled"


@dataclass(frozen=True)
class Choice:
    """Settings that are chosen by held-out entities.

    Attributes
    ----------
    coordinates : str
        Name of the coordinates of the items.
    nugget : float
        Share of the total variances that is added to the covariance within entities.
    power : float
        Power of the density of the items given their means.
    directions : int
        Largest number of directions to keep, the most informative ones.
    log_concentration : str
        Log concentration of the Dirichlet process: a number at which it is held, or ``sampled``.
    """

    coordinates: str
    nugget: float
    power: float
    directions: int
    log_concentration: str = SAMPLED
