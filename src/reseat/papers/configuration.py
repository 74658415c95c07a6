"""What the sections of all papers share, `SECTION` in ``config.py``, and the keys of a run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Annotated, Any, ClassVar, Generic, TypeVar

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    create_model,
    model_validator,
)

import reseat
from reseat import sections
from reseat.configuration import did_you_mean, dotted
from reseat.datasets import Registry
from reseat.datasets.features import FeatureOptions
from reseat.datasets.parsers import KINDS, PARSERS
from reseat.datasets.registry_file import DataSection
from reseat.declarations import read_declarations
from reseat.errors import ConfigError
from reseat.papers.catalogue import CATALOGUE
from reseat.papers.plan import StudyPlan
from reseat.priors import all_priors, check_parameters, declared_prior
from reseat.provenance.runs import run_name
from reseat.sections import Section, fault, matching, number, one_of, whole

SCALES = ("demo", "standard", "paper")


# ---- Keys that several papers have ------------------------------------------------------------

ModelName = matching("^[a-z0-9_]+$", "a model name has lower-case letters, digits and underscores")


def _usable_features(options: dict) -> dict:
    FeatureOptions.from_config(options)
    return options


#: Options of `reseat.datasets.features`, which checks them.
Features = Annotated[dict[Any, Any], AfterValidator(_usable_features)]


def only_with(*kinds: str) -> Any:
    """Return the declaration of an optional key of a model that affects only some kinds of it."""
    return Field(default=None, json_schema_extra={"only_with": list(kinds)})


def likelihoods_of(family: str) -> Any:
    """Return the type of the names of the likelihoods that a family of models declares."""
    source = Path(reseat.__file__).parent / "models" / f"{family}.py"
    return one_of(declared=lambda: [name for name, *_ in read_declarations(source, "likelihood")])


# ---- Keys of the run -------------------------------------------------------------------------


class Chains(Section):
    """How chains run; nothing here changes a draw."""

    threads: whole(1, 1024)
    checkpoint_seconds: number(ge=0)


class Configuration(Section):
    """The keys of a run, without what the sections of the papers contain."""

    scale: one_of(*SCALES)
    seed: whole(0)
    run: matching(
        r"^(?:(?!(?:published|index\.html|runs\.html)$)[a-z0-9][a-z0-9_.-]{0,99})?$",
        "at most 100 lower-case letters, digits, '.', '_' and '-', beginning with a letter or a "
        "digit, and not the name of something else in reports/ (published, index.html, runs.html)",
    ) = ""
    code: one_of("rerun", "keep")
    data: DataSection
    datasets: dict[Any, Any] = Field(
        {}, description="data sets of your own, as entries of config/datasets.yaml"
    )
    chains: Chains

    @classmethod
    def with_families(cls) -> type[Configuration]:
        """Return the class that also has the sections of the papers, without their keys."""
        return create_model(
            "Configuration", __base__=cls, **dict.fromkeys(CATALOGUE.families, (dict, ...))
        )

    @model_validator(mode="after")
    def _check_run(self):
        """Refuse a run that would write into the folders of another scale or seed."""
        automatic = re.fullmatch(rf"({'|'.join(SCALES)})(-seed\d+)?", self.run)
        if automatic and self.run != run_name({"scale": self.scale, "seed": self.seed}):
            said = f"{self.run!r} is what runs of another scale or seed are called (the scale is "
            said += f"{self.scale!r}, the seed {self.seed}); choose another name."
            raise fault(said, "run")
        return self

    @model_validator(mode="after")
    def _check_features(self):
        for name, entry in self.datasets.items():
            features = entry.get("features") if isinstance(entry, Mapping) else None
            if isinstance(features, Mapping):
                try:
                    FeatureOptions.from_config(features)
                except ConfigError as error:
                    raise fault(str(error), "datasets", name, "features") from error
        return self


# ---- Lengths of chains, and studies ----------------------------------------------------------


class Thinned(Section):
    """Samples, of which every thin-th is kept."""

    n_samples: sections.SomeSweeps
    thin: sections.SomeSweeps = 1

    @model_validator(mode="after")
    def _check_thinning(self):
        if self.thin > self.n_samples:
            said = f"is above n_samples, {self.n_samples}, which leaves no draws; lower it."
            raise fault(f"{self.thin} {said}", "thin")
        return self


class Length(Thinned):
    """How many chains run, for how long, and how many of their sweeps are kept."""

    n_chains: sections.Count
    burn_in: sections.Sweeps
    n_samples: sections.Samples


class Check(Section):
    """Comparison of a sampler with an exact enumeration."""

    n_sweeps: whole(100, sections.MAX_SWEEPS)


class SplitMerge(Section):
    """Moves that split and merge blocks, before each sweep."""

    n_proposals: sections.Size
    n_scans: sections.SizeOrNone


class Study(Section):
    """Models on data sets."""

    datasets: sections.Names
    models: sections.Names


Scale = TypeVar("Scale", bound=Section)


class Scales(Section, Generic[Scale]):
    """What runs at each scale."""

    demo: Scale
    standard: Scale
    paper: Scale


# ---- Models ----------------------------------------------------------------------------------


class ModelSection(Section):
    """A model; some of its keys affect only some kinds of models, as `only_with` declares."""

    #: Key that distinguishes the kinds, and the kind if it is absent.
    KIND: ClassVar[str] = "prior"
    DEFAULT_KIND: ClassVar[str | None] = None

    def effects(self) -> dict[str, Sequence[str]]:
        """Return the keys that affect only some kinds of models, and these kinds."""
        return {
            name: field.json_schema_extra["only_with"]
            for name, field in type(self).model_fields.items()
            if "only_with" in (field.json_schema_extra or {})
        }

    @model_validator(mode="after")
    def _check_effects(self):
        kind, effects = getattr(self, self.KIND) or self.DEFAULT_KIND, self.effects()
        for key in self.model_fields_set:
            if kind not in effects.get(key, (kind,)):
                others = " or ".join(effects[key])
                said = f"has no effect with {self.KIND} {kind}, only with {others}; omit it."
                raise fault(said, key)
        return self


AnyPrior = one_of(declared=all_priors)
#: Priors whose hyperparameters groups of items can share.
GroupPrior = one_of(declared=lambda: [name for name, prior in all_priors().items() if prior.groups])


class Gamma(Section):
    """A gamma distribution."""

    shape: sections.Parameter
    rate: sections.Parameter


#: Types of the parameters of priors, by what `reseat.priors.prior` calls them.
PARAMETERS = {
    "positive": sections.Parameter,
    "positive or half": sections.or_word("half", sections.Parameter, "a number"),
    "below one": number(ge=0, lt=1),
    "flag": sections.Flag,
    "gamma": Gamma,
    "gamma or half": sections.or_word("half", Gamma, "a mapping"),
}


@lru_cache
def _parameters_of(declared: tuple[tuple[str, str | tuple[str, ...]], ...]) -> type[Section]:
    kinds = {}
    for name, kind in declared:
        kinds[name] = (PARAMETERS[kind] if isinstance(kind, str) else one_of(*kind), None)
    return create_model("Parameters", __base__=Section, **kinds)


class PriorSection(ModelSection):
    """A model with a prior of the library, whose parameters are keys of the model."""

    model_config = ConfigDict(extra="allow")

    prior: AnyPrior

    @classmethod
    def known_keys(cls) -> list[str]:
        """Return the keys of the section and the parameters of all priors."""
        parameters = (name for prior in all_priors().values() for name in prior.parameters)
        return list(dict.fromkeys([*super().known_keys(), *parameters]))

    def effects(self) -> dict[str, Sequence[str]]:
        """Return the keys that affect only some kinds of models; parameters follow the prior."""
        effects = super().effects()
        own = dict.fromkeys(self.model_extra, effects["prior"]) if "prior" in effects else {}
        return effects | own

    @model_validator(mode="after")
    def _check_prior(self):
        if self.prior is None:
            return self
        prior = declared_prior(self.prior)
        check_parameters({"prior": self.prior, **self.model_extra})
        kind = _parameters_of(tuple(prior.parameters.items()))
        self.model_extra.update(kind.model_validate(self.model_extra).written())
        if "n_blocks" not in type(self).model_fields:
            return self  # the number of clusters is set elsewhere
        counted = self.n_blocks is not None
        if prior.finite and not counted:
            said = f"the prior {prior.name} needs n_blocks, the number of its clusters; add it."
            raise ConfigError(said)
        if counted and not prior.finite:
            said = f"has no effect with the prior {prior.name}, which has as many clusters as the"
            raise fault(f"{said} data need; omit it.", "n_blocks")
        return self


# ---- The section of a paper ------------------------------------------------------------------


@dataclass(frozen=True)
class Known:
    """What the section of a paper is checked against."""

    scale: str
    registry: Registry
    #: The user's own data sets, and the paths of those that the user supplies.
    own: Mapping[str, Any]
    paths: Mapping[str, Any]


class FamilySection(Section):
    """Base of the section of a paper, which is checked at the scale that runs."""

    PLAN: ClassVar[type[StudyPlan]]
    #: Parts whose keys are names of data sets, and their kinds, of `KINDS`, if not all.
    ENTRIES: ClassVar[Mapping[str, Sequence[str]]] = {"sets": ()}

    @model_validator(mode="after")
    def _check(self, info: ValidationInfo):
        self.check(info.context)
        return self

    def check(self, known: Known) -> None:
        """Raise an error if keys do not go together, or with the data sets that there are."""
        self._check_entries(known)
        self._check_data_sets(known)
        self._check_studies(known)

    def at(self, known: Known) -> tuple[tuple[str, str], Any]:
        """Return place and settings of the scale that runs."""
        return ("scales", known.scale), getattr(self.scales, known.scale)

    def studies(self, scale: str, *parts: str) -> Iterator[tuple[tuple[str | int, ...], Any]]:
        """Yield place and study of each study in parts of a scale, by default all of the plan's."""
        for part in parts or self.PLAN.PARTS:
            found = getattr(getattr(self.scales, scale), part) or ()
            if isinstance(found, Section):
                yield ("scales", scale, part), found
            else:
                yield from ((("scales", scale, part, n), study) for n, study in enumerate(found))

    def plan(self, known: Known) -> StudyPlan:
        """Return the plan of the scale that runs if no data are missing."""
        section = self.written()
        return self.PLAN(
            known.scale, 0, section, self.PLAN.wanted(section, known.scale, known.paths)
        )

    def require_known(
        self, place: tuple, names: Iterable[str], known: Iterable[str], where: str
    ) -> None:
        """Raise an error for the first name that is not among those in `where`."""
        for name in names:
            if name not in known:
                hint = did_you_mean(name, known)
                raise fault(f"names {name!r}, which is not in {where}{hint}", *place)

    def require_apart(self, words: Mapping[str, Iterable[str]], what: str) -> None:
        """Raise an error for the first model that tables, which print `words`, could not tell."""
        known: dict[tuple[str, ...], str] = {}
        for model, own in words.items():
            other = known.setdefault(tuple(own), model)
            if other != model:
                said = f"has the {what} of {other}; give it a `variant`, in words, of its own."
                raise fault(said, "models", model)

    def _check_entries(self, known: Known) -> None:
        registry = known.registry
        for part, kinds in self.ENTRIES.items():
            for name, entry in getattr(self, part).items():
                _check_name(registry, name, part, name)
                if kinds:
                    check_kind(registry, name, kinds, part, name)
                if other := getattr(entry, "instead_of", None):
                    _check_name(registry, other, part, name, "instead_of")

    def _check_data_sets(self, known: Known) -> None:
        """Refuse names of data sets that are of another paper or none, at all scales."""
        registry, family, section = known.registry, self.PLAN.family, self.written()
        for scale in dict.fromkeys((known.scale, *SCALES)):
            for name in self.PLAN.wanted(section, scale, known.paths):
                said = f"the scale {scale!r} names the data set {name!r}, which is"
                if name not in registry:
                    hint = did_you_mean(name, registry)
                    where = "neither in config/datasets.yaml nor under datasets in your"
                    raise ConfigError(f"{said} {where} configuration file{hint}")
                if registry[name].family != family:
                    said += f" of the family {registry[name].family!r}; name it there"
                    raise ConfigError(f"{said}, or say family: {family} in its entry.")

    def _check_studies(self, known: Known) -> None:
        """Check the names in the studies, and that no model runs in two ways on a data set."""
        first: dict[tuple[str, str], tuple[tuple, Any]] = {}
        for place, study in self.studies(known.scale):
            self.check_study(place, study)
            apart = [key for key in type(study).model_fields if key not in self.PLAN.APART]
            for dataset, model in product(self.named(study), getattr(study, "models", ())):
                before, earlier = first.setdefault((dataset, model), (place, study))
                for key in apart:
                    if getattr(study, key) != getattr(earlier, key):
                        said = f"{model!r} on {dataset!r} runs once, as "
                        said += f"{dotted((self.PLAN.family, *before))} says, which has another "
                        said += f"{key}; write the same, or remove one of them."
                        raise fault(said, *place, key)

    def check_study(self, place: tuple, study: Any) -> None:
        """Raise an error if a study cannot be run."""
        family = self.PLAN.family
        self.require_known((*place, "datasets"), study.datasets, self.sets, f"{family}.sets")
        if hasattr(study, "models"):
            self.require_known((*place, "models"), study.models, self.models, f"{family}.models")

    def named(self, study: Any) -> Sequence[str]:
        """Return the data sets that a study names."""
        return study.datasets


def section_of(family: str) -> type[FamilySection]:
    """Return the section of a family."""
    return import_module(f"reseat.papers.{family}.config").SECTION


def check_kind(registry: Registry, name: str, kinds: Sequence[str], *place: str | int) -> None:
    """Raise an error if a data set is of none of the given kinds."""
    kind = PARSERS.kind_of(registry[name].parser)
    if kind not in kinds:
        found = "only files of other data sets" if kind is None else KINDS[kind].what
        wanted = " or ".join(KINDS[other].what for other in kinds)
        said = f"the data set {name!r} is {found}, not {wanted}; name it where these are asked for."
        raise fault(said, *place)


def _check_name(registry: Registry, name: str, *place: str) -> None:
    if name not in registry:
        hint = did_you_mean(name, registry) or (
            "; add it under datasets in your configuration file, or omit the entry."
        )
        raise fault(f"there is no data set {name!r}{hint}", *place)
