"""One chain: what is run, with which random stream, and where it is kept."""

import json
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from reseat import __version__
from reseat.chains.coupled import CoupledModel
from reseat.chains.model import MixtureModel
from reseat.chains.schedule import Schedule, chain_seed
from reseat.errors import ConfigError
from reseat.summaries import PartitionStatistics

#: Increased whenever the meaning of a checkpoint or of the random streams behind it changes.
FORMAT = 2


@dataclass(frozen=True)
class Chain:
    """One chain to run.

    Parameters
    ----------
    number : int or str
        Number or name of the chain among those of the model.
    build : callable
        Called as ``build(rng)``; returns a `MixtureModel` or a `CoupledModel` at its start.
    schedule : Schedule
    seed : int
    stream : tuple of str
        Paper, data set and model, which together with `number` name the random stream.
    path, scratch : path, optional
        The finished file, and a folder that is removed at the end; by default, all is in memory.
    statistics : callable, optional
        Called after every sweep as ``statistics(labels, sizes)``; returns a dict of numbers with
        the keys ``statistics.names``, which are traced.
    finish : callable, optional
        Called after the last sweep as ``finish(model, rng)``; returns labels, shape (n_items,), by
        names, which are stored in the group ``finish``.
    identity : dict
        What else is stored in the file and must not change until a resume, as JSON types; by
        default, the hyperparameters and the log joint density of the start.
    extensible : bool
        Whether the last state is kept beside the file, so that the same chain with more samples
        continues from there.

    Raises
    ------
    ConfigError
        If something has the wrong type or is out of range, or there is a `path` but no `scratch`.

    Examples
    --------
    >>> from reseat import chains, likelihoods, priors
    >>> def build(rng):
    ...     likelihood = likelihoods.DirichletMultinomial([[9, 0], [0, 9]])
    ...     model = chains.MixtureModel(priors.DirichletProcess(1.0), likelihood)
    ...     model.start([0, 1])
    ...     return model
    >>> schedule = chains.Schedule(burn_in=5, n_samples=10)
    >>> chain = chains.Chain(number=0, build=build, schedule=schedule, seed=1, stream=("my", "dp"))
    >>> kept = chains.run_chain(chain)
    >>> kept.record.draws().shape
    (10, 2)
    """

    number: int | str
    build: Callable[[np.random.Generator], MixtureModel | CoupledModel]
    schedule: Schedule
    seed: int
    stream: tuple[str, ...]
    path: Path | None = None
    scratch: Path | None = None
    statistics: PartitionStatistics | None = None
    finish: Callable[[MixtureModel, np.random.Generator], Mapping[str, np.ndarray]] | None = None
    identity: dict = field(default_factory=dict)
    extensible: bool = False

    def __post_init__(self):
        # Whatever cannot be written is refused before the first sweep, not after the last.
        named = isinstance(self.number, str)
        number = str(self.number) if named else _whole("number", self.number)
        seed = _whole("seed", self.seed)
        if seed < 0:
            raise ConfigError(f"seed is {seed}; it must be a whole number of at least 0.")
        object.__setattr__(self, "number", number)
        object.__setattr__(self, "seed", seed)
        for name in ("path", "scratch"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, Path(getattr(self, name)))
        if not hasattr(self.statistics, "names") and self.statistics is not None:
            raise ConfigError(
                "statistics has no attribute names; give it the names of all that it returns, "
                "which are the keys of a dict."
            )
        if self.path is None:
            return
        if self.scratch is None:
            raise ConfigError(
                f"The chain with the path {self.path} has no scratch; give a folder for it while "
                "it is unfinished."
            )
        try:
            json.dumps(self.fingerprint)
        except (TypeError, ValueError) as error:
            raise ConfigError(
                f"identity or stream cannot be written to the file of the chain ({error}); use "
                "texts, numbers, lists and dicts."
            ) from error

    @property
    def described(self) -> tuple[str, ...]:
        """Names of the statistics that are recorded for every partition."""
        return () if self.statistics is None else tuple(self.statistics.names)

    @property
    def fingerprint(self) -> dict:
        """Everything that must be the same for a checkpoint to be resumed."""
        return {
            "format": FORMAT,
            "version": __version__,
            "seed": self.seed,
            "stream": list(self.stream),
            "chain": self.number,
            "schedule": self.schedule.to_dict(),
            **self.identity,
        }

    def generator(self) -> np.random.Generator:
        """Return a generator at the beginning of the random stream of this chain."""
        seed = chain_seed(self.seed, *self.stream, self.number)
        return np.random.Generator(np.random.PCG64(seed))


def _whole(name: str, value) -> int:
    """Return a whole number of any size and type as an int, the only one that JSON can write."""
    try:
        return operator.index(value)
    except TypeError:
        raise ConfigError(f"{name} is {value!r}; it must be a whole number.") from None
