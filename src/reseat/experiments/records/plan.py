"""Which chains the configuration asks for, on which draws of which data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from reseat.chains import Schedule
from reseat.configuration import nearest
from reseat.errors import ConfigError

__all__ = ["PAPER_KEY", "Plan", "Run", "cell_name"]

#: The first name of every random stream of the family.
PAPER_KEY = "records"

#: Parts of a scale that are lists of studies, chains of models on data sets. A pair of data set and
#: model that occurs twice belongs to the first.
STUDIES = ("table1", "readings", "real", "variants")


def cell_name(recipe: str, delta: float) -> str:
    """Name of a recipe at one concentration, such as ``italy_d02``."""
    return f"{recipe}_d{round(100 * delta):02d}"


@dataclass(frozen=True)
class Run:
    """One model on one draw of a data set.

    Parameters
    ----------
    seed : int
        Of the whole run.
    dataset : str
        Cell of a recipe, or a set of real records.
    role : str
        Which of the paper's sets it is; of real records their own name.
    draw : int
        Number of the draw; -1 for real records.
    delta : float or None
        Concentration the records were drawn with; None for real records.
    model : str
    settings : mapping
        The entry of ``records.models``, with what belongs to all models.
    length : mapping
        ``n_chains``, ``burn_in``, ``n_samples``, ``thin``.
    """

    seed: int
    dataset: str
    role: str
    draw: int
    delta: float | None
    model: str
    settings: Mapping[str, Any]
    length: Mapping[str, int]

    def to_dict(self) -> dict[str, Any]:
        """As keyword arguments of `Run`."""
        return asdict(self)

    @property
    def name(self) -> str:
        """Name of the records: the draw of a recipe, or the data set."""
        return self.dataset if self.draw < 0 else f"{self.dataset}_{self.draw}"

    @property
    def stream(self) -> tuple[str, ...]:
        """First names of the random streams."""
        return (PAPER_KEY, self.name, self.model)

    @property
    def chains(self) -> range:
        """Numbers of the chains."""
        return range(self.length["n_chains"])

    @property
    def schedule(self) -> Schedule:
        """How long a chain runs and what it keeps."""
        return Schedule(
            self.length["burn_in"], self.length["n_samples"], self.length.get("thin", 1)
        )

    @property
    def data_file(self) -> str:
        """Name of the file of the records in the folder of the data set."""
        return f"{max(self.draw, 0)}.npz"

    def file(self, chain: int) -> str:
        """Name of the file of a chain."""
        return f"{self.model}-draw-{max(self.draw, 0)}-chain-{chain}.nc"

    @staticmethod
    def start(chain: int) -> str:
        """Where a chain starts: they take turns."""
        return ("singletons", "random")[chain % 2]


@dataclass(frozen=True)
class Plan:
    """The records section of the configuration at one scale.

    Parameters
    ----------
    scale : str
    seed : int
        Of the run.
    section : mapping
        The validated section ``records``.
    sources : tuple of str
        Recipes and real sets that can be used, once those that are missing are
        settled.
    replaced : mapping of str to tuple of str
        What stands in for a recipe or real set that is missing.

    Raises
    ------
    ConfigError
        If a name stands for nothing, or two cells would have one name.
    """

    scale: str
    seed: int
    section: Mapping[str, Any]
    sources: tuple[str, ...]
    replaced: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self):
        for part, study in self._studies():
            where = f"config/records.yaml: records.scales.{self.scale}.{part}"
            for model in study["models"]:
                if model not in self.section["models"]:
                    raise ConfigError(
                        f"{where}.models names {model!r}, which records.models lacks"
                        f"{nearest(model, self.section['models'])}"
                    )
            if study.get("n_draws", 1) > self.section["n_draws"]:
                raise ConfigError(
                    f"{where}.n_draws is {study['n_draws']}, but records.n_draws makes only "
                    f"{self.section['n_draws']}."
                )
            if study.get("n_draws", 1) > 1 and "others" not in study:
                raise ConfigError(f"{where} has several draws and lacks the key 'others'.")
        if self.settings["moves"]["model"] not in self.section["models"]:
            raise ConfigError(
                f"config/records.yaml: records.scales.{self.scale}.moves.model is "
                f"{self.settings['moves']['model']!r}, which records.models lacks."
            )

    @classmethod
    def wanted(cls, section: Mapping, scale: str) -> tuple[str, ...]:
        """Names in the registry of the recipes and record sets that a scale asks for."""
        given = [
            name
            for part in STUDIES
            for study in section["scales"][scale].get(part, ())
            for name in study["datasets"]
        ]
        given.append(section["scales"][scale]["moves"]["dataset"])
        cells = cls._cells_of(section)
        return tuple(dict.fromkeys(cells[name][0] if name in cells else name for name in given))

    @staticmethod
    def _cells_of(section: Mapping) -> dict[str, tuple[str, float]]:
        for delta in section["deltas"]:
            if abs(100 * delta - round(100 * delta)) > 1e-9:
                raise ConfigError(
                    f"config/records.yaml: records.deltas has {delta}; give hundredths, which "
                    "the names of the draws show."
                )
        return {
            cell_name(recipe, delta): (recipe, delta)
            for recipe in section["recipes"]
            for delta in section["deltas"]
        }

    @property
    def settings(self) -> Mapping[str, Any]:
        """What is particular to the scale."""
        return self.section["scales"][self.scale]

    def _studies(self, *parts: str) -> Iterator[tuple[str, Mapping]]:
        """Name and entry of each study of some parts of the scale."""
        for part in parts or STUDIES:
            for number, study in enumerate(self.settings.get(part, ())):
                yield f"{part}[{number}]", study

    def source(self, dataset: str) -> str:
        """Name in the registry of a cell or of real records."""
        return self._cells_of(self.section).get(dataset, (dataset, None))[0]

    def delta(self, dataset: str) -> float | None:
        """Concentration of a cell; None for real records."""
        return self._cells_of(self.section).get(dataset, (dataset, None))[1]

    def role(self, dataset: str) -> str:
        """Which of the paper's sets a cell is; of real records their own name."""
        recipe = self.section["recipes"].get(self.source(dataset))
        return dataset if recipe is None else recipe["role"]

    def _present(self, name: str) -> tuple[str, ...]:
        """A data set if it can be used, or what stands in for it."""
        source, delta = self._cells_of(self.section).get(name, (name, None))
        if source in self.sources and source not in self.replaced:
            return (name,)
        others = self.replaced.get(source, ())
        return tuple(other if delta is None else cell_name(other, delta) for other in others)

    def _datasets(self, study: Mapping) -> list[str]:
        """Data sets of a study, recipes spread over their concentrations."""
        names = []
        for name in study["datasets"]:
            if name in self.section["recipes"]:
                names += [cell_name(name, delta) for delta in self.section["deltas"]]
            else:
                names.append(name)
        return [other for name in names for other in self._present(name)]

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

    @property
    def moves_dataset(self) -> str | None:
        """Data set on which the moves are compared; None if it is missing."""
        return next(iter(self._present(self.settings["moves"]["dataset"])), None)

    @property
    def needed(self) -> tuple[str, ...]:
        """Every data set that is read."""
        moves = [self.moves_dataset] if self.moves_dataset else []
        return tuple(dict.fromkeys([*self.datasets, *moves]))

    def models(self, dataset: str) -> tuple[str, ...]:
        """Models that run on a data set."""
        names = [
            model
            for _, study in self._studies()
            if dataset in self._datasets(study)
            for model in study["models"]
        ]
        return tuple(dict.fromkeys(names))

    def batches(self, dataset: str) -> range:
        """Numbers of the jobs that share the models of a data set."""
        return range(-(-len(self.models(dataset)) // self.settings["models_per_job"]))

    def batch(self, dataset: str, number: int) -> list[Run]:
        """Everything that runs in one job."""
        size = self.settings["models_per_job"]
        models = self.models(dataset)[size * number : size * (number + 1)]
        return [run for model in models for run in self.runs(dataset, model)]

    def runs(self, dataset: str, model: str) -> list[Run]:
        """One run for each draw of a data set: what the chains of one job depend on."""
        for _, study in self._studies():
            if dataset in self._datasets(study) and model in study["models"]:
                break
        else:
            raise ConfigError(f"The model {model!r} does not run on {dataset!r} at this scale.")
        delta = self.delta(dataset)
        numbers = range(study.get("n_draws", 1)) if delta is not None else (-1,)
        return [
            Run(
                seed=self.seed,
                dataset=dataset,
                role=self.role(dataset),
                draw=number,
                delta=delta,
                model=model,
                settings=self._settings_of(model),
                length=dict(study["others"] if number > 0 else study["first"]),
            )
            for number in numbers
        ]

    def moves_run(self) -> Run:
        """The run in which the moves are compared."""
        moves, dataset = self.settings["moves"], self.moves_dataset
        delta = self.delta(dataset)
        length = {"n_chains": 1, "burn_in": moves["burn_in"], "n_samples": moves["chaperones"]}
        return Run(
            seed=self.seed,
            dataset=dataset,
            role=self.role(dataset),
            draw=-1 if delta is None else 0,
            delta=delta,
            model=moves["model"],
            settings=self._settings_of(moves["model"]),
            length=length,
        )

    def _settings_of(self, model: str) -> dict[str, Any]:
        common = {
            "delta": dict(self.section["delta"]),
            "miss": dict(self.section["miss"]),
            "similar": dict(self.section["pairs"]),
        }
        return {**self.section["models"][model], **common}
