"""Which chains the configuration asks for, on which labelled items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from reseat.chains import by_turns
from reseat.errors import ConfigError
from reseat.experiments.planning import StudyPlan, StudyRun

__all__ = ["PAPER_KEY", "Plan", "Run"]

#: The first name of every random stream of the family.
PAPER_KEY = "supervised"

#: Where the chains of a model start, in turns, unless its entry says otherwise.
STARTS = ("one", "singletons")

#: Parts of the section that belong to every model.
COMMON = ("sigma", "shape", "rate", "lambda", "n_candidates", "concentration", "warm_up")


@dataclass(frozen=True)
class Run(StudyRun):
    """One model on a data set; it has one draw, number 0."""

    @property
    def stream(self) -> tuple[str, ...]:
        """First names of the random streams."""
        return (PAPER_KEY, self.dataset, self.model)

    @property
    def key(self) -> dict[str, str]:
        """Columns that tell the model from others."""
        return {"system": self.settings["system"], "variant": self.settings.get("variant", "")}

    def start(self, chain: int) -> str:
        """Where a chain starts: they take turns."""
        return by_turns(self.settings.get("starts", STARTS), chain)

    def file(self, chain: int) -> str:
        """Name of the file of a chain."""
        return f"{self.model}-chain-{chain}.nc"


@dataclass(frozen=True)
class Plan(StudyPlan):
    """The supervised section of the configuration at one scale.

    Parameters are those of `StudyPlan`.

    Raises
    ------
    ConfigError
        If a name stands for nothing.
    """

    family: ClassVar[str] = PAPER_KEY

    #: A pair of data set and model that occurs in two studies belongs to the first.
    PARTS: ClassVar[tuple[str, ...]] = ("studies",)

    def check_study(self, where: str, study: Mapping) -> None:
        """Check the names of a study."""
        for key, place in (("models", "models"), ("datasets", "sets")):
            self.require_known(
                f"{where}.{key}", study[key], self.section[place], f"{self.family}.{place}"
            )

    def role(self, dataset: str) -> str:
        """Which of the paper's sets a data set stands for."""
        return self.section["sets"][dataset]["role"]

    def embedding(self, dataset: str) -> dict[str, Any]:
        """How the coordinates of a data set are made."""
        return {**self.section["embedding"], **self.section["sets"][dataset].get("embedding", {})}

    @property
    def binary(self) -> dict[str, Any]:
        """Settings of the pair classifier."""
        return {**self.section["binary"], **self.settings["binary"]}

    def batches(self, dataset: str) -> range:
        """Numbers of the jobs that share the models of a data set."""
        return range(-(-len(self.models(dataset)) // self.settings["models_per_job"]))

    def batch(self, dataset: str, number: int) -> list[Run]:
        """Everything that runs in one job."""
        size = self.settings["models_per_job"]
        return [
            self.run(dataset, model)
            for model in self.models(dataset)[size * number : size * (number + 1)]
        ]

    def runs(self, dataset: str) -> list[Run]:
        """Everything that runs on a data set."""
        return [self.run(dataset, model) for model in self.models(dataset)]

    def run(self, dataset: str, model: str) -> Run:
        """What the chains of a model on a data set depend on.

        Raises
        ------
        ConfigError
            If the model does not run there at this scale.
        """
        for study in self.studies_on(dataset):
            if model in study["models"]:
                break
        else:
            raise ConfigError(f"The model {model!r} does not run on {dataset!r} at this scale.")
        settings = dict(self.section["models"][model])
        settings |= {name: self.section[name] for name in COMMON if name not in settings}
        if "moves" in settings:
            settings["move"] = dict(self.section[settings["moves"]])
        return Run(
            seed=self.seed,
            dataset=dataset,
            role=self.role(dataset),
            draw=0,
            model=model,
            settings=settings,
            length=dict(study["length"]),
        )
