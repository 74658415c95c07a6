"""Posteriors that are flattened before a chain starts, or sharpened after it has ended."""

from collections.abc import Callable, Sequence

import numpy as np

from reseat.chains.model import MixtureModel, check_generator
from reseat.checks import check_between, check_whole
from reseat.errors import ConfigError
from reseat.likelihoods import Likelihood
from reseat.moves import gibbs_sweep
from reseat.priors import PartitionPrior

#: Sweeps after which a greedy search is assumed to cycle through equally good partitions.
MAX_GREEDY_SWEEPS = 1000


class AnnealedModel(MixtureModel):
    """A mixture whose first sweeps, which a chain discards, draw from a power of the posterior.

    Parameters
    ----------
    prior : PartitionPrior
    likelihood : Likelihood
    moves : sequence of callable
        As for `MixtureModel`.  Before the power is one, there are only Gibbs sweeps of all items,
        even those that these moves hold fixed, and hyperparameters keep their values.
    n_sweeps, lowest : int, float
        Number of sweeps below power one, and the first power, in (0, 1), which grows geometrically.

    Raises
    ------
    ConfigError
        If a number is out of its range.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat import chains, likelihoods, priors
    >>> likelihood = likelihoods.DirichletMultinomial([[90, 0], [80, 10], [0, 90], [10, 80]])
    >>> prior = priors.FiniteDirichlet(2)
    >>> model = chains.AnnealedModel(prior, likelihood, n_sweeps=20, lowest=0.01)
    >>> model.start([0, 0, 0, 0])
    >>> rng = np.random.default_rng(1)
    >>> for _ in range(30):
    ...     n_moved = model.sweep(rng)
    >>> model.power, bool(model.labels[0] != model.labels[2])
    (1.0, True)
    """

    def __init__(
        self,
        prior: PartitionPrior,
        likelihood: Likelihood,
        moves: Sequence[Callable] = (gibbs_sweep,),
        *,
        n_sweeps: int,
        lowest: float,
    ):
        super().__init__(prior, likelihood, moves)
        self.n_annealed = check_whole("n_sweeps", n_sweeps, 1)
        self.lowest = check_between("lowest", lowest, 0, 1, "()")
        self.n_done = 0

    @property
    def power(self) -> float:
        """Power of the posterior that the next sweep draws from."""
        if self.n_done >= self.n_annealed:
            return 1.0
        return float(self.lowest ** (1 - self.n_done / self.n_annealed))

    def sweep(self, rng: np.random.Generator) -> int:
        """Make one sweep at the current power; return how many items moved."""
        power = self.power
        if power == 1.0:
            return super().sweep(rng)
        check_generator(rng)
        self.check_entered()
        self.n_done += 1
        parts = (self.partition, self.prior, self.likelihood, rng)
        return gibbs_sweep(*parts, likelihood_power=power, prior_power=power)

    def start(self, labels) -> None:
        """Start as a `MixtureModel` does; the annealing starts over."""
        super().start(labels)
        self.n_done = 0

    def state(self) -> dict:
        """Return the state of a `MixtureModel` and the number of annealed sweeps that are done."""
        return super().state() | {"n_done": self.n_done}

    def restore(self, state: dict) -> None:
        """Restore a state that `state` returned."""
        super().restore(state)
        self.n_done = state["n_done"]


def anneal(
    model: MixtureModel,
    rng: np.random.Generator,
    *,
    n_steps: int = 40,
    greatest: float = 50.0,
    temper: str = "posterior",
    move: Callable = gibbs_sweep,
) -> np.ndarray:
    """Sharpen the posterior step by step, then climb until no item moves.

    Parameters
    ----------
    model : MixtureModel
        Left at the partition that is found.
    rng : numpy.random.Generator
    n_steps, greatest : int, float
        Number of sweeps from power 1, in geometric steps, and the last power.
    temper : {"posterior", "likelihood"}
        What is raised to the power.  The likelihood alone is the limit of many degrees of freedom.
    move : callable
        `gibbs_sweep`, or a move that takes the same powers, such as `ClampedSweep`.

    Returns
    -------
    ndarray of int, shape (n_items,)
        Slot of each item.

    Raises
    ------
    ConfigError
        If a parameter is out of its range, or prior or likelihood are of another model.

    References
    ----------
    Vogt et al. (2010), section 3.
    """
    n_steps = check_whole("n_steps", n_steps, 1)
    greatest = check_between("greatest", greatest, 1)
    if temper not in ("posterior", "likelihood"):
        raise ConfigError(f"temper is {temper!r}; it must be 'posterior' or 'likelihood'.")
    model.check_entered()
    parts = (model.partition, model.prior, model.likelihood, rng)

    def powers(power: float) -> dict[str, float]:
        return {"likelihood_power": power, "prior_power": power if temper == "posterior" else 1.0}

    for power in np.geomspace(1.0, greatest, n_steps):
        move(*parts, **powers(power))
    for _ in range(MAX_GREEDY_SWEEPS):
        if move(*parts, **powers(greatest), greedy=True) == 0:
            break
    return model.labels
