"""Checks of the section `relational` of the configuration that no schema can express."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from reseat.datasets import Dataset, Registry
from reseat.datasets.parsers import PARSERS
from reseat.errors import ConfigError
from reseat.papers.configuration import Rules

__all__ = ["RULES"]


def _check_data(
    section: Mapping[str, Any], scale: str, registry: Registry, own: Mapping[str, Any]
) -> None:
    """Raise a ConfigError for settings that do not match the entity types of a set of relations.

    A set needs one truncation for each of its types, and some parts of a scale take only sets with
    one relation between two different types.
    """
    places = {}
    for name, entry in section["sets"].items():
        dataset = registry[name]
        of_parser = PARSERS.places_of(dataset.parser)
        if of_parser is not None:  # otherwise, only the data reveal the types
            places[name] = _places(dataset, of_parser)
            types = {kind for relation in places[name] for kind in relation}
            wrong = sorted(map(str, types ^ {*entry["truncation"]}))
            named = ", ".join(sorted(types))
            if wrong:
                raise ConfigError(
                    f"config, relational.sets.{name}.truncation: it must have one number for each "
                    f"of the types {named}; add or remove {', '.join(wrong)}."
                )
    for part in ("pairs", "gibbs"):
        for name in section["scales"][scale][part]["datasets"]:
            relations = places.get(name)
            if relations is not None and [len({*types}) for types in relations] != [2]:
                raise ConfigError(
                    f"config, relational.scales.{scale}.{part}.datasets has {name!r}, which is not "
                    "one relation between two different types; remove it."
                )
            if relations is not None and len(relations[0]) != 2:
                raise ConfigError(
                    f"config, relational.scales.{scale}.{part}.datasets has {name!r}, whose "
                    f"relation has {len(relations[0])} places; {part} takes pairs: remove it."
                )


def _places(dataset: Dataset, of_parser: Callable) -> list[list[str]]:
    try:
        return of_parser(dataset.options)
    except (KeyError, TypeError, AttributeError):
        raise ConfigError(
            f"data set {dataset.name!r}: its options do not say what types its relations are of; "
            f"see the parser {dataset.parser!r}."
        ) from None


RULES = Rules(check_data=_check_data)
