"""From a name in the registry to `Records`, or to a recipe from which records are drawn."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from reseat.datasets.build import read_entry
from reseat.datasets.encoding import encode_records
from reseat.datasets.parsers import RECIPE_PARSERS, RECORD_PARSERS
from reseat.datasets.recipes import RecordRecipe
from reseat.datasets.records import Records
from reseat.datasets.registry import Registry
from reseat.datasets.settings import DataSettings
from reseat.datasets.tables import RawRecipe, RawRecords
from reseat.errors import DataError

__all__ = ["build_recipe", "build_records"]


def build_recipe(
    registry: Registry, name: str, settings: DataSettings | None = None
) -> RecordRecipe:
    """Find and read a recipe of records.

    Parameters
    ----------
    registry : Registry
    name : str
        Data set, which must be a recipe.
    settings : DataSettings, optional

    Raises
    ------
    ConfigError
        If the name is unknown or not that of a recipe, or an option is unusable.
    DataError
        If a file is missing or damaged, or as for `RecordRecipe`.
    """
    raw, identity = read_entry(registry, name, settings, RECIPE_PARSERS, "a recipe of records")
    return RecordRecipe(
        fields=raw.fields,
        levels=raw.levels,
        marginals=tuple(_distribution(name, raw, field) for field in range(len(raw.fields))),
        sizes=raw.sizes,
        identity=identity,
    )


def build_records(registry: Registry, name: str, settings: DataSettings | None = None) -> Records:
    """Find and read a set of records.

    Parameters
    ----------
    registry : Registry
    name : str
        Data set, which must be one of records.  From a recipe, records are
        drawn by `reseat.datasets.draw_records`.
    settings : DataSettings, optional

    Raises
    ------
    ConfigError
        If the name is unknown or not that of records, or an option is unusable.
    DataError
        If a file is missing or damaged, or as for `Records`.
    """
    raw, identity = read_entry(registry, name, settings, RECORD_PARSERS, "a set of records")
    if not identity.sha256:  # generated, or the user's own: no file with a hash in the registry
        identity = replace(identity, sha256={"cells as read": _hash(raw)})
    return encode_records(raw, identity)


def _distribution(name: str, raw: RawRecipe, field: int):
    weights = raw.weights[field]
    if not weights.sum() > 0:
        raise DataError(f"recipe {name!r}: all counts of field {raw.fields[field]!r} are 0")
    return weights / weights.sum()


def _hash(raw: RawRecords) -> str:
    digest = hashlib.sha256()
    cells = raw.cells.astype(object).where(raw.cells.notna(), "\1")
    entities = raw.entities if raw.entities is not None else [""] * len(cells)
    for record, entity, row in zip(raw.record_ids, entities, cells.to_numpy(), strict=True):
        digest.update("\0".join([record, entity, *row, ""]).encode())
    return digest.hexdigest()
