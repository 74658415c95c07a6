"""Which chains the configuration asks for, on which documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from reseat.chains import by_turns
from reseat.experiments.planning import StudyPlan, StudyRun

__all__ = ["PAPER_KEY", "Plan", "Run"]

#: The first name of every random stream of the family; another one changes every draw.
PAPER_KEY = "sixth"


@dataclass(frozen=True)
class Run(StudyRun):
    """One model on a data set; it has one draw, number 0."""

    @property
    def stream(self) -> tuple[str, ...]:
        """First names of the random streams."""
        return (PAPER_KEY, self.dataset, self.model)

    @staticmethod
    def start(chain: int) -> str:
        """Where a chain starts: they take turns."""
        return by_turns(("one", "singletons"), chain)


@dataclass(frozen=True)
class Plan(StudyPlan):
    """The section of the configuration at one scale.

    Parameters are those of `StudyPlan`.

    Raises
    ------
    ConfigError
        If a name stands for nothing.
    """

    family: ClassVar[str] = PAPER_KEY
    STORED: ClassVar[str] = "sixth/{dataset}.npz"

    #: A pair of data set and model that occurs in two studies belongs to the first.
    PARTS: ClassVar[tuple[str, ...]] = ("studies",)

    def runs_of(self, dataset: str, model: str) -> list[Run]:
        """What the chains of a model on a data set depend on: one run."""
        return [
            Run(
                seed=self.seed,
                dataset=dataset,
                role=self.role(dataset),
                draw=0,
                model=model,
                settings=dict(self.section["models"][model]),
                length=dict(self.study_of(dataset, model)["length"]),
            )
        ]
