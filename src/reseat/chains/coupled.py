"""Several partitions, each with a likelihood that is conditional on the others."""

from collections.abc import Mapping

import numpy as np

from reseat.chains.model import MixtureModel
from reseat.errors import ConfigError

#: Parts of a state whose arrays a checkpoint stores by their names.
ARRAYS = ("partition", "parameters")


class CoupledModel:
    """The model that one chain samples if the data depend on several partitions.

    A sweep is one of every part in turn, each conditioned on the others before.  The items are
    those of all parts in order, and names of traces end in those of the parts.

    Parameters
    ----------
    parts : mapping of str to MixtureModel
        Likelihoods `condition` on each other by these names; the last one is that of all data.

    Raises
    ------
    ConfigError
        If there are fewer than two parts.

    References
    ----------
    Kurihara, Kameya and Sato (2006), section 2; Kemp et al. (2006), section 2.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat import chains, likelihoods, priors
    >>> links = likelihoods.LinkTable([[3, 0], [2, 0], [0, 4]])
    >>> parts = [likelihoods.RelationalLinks(links, axis) for axis in (0, 1)]
    >>> rows, columns = [chains.MixtureModel(priors.DirichletProcess(1.0), part) for part in parts]
    >>> model = chains.CoupledModel({"row": rows, "column": columns})
    >>> model.start({"row": [0, 0, 0], "column": [0, 0]})
    >>> n_moved = model.sweep(np.random.default_rng(1))
    >>> chains.split_labels(model.labels, model.part_sizes).keys()
    dict_keys(['row', 'column'])
    """

    #: The blocks of the parts have no labels in common.
    n_labelled = None

    def __init__(self, parts: Mapping[str, MixtureModel]):
        self.parts = dict(parts)
        if len(self.parts) < 2:
            raise ConfigError(f"A coupled model needs two parts, not {sorted(self.parts)}.")

    def start(self, labels: Mapping[str, np.ndarray]) -> None:
        """Start at these partitions, for each part one of shape (n_items of the part,)."""
        self._check_named("labels", labels)
        for name, part in self.parts.items():
            part.start(labels[name])
        self._condition_all()

    def start_at_random(self, n_blocks: Mapping[str, int], rng: np.random.Generator) -> None:
        """Start with each item in one of the `n_blocks` blocks of its part, drawn uniformly."""
        self._check_named("n_blocks", n_blocks)
        for name, part in self.parts.items():
            part.start_at_random(n_blocks[name], rng)
        self._condition_all()

    def _check_named(self, what: str, given: Mapping[str, object]) -> None:
        missing = [name for name in self.parts if name not in given]
        if missing:
            raise ConfigError(f"{what} lacks the part {missing[0]!r}; add an entry for it.")

    def _condition_all(self) -> None:
        for name in self.parts:
            self._condition(name)

    def _condition(self, name: str) -> None:
        others = {other: part for other, part in self.parts.items() if other != name}
        self.parts[name].condition(others)

    def sweep(self, rng: np.random.Generator) -> int:
        """Sweep every part once, given the others; return how many items moved."""
        moved = 0
        for name, part in self.parts.items():
            self._condition(name)
            moved += part.sweep(rng)
        return moved

    def log_joint(self) -> float:
        """Return the log joint density, with the likelihood of the last part given all others."""
        *_, last = self.parts.values()
        return last.likelihood.log_marginal() + sum(p.log_prior() for p in self.parts.values())

    @property
    def n_items(self) -> int:
        """Total number of items of all parts."""
        return sum(self.part_sizes.values())

    @property
    def part_sizes(self) -> dict[str, int]:
        """Number of items of each part, in order."""
        return {name: part.n_items for name, part in self.parts.items()}

    @property
    def labels(self) -> np.ndarray:
        """Slot of each item in its part: a copy, shape (n_items,); `split_labels` splits it."""
        return np.concatenate([part.labels for part in self.parts.values()])

    @property
    def n_slots(self) -> int:
        """Exclusive upper bound on the labels of any part that a chain can reach from here."""
        return max(self.n_items + 1, *(part.n_slots for part in self.parts.values()))

    @property
    def n_clusters(self) -> dict[str, int]:
        """Number of non-empty blocks of each part, by the name of its trace."""
        return {f"n_clusters_{name}": p.partition.n_blocks for name, p in self.parts.items()}

    @property
    def traced(self) -> dict[str, float]:
        """Current values of the other quantities that a chain traces, by name (none by default)."""
        return {}

    @property
    def block_sizes(self) -> np.ndarray:
        """Sizes of the non-empty blocks, part by part."""
        return np.concatenate([part.block_sizes for part in self.parts.values()])

    @property
    def hyperparameters(self) -> dict[str, float]:
        """Current hyperparameters of all parts, by name."""
        return {
            f"{key}_{name}": value
            for name, part in self.parts.items()
            for key, value in part.hyperparameters.items()
        }

    def state(self) -> dict:
        """Return partitions, hyperparameters and drawn parameters, enough to resume from here."""
        found: dict[str, dict] = {}
        for name, part in self.parts.items():
            for kind, values in part.state().items():
                named = {name: values}
                if kind in ARRAYS:
                    named = {f"{name}/{key}": array for key, array in values.items()}
                found.setdefault(kind, {}).update(named)
        return found

    def restore(self, state: dict) -> None:
        """Restore a state that `state` returned."""
        for name, part in self.parts.items():
            own = {
                kind: values[name]
                for kind, values in state.items()
                if isinstance(values, Mapping) and name in values
            }
            part.restore(own | {kind: below(f"{name}/", state[kind]) for kind in ARRAYS})
        self._condition_all()


def below(prefix: str, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the arrays whose names begin with a prefix, by the rest of their names."""
    found = {name: array for name, array in arrays.items() if name.startswith(prefix)}
    return {name.removeprefix(prefix): array for name, array in found.items()}
