"""The chains that the configuration asks for, on data sets of labelled items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from reseat.chains import by_turns
from reseat.errors import ConfigError
from reseat.papers.plan import StudyPlan, StudyRun
from reseat.papers.supervised import name_scale, scale_of

__all__ = ["PAPER_KEY", "Plan", "Run"]

#: The first name of every random stream of the family.
PAPER_KEY = "supervised"

#: Where the chains of a model start, taking turns, unless its entry says otherwise.
STARTS = ("one", "singletons")

#: Models that draw precisions of which `shape` is a parameter, and the shapes that they accept.
HAVE_SHAPE, SHAPES = ("scdp3_covariance",), (0.5, 40.0)

#: Settings of the section that apply to every model.
COMMON = ("sigma", "shape", "rate", "lambda", "n_candidates", "concentration", "warm_up")


def _printed(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the columns that distinguish a model from others."""
    return {"system": settings["system"], "variant": settings.get("variant", "")}


def _named(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entry of a model, with a variant named after its sigma if it has one."""
    return {**entry, "variant": name_scale(entry["sigma"])} if "sigma" in entry else dict(entry)


@dataclass(frozen=True)
class Run(StudyRun):
    """One model on a data set, which has a single draw, number 0."""

    @property
    def stream(self) -> tuple[str, ...]:
        """The first names of the random streams."""
        return (PAPER_KEY, self.dataset, self.model)

    @property
    def key(self) -> dict[str, str]:
        """Columns that distinguish the model from others."""
        return _printed(self.settings)

    def start(self, chain: int) -> str:
        """Return where a chain starts; chains take turns."""
        return by_turns(self.settings.get("starts", STARTS), chain)

    def file(self, chain: int) -> str:
        """Return the name of the file of a chain."""
        return f"{self.model}-chain-{chain}.nc"


@dataclass(frozen=True)
class Plan(StudyPlan):
    """The supervised section of the configuration at one scale."""

    family: ClassVar[str] = PAPER_KEY
    STORED: ClassVar[str] = "references/{dataset}.npz"

    #: A pair of data set and model that occurs in two studies belongs to the first.
    PARTS: ClassVar[tuple[str, ...]] = ("studies",)

    def __post_init__(self):
        super().__post_init__()
        models = self.section["models"]
        for model, entry in models.items():
            self._check_scale(model, entry)
        words = {model: _printed(_named(entry)).values() for model, entry in models.items()}
        self.require_apart(words, "system and the variant")
        for place, study in self.studies("draws"):
            self.check_study(place, study)
        before: dict[str, str] = {}
        for place, study in self.studies("full"):
            self.check_study(place, study)
            for name in study["datasets"]:
                if before.setdefault(name, place) != place:
                    raise ConfigError(
                        f"{place}.datasets has {name!r}, as {before[name]} has; remove one of them."
                    )

    def check_study(self, where: str, study: Mapping) -> None:
        """Check the names of a study, and that the precisions of its models have a usable law."""
        super().check_study(where, study)
        low, high = SHAPES
        shape, models = self.section["shape"], self.section["models"]
        drawn = (name for name in study.get("models", ()) if models[name]["model"] in HAVE_SHAPE)
        for name in () if low <= shape <= high else drawn:
            raise ConfigError(
                f"config, supervised.shape: {shape:g} cannot be used with {name!r} in {where}; it "
                f"must be from {low:g} to {high:g}, or remove the model."
            )

    @staticmethod
    def _check_scale(model: str, entry: Mapping[str, Any]) -> None:
        """Refuse words of one's own for a model that is named after its sigma, and that name."""
        where = f"config, supervised.models.{model}.variant"
        if "sigma" in entry and "variant" in entry:
            raise ConfigError(
                f"{where}: a model with a sigma is the variant {name_scale(entry['sigma'])!r}; "
                "remove one of the two."
            )
        if scale_of(entry.get("variant", "")) is not None:
            raise ConfigError(f"{where}: a sigma is not given in words; set `sigma` instead.")

    def embedding(self, dataset: str) -> dict[str, Any]:
        """Return the settings with which the coordinates of a data set are made."""
        return {**self.section["embedding"], **self.section["sets"][dataset].get("embedding", {})}

    @property
    def binary(self) -> dict[str, Any]:
        """Settings of the pair classifier."""
        return {**self.section["binary"], **self.settings["binary"]}

    @property
    def on_full(self) -> tuple[str, ...]:
        """Data sets of the studies on which the model of two covariances runs."""
        return tuple(name for name in self.datasets_in("full") if name in self.datasets)

    def full(self, dataset: str) -> dict[str, Any]:
        """Return the settings of the model of two covariances on a data set."""
        section = self.section["full"]
        for _, study in self.studies("full"):
            if dataset in self.datasets_of(study):
                own = {key: study[key] for key in ("n_seeds", "length")}
                search = {**section["search"], **study.get("search", {})}
                return {**section, **own, "search": search}
        raise ConfigError(f"{self.place}.full does not include the data set {dataset!r}.")

    def runs_of(self, dataset: str, model: str) -> list[Run]:
        """Return the single run of a model on a data set, with all that its chains depend on."""
        settings = _named(self.section["models"][model])
        settings |= {name: self.section[name] for name in COMMON if name not in settings}
        if "moves" in settings:
            settings["move"] = dict(self.section[settings["moves"]])
        return [
            Run(
                seed=self.seed,
                dataset=dataset,
                role=self.role(dataset),
                draw=0,
                model=model,
                settings=settings,
                length=dict(self.study_of(dataset, model)["length"]),
            )
        ]
