"""Base classes of the plans of the families: studies of a scale, their runs, and their files."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, Self

from reseat.chains import Schedule

#: Keys of the entry of a model that only provide words for tables and figures.
PRINTED = ("system", "variant")


def jobs(work: Sequence, size: int) -> list[Sequence]:
    """Split work into jobs of at most `size` parts each."""
    return [work[first : first + size] for first in range(0, len(work), size)]


class Parameters:
    """Base of the dataclasses that a rule passes to its script; they have a `role`."""

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes as plain types, which the class accepts as keyword arguments."""
        return asdict(self)

    def without_words(self) -> Self:
        """Return a copy without what is only printed, so that a new wording reruns no chain."""
        return replace(self, role="")


@dataclass(frozen=True)
class StudyRun(Parameters):
    """One model on one draw of a data set."""

    seed: int
    dataset: str
    #: The paper's set for which the data set serves.
    role: str
    #: Number of the draw, from 0.
    draw: int
    model: str
    #: Entry of the model in the section, with the settings that all models share.
    settings: Mapping[str, Any]
    #: ``n_chains``, ``burn_in``, ``n_samples`` and, unless it is 1, ``thin``.
    length: Mapping[str, int]

    def without_words(self) -> Self:
        """Return a copy as `Parameters.without_words` does, also without words in the settings."""
        kept = {key: value for key, value in self.settings.items() if key not in PRINTED}
        return replace(super().without_words(), settings=kept)

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
    def n_sweeps(self) -> int:
        """Total number of sweeps of a chain."""
        return self.schedule.n_sweeps

    @property
    def burn_in(self) -> int:
        """Number of sweeps before the first one that is kept."""
        return self.schedule.burn_in

    def chain_schedule(self, chain: int) -> Schedule:
        """Return the schedule of one chain."""
        return self.schedule

    @property
    def data_file(self) -> str:
        """Name of the file with the draw, in the folder of the data set."""
        return f"{max(self.draw, 0)}.npz"

    def file(self, chain: int) -> str:
        """Return the name of the file of a chain."""
        return f"{self.model}-draw-{max(self.draw, 0)}-chain-{chain}.nc"


