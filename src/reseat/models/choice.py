"""Settings of the model of two covariances, which tables name without the model itself."""

from dataclasses import dataclass

#: Stands for a concentration that is sampled along with everything else.
SAMPLED = "sampled"


@dataclass(frozen=True)
class Choice:
    """Settings that are chosen by held-out entities."""

    #: Name of the coordinates of the items.
    coordinates: str
    #: Share of the total variances that is added to the covariance within entities.
    nugget: float
    #: Power of the density of the items given their means.
    power: float
    #: Largest number of directions to keep, the most informative ones.
    directions: int
    #: Log concentration of the Dirichlet process: a number at which it is held, or ``sampled``.
    log_concentration: str = SAMPLED
