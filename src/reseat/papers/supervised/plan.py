"""The chains that the configuration asks for, on data sets of labelled items."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from reseat.chains import by_turns
from reseat.papers.plan import StudyPlan, StudyRun
from reseat.papers.supervised import name_scale

#: The first name of every random stream of the family.
PAPER_KEY = "supervised"

#: Where the chains of a model start, taking turns, unless its entry says otherwise.
STARTS = ("one", "singletons")

#: Models of references, by the name under which tables print the system.
SYSTEMS = {
    "SCDP-1": "scdp1",
    "SCDP-2": "scdp2",
    "SCDP-2x": "scdp2_exact",
    "SCDP-3": "scdp3_covariance",
    "SCDP-3p": "scdp3_precision",
    "CDP": "cdp",
}

#: Settings of the section that apply to every model.
COMMON = ("sigma", "shape", "rate", "lambda", "n_candidates", "concentration", "warm_up")


def named_variant(entry: Mapping[str, Any]) -> dict[str, Any]:
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
        return {"system": self.settings["system"], "variant": self.settings.get("variant", "")}

    def start(self, chain: int) -> str:
        """Return where a chain starts; chains take turns."""
        return by_turns(self.settings.get("starts", STARTS), chain)

    def file(self, chain: int) -> str:
        return f"{self.model}-chain-{chain}.nc"


@dataclass(frozen=True)
class Plan(StudyPlan):
    """The supervised section of the configuration at one scale."""

    family: ClassVar[str] = PAPER_KEY
    RUN: ClassVar[type[Run]] = Run
    STORED: ClassVar[str] = "references/{dataset}.npz"

    #: A pair of data set and model that occurs in two studies belongs to the first.
    PARTS: ClassVar[tuple[str, ...]] = ("studies",)

    def embedding(self, dataset: str) -> dict[str, Any]:
        """Return the settings with which the coordinates of a data set are made."""
        return {**self.section["embedding"], **self.section["sets"][dataset].get("embedding", {})}

    @property
    def binary(self) -> dict[str, Any]:
        """Settings of the pair classifier."""
        return {**self.section["binary"], **self.settings["binary"]}

    def on(self, part: str) -> tuple[str, ...]:
        """Return the data sets of the studies that a part of the scale names."""
        return tuple(name for name in self.datasets_in(part) if name in self.datasets)

    def chosen(self, dataset: str) -> dict[str, Any]:
        """Return the models of which the scale is chosen on a data set, and how."""
        found = self.searched("chosen", dataset)
        found["models"] = {name: self.model(name) for name in found["models"]}
        return found | {"k_means": self.section["k_means"]}

    def drawn_models(self, dataset: str) -> dict[str, Any]:
        """Return the models that run on each draw of the items, and at a chosen scale."""
        draws = self.settings["draws"]
        return {
            "models": {name: self.model(name) for name in draws["models"]},
            "length": draws["length"],
            "chosen": self.chosen(dataset) if dataset in self.on("chosen") else None,
        }

    def searched(self, part: str, dataset: str) -> dict[str, Any]:
        """Return the settings of a part with a search, of which its study may change some."""
        section = self.section[part]
        study = next(s for s in self.studies(part) if dataset in self.datasets_of(s))
        own = {key: value for key, value in study.items() if key not in ("datasets", "search")}
        return {**section, **own, "search": {**section["search"], **study.get("search", {})}}

    def model(self, name: str) -> dict[str, Any]:
        """Return the settings of a model, with those of the section that apply to it."""
        settings = named_variant(self.section["models"][name])
        settings |= {name: self.section[name] for name in COMMON if name not in settings}
        if "moves" in settings:
            settings["move"] = dict(self.section[settings["moves"]])
        return settings

    def runs_of(self, dataset: str, model: str) -> list[Run]:
        settings = self.model(model)
        length = dict(self.study_of(dataset, model)["length"])
        return [self.make_run(dataset, model, draw=0, settings=settings, length=length)]
