"""The section `sixth` of the configuration."""

from pydantic import Field

from reseat import sections
from reseat.papers import configuration
from reseat.papers.sixth.plan import Plan
from reseat.sections import Section, one_of


class SetEntry(Section):
    role: one_of("news")


class Model(configuration.PriorSection):
    beta: sections.Strength


class Study(configuration.Study):
    length: configuration.Length


class Scale(Section):
    models_per_job: sections.Count
    studies: list[Study] = Field(min_length=1)


class PaperSection(configuration.FamilySection):
    PLAN = Plan

    sets: dict[sections.Key, SetEntry]
    models: dict[sections.Key, Model]
    scales: configuration.Scales[Scale]


SECTION = PaperSection
