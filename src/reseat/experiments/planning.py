"""What the plans of the families share: studies of a scale, their runs, and the files of both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from typing import Any, ClassVar, Self

from reseat.chains import Schedule
from reseat.configuration import did_you_mean
from reseat.errors import ConfigError

__all__ = ["Parameters", "StudyPlan", "StudyRun", "jobs"]

#: Keys of the entry of a model that are words for tables and figures.
PRINTED = ("system", "variant")


def jobs(work: Sequence, size: int) -> list[Sequence]:
    """Cut work into jobs of at most `size` parts each."""
    return [work[first : first + size] for first in range(0, len(work), size)]


class Parameters:
    """Base of dataclasses that a rule hands to its script; they have a `role`."""

    def to_dict(self) -> dict[str, Any]:
        """As plain types, which are keyword arguments of the class again."""
        return asdict(self)

    def without_words(self) -> Self:
        """The same without what is only printed, so that other words make no chain anew."""
        return replace(self, role="")


@dataclass(frozen=True)
class StudyRun(Parameters):
    """One model on one draw of a data set.

    Parameters
    ----------
    seed : int
        Of the whole run.
    dataset : str
    role : str
        Which of the paper's sets it is.
    draw : int
        Number of the draw, from 0.
    model : str
    settings : mapping
        The entry of the model in the section, with what belongs to all models.
    length : mapping
        ``n_chains``, ``burn_in``, ``n_samples`` and, unless it is 1, ``thin``.
    """

    seed: int
    dataset: str
    role: str
    draw: int
    model: str
    settings: Mapping[str, Any]
    length: Mapping[str, int]

    def without_words(self) -> Self:
        """See `Parameters.without_words`."""
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
        """Sweeps of a chain in all."""
        return self.schedule.n_sweeps

    @property
    def burn_in(self) -> int:
        """Sweeps before the first kept one."""
        return self.schedule.burn_in

    def chain_schedule(self, chain: int) -> Schedule:
        """The same of one chain."""
        return self.schedule

    @property
    def data_file(self) -> str:
        """Name of the file of the draw in the folder of the data set."""
        return f"{max(self.draw, 0)}.npz"

    def file(self, chain: int) -> str:
        """Name of the file of a chain."""
        return f"{self.model}-draw-{max(self.draw, 0)}-chain-{chain}.nc"


@dataclass(frozen=True)
class StudyPlan:
    """A family's section of the configuration at one scale: studies of models on data sets.

    A part of a scale is one study or a list of them, each a mapping with the
    key ``datasets``, names in the entry ``sets`` of the section, and perhaps
    ``models``, names in its entry of that name.  A family names its parts in
    `PARTS` and may check its studies in another way.

    Parameters
    ----------
    scale : str
    seed : int
        Of the run.
    section : mapping
        The validated section of the family.
    sources : tuple of str
        Names in the registry of the data sets that can be used, once those that
        are missing are settled.
    replaced : mapping of str to tuple of str
        What stands in for a data set that is missing.

    Raises
    ------
    ConfigError
        If `check_study` finds fault, or two studies want different things of one model on one data
        set, which runs there once.
    """

    #: Name of the family, of its section and of the file that holds it.
    family: ClassVar[str]

    #: Parts of a scale that hold studies.
    PARTS: ClassVar[tuple[str, ...]]

    #: Where a processed data set lies below the folder of processed data.
    STORED: ClassVar[str]

    #: Keys in which two studies may differ that have a model on a data set in common.
    APART: ClassVar[tuple[str, ...]] = ("datasets", "models")

    scale: str
    seed: int
    section: Mapping[str, Any]
    sources: tuple[str, ...]
    replaced: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self):
        first: dict[tuple[str, str], tuple[str, Mapping]] = {}
        for place, study in self.studies():
            self.check_study(place, study)
            for dataset, model in product(self.named(study), study.get("models", ())):
                before, earlier = first.setdefault((dataset, model), (place, study))
                for key in dict.fromkeys([*study, *earlier]):
                    if key not in self.APART and study.get(key) != earlier.get(key):
                        raise ConfigError(
                            f"{place}.{key}: {model!r} on {dataset!r} runs once, as {before} says, "
                            f"which has another {key}; write the same, or remove one of them."
                        )

    def check_study(self, where: str, study: Mapping) -> None:
        """Raise a ConfigError if a study, which stands at `where`, cannot be run."""
        for key, entry in (("models", "models"), ("datasets", "sets")):
            if key in study:
                known, place = self.section[entry], f"{self.family}.{entry}"
                self.require_known(f"{where}.{key}", study[key], known, place)

    @property
    def settings(self) -> Mapping[str, Any]:
        """What is particular to the scale."""
        return self.section["scales"][self.scale]

    @property
    def place(self) -> str:
        """Where the settings of the scale stand, for sentences about them."""
        return f"config, {self.family}.scales.{self.scale}"

    def require_known(
        self, where: str, names: Iterable[str], known: Iterable[str], place: str
    ) -> None:
        """Stop at the first of some names that stands for nothing.

        Parameters
        ----------
        where : str
            Where the names stand, such as ``....accuracy[0].models``.
        names, known : iterable of str
        place : str
            Where names are explained, such as ``distances.models``.

        Raises
        ------
        ConfigError
        """
        for name in names:
            if name not in known:
                raise ConfigError(
                    f"{where} names {name!r}, which is not in {place}{did_you_mean(name, known)}"
                )

    def require_apart(self, words: Mapping[str, Iterable[str]], what: str) -> None:
        """Stop at the first model that tables could not tell from another one.

        Parameters
        ----------
        words : mapping of str to iterable of str
            What is printed of each model.
        what : str
            What these words are, for the sentence.

        Raises
        ------
        ConfigError
        """
        known: dict[tuple[str, ...], str] = {}
        for model, own in words.items():
            other = known.setdefault(tuple(own), model)
            if other != model:
                raise ConfigError(
                    f"config, {self.family}.models.{model} has the {what} of {other}; give it a "
                    "`variant`, in words, of its own."
                )

    @classmethod
    def wanted(
        cls, section: Mapping, scale: str, given: Mapping[str, str] | None = None
    ) -> tuple[str, ...]:
        """Names in the registry of the data sets that a scale asks for.

        `given` are paths of data that the user supplies.
        """
        studies = _studies(section["scales"][scale], cls.PARTS)
        return tuple(dict.fromkeys(name for _, study in studies for name in study["datasets"]))

    def studies(self, *parts: str) -> Iterator[tuple[str, Mapping]]:
        """Place and entry of each study of some parts of the scale, of all if none is named."""
        for place, study in _studies(self.settings, parts or self.PARTS):
            yield f"{self.place}.{place}", study

    def present(self, name: str) -> tuple[str, ...]:
        """A data set if it can be used, or what stands in for it."""
        if name in self.replaced:
            return tuple(self.replaced[name])
        return (name,) if name in self.sources else ()

    def named(self, study: Mapping) -> Sequence[str]:
        """Data sets that a study names."""
        return tuple(study.get("datasets", ()))

    def datasets_of(self, study: Mapping) -> tuple[str, ...]:
        """Data sets of a study that can be used, or what stands in for them."""
        found = (other for name in self.named(study) for other in self.present(name))
        return tuple(dict.fromkeys(found))

    def studies_on(self, dataset: str) -> list[Mapping]:
        """Studies in which a data set takes part, in their order."""
        return [study for _, study in self.studies() if dataset in self.datasets_of(study)]

    def datasets_in(self, *parts: str) -> tuple[str, ...]:
        """Data sets of some parts of the scale, of all if none is named."""
        found = (name for _, study in self.studies(*parts) for name in self.datasets_of(study))
        return tuple(dict.fromkeys(found))

    @property
    def datasets(self) -> tuple[str, ...]:
        """Every data set of the studies."""
        return self.datasets_in()

    @property
    def needed(self) -> tuple[str, ...]:
        """Every data set that is read."""
        return self.datasets

    def role(self, dataset: str) -> str:
        """Which of the paper's sets a data set stands for: as its entry says, or itself."""
        return self.section["sets"][dataset].get("role", dataset)

    def stored(self, dataset: str) -> str:
        """Where a processed data set lies below the folder of processed data."""
        return self.STORED.format(dataset=dataset)

    def models(self, dataset: str) -> tuple[str, ...]:
        """Models that run on a data set."""
        found = (model for study in self.studies_on(dataset) for model in study["models"])
        return tuple(dict.fromkeys(found))

    def study_of(self, dataset: str, model: str) -> Mapping:
        """The first study that runs a model on a data set.

        Raises
        ------
        ConfigError
            If the model does not run there at this scale.
        """
        for study in self.studies_on(dataset):
            if model in study["models"]:
                return study
        raise ConfigError(f"The model {model!r} does not run on {dataset!r} at this scale.")

    def runs(self, dataset: str) -> Sequence[StudyRun]:
        """Everything that runs on a data set."""
        return [run for model in self.models(dataset) for run in self.runs_of(dataset, model)]

    def runs_of(self, dataset: str, model: str) -> Sequence[StudyRun]:
        """One run for each draw of a data set under a model."""
        raise NotImplementedError

    def batches(self, dataset: str) -> range:
        """Numbers of the jobs that share the models of a data set."""
        return range(len(self._jobs(dataset)))

    def batch(self, dataset: str, number: int) -> list[StudyRun]:
        """Everything that runs in one job."""
        models = self._jobs(dataset)[number]
        return [run for model in models for run in self.runs_of(dataset, model)]

    def _jobs(self, dataset):
        return jobs(self.models(dataset), self.settings["models_per_job"])

    def chain_folders(self, *datasets: str) -> list[str]:
        """Where finished chains, or fits, lie below the folder of the family's results.

        Those on some data sets, on all if none is named.
        """
        return [
            f"{dataset}/chains/block-{number}"
            for dataset in datasets or self.datasets
            for number in self.batches(dataset)
        ]

    def reported_runs(self) -> list[dict[str, Any]]:
        """What ran on each data set, for the report; draws of one set are taken together.

        Returns
        -------
        list of dict
            `dataset`, `model`, `n_chains`, and `n_sweeps` and `burn_in` of a chain, None where
            there are no sweeps.
        """
        return [
            self.reported(dataset, model, [run for run in runs if run.model == model])
            for dataset in self.datasets
            for runs in [self.runs(dataset)]
            for model in dict.fromkeys(run.model for run in runs)
        ]

    def reported(self, dataset: str, model: str, runs: Sequence[Any]) -> dict[str, Any]:
        """One of them."""
        n_chains = sum(len(run.chains) for run in runs)
        sweeps = sum(len(run.chains) * run.n_sweeps for run in runs)
        return {
            "dataset": dataset,
            "model": model,
            "n_chains": n_chains,
            "n_sweeps": round(sweeps / n_chains),
            "burn_in": runs[0].burn_in,
        }


def _studies(settings: Mapping, parts: Iterable[str]) -> Iterator[tuple[str, Mapping]]:
    for part in parts:
        entry = settings.get(part, ())
        if isinstance(entry, Mapping):
            yield part, entry
        else:
            yield from ((f"{part}[{number}]", study) for number, study in enumerate(entry))
