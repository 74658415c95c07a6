"""The section `distances` of the configuration."""

from itertools import product
from typing import Literal

from pydantic import Field, model_validator

from reseat import sections
from reseat.datasets.alignment import substitution_matrix
from reseat.datasets.parsers import PARSERS
from reseat.papers import configuration
from reseat.papers.configuration import FamilySection, ModelName, likelihoods_of, only_with
from reseat.papers.distances import PAPER_MODELS
from reseat.papers.distances.plan import TRUTH, Plan
from reseat.sections import Section, fault, number, one_of, unique, whole

#: Largest expected number of empty clusters with which points can be drawn in a thousand attempts.
MAX_EMPTY = 3

#: Sets of points with a number of clusters, of dimensions, and a mean.
MEANS = [f"means_c{c}_d{d}_mu{mu}" for c, d, mu in product((100, 15), (3, 100), (0, 40))]

#: Sets of objects of which only the dissimilarities are known.
OBJECTS = ("globins", "globins_added", "globins_rank30", "globins_scop", "protein213", "families")

#: The costs of the aligner have 16 bits.
Cost = whole(0, 32_767)
#: Numbers of objects that can be clustered in several ways.
Objects = whole(20, 100_000)


class PointsEntry(Section):
    role: one_of("separated", "overlapping", "large", *MEANS) = None
    n_draws: sections.Count


class ObjectsEntry(Section):
    role: one_of(*OBJECTS) = None
    kappa: sections.Positive = None
    rank: sections.Size
    method: one_of("exact", "randomised")


class Alignment(Section):
    matrix: sections.Text
    gap_open: Cost
    gap_extend: Cost

    @model_validator(mode="after")
    def _check_matrix(self):
        substitution_matrix(self.matrix, self.gap_open, self.gap_extend)
        return self


class Annealing(Section):
    n_steps: sections.Size
    greatest: number(ge=1)


class Model(configuration.PriorSection):
    KIND = "likelihood"

    likelihood: likelihoods_of("distances")
    n_blocks: Literal[True] = Field(None, description="The true number of blocks.")
    exponent: one_of("derived", "printed") = only_with("distances")
    precision: one_of("single", "double") = only_with("distances")
    centre: one_of("direct", "kpca") = only_with("similarities")
    lost: sections.SizeOrNone = Field(0, description="Degrees of freedom fewer than dimensions.")
    times: sections.Positive = Field(
        1.0, description="Degrees of freedom, as a multiple of the number of dimensions."
    )
    split_merge: sections.optional(configuration.SplitMerge) = Field(
        None, description="Parameters of a move that splits and merges blocks, before each sweep."
    )
    temper: one_of("posterior", "likelihood") = None
    clamp: one_of("labelled", "hidden", "none") = None
    hidden_classes: sections.Count = Field(None, description="Classes of which no label is kept.")

    @model_validator(mode="after")
    def _check_hidden(self):
        if self.hidden_classes is not None and self.clamp != "hidden":
            raise fault("has no effect without clamp: hidden; omit it.", "hidden_classes")
        return self


class Length(configuration.Length):
    thin: sections.SomeSweeps


class Study(configuration.Study):
    n_draws: sections.Count = 1
    starts: unique(one_of("one", "many", TRUTH)) = ()
    length: Length


class Scaling(Section):
    largest_naive: Objects
    largest_secular: Objects
    largest_closed: Objects
    largest_cached: Objects
    n_clusters: unique(whole(2, 100_000), least=2)
    n_repeats: sections.Count

    @model_validator(mode="after")
    def _check_sizes(self):
        """Refuse more clusters than pairs of objects, which would time sweeps of singletons."""
        sizes = {key: size for key, size in self if key.startswith("largest_")}
        least, most = min(sizes, key=sizes.get), max(self.n_clusters)
        if 2 * most > sizes[least]:
            why = f"more than half of {least}, which is {sizes[least]}"
        elif most * (1 - 1 / most) ** sizes[least] > MAX_EMPTY:
            why = f"of which some would be empty with the {sizes[least]} objects of {least}"
        else:
            return self
        raise fault(f"has {most}, {why}; lower one or raise the other.", "n_clusters")


class Check(configuration.Check):
    n_items: whole(3, 7)


class Scale(Section):
    accuracy: list[Study] = Field(min_length=1)
    trace: list[Study] = Field(min_length=1)
    means: list[Study] = Field(min_length=1)
    readings: list[Study] = Field(min_length=1)
    labelled: list[Study] = Field(min_length=1)
    scaling: Scaling
    check: Check


