"""The section `relational` of the configuration."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from reseat import sections
from reseat.datasets import Dataset
from reseat.datasets.parsers import PARSERS
from reseat.errors import ConfigError
from reseat.papers import configuration
from reseat.papers.configuration import FamilySection
from reseat.papers.relational.plan import Plan
from reseat.sections import Section, fault, number, one_of, optional, unique, whole

ROLES = "adjectives english svo words animals nations kinship umls toy_blocks".split()

#: Labels are stored as integers of 16 bits.
MAX_CLUSTERS = 32_767

Start = one_of("k_means_merged", "k_means", "hard", "dirichlet_01", "dirichlet_1")


def first_is(expected: Any, kind: Any) -> Any:
    """Return the type of lists that begin with a value, which the paper has and which is judged."""

    def check(values: list) -> list:
        if values[0] != expected:
            raise fault(f"must be {expected!r}, not {values[0]!r}", 0)
        return values

    return Annotated[unique(kind), AfterValidator(check)]


class SetEntry(Section):
    role: one_of(*ROLES) = None
    truncation: dict[Any, whole(2, MAX_CLUSTERS)] = Field(min_length=1)


class Ascent(Section):
    tol: number(ge=0)
    max_iter: sections.SomeSweeps


class Aspect(Ascent):
    n_classes: whole(1, MAX_CLUSTERS)
    n_starts: sections.Count


class Types(Section):
    datasets: sections.Names
    n_restarts: sections.Count


class Pairs(Types):
    n_random: whole(0, 10_000)
    aspect: optional(Aspect) = None


class Joint(Types):
    held_out: number(gt=0, lt=0.5)


class Gibbs(Joint):
    n_chains: sections.Count
    burn_in: sections.Sweeps
    n_samples: sections.Samples


class Scale(Section):
    pairs: Pairs
    types: Types
    gibbs: Gibbs
    joint: Joint
    check: configuration.Check


class Relational(FamilySection):
    PLAN = Plan

    sets: dict[sections.Key, SetEntry]
    concentration: sections.Strength
    ascent: Ascent
    betas: first_is(0.1, sections.Strength)
    initialisations: first_is("dirichlet_01", Start)
    aspect: Aspect
    scales: configuration.Scales[Scale]

    def check(self, known):
        super().check(known)
        self._check_betas()
        self._check_types(known)

    def _check_betas(self) -> None:
        names: dict[str, float] = {}
        for beta in self.betas:
            if names.setdefault(f"{beta:g}", beta) != beta:
                said = f"fits with {names[f'{beta:g}']} and {beta} would have one name"
                raise fault(f"{said}; choose numbers that differ in six digits.", "betas")

    def _check_types(self, known):
        """Refuse truncations and parts that do not match the entity types of a set of relations."""
        types = {name: _types(known.registry[name]) for name in self.sets}
        for name, entry in self.sets.items():
            own = {kind for relation in types[name] or () for kind in relation}
            wrong = sorted(map(str, own ^ {*entry.truncation})) if own else ()
            if wrong:
                said = f"it must have one number for each of the types {', '.join(sorted(own))}"
                said += f"; add or remove {', '.join(wrong)}."
                raise fault(said, "sets", name, "truncation")
        place, scale = self.at(known)
        for part in ("pairs", "gibbs"):
            where = (*place, part, "datasets")
            for name in getattr(scale, part).datasets:
                relations = types[name]
                if relations and [len({*kinds}) for kinds in relations] != [2]:
                    said = f"has {name!r}, which is not one relation between two different types"
                    raise fault(f"{said}; remove it.", *where)
                if relations and len(relations[0]) != 2:
                    said = f"has {name!r}, whose relation has {len(relations[0])} places; {part}"
                    raise fault(f"{said} takes pairs: remove it.", *where)
        for name in scale.pairs.datasets:
            if name in scale.types.datasets:
                said = f"has {name!r}, as the part types has; remove one of them."
                raise fault(said, *place, "pairs", "datasets")


def _types(dataset: Dataset) -> list[list[str]] | None:
    """Return the types of the places of each relation, or None if only the data reveal them."""
    of_parser = PARSERS.places_of(dataset.parser)
    try:
        return of_parser and of_parser(dataset.options)
    except (KeyError, TypeError, AttributeError):
        raise ConfigError(
            f"data set {dataset.name!r}: its options do not say what types its relations are of; "
            f"see the parser {dataset.parser!r}."
        ) from None


SECTION = Relational
