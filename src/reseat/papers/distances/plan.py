"""The chains that the configuration asks for, on draws of points and on real objects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from reseat.errors import ConfigError
from reseat.papers.distances import PAPER_MODELS
from reseat.papers.plan import StudyPlan, StudyRun

__all__ = ["HELD", "PAPER_KEY", "STARTS", "TRUTH", "Plan", "Run"]

#: The first name of every random stream of the family.
PAPER_KEY = "distances"

#: Where chains start: all objects in one block or in many; points in their true blocks, which shows
#: whether the other chains reach the same place; and, if classes are held, the remaining objects in
#: one more block or in many.
STARTS, TRUTH, HELD = ("one", "many"), "truth", ("held", "held, many")

#: Largest expected number of empty clusters with which points can be drawn in a thousand attempts.
MOST_EMPTY = 3


@dataclass(frozen=True)
class Run(StudyRun):
    """One model on one draw of a data set; real objects have a single draw, number 0.

    Parameters are those of `StudyRun`; the settings also have ``objects``, the
    entry of the data set if it consists of real objects.
    """

    @property
    def stream(self) -> tuple[str, ...]:
        """The first names of the random streams."""
        return (PAPER_KEY, f"{self.dataset}/{self.draw}", self.model)


@dataclass(frozen=True)
class Plan(StudyPlan):
    """The distances section of the configuration at one scale."""

    family: ClassVar[str] = PAPER_KEY
    STORED: ClassVar[str] = "distances/{dataset}"

    #: A model runs on as many draws as the study that requests the most.
    APART: ClassVar[tuple[str, ...]] = ("datasets", "models", "n_draws")
    PARTS: ClassVar[tuple[str, ...]] = ("accuracy", "trace", "means", "readings", "labelled")

    def __post_init__(self):
        super().__post_init__()
        for name in ("theta", "theta_few"):
            grid = self.section[name]
            if grid["lowest"] > grid["highest"]:
                raise ConfigError(
                    f"config, distances.{name}.lowest is {grid['lowest']:g}, above highest, "
                    f"which is {grid['highest']:g}."
                )
            if grid["n_values"] == 1 and grid["lowest"] < grid["highest"]:
                raise ConfigError(
                    f"config, distances.{name}.n_values is 1, so that theta would always be "
                    f"lowest, {grid['lowest']:g}; raise it, or write the same number for highest."
                )
        self._check_scaling()
        self._check_shown()
        # Imported here, so that it is loaded only where plans are made.
        from reseat.datasets.alignment import substitution_matrix

        try:
            substitution_matrix(**self.section["alignment"])
        except ConfigError as error:
            raise ConfigError(f"config, distances.alignment: {error}.") from error

    def _check_shown(self) -> None:
        """Refuse studies that no artefact would show, or that would make an artefact fail."""
        objects = self.section["objects"]
        for part in ("accuracy", "means"):
            for place, study in self.studies(part):
                for name in study["datasets"]:
                    if name in objects:
                        raise ConfigError(
                            f"{place}.datasets has {name!r}, which is none of distances.points; "
                            f"{part} shows no others: move it to labelled."
                        )
        for place, study in self.studies("readings"):
            if {*study["models"]} <= {*PAPER_MODELS}:
                raise ConfigError(
                    f"{place}.models has no reading of a model, only the paper's; add one, such as "
                    "tiwd_printed, or remove the study."
                )
        ran = [(name, study) for _, study in self.studies() for name in study["datasets"]]
        paper = {name for name, study in ran if "tiwd" in study["models"]}
        for place, study in self.studies():
            traced = place.startswith(f"{self.place}.trace")
            for name in study["datasets"]:
                if name not in paper and (traced or "kappa" in objects.get(name, {})):
                    raise ConfigError(
                        f"{place}.models: no study has the model 'tiwd' on {name!r}, whose chains "
                        "are shown; add it."
                    )

    def _check_scaling(self) -> None:
        """Refuse more clusters than pairs of objects, which would time sweeps of singletons."""
        scaling = self.settings["scaling"]
        sizes = {key: size for key, size in scaling.items() if key.startswith("largest_")}
        least, most = min(sizes, key=sizes.get), max(scaling["n_clusters"])
        if 2 * most > sizes[least]:
            raise ConfigError(
                f"{self.place}.scaling.n_clusters has {most}, more than half of {least}, which is "
                f"{sizes[least]}; lower one or raise the other."
            )
        if most * (1 - 1 / most) ** sizes[least] > MOST_EMPTY:
            raise ConfigError(
                f"{self.place}.scaling.n_clusters has {most}, of which some would always be empty "
                f"with the {sizes[least]} objects of {least}; lower one or raise the other."
            )

    def check_study(self, where: str, study: Mapping) -> None:
        """Check the names of a study and its number of draws."""
        known = {**self.section["points"], **self.section["objects"]}
        models, places = self.section["models"], "distances.points or distances.objects"
        self.require_known(f"{where}.models", study["models"], models, "distances.models")
        self.require_known(f"{where}.datasets", study["datasets"], known, places)
        for name in study["datasets"]:
            if name not in self.section["points"]:
                self._check_objects(where, study, name)
            held = [model for model in study["models"] if "clamp" in models[model]]
            if held and name in self.section["points"]:
                raise ConfigError(
                    f"{where}.models has {held[0]!r}, whose clamp says which labels are kept, but "
                    f"the points of {name!r} have none; remove it."
                )
            made = known[name].get("n_draws", 1)
            if study.get("n_draws", 1) > made:
                raise ConfigError(
                    f"{where}.n_draws is {study['n_draws']}, but only {made} of {name!r} are "
                    "available; see distances.points."
                )

    def _check_objects(self, where: str, study: Mapping, name: str) -> None:
        """Refuse what only points allow: they hold no classes, and their true blocks are known."""
        has = [f"starts has {TRUTH!r}"] if TRUTH in study.get("starts", ()) else []
        for model in study["models"]:
            entry = self.section["models"][model]
            for wrong, why in (
                ("split_merge" in entry, "splits and merges"),
                ("n_blocks" in entry, "needs the true number of blocks"),
                (entry["likelihood"] in ("similarities", "points"), "needs coordinates"),
                ("lost" in entry, "has fewer degrees of freedom than coordinates"),
            ):
                has += [f"models has {model!r}, which {why}"] if wrong else []
        if has:
            raise ConfigError(
                f"{where}.{has[0]}, but {name!r} is none of distances.points; remove it, or move "
                "the set to another study."
            )

    def role(self, dataset: str) -> str:
        """Return which of the paper's sets a data set stands for."""
        entry = self.section["points"].get(dataset) or self.section["objects"][dataset]
        return entry.get("role", dataset)

    def runs(self, dataset: str) -> list[Run]:
        """Return one run per model and draw of a data set, with all that its chains depend on."""
        found: dict[tuple[str, int], Run] = {}
        for study in self.studies_on(dataset):
            for model in study["models"]:
                for draw in range(study.get("n_draws", 1)):
                    run = Run(
                        seed=self.seed,
                        dataset=dataset,
                        role=self.role(dataset),
                        draw=draw,
                        model=model,
                        settings=self._settings_of(study, model, dataset),
                        length=dict(study["length"]),
                    )
                    found.setdefault((model, draw), run)
        return list(found.values())

    def draws(self, dataset: str) -> dict[str, Any]:
        """Return the parameters with which a set of points is drawn."""
        return {
            "n_draws": self.section["points"][dataset]["n_draws"],
            "settings": {},
            "stream": [self.seed, self.family, dataset],
        }

    def main_run(self, dataset: str) -> Run:
        """Return the run of the paper's model on the first draw of a data set."""
        for run in self.runs(dataset):
            if run.model == "tiwd" and run.draw == 0:
                return run
        raise ConfigError(
            f"{self.place}: no study has the model 'tiwd' on {dataset!r}, whose chains this "
            "artefact shows; add it."
        )

    def chain_folders(self, *datasets: str) -> list[str]:
        """Return the folders of finished chains; the chains on one data set are one job."""
        return [f"{dataset}/chains" for dataset in datasets or self.datasets]

    def _settings_of(self, study: Mapping, model: str, dataset: str) -> dict[str, Any]:
        common = ("theta", "theta_few", "annealing", "hidden_share")
        objects = self.section["objects"].get(dataset)
        return {
            **self.section["models"][model],
            **{name: self.section[name] for name in common},
            **({"starts": study["starts"]} if "starts" in study else {}),
            "objects": objects and {key: objects[key] for key in objects if key != "role"},
        }
