"""From a name in the registry to `Relations`."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from reseat.datasets.build import read_entry
from reseat.datasets.parsers import RELATION_PARSERS
from reseat.datasets.registry import Registry
from reseat.datasets.relation_tables import RawRelations
from reseat.datasets.relations import Relations
from reseat.datasets.settings import DataSettings

__all__ = ["build_relations"]


def build_relations(
    registry: Registry, name: str, settings: DataSettings | None = None
) -> Relations:
    """Find and read a set of relations.

    Parameters
    ----------
    registry : Registry
    name : str
        Data set, which must be one of relations.
    settings : DataSettings, optional

    Raises
    ------
    ConfigError
        If the name is unknown or not that of relations, or an option is unusable.
    DataError
        If a file is missing or damaged, or as for `Relations`.
    """
    raw, identity = read_entry(registry, name, settings, RELATION_PARSERS, "a set of relations")
    if not identity.sha256:  # generated, or the user's own: no file with a hash in the registry
        identity = replace(identity, sha256={"relations as read": _hash(raw)})
    return Relations(dict(raw.entities), raw.relations, dict(raw.classes), identity)


def _hash(raw: RawRelations) -> str:
    digest = hashlib.sha256()
    for texts in (raw.entities, raw.classes):
        for kind, names in texts.items():
            digest.update("\0".join([kind, *names, "\1"]).encode())
    for relation in raw.relations:
        digest.update("\0".join([relation.name, *relation.types, "\1"]).encode())
        for array in (relation.coordinates, relation.counts, relation.missing):
            digest.update(array)
    return digest.hexdigest()
