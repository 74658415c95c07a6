"""From a name in the registry to points, sequences or dissimilarities."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import numpy as np

from reseat.datasets.build import read_entry
from reseat.datasets.dissimilarities import Dissimilarities, number_classes
from reseat.datasets.parsers import DISSIMILARITY_PARSERS, POINT_PARSERS, SEQUENCE_PARSERS
from reseat.datasets.points import Points, draw_points
from reseat.datasets.registry import Registry
from reseat.datasets.sequences import Sequences
from reseat.datasets.settings import DataSettings
from reseat.dissimilarities import warn_if_not_euclidean

__all__ = ["build_dissimilarities", "build_points", "build_sequences"]


def build_points(
    registry: Registry, name: str, rng: np.random.Generator, number: int = 0, seed: Any = None
) -> Points:
    """Draw points as the options of a data set say.

    Parameters
    ----------
    registry : Registry
    name : str
        Data set, which must be one of points.
    rng, number, seed
        As for `reseat.datasets.draw_points`.

    Raises
    ------
    ConfigError
        If the name is unknown or not that of points, or an option is unusable.
    """
    settings, identity = read_entry(registry, name, None, POINT_PARSERS, "a set of points")
    return draw_points(settings, rng, name, number, seed, identity)


def build_sequences(
    registry: Registry, name: str, settings: DataSettings | None = None
) -> Sequences:
    """Find and read a set of sequences.

    Parameters
    ----------
    registry : Registry
    name : str
        Data set, which must be one of sequences.
    settings : DataSettings, optional

    Raises
    ------
    ConfigError
        If the name is unknown or not that of sequences, or an option is unusable.
    DataError
        If a file is missing or damaged, or as for `Sequences`.
    """
    raw, identity = read_entry(registry, name, settings, SEQUENCE_PARSERS, "a set of sequences")
    found = Sequences(raw.names, raw.sequences, raw.labels, raw.groups, identity)
    if identity.sha256:
        return found
    # Generated, or the user's own: no file with a hash in the registry.
    return replace(found, identity=replace(identity, sha256={"sequences as read": found.digest()}))


def build_dissimilarities(
    registry: Registry, name: str, settings: DataSettings | None = None
) -> Dissimilarities:
    """Find and read a matrix of dissimilarities.

    One that is far from squared Euclidean distances is taken as it is, with a
    warning in the log.

    Parameters
    ----------
    registry : Registry
    name : str
        Data set, which must be one of dissimilarities.
    settings : DataSettings, optional

    Raises
    ------
    ConfigError
        If the name is unknown or not that of dissimilarities, or an option is unusable.
    DataError
        If a file is missing or damaged, or as for `Dissimilarities`.
    """
    raw, identity = read_entry(
        registry, name, settings, DISSIMILARITY_PARSERS, "a set of dissimilarities"
    )
    if not identity.sha256:
        identity = replace(identity, sha256={"matrix as read": _hash(raw)})
    classes, class_names = number_classes(raw.labels)
    found = Dissimilarities(
        values=raw.values,
        item_ids=raw.item_ids,
        classes=classes,
        class_names=class_names,
        groups=None,
        identity=identity,
    )
    warn_if_not_euclidean(found.values, f"data set {name!r}")
    return found


def _hash(raw) -> str:
    digest = hashlib.sha256()
    for name, label, row in zip(raw.item_ids, raw.labels, raw.values, strict=True):
        digest.update("\0".join([name, label, ""]).encode())
        digest.update(np.ascontiguousarray(row, dtype=np.float32))
    return digest.hexdigest()
