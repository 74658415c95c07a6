"""Which chains and restarts the configuration asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from reseat.chains import Schedule, chain_seed
from reseat.configuration import nearest
from reseat.errors import ConfigError
from reseat.experiments.planning import Parameters, ScalePlan

__all__ = ["PAPER_KEY", "Plan", "Run"]

#: The first name of every random stream of the family.
PAPER_KEY = "documents"

#: Samples scored one by one in Figure 4; Table 7 shows one of them.
FIXED_LOCATIONS = tuple(range(10, 201, 10))


@dataclass(frozen=True)
class Run(Parameters):
    """One model on one data set.

    Parameters
    ----------
    seed : int
        Of the whole run.
    dataset, model : str
    schedule : mapping
        ``n_clusters``, ``burn_in``, ``n_samples``, ``thin``, ``switching_lag``.
    settings : mapping
        The entry of ``documents.models``.
    """

    seed: int
    dataset: str
    model: str
    schedule: Mapping[str, Any]
    settings: Mapping[str, Any]

    @property
    def stream(self) -> tuple[str, ...]:
        """First names of the random streams."""
        return (PAPER_KEY, self.dataset, self.model)

    @property
    def n_clusters(self) -> int:
        """Number of clusters of the paper, or of the start where it is unknown."""
        return self.schedule["n_clusters"]

    @property
    def burn_in(self) -> int:
        """Sweeps before the first kept one."""
        return self.schedule["burn_in"]

    @property
    def n_sweeps(self) -> int:
        """Sweeps of a chain in all."""
        return self.burn_in + self.schedule["n_samples"]

    @staticmethod
    def file(chain: int) -> str:
        """Name of the file of a chain."""
        return f"chain-{chain:04d}.nc"

    def random_sweep(self, chain: int) -> int:
        """The "arbitrary point" of a chain: a kept sweep drawn before it runs."""
        stream = chain_seed(self.seed, *self.stream, chain, "random sample")
        number = int(stream.generate_state(1)[0])
        return self.burn_in + 1 + number % self.schedule["n_samples"]

    def fixed_sweeps(self) -> tuple[int, ...]:
        """Sweeps that Figure 4 and Table 7 look at, counted from the start."""
        return tuple(sweep for sweep in FIXED_LOCATIONS if sweep <= self.n_sweeps)

    def switching_sweeps(self) -> tuple[int, ...]:
        """First kept sweep, and the one Figure 3 compares it with."""
        first, lag = self.burn_in + 1, self.schedule.get("switching_lag")
        return (first,) if lag is None else (first, first + lag)

    def chain_schedule(self, chain: int) -> Schedule:
        """How long a chain runs and what it keeps."""
        return Schedule(
            burn_in=self.burn_in,
            n_samples=self.schedule["n_samples"],
            thin=self.schedule.get("thin", 1),
            snapshots=(
                *self.fixed_sweeps(),
                *self.switching_sweeps(),
                self.random_sweep(chain),
            ),
        )


@dataclass(frozen=True)
class Plan(ScalePlan):
    """The documents section of the configuration at one scale.

    Parameters
    ----------
    scale, seed, section
        As for `ScalePlan`.
    datasets : tuple of str
        Data sets to run, once those that are missing are settled.

    Raises
    ------
    ConfigError
        If a name stands for nothing, or a model lacks what it needs.
    """

    family: ClassVar[str] = PAPER_KEY

    datasets: tuple[str, ...]

    def __post_init__(self):
        known = self.section["datasets"]
        for name in self.datasets:
            if name not in known:
                raise ConfigError(
                    f"{self.file}: no section documents.datasets.{name} says how to run the "
                    f"data set {name!r}{nearest(name, known)}"
                )
        for name, entry in self._readings.items():
            if entry["of"] not in known or name in known:
                raise ConfigError(
                    f"{self.file}: documents.readings.{name} must have a name of its own and be "
                    f"a reading of a data set of documents.datasets, not of {entry['of']!r}"
                    f"{nearest(entry['of'], known)}"
                )
        for model in self.settings["n_chains"]:
            if model not in self.section["models"]:
                raise ConfigError(
                    f"{self.place}.n_chains names the model {model!r}, which documents.models "
                    f"lacks{nearest(model, self.section['models'])}"
                )
        for name, model in self.section["models"].items():
            missing = {"chains": ("prior", "beta"), "em": ("smoothing", "start")}[model["kind"]]
            for key in missing:
                if key not in model:
                    raise ConfigError(f"{self.file}: documents.models.{name} needs the key {key!r}")

    @classmethod
    def wanted(cls, section: Mapping, scale: str, given: Mapping[str, Any]) -> tuple[str, ...]:
        """Names of the data sets a scale asks for.

        A set that stands in for a licensed one gives way to it if the user
        has `given` a path to it.
        """
        names = []
        for name in section["scales"][scale]["datasets"]:
            original = section["datasets"].get(name, {}).get("instead_of")
            names.append(original if original and given.get(original) else name)
        return tuple(names)

    @property
    def models(self) -> tuple[str, ...]:
        """Models run at this scale."""
        return tuple(self.settings["n_chains"])

    def runs_on(self, model: str, dataset: str) -> bool:
        """Whether a model runs on a data set: on all, unless its entry names some."""
        return dataset in self.section["models"][model].get("datasets", (dataset,))

    def role(self, role: str) -> tuple[str, ...]:
        """Data sets that play one of the paper's three."""
        return tuple(d for d in self.datasets if self.section["datasets"][d]["role"] == role)

    def readings(self, role: str) -> tuple[str, ...]:
        """Data sets of a role once more, with the paper's silences read in other ways."""
        wanted = self.role(role)
        return tuple(name for name, entry in self._readings.items() if entry["of"] in wanted)

    @property
    def _readings(self) -> Mapping[str, Any]:
        return self.section.get("readings", {})

    def source(self, dataset: str) -> str:
        """The registered data set behind a data set or a reading of one."""
        return self._readings.get(dataset, {}).get("of", dataset)

    def features(self, dataset: str) -> dict[str, Any]:
        """Feature options of a data set or a reading of one."""
        return {**self.section["features"], **self._readings.get(dataset, {}).get("features", {})}

    def n_chains(self, dataset: str, model: str) -> int:
        """Chains, or restarts, of a model on a data set."""
        if dataset in self._readings:
            return self.settings["reading_chains"]
        return self.settings["n_chains"][model]

    def blocks(self, dataset: str, model: str) -> range:
        """Numbers of the jobs that share the chains of a model."""
        return range(-(-self.n_chains(dataset, model) // self.settings["chains_per_job"]))

    def chains_of(self, dataset: str, model: str, block: int) -> range:
        """Numbers of the chains of one job."""
        size = self.settings["chains_per_job"]
        return range(size * block, min(size * (block + 1), self.n_chains(dataset, model)))

    def run(self, dataset: str, model: str) -> Run:
        """Everything the chains of one model on one data set depend on."""
        entry = self.section["datasets"][self.source(dataset)]
        keys = ("n_clusters", "burn_in", "n_samples", "thin", "switching_lag")
        schedule = {key: entry[key] for key in keys if key in entry}
        return Run(self.seed, dataset, model, schedule, dict(self.section["models"][model]))