class Distances(FamilySection):
    PLAN = Plan
    ENTRIES = {"points": ("points",), "objects": ("sequences", "dissimilarities")}

    points: dict[sections.Key, PointsEntry]
    objects: dict[sections.Key, ObjectsEntry]
    alignment: Alignment
    annealing: Annealing
    hidden_share: sections.Proportion
    memory_bound_mb: sections.Positive
    models: dict[ModelName, Model]
    scales: configuration.Scales[Scale]

    def check(self, known):
        super().check(known)
        self._check_kappa(known)
        self._check_shown(known)
        self._check_degrees(known)

    def _check_kappa(self, known):
        for name, entry in self.objects.items():
            aligned = PARSERS.kind_of(known.registry[name].parser) == "sequences"
            if aligned and entry.kappa is None:
                said = "sequences need kappa, which turns scores into distances; add it."
                raise fault(said, "objects", name)
            if entry.kappa is not None and not aligned:
                raise fault("has an effect on sequences only; omit it.", "objects", name, "kappa")

    def check_study(self, place, study):
        known = {**self.points, **self.objects}
        where = "distances.points or distances.objects"
        self.require_known((*place, "models"), study.models, self.models, "distances.models")
        self.require_known((*place, "datasets"), study.datasets, known, where)
        for name in study.datasets:
            check = self._check_points if name in self.points else self._check_objects
            check(place, study, name)
            made = getattr(known[name], "n_draws", 1)
            if study.n_draws > made:
                said = f"is {study.n_draws}, but only {made} of {name!r} are available"
                raise fault(f"{said}; see distances.points.", *place, "n_draws")

    def _check_points(self, place, study, name):
        for model in study.models:
            if self.models[model].clamp is not None:
                said = f"has {model!r}, whose clamp says which labels are kept, but the points of"
                raise fault(f"{said} {name!r} have none; remove it.", *place, "models")

    def _check_objects(self, place, study, name):
        """Refuse what only points allow: they hold no classes, and their true blocks are known."""
        has = [("starts", TRUTH, "")] if TRUTH in study.starts else []
        for model in study.models:
            entry = self.models[model]
            reasons = {
                "splits and merges": entry.split_merge is not None,
                "needs the true number of blocks": entry.n_blocks is not None,
                "needs coordinates": entry.likelihood in ("similarities", "points"),
                "has fewer degrees of freedom than coordinates": "lost" in entry.model_fields_set,
            }
            has += [("models", model, f", which {why}") for why, holds in reasons.items() if holds]
        for key, value, why in has:
            said = f"has {value!r}{why}, but {name!r} is none of distances.points"
            raise fault(f"{said}; remove it, or move the set to another study.", *place, key)

    def _check_shown(self, known):
        """Refuse studies that no artefact would show, or that would make an artefact fail."""
        studies = list(self.studies(known.scale))
        paper = {name for _, study in studies for name in study.datasets if "tiwd" in study.models}
        for place, study in studies:
            part = place[2]
            for name in study.datasets:
                if part in ("accuracy", "means") and name in self.objects:
                    said = f"has {name!r}, which is none of distances.points; {part} shows no"
                    raise fault(f"{said} others: move it to labelled.", *place, "datasets")
                traced = part == "trace" or getattr(self.objects.get(name), "kappa", None)
                if traced and name not in paper:
                    said = f"no study has the model 'tiwd' on {name!r}, whose chains are shown"
                    raise fault(f"{said}; add it.", *place, "models")
            if part == "readings" and {*study.models} <= {*PAPER_MODELS}:
                said = "has no reading of a model, only the paper's; add one, such as tiwd_printed"
                raise fault(f"{said}, or remove the study.", *place, "models")

    def _check_degrees(self, known):
        """Refuse a model that has no degrees of freedom left on a set of points."""
        for place, study in self.studies(known.scale):
            for name, model in product(study.datasets, study.models):
                lost = self.models[model].lost
                dim = known.registry[name].options.get("dim")
                if isinstance(dim, int) and lost >= dim:
                    said = f"has {model!r}, which loses {lost} degrees of freedom, but {name!r} has"
                    said += f" only {dim} dimensions; lower lost, or remove one of them."
                    raise fault(said, *place, "models")


SECTION = Distances
