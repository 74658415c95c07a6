"""What the plans of the families share: studies of a scale, and what their runs depend on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from reseat.chains import Schedule
from reseat.configuration import nearest
from reseat.errors import ConfigError

__all__ = ["Parameters", "ScalePlan", "StudyPlan", "StudyRun"]


class Parameters:
    """Base of dataclasses that a rule hands to its script."""

    def to_dict(self) -> dict[str, Any]:
        """As plain types, which are keyword arguments of the class again."""
        return asdict(self)


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
class ScalePlan:
    """A family's section of the configuration at one scale.

    Parameters
    ----------
    scale : str
    seed : int
        Of the run.
    section : mapping
        The validated section of the family.
    """

    #: Name of the family, of its section and of the file that holds it.
    family: ClassVar[str]

    scale: str
    seed: int
    section: Mapping[str, Any]

    @property
    def settings(self) -> Mapping[str, Any]:
        """What is particular to the scale."""
        return self.section["scales"][self.scale]

    @property
    def file(self) -> str:
        """Name of the file of the section, for sentences about it."""
        return f"config/{self.family}.yaml"

    @property
    def place(self) -> str:
        """Where the settings of the scale stand, for the same."""
        return f"{self.file}: {self.family}.scales.{self.scale}"

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
                    f"{where} names {name!r}, which {place} lacks{nearest(name, known)}"
                )


@dataclass(frozen=True)
class StudyPlan(ScalePlan):
    """A section whose scales are made of studies: chains or fits of models on data sets.

    A part of a scale is one study or a list of them, each a mapping with the
    key ``datasets``.  A family names its parts in `PARTS` and checks its
    studies in `check_study`.

    Parameters
    ----------
    scale, seed, section
        As for `ScalePlan`.
    sources : tuple of str
        Names in the registry of the data sets that can be used, once those that
        are missing are settled.
    replaced : mapping of str to tuple of str
        What stands in for a data set that is missing.

    Raises
    ------
    ConfigError
        If `check_study` finds fault.
    """

    #: Parts of a scale that hold studies.
    PARTS: ClassVar[tuple[str, ...]]

    sources: tuple[str, ...]
    replaced: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self):
        for place, study in self.studies():
            self.check_study(place, study)

    def check_study(self, where: str, study: Mapping) -> None:
        """Raise a ConfigError if a study, which stands at `where`, cannot be run."""

    @classmethod
    def wanted(cls, section: Mapping, scale: str) -> tuple[str, ...]:
        """Names in the registry of the data sets that a scale asks for."""
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

    def datasets_of(self, study: Mapping) -> tuple[str, ...]:
        """Data sets of a study that can be used, or what stands in for them."""
        found = (other for name in study["datasets"] for other in self.present(name))
        return tuple(dict.fromkeys(found))

    def studies_on(self, dataset: str) -> list[Mapping]:
        """Studies in which a data set takes part, in their order."""
        return [study for _, study in self.studies() if dataset in self.datasets_of(study)]

    def study(self, *parts: str) -> tuple[str, ...]:
        """Data sets of some parts of the scale, of all if none is named."""
        found = (name for _, study in self.studies(*parts) for name in self.datasets_of(study))
        return tuple(dict.fromkeys(found))

    @property
    def datasets(self) -> tuple[str, ...]:
        """Every data set of the studies."""
        return self.study()

    def models(self, dataset: str) -> tuple[str, ...]:
        """Models that run on a data set."""
        found = (model for study in self.studies_on(dataset) for model in study["models"])
        return tuple(dict.fromkeys(found))


def _studies(settings: Mapping, parts: Iterable[str]) -> Iterator[tuple[str, Mapping]]:
    for part in parts:
        entry = settings.get(part, ())
        if isinstance(entry, Mapping):
            yield part, entry
        else:
            yield from ((f"{part}[{number}]", study) for number, study in enumerate(entry))
