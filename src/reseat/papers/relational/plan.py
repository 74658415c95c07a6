"""The variational fits that the configuration asks for, and the data sets on which they run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from reseat.papers.plan import Parameters, StudyPlan

#: First part of the name of every random stream of the family.
PAPER_KEY = "relational"

#: The paper's two models: the FIRM of counts, and the IRM of whether they are positive.
MODELS = ("irm", "firm")

#: A table small enough to be shown before and after sorting.
TOY = "toy_blocks"

#: The start that reaches the highest bound, for all that is not in the paper, and beside the
#: paper's random restarts.
BETTER = "k_means_merged"

#: Starts that are more than an initialisation of `reseat.variational.fit_relational`, and their
#: keyword arguments.
SEARCHES = {BETTER: {"initialisation": "k_means", "merge": True}}

#: Control: a FIRM that may have no more clusters than the IRM found.
SAME_NUMBERS = "same_numbers"


@dataclass(frozen=True)
class Fit(Parameters):
    """The restarts of one model on one data set."""

    seed: int
    dataset: str
    role: str
    model: str
    beta: float
    #: An initialisation of `reseat.variational.fit_relational`, or one of `SEARCHES`.
    initialisation: str
    #: Empty, or ``same_numbers``.
    control: str
    #: Largest number of clusters by type; the control takes the IRM's.
    truncation: Mapping[str, int]
    n_restarts: int
    concentration: float
    #: ``tol`` and ``max_iter``.
    ascent: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Name of the files of the fit."""
        parts = [self.model, self.initialisation, f"beta{self.beta:g}", self.control]
        return "-".join(filter(None, parts))

    @property
    def search(self) -> dict[str, Any]:
        """Keyword arguments of `fit_relational`: the model, and how its best fit is found."""
        start = SEARCHES.get(self.initialisation, {"initialisation": self.initialisation})
        return {"concentration": self.concentration, "beta": self.beta, **start, **self.ascent}

    @property
    def key(self) -> dict[str, Any]:
        """Columns that distinguish the fit from others."""
        names = ("dataset", "role", "model", "beta", "initialisation", "control")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Plan(StudyPlan):
    """The relational section of the configuration at one scale."""

    family: ClassVar[str] = PAPER_KEY
    RUN: ClassVar[type[Fit]] = Fit
    STORED: ClassVar[str] = "relational/{dataset}.npz"
    PARTS: ClassVar[tuple[str, ...]] = ("pairs", "types", "gibbs", "joint")

    def present(self, name: str) -> tuple[str, ...]:
        """Return a data set if it can be used, or what stands in for it, if these have an entry."""
        return tuple(other for other in super().present(name) if other in self.section["sets"])

    @property
    def needed(self) -> tuple[str, ...]:
        return (*self.datasets, TOY)

    def chain_folders(self, *datasets: str) -> list[str]:
        folders = {"fits": self.datasets_in("pairs", "types"), "gibbs": self.datasets_in("gibbs")}
        names = datasets or self.datasets
        return [f"{name}/{of}" for of, has in folders.items() for name in names if name in has]

    def reported(self, dataset: str, model: str, runs: Sequence[Fit]) -> dict[str, Any]:
        """Return the entry of a model: its restarts, and the largest number of iterations."""
        n_chains = sum(fit.n_restarts for fit in runs)
        sizes = {"n_chains": n_chains, "n_sweeps": runs[0].ascent["max_iter"], "burn_in": 0}
        return {"dataset": dataset, "model": model, **sizes}

    def aspect(self) -> dict[str, Any]:
        """Return the settings of the aspect model."""
        return {**self.section["aspect"], **self.settings["pairs"].get("aspect", {})}

    def runs(self, dataset: str) -> list[Fit]:
        """Return everything that is fitted to a set of pairs, or to one of the part ``types``."""
        first, beta = self.section["initialisations"][0], self.section["betas"][0]
        if dataset not in self.datasets_in("pairs"):
            return [self.fit(dataset, model, beta, BETTER, part="types") for model in MODELS]
        cells = [(b, first) for b in self.section["betas"]]
        cells += [(beta, start) for start in self.section["initialisations"][1:]]
        controlled = [cell for cell in cells if cell[0] == beta and cell[1] in (first, BETTER)]
        return [
            *(self.fit(dataset, model, *cell) for cell in cells for model in MODELS),
            *(self.fit(dataset, "firm", *cell, SAME_NUMBERS) for cell in controlled),
        ]

    def fit(
        self,
        dataset: str,
        model: str,
        beta: float,
        initialisation: str,
        control: str = "",
        part: str = "pairs",
    ) -> Fit:
        """Return one fit to a data set."""
        more = {"beta": beta, "initialisation": initialisation, "control": control}
        more["truncation"] = dict(self.section["sets"][dataset]["truncation"])
        more["n_restarts"] = self.settings[part]["n_restarts"]
        more |= {name: self.section[name] for name in ("concentration", "ascent")}
        return self.make_run(dataset, model, **more)

    def main(self, dataset: str, model: str) -> Fit:
        """Return the fit of a model with the paper's settings."""
        return next(fit for fit in self.runs(dataset) if fit.model == model)

    def better_fits(self, dataset: str) -> dict[str, dict[str, Any]]:
        """Return our fit of each model with the paper's beta, as plain types."""
        fits = [replace(self.main(dataset, model), initialisation=BETTER) for model in MODELS]
        return {fit.model: fit.to_dict() for fit in fits}

    def gibbs(self, dataset: str) -> dict[str, Any]:
        """Return what the collapsed Gibbs chains on a data set depend on: `run_gibbs` arguments."""
        of_scale = ("held_out", "n_chains", "burn_in", "n_samples")
        of_fits = ("seed", "beta", "concentration", "truncation")
        fit = self.main(dataset, "firm").to_dict()
        return {
            "settings": {key: self.settings["gibbs"][key] for key in of_scale},
            **{key: fit[key] for key in of_fits},
        }

    def predictive(self) -> dict[str, Any]:
        """Return the settings on which the comparison with the chains depends, besides the fits."""
        return {key: self.settings["gibbs"][key] for key in ("held_out", "n_restarts", "n_chains")}

    def joint(self, dataset: str) -> dict[str, dict[str, Any]]:
        """Return the fit of each model to several relations, as plain types."""
        beta = self.section["betas"][0]
        fits = [self.fit(dataset, model, beta, BETTER, part="joint") for model in MODELS]
        return {fit.model: fit.to_dict() for fit in fits}

    def toy(self) -> Fit:
        """Return the fit of the small table, in which any cluster may stand alone."""
        start = self.section["initialisations"][0]
        return replace(self.fit(TOY, "irm", 1.0, start), n_restarts=30)