@dataclass(frozen=True)
class StudyPlan:
    """A family's plan at one scale: `PARTS` of studies, each of models on data sets."""

    #: Name of the family, of its section, and of the file that contains the section.
    family: ClassVar[str]

    RUN: ClassVar[type[Parameters]]

    PARTS: ClassVar[tuple[str, ...]]

    #: Path of a processed data set below the folder of processed data.
    STORED: ClassVar[str]

    #: Keys in which two studies may differ although they share a model on a data set.
    APART: ClassVar[tuple[str, ...]] = ("datasets", "models")

    scale: str
    seed: int
    #: The validated section of the family.
    section: Mapping[str, Any]
    #: Data sets that can be used, after those that are missing have been left out or replaced.
    sources: tuple[str, ...]
    #: For each data set that is missing, the data sets that stand in for it.
    replaced: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def settings(self) -> Mapping[str, Any]:
        """Settings of the scale."""
        return self.section["scales"][self.scale]

    @classmethod
    def wanted(
        cls, section: Mapping, scale: str, given: Mapping[str, str] | None = None
    ) -> tuple[str, ...]:
        """Return the data sets that a scale asks for; `given` has paths that the user supplies."""
        studies = _studies(section["scales"][scale], cls.PARTS)
        return tuple(dict.fromkeys(name for study in studies for name in study["datasets"]))

    def studies(self, *parts: str) -> Iterator[Mapping]:
        """Yield each study in the given parts of the scale, by default in all."""
        return _studies(self.settings, parts or self.PARTS)

    def present(self, name: str) -> tuple[str, ...]:
        """Return the data set if it can be used, or the data sets that stand in for it."""
        if name in self.replaced:
            return tuple(self.replaced[name])
        return (name,) if name in self.sources else ()

    def named(self, study: Mapping) -> Sequence[str]:
        """Return the data sets that a study names."""
        return tuple(study.get("datasets", ()))

    def datasets_of(self, study: Mapping) -> tuple[str, ...]:
        """Return the data sets of a study that can be used, or those that stand in for them."""
        found = (other for name in self.named(study) for other in self.present(name))
        return tuple(dict.fromkeys(found))

    def studies_on(self, dataset: str) -> list[Mapping]:
        """Return the studies that use a data set, in order."""
        return [study for study in self.studies() if dataset in self.datasets_of(study)]

    def datasets_in(self, *parts: str) -> tuple[str, ...]:
        """Return the data sets of the given parts of the scale, by default of all."""
        found = (name for study in self.studies(*parts) for name in self.datasets_of(study))
        return tuple(dict.fromkeys(found))

    @property
    def datasets(self) -> tuple[str, ...]:
        """Every data set of the studies."""
        return self.datasets_in()

    @property
    def needed(self) -> tuple[str, ...]:
        """Every data set that is read."""
        return self.datasets

    @property
    def modelled(self) -> tuple[str, ...]:
        """Every data set, or other reading of one, on which models run."""
        return self.datasets

    def role(self, dataset: str) -> str:
        """Return the paper's set for which a data set serves, by default its own name."""
        return self.section["sets"][dataset].get("role", dataset)

    def stored(self, dataset: str) -> str:
        """Return the path of a processed data set below the folder of processed data."""
        return self.STORED.format(dataset=dataset)

    def models(self, dataset: str) -> tuple[str, ...]:
        """Return the models that run on a data set."""
        found = (model for study in self.studies_on(dataset) for model in study["models"])
        return tuple(dict.fromkeys(found))

    def study_of(self, dataset: str, model: str) -> Mapping:
        """Return the first study that runs a model on a data set."""
        return next(study for study in self.studies_on(dataset) if model in study["models"])

    def runs(self, dataset: str) -> Sequence[StudyRun]:
        """Return all runs on a data set."""
        return [run for model in self.models(dataset) for run in self.runs_of(dataset, model)]

    def runs_of(self, dataset: str, model: str) -> Sequence[StudyRun]:
        """Return one run per draw of a data set for a model."""
        raise NotImplementedError

    def make_run(self, dataset: str, model: str, **others: Any) -> Any:
        """Return a run of a model on a data set; `others` are what runs of the family also have."""
        common = {"seed": self.seed, "dataset": dataset, "role": self.role(dataset)}
        return self.RUN(**common, model=model, **others)

    def batch(self, dataset: str, number: int) -> list[StudyRun]:
        """Return all runs of one job."""
        models = self._jobs(dataset)[number]
        return [run for model in models for run in self.runs_of(dataset, model)]

    def _jobs(self, dataset):
        return jobs(self.models(dataset), self.settings["models_per_job"])

    def chain_folders(self, *datasets: str) -> list[str]:
        """Return the folders of finished chains or fits on some data sets, by default on all."""
        return [
            f"{dataset}/chains/block-{number}"
            for dataset in datasets or self.modelled
            for number in range(len(self._jobs(dataset)))
        ]

    def reported_runs(self) -> list[dict[str, Any]]:
        """Return what ran on each data set, over all draws; sweeps are None if there are none."""
        return [
            self.reported(dataset, model, [run for run in runs if run.model == model])
            for dataset in self.modelled
            for runs in [self.runs(dataset)]
            for model in dict.fromkeys(run.model for run in runs)
        ]

    def reported(self, dataset: str, model: str, runs: Sequence[Any]) -> dict[str, Any]:
        """Return the entry of `reported_runs` for one model on one data set."""
        n_chains = sum(len(run.chains) for run in runs)
        sweeps = sum(len(run.chains) * run.n_sweeps for run in runs)
        how = {"n_sweeps": round(sweeps / n_chains), "burn_in": runs[0].burn_in}
        return {"dataset": dataset, "model": model, "n_chains": n_chains, **how}


def _studies(settings: Mapping, parts: Iterable[str]) -> Iterator[Mapping]:
    for part in parts:
        entry = settings.get(part, ())
        yield from [entry] if isinstance(entry, Mapping) else entry
