"""What the model of two covariances is set by."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SAMPLED", "Choice"]

#: Word for a concentration that is drawn with everything else.
SAMPLED = "sampled"


@dataclass(frozen=True)
class Choice:
    """What is chosen by held-out entities.

    Attributes
    ----------
    coordinates : str
        Name of the coordinates of the items.
    nugget : float
        Share of the total variances that is added to the covariance within entities.
    power : float
        Of the density of the items given their means.
    directions : int
        How many of the most telling directions are kept at most.
    log_concentration : str
        Of the Dirichlet process: a number at which it is held, or ``sampled``.
    """

    coordinates: str
    nugget: float
    power: float
    directions: int
    log_concentration: str = SAMPLED
