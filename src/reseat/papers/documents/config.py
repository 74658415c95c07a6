"""The section `documents` of the configuration."""

from pydantic import Field, model_validator

from reseat import sections
from reseat.errors import ConfigError
from reseat.papers import configuration
from reseat.papers.configuration import FamilySection, Features, ModelName, only_with
from reseat.papers.documents.plan import FIXED_LOCATIONS, SAMPLER, Plan
from reseat.sections import Section, fault, matching, number, one_of, unique, whole

Beta = sections.or_word("sampled", sections.Strength, "a number")
Chains = dict[sections.Key, sections.Count]
ReadingName = matching(
    "^[a-z0-9_]+$", "the name of a reading has lower-case letters, digits and underscores"
)


class DatasetEntry(configuration.Thinned):
    role: one_of("newsgroups", "enron", "delicious")
    n_clusters: sections.Size
    burn_in: sections.Sweeps
    switching_lag: sections.SomeSweeps = None
    instead_of: sections.Text = None

    @model_validator(mode="after")
    def _check_lag(self):
        lag = self.switching_lag
        if self.role == "enron" and lag is None:
            raise ConfigError(
                "the role enron needs switching_lag, the number of sweeps between the two samples "
                "that Figure 3 compares; add it."
            )
        if lag is not None and lag >= self.n_samples:
            raise fault(f"{lag} must be below n_samples, {self.n_samples}.", "switching_lag")
        return self


class Reading(Section):
    of: sections.Text
    features: Features = Field(min_length=1)
    models: sections.Names = (SAMPLER,)


class Annealing(Section):
    n_sweeps: sections.SomeSweeps
    lowest: sections.Proportion


class Model(configuration.PriorSection):
    KIND = "kind"

    kind: one_of("chains", "em")
    prior: configuration.AnyPrior = only_with("chains")
    beta: Beta = only_with("chains")
    smoothing: one_of("laplace", "mle") = only_with("em")
    tolerance: number(ge=0) = only_with("em")
    start: one_of("dirichlet", "uniform", "labels", SAMPLER) = only_with("em")
    datasets: sections.Names = ()
    split_merge: configuration.SplitMerge = only_with("chains")
    anneal: Annealing = only_with("chains")

    @model_validator(mode="after")
    def _check_needed(self):
        needed = ("prior", "beta") if self.kind == "chains" else ("smoothing", "start")
        for key in needed:
            if getattr(self, key) is None:
                raise ConfigError(f"the key {key!r} is missing")
        return self


class Posterior(Section):
    betas: tuple[Beta, ...] = Field(min_length=1)
    n_chains: sections.Count
    burn_in: sections.Sweeps
    n_samples: sections.SomeSweeps


class EmStarts(Section):
    concentrations: unique(number(ge=1e-3, le=1e6))
    iterations: unique(sections.Count)
    n_restarts: whole(4, 100_000)


class Scale(Section):
    datasets: sections.Names
    n_chains: Chains
    more_chains: dict[sections.Key, Chains] = {}
    reading_chains: sections.Count
    chains_per_job: sections.Count
    loss_chains: whole(0, 10_000)
    posterior: Posterior
    em_starts: EmStarts


class Documents(FamilySection):
    PLAN = Plan
    ENTRIES = {"datasets": ()}

    features: Features
    datasets: dict[sections.Key, DatasetEntry]
    readings: dict[ReadingName, Reading] = {}
    models: dict[ModelName, Model]
    scales: configuration.Scales[Scale]

    def check(self, known):
        super().check(known)
        self._check_readings()
        self._check_models()
        self._check_scale(known)

    def studies(self, scale, *parts):
        """Yield nothing: a scale is a single study, of which the keys are checked here."""
        return iter(())

    def _check_readings(self) -> None:
        for name, entry in self.readings.items():
            if name in self.datasets:
                raise fault("is a data set already; choose another name.", "readings", name)
            self._require("datasets", [entry.of], "readings", name, "of")
            self._require("models", entry.models, "readings", name, "models")

    def _require(self, part, names, *place):
        self.require_known(place, names, getattr(self, part), f"documents.{part}")

    def _check_models(self) -> None:
        for name, model in self.models.items():
            self._require("datasets", model.datasets, "models", name, "datasets")
        sampler = self.models.get(SAMPLER)
        if sampler is None or sampler.kind != "chains" or sampler.datasets:
            said = "this is the paper's sampler, whose chains run on every data set; keep its kind"
            raise fault(f"{said}, and leave out datasets.", "models", SAMPLER)

    def _check_scale(self, known):
        place, scale = self.at(known)
        wanted = Plan.wanted(self.written(), known.scale, known.paths)
        self._require("datasets", wanted, *place, "datasets")
        self._require("models", scale.n_chains, *place, "n_chains")
        if SAMPLER not in scale.n_chains:
            raise fault(f"lacks {SAMPLER!r}, the paper's sampler; add it.", *place, "n_chains")
        plan, named = self.plan(known), {**self.datasets, **self.readings}
        where = "documents.datasets or documents.readings"
        self.require_known((*place, "more_chains"), scale.more_chains, named, where)
        for name, models in scale.more_chains.items():
            where = (*place, "more_chains", name)
            # A model that n_chains does not name does not run at all.
            self.require_known(where, models, scale.n_chains, "the scale's n_chains")
            for model in models:
                if model not in plan.models(name):
                    said = f"names the model {model!r}, which does not run on {name!r}; remove it."
                    raise fault(said, *where)
        self._check_sweeps(plan)
        self._check_starts(plan, (*place, "n_chains"))

    def _check_sweeps(self, plan: Plan) -> None:
        for name in plan.datasets:
            entry = self.datasets[name]
            n_sweeps, first = entry.burn_in + entry.n_samples, FIXED_LOCATIONS[0]
            if entry.role == "delicious" and n_sweeps < first:
                said = f"burn_in and n_samples add up to {n_sweeps} sweeps, but Figure 4 begins"
                raise fault(f"{said} with sweep {first}; raise n_samples.", "datasets", name)

    def _check_starts(self, plan: Plan, place: tuple) -> None:
        """Refuse more restarts than there are chains from which they start."""
        for dataset in plan.modelled:
            models = plan.models(dataset)
            n_chains = plan.n_chains(dataset, SAMPLER) if SAMPLER in models else 0
            for model in models:
                n_restarts = plan.n_chains(dataset, model)
                if self.models[model].start == SAMPLER and n_restarts > n_chains:
                    said = f"the {n_restarts} restarts of {model!r} on {dataset!r} start from as"
                    said += f" many chains of {SAMPLER!r}, of which there are {n_chains}; raise the"
                    said += f" number of {SAMPLER!r} or lower that of {model!r}."
                    raise fault(said, *place)


SECTION = Documents
