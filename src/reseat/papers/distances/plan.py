"""The chains that the configuration asks for, on draws of points and on real objects."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

from reseat.papers.plan import StudyPlan, StudyRun

#: The first name of every random stream of the family.
PAPER_KEY = "distances"

#: Where chains start: in one block or many; points in their true blocks, as a check; and, with held
#: classes, the remaining objects in one more block or in many.
STARTS, TRUTH, HELD = ("one", "many"), "truth", ("held", "held, many")


@dataclass(frozen=True)
class Run(StudyRun):
    """One model on one draw, 0 for real objects, whose entry is the setting ``objects``."""

    @property
    def stream(self) -> tuple[str, ...]:
        """The first names of the random streams."""
        return (PAPER_KEY, f"{self.dataset}/{self.draw}", self.model)


@dataclass(frozen=True)
class Plan(StudyPlan):
    """The distances section of the configuration at one scale."""

    family: ClassVar[str] = PAPER_KEY
    RUN: ClassVar[type[Run]] = Run
    STORED: ClassVar[str] = "distances/{dataset}"

    #: A model runs on as many draws as the study that requests the most.
    APART: ClassVar[tuple[str, ...]] = ("datasets", "models", "n_draws")
    PARTS: ClassVar[tuple[str, ...]] = ("accuracy", "trace", "means", "readings", "labelled")

    def role(self, dataset: str) -> str:
        entry = self.section["points"].get(dataset) or self.section["objects"][dataset]
        return entry.get("role", dataset)

    def runs(self, dataset: str) -> list[Run]:
        """Return one run per model and draw of a data set, with all that its chains depend on."""
        found: dict[tuple[str, int], Run] = {}
        for study in self.studies_on(dataset):
            for model, draw in product(study["models"], range(study.get("n_draws", 1))):
                settings = self._settings_of(study, model, dataset)
                more = {"draw": draw, "settings": settings, "length": dict(study["length"])}
                found.setdefault((model, draw), self.make_run(dataset, model, **more))
        return list(found.values())

    def draws(self, dataset: str) -> dict[str, Any]:
        """Return the parameters with which a set of points is drawn."""
        n_draws = self.section["points"][dataset]["n_draws"]
        stream = [self.seed, self.family, dataset]
        return {"n_draws": n_draws, "settings": {}, "stream": stream}

    def main_run(self, dataset: str) -> Run:
        """Return the run of the paper's model on the first draw of a data set."""
        return next(run for run in self.runs(dataset) if run.model == "tiwd" and run.draw == 0)

    def chain_folders(self, *datasets: str) -> list[str]:
        """Return the folders of finished chains; the chains on one data set are one job."""
        return [f"{dataset}/chains" for dataset in datasets or self.datasets]

    def _settings_of(self, study: Mapping, model: str, dataset: str) -> dict[str, Any]:
        objects = self.section["objects"].get(dataset)
        return {
            **self.section["models"][model],
            **{name: self.section[name] for name in ("annealing", "hidden_share")},
            **({"starts": study["starts"]} if "starts" in study else {}),
            "objects": objects and {key: objects[key] for key in objects if key != "role"},
        }
