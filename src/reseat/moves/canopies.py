"""Sweeps within canopies, with an occasional sweep over all blocks."""

from reseat.checks import check_between
from reseat.moves._restricted import RestrictedSweep


class CanopySweep:
    """A sweep within canopies or, with a small probability, among all blocks.

    Parameters
    ----------
    canopies, groups, items
        As for `RestrictedSweep`.
    full_every : float
        The full sweep has probability ``1 / full_every``.

    Raises
    ------
    ConfigError
        If `full_every` is below 1 or not finite.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat import chains, likelihoods, moves, priors
    >>> likelihood = likelihoods.DirichletMultinomial([[5, 0], [4, 1], [0, 6], [0, 4]])
    >>> near = np.kron(np.eye(2), np.ones((2, 2)))  # items 0 and 1 are neighbours, 2 and 3 too
    >>> sweep = moves.CanopySweep(near, full_every=5)
    >>> model = chains.MixtureModel(priors.DirichletProcess(1.0), likelihood, [sweep])
    >>> model.start([0, 0, 1, 1])
    >>> n_moved = model.sweep(np.random.default_rng(1))
    """

    def __init__(self, canopies, groups=None, items=None, full_every: float = 10):
        self.full_every = check_between("full_every", full_every, 1)
        self.within = RestrictedSweep(groups, items, canopies)
        self.full = RestrictedSweep(groups, items)

    def __call__(self, partition, prior, likelihood, rng) -> int:
        """Make one of the sweeps; the arguments and the result are those of `gibbs_sweep`."""
        sweep = self.full if rng.random() * self.full_every < 1 else self.within
        return sweep(partition, prior, likelihood, rng)
