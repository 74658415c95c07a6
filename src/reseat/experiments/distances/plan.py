"""Which chains the configuration asks for, on which draws of which objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from reseat.chains import Schedule
from reseat.configuration import nearest
from reseat.errors import ConfigError

__all__ = ["PAPER_KEY", "Plan", "Run"]

#: The first name of every random stream of the family.
PAPER_KEY = "distances"

#: Parts of a scale that are lists of studies, chains of models on data sets. A pair of data set and
#: model that occurs twice belongs to the first.
STUDIES = ("accuracy", "trace", "means", "readings", "labelled")


@dataclass(frozen=True)
class Run:
    """One model on one draw of a data set.

    Parameters
    ----------
    seed : int
        Of the whole run.
    dataset : str
    role : str
        Which of the paper's sets it is.
    draw : int
        Number of the draw; 0 for real objects.
    model : str
    settings : mapping
        The entry of ``distances.models``, with what belongs to all models, and
        ``objects``, the entry of the data set if it is one of real objects.
    length : mapping
        ``n_chains``, ``burn_in``, ``n_samples``, ``thin``.
    """

    seed: int
    dataset: str
    role: str
    draw: int
    model: str
    settings: Mapping[str, Any]
    length: Mapping[str, int]

    def to_dict(self) -> dict[str, Any]:
        """As plain types, for a rule's parameters."""
        return asdict(self)

    @property
    def chains(self) -> range:
        """Numbers of its chains."""
        return range(self.length["n_chains"])

    @property
    def schedule(self) -> Schedule:
        """How long a chain runs and what it keeps."""
        return Schedule(self.length["burn_in"], self.length["n_samples"], self.length["thin"])

    @property
    def stream(self) -> tuple[str, ...]:
        """Name of its random streams."""
        return (PAPER_KEY, f"{self.dataset}/{self.draw}", self.model)

    @property
    def data_file(self) -> str:
        """Name of the file of the objects in the folder of the data set."""
        return f"{self.draw}.npz"

    def file(self, chain: int) -> str:
        """Name of the file of a chain."""
        return f"{self.model}-draw-{self.draw}-chain-{chain}.nc"

    def grid(self, dim: float) -> np.ndarray:
        """Values of theta for data of so many dimensions."""
        few = self.settings["theta_few"]
        grid = few if dim <= few["up_to_dim"] else self.settings["theta"]
        return np.geomspace(grid["lowest"], grid["highest"], grid["n_values"])


@dataclass(frozen=True)
class Plan:
    """The distances section of the configuration at one scale.

    Parameters
    ----------
    scale : str
    seed : int
        Of the run.
    section : mapping
        The validated section ``distances``.
    sources : tuple of str
        Data sets that can be used, once those that are missing are settled.
    replaced : mapping of str to tuple of str
        What stands in for a data set that is missing.

    Raises
    ------
    ConfigError
        If a name stands for nothing, or more draws are asked for than are made.
    """

    scale: str
    seed: int
    section: Mapping[str, Any]
    sources: tuple[str, ...]
    replaced: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self):
        known = {**self.section["points"], **self.section["objects"]}
        for where, study in self._studies():
            for key, names in (("models", self.section["models"]), ("datasets", known)):
                for name in study[key]:
                    if name not in names:
                        place = "points or distances.objects" if key == "datasets" else key
                        raise ConfigError(
                            f"{where}.{key} names {name!r}, which distances.{place} "
                            f"lacks{nearest(name, names)}"
                        )
            for name in study["datasets"]:
                made = known[name].get("n_draws", 1)
                if study.get("n_draws", 1) > made:
                    raise ConfigError(
                        f"{where}.n_draws is {study['n_draws']}, but only {made} of {name!r} "
                        "can be had; see distances.points."
                    )

    @classmethod
    def wanted(cls, section: Mapping, scale: str) -> tuple[str, ...]:
        """Names in the registry of the data sets that a scale asks for."""
        names = [
            name
            for part in STUDIES
            for study in section["scales"][scale][part]
            for name in study["datasets"]
        ]
        return tuple(dict.fromkeys(names))

    @property
    def settings(self) -> Mapping[str, Any]:
        """What is particular to the scale."""
        return self.section["scales"][self.scale]

    def _studies(self, *parts: str) -> Iterator[tuple[str, Mapping]]:
        """Place and entry of each study of some parts of the scale."""
        scale = f"config/distances.yaml: distances.scales.{self.scale}"
        for part in parts or STUDIES:
            for number, study in enumerate(self.settings[part]):
                yield f"{scale}.{part}[{number}]", study

    def _datasets(self, study: Mapping) -> list[str]:
        """Data sets of a study that can be used, or what stands in for them."""
        found = []
        for name in study["datasets"]:
            if name in self.replaced:
                found += self.replaced[name]
            elif name in self.sources:
                found.append(name)
        return list(dict.fromkeys(found))

    def study(self, *parts: str) -> tuple[str, ...]:
        """Data sets of some parts of the scale, of all if none is named."""
        return tuple(
            dict.fromkeys(
                name for _, study in self._studies(*parts) for name in self._datasets(study)
            )
        )

    @property
    def datasets(self) -> tuple[str, ...]:
        """Every data set on which chains run."""
        return self.study()

    def role(self, dataset: str) -> str:
        """Which of the paper's sets a data set is."""
        entry = self.section["points"].get(dataset) or self.section["objects"][dataset]
        return entry.get("role", dataset)

    def is_points(self, dataset: str) -> bool:
        """Whether a data set is drawn as points."""
        return dataset in self.section["points"]

    def runs(self, dataset: str) -> list[Run]:
        """One run for each model and draw of a data set: what its chains depend on."""
        found: dict[tuple[str, int], Run] = {}
        for _, study in self._studies():
            if dataset not in self._datasets(study):
                continue
            for model in study["models"]:
                for draw in range(study.get("n_draws", 1)):
                    run = Run(
                        seed=self.seed,
                        dataset=dataset,
                        role=self.role(dataset),
                        draw=draw,
                        model=model,
                        settings=self._settings_of(model, dataset),
                        length=dict(study["length"]),
                    )
                    found.setdefault((model, draw), run)
        return list(found.values())

    def _settings_of(self, model: str, dataset: str) -> dict[str, Any]:
        common = ("theta", "theta_few", "annealing", "hidden_share", "memory_bound_mb")
        return {
            **self.section["models"][model],
            **{name: self.section[name] for name in common},
            "objects": self.section["objects"].get(dataset),
        }
