"""A mixture of items about some of which it is known whether they are together."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from reseat.chains.model import MixtureModel
from reseat.checks import as_labels
from reseat.errors import DataError
from reseat.likelihoods import Likelihood
from reseat.moves import Decided, gibbs_sweep
from reseat.partition import Partition
from reseat.priors import PartitionPrior


class DecidedModel(MixtureModel):
    """A mixture model given that some items are together, and others apart.

    Parameters
    ----------
    prior : PartitionPrior
    likelihood : Likelihood
        That of the items; it becomes the `inner` one of `reseat.moves.Decided`.
    moves : sequence of callable
        As for `MixtureModel`; what they see as items are units.
    units : array_like of int, shape (n_items,)
        Items of the same unit, numbered from 0 without gaps, are together.
    apart : array_like of int, shape (n_pairs, 2)
        Units that are not together.

    Examples
    --------
    >>> from reseat import chains, likelihoods, priors
    >>> likelihood = likelihoods.DirichletMultinomial([[5, 0], [4, 1], [0, 6], [0, 4]])
    >>> units, apart = [0, 1, 2, 0], [[0, 1]]
    >>> prior = priors.DirichletProcess(1.0)
    >>> model = chains.DecidedModel(prior, likelihood, units=units, apart=apart)
    >>> model.start([0, 0, 0, 0])  # is changed, so that the decisions hold
    >>> model.labels.tolist()
    [0, 1, 0, 0]
    """

    def __init__(
        self,
        prior: PartitionPrior,
        likelihood: Likelihood,
        moves: Sequence[Callable] = (gibbs_sweep,),
        *,
        units,
        apart=(),
    ):
        self.apart = np.reshape(apart, (-1, 2)).astype(int)
        super().__init__(prior, Decided(likelihood, prior, units, self.apart), moves)
        self.units = np.asarray(units)

    def start(self, labels) -> None:
        """Start at labels of the items, shape (n_items,), changed so that the decisions hold.

        Raises
        ------
        DataError
            As for `MixtureModel`, or if the prior has too few blocks to keep the units apart.
        """
        bound = self.n_labelled
        labels = as_labels(labels, self.n_items)
        found = labels[np.unique(self.units, return_index=True)[1]]
        for one, other in self.apart.tolist():
            if found[one] == found[other]:
                taken = found[self.apart[(self.apart == other).any(axis=1)]]
                unused = np.setdiff1d(np.arange(bound or int(found.max()) + 2), taken)
                if unused.size == 0:
                    raise DataError(
                        f"Some items are to stay apart, but there are only {bound} clusters; allow "
                        "more of them."
                    )
                found[other] = unused[0 if bound else -1]
        self._enter(Partition(found, capacity=bound, max_capacity=bound))

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.likelihood.inner.n_items

    @property
    def labels(self) -> np.ndarray:
        """Slot of each item: a copy, shape (n_items,)."""
        return super().labels[self.units]


def mixture(
    prior: PartitionPrior,
    likelihood: Likelihood,
    moves: Sequence[Callable],
    decided: Mapping[str, Any] | None = None,
) -> MixtureModel:
    """Return a model of items, given `decided`, the units and those that stay apart, if any."""
    if decided is None:
        return MixtureModel(prior, likelihood, moves)
    return DecidedModel(prior, likelihood, moves, **decided)
