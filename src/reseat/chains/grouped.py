"""A partition that keeps groups of items apart, under one prior."""

from collections.abc import Callable, Sequence

import numpy as np

from reseat._labels import sizes_by_group
from reseat.chains.model import MixtureModel
from reseat.checks import numbered_names
from reseat.errors import ConfigError, DataError
from reseat.likelihoods import Likelihood
from reseat.priors import PartitionPrior

#: Differences of log probabilities below this may be due to rounding.
ROUNDING = 1e-4


class GroupedModel(MixtureModel):
    """A mixture model in which each group has a partition of its own, given hyperparameters.

    Parameters
    ----------
    prior : PartitionPrior
    likelihood : Likelihood
    moves : sequence of callable
        As for `MixtureModel`; they must keep the groups apart, as `RestrictedSweep` does.
    groups : array_like, shape (n_items,)
        Group of each item.

    Raises
    ------
    DataError
        If there is not one group for each item, or a group is missing.
    ConfigError
        As for `MixtureModel`, or if the prior does not suit several groups.

    References
    ----------
    Daumé and Marcu (2005), section 3 and appendix B.

    Examples
    --------
    >>> from reseat import chains, likelihoods, moves, priors
    >>> likelihood = likelihoods.DirichletMultinomial([[5, 0], [4, 1], [0, 6], [0, 4]])
    >>> prior, groups = priors.DirichletProcess(1.0), ["a", "b", "a", "b"]
    >>> model = chains.GroupedModel(prior, likelihood, [moves.RestrictedSweep(groups)], groups)
    >>> model.start([0, 1, 0, 1])
    >>> round(model.log_prior(), 4)
    -1.3863
    """

    grouped = True

    def __init__(
        self, prior: PartitionPrior, likelihood: Likelihood, moves: Sequence[Callable], groups
    ):
        super().__init__(prior, likelihood, moves)
        if np.shape(groups) != (likelihood.n_items,):
            raise DataError(
                f"The groups have the shape {np.shape(groups)}; there must be one for each of the "
                f"{likelihood.n_items} items."
            )
        self.groups = numbered_names(groups, "groups")
        self.n_groups = int(self.groups.max()) + 1
        if self.n_groups > 1:
            _check_weights(prior)

    def group_sizes(self) -> list[np.ndarray]:
        """Return the block sizes of each group in slot order, as a list of n_groups arrays.

        Raises
        ------
        ValueError
            If a block has items of two groups.
        """
        return sizes_by_group(self.partition.label_array, self.groups, self.n_groups)

    def sweep(self, rng: np.random.Generator) -> int:
        """Apply every move once and update the hyperparameters; return how many items moved."""
        moved = super().sweep(rng)
        # Rebuild the sums: after many additions and removals of items they are rounded differently
        # from those of a chain that is resumed here, which would then draw different values.
        self._assign()
        return moved

    def update_prior(self, rng: np.random.Generator) -> None:
        """Resample the hyperparameters of the prior from all groups together."""
        self.prior.update_groups(self.group_sizes(), rng)

    def _log_partition(self) -> float:
        return self.prior.log_prob_groups(self.group_sizes())

    @property
    def n_labelled(self) -> int | None:
        """Number of blocks of all groups if the prior labels them, otherwise None."""
        bound = self.prior.max_blocks
        return bound and bound * self.n_groups


def _check_weights(prior: PartitionPrior) -> None:
    """Raise a ConfigError if the tables of a prior only hold for a single group of all items."""
    if type(prior).check_entered is not PartitionPrior.check_entered:
        return  # its weights depend on all blocks, so the moves reject several groups
    log_join, log_open = prior.tables

    def difference(n_items: int, n_single: int) -> float:
        """Return the difference for an item leaving the largest block, beside `n_single` others."""
        rest, single = n_items - n_single, [1] * n_single
        joined, opened = (
            prior.log_prob_groups([np.array(sizes)])
            for sizes in ([rest, *single], [rest - 1, 1, *single])
        )
        return joined - opened - (log_join[rest - 1] - log_open[1 + n_single])

    for n_single in (0, 1):
        least = n_single + 2
        if prior.n_items > least:
            with np.errstate(invalid="ignore"):  # inf - inf for impossible partitions
                few, many = difference(least, n_single), difference(prior.n_items, n_single)
            if abs(few - many) > ROUNDING:
                raise ConfigError(
                    f"The weights that {type(prior).__name__} tabulates depend on the number of "
                    "all items, and log_prob_groups on that of each group; to suit several "
                    "groups, they may depend on the blocks of a group alone."
                )
