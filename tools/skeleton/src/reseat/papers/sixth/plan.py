"""The chains that the configuration asks for, and the documents on which they run."""

from dataclasses import dataclass
from typing import ClassVar

from reseat.chains import by_turns
from reseat.papers.plan import StudyPlan, StudyRun

#: The first name of every random stream of the family; a new name changes every draw.
PAPER_KEY = "sixth"


@dataclass(frozen=True)
class Run(StudyRun):
    """One model on a data set, which has a single draw, number 0."""

    @property
    def stream(self) -> tuple[str, ...]:
        """The first names of the random streams."""
        return (PAPER_KEY, self.dataset, self.model)

    @staticmethod
    def start(chain: int) -> str:
        """Return where a chain starts; chains take turns."""
        return by_turns(("one", "singletons"), chain)


@dataclass(frozen=True)
class Plan(StudyPlan):
    """The section of the configuration at one scale."""

    family: ClassVar[str] = PAPER_KEY
    STORED: ClassVar[str] = "sixth/{dataset}.npz"

    #: A pair of data set and model that occurs in two studies belongs to the first.
    PARTS: ClassVar[tuple[str, ...]] = ("studies",)

    def runs_of(self, dataset: str, model: str) -> list[Run]:
        """Return the only run of a model on a data set, in a list."""
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
