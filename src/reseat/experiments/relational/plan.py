"""Which fits the configuration asks for, on which relations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from reseat.configuration import nearest
from reseat.errors import ConfigError

__all__ = ["MODELS", "PAPER_KEY", "Fit", "Plan"]

#: The first name of every random stream of the family.
PAPER_KEY = "relational"

#: The paper's two, FIRM on counts and IRM on whether they are positive.
MODELS = ("irm", "firm")

#: Parts of a scale that name data sets.
PARTS = ("pairs", "types", "gibbs")

#: Control: a FIRM that may have no more clusters than the IRM found.
SAME_NUMBERS = "same_numbers"


@dataclass(frozen=True)
class Fit:
    """The restarts of one model on one data set.

    Parameters
    ----------
    seed : int
        Of the whole run.
    dataset, role : str
    model : {"firm", "irm"}
    beta : float
    initialisation : str
    control : str
        Empty, or ``same_numbers``.
    truncation : mapping of str to int
        By type.  Under the control they are replaced by the IRM's numbers.
    n_restarts : int
    concentration : float
    ascent : mapping
        ``tol`` and ``max_iter``.
    """

    seed: int
    dataset: str
    role: str
    model: str
    beta: float
    initialisation: str
    control: str
    truncation: Mapping[str, int]
    n_restarts: int
    concentration: float
    ascent: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """As plain types, for a rule's parameters."""
        return asdict(self)

    @property
    def name(self) -> str:
        """Name of its files."""
        parts = [self.model, self.initialisation, f"beta{self.beta:g}", self.control]
        return "-".join(part for part in parts if part)

    @property
    def key(self) -> dict[str, Any]:
        """Columns that tell it from other fits."""
        names = ("dataset", "role", "model", "beta", "initialisation", "control")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Plan:
    """The relational section of the configuration at one scale.

    Parameters
    ----------
    scale : str
    seed : int
        Of the run.
    section : mapping
        The validated section ``relational``.
    sources : tuple of str
        Data sets that can be used, once those that are missing are settled.
    replaced : mapping of str to tuple of str
        What stands in for a data set that is missing.

    Raises
    ------
    ConfigError
        If a name stands for nothing.
    """

    scale: str
    seed: int
    section: Mapping[str, Any]
    sources: tuple[str, ...]
    replaced: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self):
        for part in PARTS:
            for name in self.settings[part]["datasets"]:
                if name not in self.section["sets"]:
                    raise ConfigError(
                        f"config/relational.yaml: relational.scales.{self.scale}.{part}.datasets "
                        f"names {name!r}, which relational.sets "
                        f"lacks{nearest(name, self.section['sets'])}"
                    )

    @classmethod
    def wanted(cls, section: Mapping, scale: str) -> tuple[str, ...]:
        """Names in the registry of the data sets that a scale asks for."""
        parts = section["scales"][scale]
        return tuple(dict.fromkeys(name for part in PARTS for name in parts[part]["datasets"]))

    @property
    def settings(self) -> Mapping[str, Any]:
        """What is particular to the scale."""
        return self.section["scales"][self.scale]

    def part(self, *parts: str) -> tuple[str, ...]:
        """Data sets of some parts of the scale that can be used, or what stands in for them."""
        found = []
        for part in parts or PARTS:
            for name in self.settings[part]["datasets"]:
                if name in self.replaced:
                    found += [n for n in self.replaced[name] if n in self.section["sets"]]
                elif name in self.sources:
                    found.append(name)
        return tuple(dict.fromkeys(found))

    @property
    def datasets(self) -> tuple[str, ...]:
        """Every data set that is read."""
        return self.part()

    def role(self, dataset: str) -> str:
        """Which of the paper's sets a data set stands for."""
        return self.section["sets"][dataset].get("role", dataset)

    def aspect(self) -> dict[str, Any]:
        """Settings of the aspect model."""
        return {**self.section["aspect"], **self.settings["pairs"].get("aspect", {})}

    def fits(self, dataset: str) -> list[Fit]:
        """Everything that is fitted to a set of pairs or to one of more types."""
        first, beta = self.section["initialisations"][0], self.section["betas"][0]
        if dataset not in self.part("pairs"):
            return [self.fit(dataset, model, beta, first, part="types") for model in MODELS]
        cells = [(b, first) for b in self.section["betas"]]
        cells += [(beta, start) for start in self.section["initialisations"][1:]]
        found = [self.fit(dataset, model, *cell) for cell in cells for model in MODELS]
        return [*found, self.fit(dataset, "firm", beta, first, SAME_NUMBERS)]

    def fit(
        self,
        dataset: str,
        model: str,
        beta: float,
        initialisation: str,
        control: str = "",
        part: str = "pairs",
    ) -> Fit:
        """One of them."""
        return Fit(
            seed=self.seed,
            dataset=dataset,
            role=self.role(dataset),
            model=model,
            beta=beta,
            initialisation=initialisation,
            control=control,
            truncation=dict(self.section["sets"][dataset]["truncation"]),
            n_restarts=self.settings[part]["n_restarts"],
            concentration=self.section["concentration"],
            ascent=dict(self.section["ascent"]),
        )

    def main(self, dataset: str, model: str) -> Fit:
        """The fit of a model with the paper's settings."""
        return next(fit for fit in self.fits(dataset) if fit.model == model)

    def toy(self, dataset: str) -> Fit:
        """The fit of a table so small that any cluster may stand alone."""
        return Fit(
            seed=self.seed,
            dataset=dataset,
            role=dataset,
            model="irm",
            beta=1.0,
            initialisation=self.section["initialisations"][0],
            control="",
            truncation=dict(self.section["sets"][dataset]["truncation"]),
            n_restarts=30,
            concentration=self.section["concentration"],
            ascent=dict(self.section["ascent"]),
        )
