"""A prior, a likelihood and the moves that sample their posterior."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np

from reseat.checks import as_labels, check_whole
from reseat.errors import ConfigError
from reseat.likelihoods import Likelihood
from reseat.moves import gibbs_sweep
from reseat.partition import Partition
from reseat.priors import PartitionPrior

#: Threads that are using a prior or a likelihood, by the address of that object.
_BUSY: dict[int, int] = {}
_LOCK = threading.Lock()


class MixtureModel:
    """The model that one chain samples: prior, likelihood and moves, with their current state.

    Parameters
    ----------
    prior : PartitionPrior
    likelihood : Likelihood
        They hold the state of one model at a time, so models that are swept in turn share neither.
    moves : sequence of callable
        Each is called as ``move(partition, prior, likelihood, rng)`` and returns how many items
        moved; its state is not stored in checkpoints.  A sweep applies all in turn and updates
        every hyperparameter that is not fixed.

    Raises
    ------
    ConfigError
        If `moves` is no sequence of moves, or two hyperparameters have the same name.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat import chains, likelihoods, priors
    >>> likelihood = likelihoods.DirichletMultinomial([[90, 0], [80, 10], [0, 90], [10, 80]])
    >>> model = chains.MixtureModel(priors.DirichletProcess(0.01), likelihood)
    >>> model.start([0, 0, 0, 0])
    >>> rng = np.random.default_rng(1)
    >>> for _ in range(20):
    ...     n_moved = model.sweep(rng)
    >>> bool(model.labels[0] != model.labels[2])
    True
    """

    #: Whether the prior is evaluated for groups of items rather than for all items at once.
    grouped = False

    def __init__(
        self,
        prior: PartitionPrior,
        likelihood: Likelihood,
        moves: Sequence[Callable] = (gibbs_sweep,),
    ):
        self.prior = prior
        self.likelihood = likelihood
        if not isinstance(moves, Iterable) or not all(map(callable, moves := tuple(moves))):
            raise ConfigError(
                f"moves is {moves!r}; it must be a sequence of moves, such as [gibbs_sweep]."
            )
        self.moves = moves
        self.partition: Partition | None = None
        prior.prepare(likelihood.n_items + likelihood.n_tied)
        both = prior.hyperparameters.keys() & likelihood.hyperparameters.keys()
        if both:
            raise ConfigError(
                f"Prior and likelihood both have a hyperparameter {min(both)!r}; rename one."
            )

    def start(self, labels) -> None:
        """Start at the partition `labels`, shape (n_items,).

        Raises
        ------
        DataError
            If `labels` does not hold one slot for each item, as whole numbers from 0.
        """
        bound = self.n_labelled
        labels = as_labels(labels, self.n_items)
        self._enter(Partition(labels, capacity=bound, max_capacity=bound))

    def start_at_random(self, n_blocks: int, rng: np.random.Generator) -> None:
        """Start with each item in one of `n_blocks` blocks, drawn uniformly."""
        n_blocks = check_whole("n_blocks", n_blocks, 1)
        check_generator(rng)
        self.start(rng.integers(0, n_blocks, self.n_items))

    def _enter(self, partition: Partition) -> None:
        self.partition = partition
        with self._alone():
            self.prior.enter(self.likelihood.sizes_of(partition))
            self.prior.entered = partition
        self._assign()

    def _assign(self) -> None:
        with self._alone():
            self.likelihood.assign(self.partition.label_array, self.partition.capacity)
            self.likelihood.entered = self.partition

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other threads from prior and likelihood, whose memory a sweep reads unlocked."""
        parts = {id(self.prior): self.prior, id(self.likelihood): self.likelihood}
        here = threading.get_ident()
        with _LOCK:
            for key, part in parts.items():
                if _BUSY.get(key, here) != here:
                    raise _not_of_its_own(part, self)
            taken = [key for key in parts if key not in _BUSY]
            _BUSY.update(dict.fromkeys(taken, here))
        try:
            yield
        finally:
            with _LOCK:
                for key in taken:
                    del _BUSY[key]

    def check_entered(self) -> None:
        """Raise a ConfigError unless prior and likelihood hold the state of this model."""
        partition = self._started()
        for part in (self.likelihood, self.prior):
            if part.entered is not partition:
                raise _not_of_its_own(part, self)

    def _started(self) -> Partition:
        """Return the partition, or raise a ConfigError if there is none yet."""
        if self.partition is None:
            raise ConfigError("The model stands at no partition yet; call start with labels first.")
        return self.partition

    def sweep(self, rng: np.random.Generator) -> int:
        """Apply every move once and update the hyperparameters; return how many items moved.

        Raises
        ------
        ConfigError
            If the model is not started, parts are of another, or `rng` is no generator.
        """
        moved = self.move(rng)
        self.update_prior(rng)
        self.likelihood.update(self.partition, rng)
        return moved

    def move(self, rng: np.random.Generator) -> int:
        """Apply every move once; return how many items moved."""
        check_generator(rng)
        with self._alone():
            self.check_entered()
            parts = (self.partition, self.prior, self.likelihood, rng)
            return sum(int(move(*parts)) for move in self.moves)

    def update_prior(self, rng: np.random.Generator) -> None:
        """Resample the hyperparameters of the prior."""
        self.prior.update(self.block_sizes, rng)

    def condition(self, others: Mapping[str, MixtureModel]) -> None:
        """Condition the likelihood on the current state of the other parts of a coupled model."""
        self.check_entered()
        self.likelihood.condition(others)
        self._assign()

    def log_joint(self) -> float:
        """Return the log joint density of data, partition and sampled hyperparameters."""
        self.check_entered()
        return self.likelihood.log_marginal() + self.log_prior()

    def log_prior(self) -> float:
        """Return the log density of partition and sampled hyperparameters."""
        self.check_entered()
        return (
            self.likelihood.log_hyperprior() + self._log_partition() + self.prior.log_hyperprior()
        )

    def _log_partition(self) -> float:
        return self.prior.log_prob(self.block_sizes)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.likelihood.n_items

    @property
    def n_labelled(self) -> int | None:
        """Number of blocks if the prior labels them, otherwise None."""
        return self.prior.max_blocks

    @property
    def n_slots(self) -> int:
        """Exclusive upper bound on the labels that a chain can reach from here."""
        # Moves never make more than one slot per item and a free one, but a start may have more.
        return max(self._started().capacity, self.n_items + 1)

    @property
    def n_clusters(self) -> dict[str, int]:
        """Number of non-empty blocks, under the name of its trace."""
        return {"n_clusters": self._started().n_blocks}

    @property
    def traced(self) -> dict[str, float]:
        """Current values of the other quantities that a chain traces, by name (none by default)."""
        return {}

    @property
    def block_sizes(self) -> np.ndarray:
        """Sizes of the non-empty blocks, shape (n_blocks,)."""
        return self.likelihood.sizes_of(self._started())

    @property
    def labels(self) -> np.ndarray:
        """Slot of each item: a copy, shape (n_items,)."""
        return self._started().label_array

    @property
    def hyperparameters(self) -> dict[str, float]:
        """Current hyperparameters of prior and likelihood, by name."""
        return {**self.prior.hyperparameters, **self.likelihood.hyperparameters}

    def state(self) -> dict:
        """Return partition, hyperparameters and drawn parameters, enough to resume from here."""
        self.check_entered()
        return {
            "partition": self.partition.state(),
            "parameters": self.likelihood.parameters,
            "prior": self.prior.state(),
            "likelihood": {
                name: float(value) for name, value in self.likelihood.hyperparameters.items()
            },
        }

    def restore(self, state: dict) -> None:
        """Restore a state that `state` returned."""
        self.prior.restore(state["prior"])
        self.likelihood.restore(state["likelihood"])
        self.likelihood.restore_parameters(state["parameters"])
        self._enter(Partition.from_state(state["partition"], self.n_labelled))


def check_generator(rng) -> None:
    """Raise a ConfigError unless `rng` is a `numpy.random.Generator`."""
    if not isinstance(rng, np.random.Generator):
        raise ConfigError(
            f"rng is {rng!r}; it must be a numpy.random.Generator, such as "
            "numpy.random.default_rng(1)."
        )


def _not_of_its_own(part: PartitionPrior | Likelihood, model: MixtureModel) -> ConfigError:
    kind = "likelihood" if part is model.likelihood else "prior"
    return ConfigError(
        f"This {type(part).__name__} stands at the partition of another model, which was started "
        f"later; give each model a {kind} of its own."
    )
