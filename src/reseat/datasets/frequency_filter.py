"""Filters that keep the entities of relations that were observed most, or often enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from reseat.configuration import did_you_mean
from reseat.datasets.relations import Relations
from reseat.errors import ConfigError, DataError

__all__ = ["cut_relations", "keep_frequent", "keep_partnered"]


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
        Entities with fewer partners among the kept ones are then removed, again and again until
        every remaining one has enough.

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
    steps = {"cut": dict(n_kept), "min_partners": min_partners}
    steps = {**relations.identity.preprocessing, **steps}
    identity = replace(relations.identity, preprocessing=steps)
    return keep_partnered(keep_frequent(relations, n_kept), min_partners).identified(identity)


def keep_frequent(relations: Relations, n_kept: Mapping[str, int]) -> Relations:
    """Keep the entities that were observed most often.

    Entities of the named types are in descending order of their total counts before the filter,
    with ties broken by code point.
    """
    kept = {}
    for kind, number in n_kept.items():
        if kind not in relations.entities:
            raise ConfigError(
                f"unknown type {kind!r}, of which to keep {number!r} entities"
                + (
                    did_you_mean(kind, relations.types)
                    or f"; there are {', '.join(relations.types)}"
                )
            )
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 1:
            raise ConfigError(
                f"the number of entities of type {kind!r} to keep is {number!r}; it must be a "
                "whole number of at least 1"
            )
        names = relations.entities[kind]
        totals = relations.totals(kind)
        kept[kind] = np.array(sorted(range(len(names)), key=lambda e: (-totals[e], names[e])))
        kept[kind] = kept[kind][:number]
    return relations.restrict(kept)


def keep_partnered(relations: Relations, min_partners: int) -> Relations:
    """Remove entities with too few partners repeatedly, until every remaining one has enough.

    A partner is an observed cell that the entity takes part in. Entities keep their order.
    """
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
