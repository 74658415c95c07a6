"""The section `records` of the configuration."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from reseat import sections
from reseat.datasets.identity import cell_name
from reseat.errors import ConfigError
from reseat.papers import configuration
from reseat.papers.configuration import FamilySection, ModelName, likelihoods_of, only_with
from reseat.papers.records import PAPER_MODELS
from reseat.papers.records.plan import ON_DRAWS, SIMILAR, Plan, printed, with_cells
from reseat.priors import BetaHyperprior, GammaHyperprior
from reseat.sections import Section, fault, number, one_of, unique, whole


class Recipe(Section):
    role: one_of("italy", "nltcs5000", "syria2000", "syriasizes")


def _nameable(delta: float) -> float:
    cell_name("", delta)
    return delta


class Parameter(Section):
    @model_validator(mode="after")
    def _check_prior(self):
        self._hyperprior()
        if self.start > self.bound:
            raise fault(f"{self.start:g} is above the bound {self.bound:g}; lower it.", "start")
        return self


class Delta(Parameter):
    shape: sections.Positive
    rate: sections.Positive
    start: sections.Strength
    bound: sections.Positive

    def _hyperprior(self):
        return GammaHyperprior(self.shape, self.rate, self.bound)


class Miss(Parameter):
    mean: sections.Proportion
    sd: sections.Proportion
    bound: sections.Proportion
    start: sections.Proportion

    def _hyperprior(self):
        return BetaHyperprior.from_moments(self.mean, self.sd, self.bound)


class PairSettings(Section):
    n_subsets: sections.Size
    most_alike: number(ge=1) = None
    field_probability: number(ge=0, le=1) = None


class Model(configuration.PriorSection):
    KIND, DEFAULT_KIND = "likelihood", "categorical"

    system: sections.Words = None
    variant: sections.Words = None
    n_blocks: Literal["n_items"] = None
    likelihood: likelihoods_of("records") = DEFAULT_KIND
    marginals: one_of("empirical", "generating") = only_with("categorical", "hitmiss")
    per_field: sections.Flag = only_with("categorical")
    bounded: sections.Flag = only_with("categorical")
    pairs: one_of("similar", "uniform") = None
    n_scans: sections.Size = None


class Study(configuration.Study):
    n_draws: sections.Count = 1
    first: configuration.Length
    others: configuration.Length = None

    @model_validator(mode="after")
    def _check_others(self):
        if self.n_draws > 1 and self.others is None:
            raise ConfigError("has several draws but lacks the key 'others'; add it.")
        if self.n_draws == 1 and self.others is not None:
            raise fault("has no effect on a single draw; add n_draws, or remove it.", "others")
        return self


class Moves(Section):
    dataset: sections.Text
    others: sections.Names = ()
    model: sections.Text
    burn_in: sections.SomeSweeps
    gibbs: whole(8, sections.MAX_SWEEPS)
    chaperones: whole(8, sections.MAX_SWEEPS)


class Unsettled(Section):
    datasets: sections.Names
    models: sections.Names
    n_sweeps: whole(20, sections.MAX_SWEEPS)
    every: whole(20, sections.MAX_SWEEPS)


class Growth(Section):
    largest: whole(200, 100_000)
    n_points: whole(2, 10_000)
    n_draws: whole(2, 10_000)


class Scale(Section):
    models_per_job: sections.Count
    table1: list[Study] = Field(min_length=1)
    readings: list[Study] = Field(min_length=1)
    real: list[Study] = Field(min_length=1)
    variants: list[Study] = ()
    benchmarks: list[Study] = Field((), min_length=1)
    moves: Moves
    unsettled: Unsettled
    growth: Growth
    check: configuration.Check


class Records(FamilySection):
    PLAN = Plan
    ENTRIES = {"recipes": ("recipe",)}

    recipes: dict[sections.Key, Recipe]
    deltas: unique(Annotated[number(ge=0.01, lt=1), AfterValidator(_nameable)])
    n_draws: sections.Count
    delta: Delta
    miss: Miss
    pairs: PairSettings
    models: dict[ModelName, Model]
    scales: configuration.Scales[Scale]

    def check(self, known):
        super().check(known)
        models = self.written()["models"]
        words = {name: printed(model).values() for name, model in models.items()}
        self.require_apart(words, "prior, the variant and the likelihood")
        plan = self.plan(known)
        self._check_kinds(known, plan)
        self._check_shown(known, plan)
        self._check_moves(known, plan)
        self._check_unsettled(known, plan)

    def named(self, study):
        return with_cells(study.datasets, self.recipes, self.deltas)

    def _check_kinds(self, known, plan):
        """Refuse data sets that are called like draws of a recipe, or that are no records."""
        for name in known.own:
            if plan.is_drawn(name):
                said = f"datasets.{name} is what draws of this recipe are called"
                raise fault(f"{said}; choose another name for it.", "recipes", plan.source(name))
        for name in plan.sources:
            if name not in self.recipes:
                place, _ = self.at(known)
                configuration.check_kind(known.registry, name, ("records",), *place)

    def check_study(self, place, study):
        self.require_known((*place, "models"), study.models, self.models, "records.models")
        if study.n_draws > self.n_draws:
            said = f"is {study.n_draws}, but records.n_draws makes only {self.n_draws}; lower it."
            raise fault(said, *place, "n_draws")

    def _check_shown(self, known, plan):
        """Refuse studies that cannot run on their data sets, or would not be shown."""
        for place, study in self.studies(known.scale):
            part, models = place[2], (*place, "models")
            for name in study.datasets:
                self._check_data_set(place, study, name, plan.is_drawn(name))
            if part == "readings" and {*study.models} <= {*PAPER_MODELS}:
                said = "has no reading of a model, only the paper's; add one, such as pyp_75"
                raise fault(f"{said}, or move the study to table1.", *models)
            for name in study.models:
                similar = self.models[name].likelihood == SIMILAR
                if part == "benchmarks" and not similar:
                    said = f"has {name!r}, whose likelihood is not {SIMILAR}; benchmarks show no"
                    raise fault(f"{said} other: move it to real.", *models)
                if part in ("real", "variants") and similar:
                    said = f"has {name!r}, whose likelihood is {SIMILAR}; {part} shows no such"
                    raise fault(f"{said} model: move it to benchmarks.", *models)

    def _check_data_set(self, place, study, name, drawn):
        part = place[2]
        if drawn:
            if part not in ON_DRAWS:
                said = f"has {name!r}, which is drawn from a recipe; {part} is of real records"
                raise fault(f"{said}: move it to {' or '.join(ON_DRAWS)}.", *place, "datasets")
            return
        if study.n_draws > 1:
            said = f"has no effect on {name!r}, which is none of records.recipes; remove it"
            raise fault(f"{said}, or move the set to another study.", *place, "n_draws")
        for model in study.models:
            self._check_marginals((*place, "models"), f"has {model!r}", model, name)
        if part in ON_DRAWS:
            said = f"has {name!r}, which is not drawn from a recipe; {part} shows draws alone"
            raise fault(f"{said}: move it to real.", *place, "datasets")

    def _check_marginals(self, place, has, model, name):
        if self.models[model].marginals == "generating":
            said = f"{has}, which takes the marginals that records are drawn from"
            said += f", but {name!r} is none of records.recipes; use another model or data set."
            raise fault(said, *place)

    def _check_moves(self, known, plan):
        place, scale = self.at(known)
        place, moves, model = (*place, "moves"), scale.moves, scale.moves.model
        self.require_known((*place, "model"), [model], self.models, "records.models")
        for key, dataset in (("dataset", moves.dataset), *(("others", n) for n in moves.others)):
            if dataset in self.recipes:
                said = f"is the recipe {dataset!r}; name its draws at one delta, such as"
                raise fault(f"{said} {cell_name(dataset, self.deltas[0])!r}.", *place, key)
            if not plan.is_drawn(dataset):
                self._check_marginals((*place, "model"), f"is {model!r}", model, dataset)

    def _check_unsettled(self, known, plan):
        place, scale = self.at(known)
        place, watched = (*place, "unsettled"), scale.unsettled
        self.require_known((*place, "models"), watched.models, self.models, "records.models")
        for name in watched.datasets:
            if not plan.is_drawn(name):
                said = f"has {name!r}, which is not drawn from a recipe; name recipes or draws of"
                raise fault(f"{said} one.", *place, "datasets")
        if watched.every > watched.n_sweeps:
            said = "is more than n_sweeps, so that nothing is reported; lower it."
            raise fault(said, *place, "every")


SECTION = Records
