"""The section `supervised` of the configuration."""

from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from reseat import sections
from reseat.errors import ConfigError
from reseat.papers import configuration
from reseat.papers.configuration import FamilySection, ModelName, only_with
from reseat.papers.supervised import name_scale, scale_of
from reseat.papers.supervised.plan import STARTS, SYSTEMS, Plan, named_variant
from reseat.sections import Section, fault, number, one_of, optional, or_word, unique, whole

WITH_TYPES = tuple(model for model in SYSTEMS.values() if model != "cdp")

#: Parameters of the law of the precisions that each model can sample.
SAMPLED = {
    "scdp1": ("shape", "rate"),
    "scdp3_covariance": ("rate", "lambda"),
    "scdp3_precision": ("shape", "rate", "lambda"),
}


def _check_interval(ends: list[float]) -> list[float]:
    if ends[0] > ends[1]:
        raise ConfigError(f"{ends} is upside down; write the smaller number first.")
    if ends[0] == ends[1]:
        raise ConfigError(f"{ends} leaves nothing to search; write two different numbers.")
    return ends


PowersOfTwo = Annotated[
    list[number(ge=-1000, le=1000)],
    Field(min_length=2, max_length=2),
    AfterValidator(_check_interval),
]
Pairs = whole(20, 100_000)


class Embedding(Section):
    kind: one_of("mds", "centroids")
    share: number(gt=0, le=1)
    largest: sections.Size
    scaled_by: one_of("training", "all")


class SetEntry(Section):
    role: one_of("digits", "identity", "coref", "refmatch")
    embedding: optional(Embedding) = None


class Concentration(Section):
    shape: sections.Positive
    rate: sections.Positive


class Model(configuration.ModelSection):
    KIND = "model"

    system: one_of(*SYSTEMS)
    variant: sections.Text = None
    model: one_of(*SYSTEMS.values())
    starts: unique(one_of("one", "singletons", "k_means", "truth", "scdp1", "learned")) = STARTS
    form: one_of("collapsed", "explicit") = only_with("scdp1", "scdp2")
    types: one_of("collapsed", "explicit") = only_with(*WITH_TYPES)
    law: one_of("between", "within") = only_with("scdp2")
    pairs: one_of("sum", "mean", "within_block") = only_with(*WITH_TYPES[1:])
    aux: one_of("posterior", "prior") = only_with(*WITH_TYPES)
    share: sections.Flag = only_with(*WITH_TYPES)
    sample_concentration: sections.Flag = only_with("cdp")
    moves: one_of("split_merge", "canopy", "joint") = None
    held: sections.Flag = only_with(*WITH_TYPES)
    sigma: or_word("sampled", sections.Positive, "a number") = None
    sampled: unique(one_of("shape", "rate", "lambda")) = only_with(*SAMPLED)
    precision: sections.Positive = only_with("cdp")
    prior: configuration.GroupPrior = None

    @model_validator(mode="after")
    def _check_options(self):
        """Refuse a model that is named as another system, or an option that it cannot use."""
        model, expected = self.model, SYSTEMS[self.system]
        if model != expected:
            said = f"the system {self.system} is the model {expected}, not {model}"
            raise ConfigError(f"{said}; correct one of them.")
        explicit = model not in ("scdp1", "scdp2", "cdp") or self.form == "explicit"
        if self.aux is not None and not explicit:
            said = "has no effect, since the means are integrated out; omit it"
            raise fault(f"{said}, or add form: explicit.", "aux")
        if self.types == "collapsed" and model == "scdp3_covariance":
            raise fault(f"the precisions of {model} cannot be integrated out; omit it.", "types")
        if self.moves == "split_merge" and explicit:
            said = "split_merge needs means that are integrated out, which this model's are not"
            raise fault(f"{said}; use joint.", "moves")
        if self.sigma == "sampled" and (explicit or model == "cdp"):
            raise fault("can be sampled only by scdp1 and scdp2; give a number.", "sigma")
        if self.sampled is not None and self.types == "collapsed":
            raise fault("has no effect on collapsed types; omit one of the two.", "sampled")
        lacking = sorted({*(self.sampled or ())} - {*SAMPLED.get(model, ())})
        if lacking:
            raise fault(f"{model} cannot sample {' and '.join(lacking)}; omit it.", "sampled")
        if self.moves == "joint" and model == "cdp":
            raise fault("cdp has no types to move; use split_merge.", "moves")
        if self.held and (self.moves != "joint" or [*self.starts] != ["truth"]):
            said = "only the true publications are held; add moves: joint and starts: [truth]."
            raise fault(said, "held")
        alone = {"learned", "scdp1"} & {*self.starts}
        if alone and model == "cdp":
            raise fault(f"cdp cannot start from {min(alone)}; leave it out.", "starts")
        if self.sigma is not None and self.variant is not None:
            said = f"a model with a sigma is the variant {name_scale(self.sigma)!r}"
            raise fault(f"{said}; remove one of the two.", "variant")
        if scale_of(self.variant or "") is not None:
            raise fault("a sigma is not given in words; set `sigma` instead.", "variant")
        return self


