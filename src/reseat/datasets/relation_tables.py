"""What a parser of relations hands over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from reseat.relation_tables import RelationTable, sum_repeated

__all__ = ["RawRelations", "RelationTable", "sum_repeated"]


@dataclass(frozen=True)
class RawRelations:
    """Relations as they were read, without an identity.

    Attributes
    ----------
    entities : mapping of str to sequence of str
        Names of the entities of each type.
    relations : tuple of RelationTable
    classes : mapping of str to sequence of str
        True classes of the entities, empty where there is none, of the types of which
        they are known.
    """

    entities: Mapping[str, Sequence[str]]
    relations: tuple[RelationTable, ...]
    classes: Mapping[str, Sequence[str]] = field(default_factory=dict)
