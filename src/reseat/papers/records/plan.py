"""The chains that the configuration asks for, and the data draws on which they run."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, ClassVar

from reseat.chains import by_turns
from reseat.datasets.identity import cell_name, draw_name
from reseat.papers.plan import StudyPlan, StudyRun
from reseat.priors import declared_prior

#: First part of the name of every random stream of the family.
PAPER_KEY = "records"

#: Parts of a scale that use draws from recipes; the others use real records.
ON_DRAWS = ("table1", "readings")

#: Probability with which chaperones agree on each field, in the authors' later package.
AGREEING = 0.75

#: Name, in the configuration, of the likelihood that compares similar values.
SIMILAR = "similar"


def printed(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the columns that say how a model is printed, and which likelihood it has."""
    return {
        "system": settings.get("system", declared_prior(settings["prior"]).title),
        "reading": settings.get("variant", ""),
        "likelihood": settings.get("likelihood", "categorical"),
    }


def with_cells(names: Iterable[str], recipes: Iterable[str], deltas: Sequence[float]) -> list[str]:
    """Return names of data sets, with one cell per concentration in the place of a recipe."""
    cells = {name: [cell_name(name, delta) for delta in deltas] for name in recipes}
    return [cell for name in names for cell in cells.get(name, [name])]


def _cells_of(section: Mapping) -> dict[str, tuple[str, float]]:
    cells = product(section["recipes"], section["deltas"])
    return {cell_name(recipe, delta): (recipe, delta) for recipe, delta in cells}


def _named_by_moves(moves: Mapping) -> tuple[str, ...]:
    return (moves["dataset"], *moves.get("others", ()))


@dataclass(frozen=True)
class Run(StudyRun):
    """One model on one draw of a cell of a recipe, or on real records (draw -1)."""

    #: Concentration with which the records were drawn; None for real records.
    delta: float | None

    @property
    def name(self) -> str:
        """Name of the records: that of the draw of a recipe, or of the data set."""
        return self.dataset if self.draw < 0 else draw_name(self.dataset, self.draw)

    @property
    def stream(self) -> tuple[str, ...]:
        """First parts of the names of the random streams."""
        return (PAPER_KEY, self.name, self.model)

    @property
    def printed(self) -> dict[str, str]:
        """Columns that say how the model is printed, and which likelihood it has."""
        return printed(self.settings)

    @staticmethod
    def start(chain: int) -> str:
        """Return where a chain starts; the chains alternate between the starts."""
        return by_turns(("singletons", "random"), chain)


@dataclass(frozen=True)
class Plan(StudyPlan):
    """The records section of the configuration at one scale: recipes and real sets."""

    family: ClassVar[str] = PAPER_KEY
    RUN: ClassVar[type[Run]] = Run
    STORED: ClassVar[str] = "records/{dataset}"

    #: Parts of a scale. A pair of data set and model that is in two studies belongs to the first.
    PARTS: ClassVar[tuple[str, ...]] = ("table1", "readings", "real", "variants", "benchmarks")

    def is_drawn(self, name: str) -> bool:
        """Return whether a name in a study is a recipe or a cell of one, not a real record set."""
        return name in self.section["recipes"] or self.delta(name) is not None

    @classmethod
    def wanted(
        cls, section: Mapping, scale: str, given: Mapping[str, str] | None = None
    ) -> tuple[str, ...]:
        """Return the registry names of the recipes and record sets that a scale asks for."""
        settings, cells = section["scales"][scale], _cells_of(section)
        named = (*super().wanted(section, scale), *_named_by_moves(settings["moves"]))
        named += tuple(settings["unsettled"]["datasets"])
        return tuple(dict.fromkeys(cells.get(name, (name,))[0] for name in named))

    @cached_property
    def _cells(self) -> dict[str, tuple[str, float]]:
        return _cells_of(self.section)

    def source(self, dataset: str) -> str:
        """Return the registry name of a cell's recipe or of real records."""
        return self._cells.get(dataset, (dataset, None))[0]

    def delta(self, dataset: str) -> float | None:
        """Return the concentration of a cell, or None for real records."""
        return self._cells.get(dataset, (dataset, None))[1]

    def role(self, dataset: str) -> str:
        """Return which of the paper's sets a cell is, or the name of a set of real records."""
        recipe = self.section["recipes"].get(self.source(dataset))
        return dataset if recipe is None else recipe["role"]

    def present(self, name: str) -> tuple[str, ...]:
        """Return a cell or a real set if it can be used, or what stands in for it."""
        source, delta = self._cells.get(name, (name, None))
        found = super().present(source)
        return found if delta is None else tuple(cell_name(other, delta) for other in found)

    def named(self, study: Mapping) -> Sequence[str]:
        return with_cells(study["datasets"], self.section["recipes"], self.section["deltas"])

    def unsettled_runs(self) -> list[Run]:
        """Return the chains that are watched before they settle, on the first draw of each set."""
        watched = self.settings["unsettled"]
        pairs = {"n_subsets": self.section["pairs"]["n_subsets"], "field_probability": AGREEING}
        length = {"n_chains": 1, "burn_in": 0, "n_samples": watched["n_sweeps"]}
        return [
            self._run(dataset, model, 0, length, similar=pairs)
            for dataset in self.watched_datasets
            for model in watched["models"]
        ]

    @property
    def moves_datasets(self) -> tuple[str, ...]:
        """Data sets on which the moves are compared, those that are missing left out."""
        return self.datasets_of({"datasets": _named_by_moves(self.settings["moves"])})

    @property
    def watched_datasets(self) -> tuple[str, ...]:
        """Data sets on which chains are watched before they settle."""
        return self.datasets_of(self.settings["unsettled"])

    @property
    def needed(self) -> tuple[str, ...]:
        every = (*self.datasets, *self.moves_datasets, *self.watched_datasets)
        return tuple(dict.fromkeys(every))

    def draws(self, dataset: str) -> dict[str, Any] | None:
        """Return how a cell is drawn from its recipe, or None for real records."""
        source, delta = self.source(dataset), self.delta(dataset)
        if delta is None:
            return None
        stream = [self.seed, self.family, source, delta]
        return {"n_draws": self.section["n_draws"], "settings": {"delta": delta}, "stream": stream}

    def runs_of(self, dataset: str, model: str) -> list[Run]:
        study = self.study_of(dataset, model)
        numbers = (-1,) if self.delta(dataset) is None else range(study.get("n_draws", 1))
        return [
            self._run(dataset, model, number, dict(study["others" if number > 0 else "first"]))
            for number in numbers
        ]

    def moves_runs(self) -> list[Run]:
        """Return the runs in which the moves are compared, one for each data set."""
        moves = self.settings["moves"]
        length = {"n_chains": 1, "burn_in": moves["burn_in"], "n_samples": moves["chaperones"]}
        return [
            self._run(dataset, moves["model"], -1 if self.delta(dataset) is None else 0, length)
            for dataset in self.moves_datasets
        ]

    def _run(self, dataset: str, model: str, draw: int, length: Mapping, **changes: Any) -> Run:
        """Return a run with the settings of the model and of the section, some of them changed."""
        names = {"delta": "delta", "miss": "miss", "similar": "pairs"}
        shared = {key: dict(self.section[name]) for key, name in names.items()}
        settings = self.section["models"][model] | shared | changes
        more = {"delta": self.delta(dataset), "settings": settings, "length": length}
        return self.make_run(dataset, model, draw=draw, **more)
