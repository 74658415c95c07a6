"""Relations between entities of one or more types."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy

from reseat.configuration import did_you_mean
from reseat.datasets.identity import UNNAMED, DatasetIdentity
from reseat.datasets.stored import Stored
from reseat.errors import ConfigError, DataError
from reseat.relation_tables import RelationTable


@dataclass(frozen=True, eq=False)
class Relations(Stored):
    """Entities, and the relations that were observed between them.

    Attributes
    ----------
    entities : dict of str to tuple of str
        Names of the entities of each type.
    relations : tuple of RelationTable
        Mappings of the fields of a table, as read from a file, are converted.
    classes : dict of str to tuple of str, or None
        True classes of the entities of each type, empty for one without a class.
    identity : DatasetIdentity

    Raises
    ------
    DataError
        If a name is used twice, there are no relations, a type or entity is unknown, an entity
        was never observed, or lengths disagree.

    Examples
    --------
    >>> from reseat.datasets import Relations
    >>> from reseat.relation_tables import RelationTable
    >>> likes = RelationTable("likes", ("person", "dish"), [[0, 0], [1, 1]], counts=[3, 1])
    >>> meals = Relations({"person": ("Ann", "Bob"), "dish": ("pie", "soup")}, (likes,))
    >>> meals.entities["dish"]
    ('pie', 'soup')
    """

    KIND = "relations"

    entities: dict[str, tuple[str, ...]]
    relations: tuple[RelationTable, ...]
    classes: dict[str, tuple[str, ...] | None] = field(default_factory=dict)
    identity: DatasetIdentity = UNNAMED

    def __post_init__(self):
        super().__post_init__()
        entities = {
            str(kind): tuple(str(name) for name in names) for kind, names in self.entities.items()
        }
        tables = (RelationTable(**t) if isinstance(t, Mapping) else t for t in self.relations)
        self._set(entities=entities, relations=tuple(tables))
        self._set(classes=self._checked_classes())
        for kind, names in entities.items():
            self._check_distinct(f"entities of type {kind!r}", names)
        if not self.relations:
            raise self._fault("there are no relations")
        self._check_distinct("relations", [relation.name for relation in self.relations])
        for relation in self.relations:
            self._check_places(relation)
        for kind, names in entities.items():
            unseen = np.flatnonzero(self.totals(kind) == 0)
            if unseen.size:
                raise self._fault(
                    f"the {kind} {names[unseen[0]]!r} has an empty row: it was never observed "
                    f"({unseen.size} of {len(names)} were not); remove such entities"
                )

    def _checked_classes(self) -> dict[str, tuple[str, ...] | None]:
        for kind, given in self.classes.items():
            if kind not in self.entities:
                raise self._fault(f"there are classes of {kind!r}, which is not a known type")
            if given is not None and len(given) != len(self.entities[kind]):
                raise self._fault(
                    f"there are {len(given)} classes for the "
                    f"{len(self.entities[kind])} entities of type {kind!r}"
                )
        known = {kind: tuple(map(str, c)) for kind, c in self.classes.items() if c is not None}
        return {kind: known.get(kind) for kind in self.entities}

    def _check_places(self, relation: RelationTable) -> None:
        for cells in (relation.coordinates, relation.missing):
            for place, kind in enumerate(relation.types):
                if kind not in self.entities:
                    raise self._fault(
                        f"relation {relation.name!r} has the type {kind!r}, which "
                        f"has no entities{did_you_mean(kind, self.entities)}"
                    )
                highest = cells[:, place].max(initial=0)
                if highest >= len(self.entities[kind]):
                    raise self._fault(
                        f"relation {relation.name!r} has the {kind} {highest}, but "
                        f"they are numbered from 0 to {len(self.entities[kind]) - 1}"
                    )

    @classmethod
    def unchecked(
        cls,
        entities: Mapping[str, Sequence[str]],
        relations: Sequence[RelationTable],
        classes: Mapping[str, Sequence[str] | None] | None = None,
        identity: DatasetIdentity = UNNAMED,
    ) -> Relations:
        """Make relations without checks; a filter may then remove entities never observed."""
        made = object.__new__(cls)
        made._set(entities=dict(entities), relations=tuple(relations))
        made._set(classes=dict(classes or {}), identity=identity)
        return made

    def restrict(self, kept: Mapping[str, np.ndarray]) -> Relations:
        """Return the relations among the entities `kept` of some types, in that order."""

        def choose(kind, texts):
            return texts if texts is None or kind not in kept else [texts[e] for e in kept[kind]]

        return self.unchecked(
            {kind: choose(kind, names) for kind, names in self.entities.items()},
            [relation.restrict(kept) for relation in self.relations],
            {kind: choose(kind, given) for kind, given in self.classes.items()},
            self.identity,
        )

    @property
    def types(self) -> tuple[str, ...]:
        """Names of the types."""
        return tuple(self.entities)

    @property
    def n_entities(self) -> dict[str, int]:
        """Number of entities of each type."""
        return {kind: len(names) for kind, names in self.entities.items()}

    def totals(self, kind: str, weighted: bool = True) -> np.ndarray:
        """Return how often each entity of a type was observed, shape (n_entities,).

        If not `weighted`, each observed cell counts once; for pairs, these are the partners.
        """
        n_entities = len(self.entities[kind])
        found = [relation.totals(kind, n_entities, weighted) for relation in self.relations]
        return np.sum(found, axis=0, dtype=np.int64)

    def relation(self, name: str | None = None) -> RelationTable:
        """Return a relation by name, which may be omitted if there is only one.

        Raises
        ------
        ConfigError
            If there is no relation of that name, or no name is given for several.
        """
        names = [relation.name for relation in self.relations]
        if name is None and len(names) == 1:
            return self.relations[0]
        if name not in names:
            raise ConfigError(
                f"{self._where}: unknown relation {name!r}; there are {', '.join(names)}"
            )
        return self.relations[names.index(name)]

    def matrix(self, name: str | None = None) -> scipy.sparse.csr_array:
        """Return the counts of a relation with two places, shape (n_rows, n_columns).

        Parameters
        ----------
        name : str, optional
            As for `relation`.

        Returns
        -------
        scipy.sparse.csr_array of int64
            Missing cells are 0.

        Raises
        ------
        ConfigError
            If there is no such relation, or it does not have two places.
        """
        relation = self.relation(name)
        if relation.n_places != 2:
            raise ConfigError(
                f"{self._where}: relation {relation.name!r} has {relation.n_places} places, so it "
                "is not a matrix"
            )
        shape = tuple(len(self.entities[kind]) for kind in relation.types)
        return scipy.sparse.csr_array((relation.counts, tuple(relation.coordinates.T)), shape=shape)

    def summary(self) -> dict[str, Any]:
        shapes = [[len(self.entities[kind]) for kind in r.types] for r in self.relations]
        counts = np.concatenate([relation.counts for relation in self.relations])
        return {
            "types": len(self.entities),
            "entities": sum(self.n_entities.values()),
            "shape": "; ".join(" x ".join(map(str, shape)) for shape in shapes),
            "cells": sum(map(math.prod, shapes)),
            "observed": len(counts),
            "missing": sum(len(relation.missing) for relation in self.relations),
            "tokens": int(counts.sum()),
            "once": int(np.count_nonzero(counts == 1)),
            "largest": int(counts.max()),
        }


def cut_relations(
    relations: Relations, n_kept: Mapping[str, int], min_partners: int = 2
) -> Relations:
    """Restrict relations to the most frequent entities.

    Parameters
    ----------
    relations : Relations
    n_kept : mapping of str to int
        Largest number of entities of each type to keep.
    min_partners : int
        Entities with fewer partners among the kept ones are then removed, until there are none.

    Returns
    -------
    Relations
        The preprocessing of its identity records the filter.

    Raises
    ------
    ConfigError
        If a type is unknown or a number is below 1.
    DataError
        If no entity of a type is left.
    """
    steps = relations.identity.preprocessing | {"cut": dict(n_kept), "min_partners": min_partners}
    identity = replace(relations.identity, preprocessing=steps)
    return keep_partnered(keep_frequent(relations, n_kept), min_partners).identified(identity)


def keep_frequent(relations: Relations, n_kept: Mapping[str, int]) -> Relations:
    """Keep the entities with the highest total counts, with ties broken by code point."""
    kept = {}
    for kind, number in n_kept.items():
        if kind not in relations.entities:
            hint = did_you_mean(kind, relations.types)
            hint = hint or f"; there are {', '.join(relations.types)}"
            raise ConfigError(f"unknown type {kind!r}, of which to keep {number!r} entities{hint}")
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 1:
            raise ConfigError(
                f"the number of entities of type {kind!r} to keep is {number!r}; it must be a "
                "whole number of at least 1"
            )
        names = relations.entities[kind]
        totals = relations.totals(kind)
        order = sorted(range(len(names)), key=lambda e: (-totals[e], names[e]))
        kept[kind] = np.array(order[:number])
    return relations.restrict(kept)


def keep_partnered(relations: Relations, min_partners: int) -> Relations:
    """Repeatedly remove entities in too few observed cells, until all others have enough."""
    while True:
        seen = {kind: relations.totals(kind, weighted=False) for kind in relations.entities}
        kept = {kind: np.flatnonzero(n >= min_partners) for kind, n in seen.items()}
        if all(len(kept[kind]) == len(n) for kind, n in seen.items()):
            return replace(relations)  # checked only now that no unwanted entity is left
        for kind, stay in kept.items():
            if not stay.size:
                raise DataError(
                    f"no {kind} with at least {min_partners} partners is left; lower this number"
                )
        relations = relations.restrict(kept)