class Canopy(Section):
    n_neighbours: sections.Size
    full_every: sections.SomeSweeps


class Joint(Section):
    n_proposals: sections.SizeOrNone
    n_neighbours: sections.Size
    n_type_proposals: sections.SizeOrNone


class Search(Section):
    nuggets: unique(number(ge=0))
    powers: unique(sections.Positive)
    directions: unique(sections.Size)
    log_concentrations: unique(or_word("sampled", number(ge=-700, le=20.7), "a number"))
    n_folds: whole(2, 100_000)
    burn_in: sections.Sweeps
    n_samples: sections.SomeSweeps


class ScaleSearch(Section):
    sigmas: unique(sections.Positive)
    n_folds: whole(2, 100_000)
    burn_in: sections.Sweeps
    n_samples: sections.SomeSweeps


class Chosen(Section):
    coordinates: dict[sections.Key, optional(Embedding)] = Field(min_length=1)
    search: ScaleSearch


class Full(Section):
    coordinates: dict[sections.Key, optional(Embedding)] = Field(min_length=1)
    search: Search
    n_proposals: sections.SizeOrNone
    n_neighbours: sections.Size


class KMeans(Section):
    n_restarts: sections.Count


class Binary(Section):
    n_folds: whole(2, 100_000)
    n_rounds: sections.Count
    n_pairs: Pairs = None
    n_search_pairs: Pairs = None
    log2_gamma: PowersOfTwo
    log2_c: PowersOfTwo


class BinaryOfScale(optional(Binary)):
    n_pairs: Pairs
    n_search_pairs: Pairs


class Study(configuration.Study):
    length: configuration.Length


class FullLength(Section):
    burn_in: sections.Sweeps
    n_samples: sections.Samples


class FullStudy(Section):
    datasets: sections.Names
    n_seeds: sections.Count
    length: FullLength
    search: optional(Search) = None


class ChosenStudy(FullStudy):
    models: unique(sections.Text)
    search: optional(ScaleSearch) = None


class DrawLength(configuration.Thinned):
    burn_in: sections.Sweeps


class Draws(Section):
    datasets: unique(sections.Text, least=0)
    n_draws: sections.Repetitions
    models: unique(sections.Text, least=0)
    length: DrawLength


class Worlds(Section):
    n_draws: sections.Repetitions
    n_entities: whole(2, 1000)
    n_items: whole(2, 1000)
    n_sweeps: whole(2, 1_000_000)


class Check(Section):
    n_sweeps: sections.SomeSweeps


class Scale(Section):
    models_per_job: sections.Count
    n_seeds: sections.Repetitions
    studies: list[Study] = Field(min_length=1)
    full: list[FullStudy]
    chosen: list[ChosenStudy]
    draws: Draws
    binary: BinaryOfScale
    check: Check
    worlds: Worlds


class Supervised(FamilySection):
    PLAN = Plan

    sets: dict[sections.Key, SetEntry]
    embedding: Embedding
    sigma: sections.Positive
    shape: sections.Positive
    rate: sections.Positive
    lambda_: sections.Positive = Field(alias="lambda")
    n_candidates: sections.Size
    concentration: Concentration
    warm_up: sections.SomeSweeps
    models: dict[ModelName, Model]
    canopy: Canopy
    split_merge: configuration.SplitMerge
    joint: Joint
    full: Full
    chosen: Chosen
    k_means: KMeans
    binary: Binary
    scales: configuration.Scales[Scale]

    def check(self, known):
        super().check(known)
        words = {}
        for name, entry in self.written()["models"].items():
            model = named_variant(entry)
            words[name] = (model["system"], model.get("variant", ""))
        self.require_apart(words, "system and the variant")
        before: dict[tuple[str, str], int] = {}
        for place, study in self.studies(known.scale, "draws", "full", "chosen"):
            self.check_study(place, study)
        for place, study in self.studies(known.scale, "full", "chosen"):
            *_, part, number = place
            for name in study.datasets:
                if before.setdefault((part, name), number) != number:
                    said = f"has {name!r}, as {part}[{before[part, name]}] has"
                    raise fault(f"{said}; remove one of them.", *place, "datasets")

    def check_study(self, place, study):
        super().check_study(place, study)
        low, high = 0.5, 40.0  # the shapes with which precisions can be drawn
        for name in getattr(study, "models", ()):
            if self.models[name].model == "scdp3_covariance" and not low <= self.shape <= high:
                said = f"{self.shape:g} cannot be used with {name!r} of {'.'.join(place[:3])}; it"
                said += f" must be from {low:g} to {high:g}, or remove the model."
                raise fault(said, "shape")


SECTION = Supervised
