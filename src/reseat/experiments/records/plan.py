"""Which chains the configuration asks for, on which draws of which data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from reseat.chains import by_turns
from reseat.datasets.draw_names import cell_name, draw_name
from reseat.errors import ConfigError
from reseat.experiments.planning import StudyPlan, StudyRun
from reseat.experiments.records import PAPER_MODELS
from reseat.priors import declared_prior

__all__ = ["PAPER_KEY", "SIMILAR", "Plan", "Run"]

#: The first name of every random stream of the family.
PAPER_KEY = "records"

#: Parts of a scale that are about draws from recipes; the others are about real records.
ON_DRAWS = ("table1", "readings")

#: The likelihood of similar values, by its name in a configuration.
SIMILAR = "similar"


def _printed(settings: Mapping[str, Any]) -> dict[str, str]:
    return {
        "system": settings.get("system", declared_prior(settings["prior"]).title),
        "reading": settings.get("variant", ""),
        "likelihood": settings.get("likelihood", "categorical"),
    }


@dataclass(frozen=True)
class Run(StudyRun):
    """One model on one draw of a data set.

    Parameters are those of `StudyRun`.  The data set is a cell of a recipe, or
    a set of real records, whose role is its own name and whose draw is -1.

    Parameters
    ----------
    delta : float or None
        Concentration the records were drawn with; None for real records.
    """

    delta: float | None

    @property
    def name(self) -> str:
        """Name of the records: the draw of a recipe, or the data set."""
        return self.dataset if self.draw < 0 else draw_name(self.dataset, self.draw)

    @property
    def stream(self) -> tuple[str, ...]:
        """First names of the random streams."""
        return (PAPER_KEY, self.name, self.model)

    @property
    def printed(self) -> dict[str, str]:
        """Columns that say how the model is printed, and which likelihood it has."""
        return _printed(self.settings)

    @staticmethod
    def start(chain: int) -> str:
        """Where a chain starts: they take turns."""
        return by_turns(("singletons", "random"), chain)


@dataclass(frozen=True)
class Plan(StudyPlan):
    """The records section of the configuration at one scale.

    Parameters are those of `StudyPlan`; the sources are recipes and real sets.

    Raises
    ------
    ConfigError
        If a name stands for nothing, or two cells or two models would have one name.
    """

    family: ClassVar[str] = PAPER_KEY
    STORED: ClassVar[str] = "records/{dataset}"

    #: A pair of data set and model that occurs in two studies belongs to the first.
    PARTS: ClassVar[tuple[str, ...]] = ("table1", "readings", "real", "variants", "benchmarks")

    def __post_init__(self):
        super().__post_init__()
        words = {name: _printed(model).values() for name, model in self.section["models"].items()}
        self.require_apart(words, "prior, the variant and the likelihood")
        if self.settings["moves"]["model"] not in self.section["models"]:
            raise ConfigError(
                f"{self.place}.moves.model is {self.settings['moves']['model']!r}, which is not "
                "in records.models."
            )
        self._check_moves(self.settings["moves"]["dataset"], self.settings["moves"]["model"])
        self._check_shown()

    def check_study(self, where: str, study: Mapping) -> None:
        """Check the models of a study and its number of draws."""
        models = self.section["models"]
        self.require_known(f"{where}.models", study["models"], models, "records.models")
        if study.get("n_draws", 1) > self.section["n_draws"]:
            raise ConfigError(
                f"{where}.n_draws is {study['n_draws']}, but records.n_draws makes only "
                f"{self.section['n_draws']}."
            )
        if study.get("n_draws", 1) > 1 and "others" not in study:
            raise ConfigError(f"{where} has several draws but lacks the key 'others'.")
        drawn = next((m for m in study["models"] if models[m].get("marginals") == "generating"), "")
        real = next((name for name in study["datasets"] if not self._is_drawn(name)), "")
        if drawn and real:
            raise ConfigError(
                f"{where}.models has {drawn!r}, which takes the marginals that records are drawn "
                f"from, but {real!r} is none of records.recipes; remove it, or move the set to "
                "another study."
            )

    def _check_moves(self, dataset: str, model: str) -> None:
        where = f"{self.place}.moves"
        if dataset in self.section["recipes"]:
            cell = cell_name(dataset, self.section["deltas"][0])
            raise ConfigError(
                f"{where}.dataset is the recipe {dataset!r}; name its draws at one delta, such as "
                f"{cell!r}."
            )
        generating = self.section["models"][model].get("marginals") == "generating"
        if generating and not self._is_drawn(dataset):
            raise ConfigError(
                f"{where}.model is {model!r}, which takes the marginals that records are drawn "
                f"from, but {dataset!r} is none of records.recipes; use another model."
            )

    def _check_shown(self) -> None:
        """Refuse what would run but not be shown."""
        for part in self.PARTS:
            for where, study in self.studies(part):
                for name in study["datasets"]:
                    self._check_drawn(where, part, name)
        for where, study in self.studies("readings"):
            if {*study["models"]} <= {*PAPER_MODELS}:
                raise ConfigError(
                    f"{where}.models has no reading of a model, only the paper's; add one, such as "
                    "pyp_75, or move the study to table1."
                )
        models = self.section["models"]
        for where, study in self.studies("benchmarks"):
            other = next((m for m in study["models"] if models[m].get("likelihood") != SIMILAR), "")
            if other:
                raise ConfigError(
                    f"{where}.models has {other!r}, whose likelihood is not {SIMILAR}; benchmarks "
                    "show no other: move it to real."
                )

    def _check_drawn(self, where: str, part: str, name: str) -> None:
        if self._is_drawn(name) and part not in ON_DRAWS:
            raise ConfigError(
                f"{where}.datasets has {name!r}, which is drawn from a recipe; {part} is of real "
                f"records: move it to {' or '.join(ON_DRAWS)}."
            )
        if not self._is_drawn(name) and part in ON_DRAWS:
            raise ConfigError(
                f"{where}.datasets has {name!r}, which is not drawn from a recipe; {part} shows "
                "draws alone: move it to real."
            )

    def _is_drawn(self, name: str) -> bool:
        """Whether a name in a study is a recipe or a cell of one, not a set of real records."""
        return name in self.section["recipes"] or self.delta(name) is not None

    @classmethod
    def wanted(
        cls, section: Mapping, scale: str, given: Mapping[str, str] | None = None
    ) -> tuple[str, ...]:
        """Names in the registry of the recipes and record sets that a scale asks for."""
        moves = section["scales"][scale]["moves"]["dataset"]
        named, cells = (*super().wanted(section, scale), moves), cls._cells_of(section)
        return tuple(dict.fromkeys(cells[name][0] if name in cells else name for name in named))

    @staticmethod
    def _cells_of(section: Mapping) -> dict[str, tuple[str, float]]:
        try:
            return {
                cell_name(recipe, delta): (recipe, delta)
                for recipe in section["recipes"]
                for delta in section["deltas"]
            }
        except ConfigError as error:
            raise ConfigError(f"config, records.deltas: {error}.") from None

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

    def present(self, name: str) -> tuple[str, ...]:
        """A cell or a real set if it can be used, or what stands in for it."""
        source, delta = self._cells_of(self.section).get(name, (name, None))
        found = super().present(source)
        return found if delta is None else tuple(cell_name(other, delta) for other in found)

    def named(self, study: Mapping) -> Sequence[str]:
        """Data sets that a study names, recipes spread over their concentrations."""
        names = []
        for name in study["datasets"]:
            if name in self.section["recipes"]:
                names += [cell_name(name, delta) for delta in self.section["deltas"]]
            else:
                names.append(name)
        return names

    @property
    def moves_dataset(self) -> str | None:
        """Data set on which the moves are compared; None if it is missing."""
        return next(iter(self.present(self.settings["moves"]["dataset"])), None)

    @property
    def needed(self) -> tuple[str, ...]:
        """Every data set that is read."""
        moves = [self.moves_dataset] if self.moves_dataset else []
        return tuple(dict.fromkeys([*self.datasets, *moves]))

    def draws(self, dataset: str) -> dict[str, Any] | None:
        """How a cell is drawn from its recipe; None for real records."""
        source, delta = self.source(dataset), self.delta(dataset)
        if delta is None:
            return None
        return {
            "n_draws": self.section["n_draws"],
            "settings": {"delta": delta},
            "stream": [self.seed, self.family, source, delta],
        }

    def runs_of(self, dataset: str, model: str) -> list[Run]:
        """One run for each draw of a data set under a model."""
        study, delta = self.study_of(dataset, model), self.delta(dataset)
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
