"""From a name in the registry to `Mentions`."""

from __future__ import annotations

import hashlib
import inspect
import logging
from dataclasses import replace

import numpy as np

from reseat.datasets.build import read_entry
from reseat.datasets.mentions import SIDES, Mentions, number_entities
from reseat.datasets.objects import RawMentions
from reseat.datasets.parsers import MENTION_PARSERS
from reseat.datasets.registry import Registry
from reseat.datasets.settings import DataSettings

__all__ = ["build_mentions"]

logger = logging.getLogger(__name__)


def build_mentions(
    registry: Registry, name: str, settings: DataSettings | None = None, seed: int = 0
) -> Mentions:
    """Find and read a set of mentions, and draw from it what is drawn.

    Parameters
    ----------
    registry : Registry
    name : str
        Data set, which must be one of mentions.
    settings : DataSettings, optional
    seed : int
        For what is drawn: the digits taken, or the side on which a name or a document falls;
        an entry with a seed among its options keeps that one.

    Raises
    ------
    ConfigError
        If the name is unknown or not that of mentions, or an option is unusable.
    DataError
        If a file is missing or damaged, or as for `Mentions`.
    """
    entry = registry[name]
    parser = MENTION_PARSERS.get(entry.parser)
    if parser is not None and "seed" in inspect.signature(parser).parameters:
        entry = replace(entry, options={"seed": seed, **entry.options})
    registry = Registry({**registry, name: entry}, registry.source)
    raw, identity = read_entry(registry, name, settings, MENTION_PARSERS, "a set of mentions")
    hashes = identity.sha256
    if not hashes:  # generated, or the user's own: no file with a hash in the registry
        hashes = {"items as read": _hash(raw)}
    steps = {**identity.preprocessing, **raw.notes}
    sides = [SIDES[side] for side in raw.test]
    made = Mentions(
        kind=raw.kind,
        columns=dict(raw.columns),
        entities=number_entities(raw.entities),
        test=np.asarray(raw.test, dtype=bool),
        groups=number_entities(raw.documents) if raw.documents else np.array(raw.test, np.int32),
        group_names=tuple(dict.fromkeys(raw.documents)) if raw.documents else SIDES,
        item_ids=tuple(raw.item_ids),
        identity=replace(identity, sha256=hashes, preprocessing=steps),
    )
    _warn_of_entities_apart(name, raw, raw.documents or sides)
    return made


def _warn_of_entities_apart(name: str, raw: RawMentions, groups) -> None:
    """No system can put together what is in two groups."""
    seen = {}
    apart = {e for e, g in zip(raw.entities, groups, strict=True) if seen.setdefault(e, g) != g}
    if apart:
        where = "documents" if raw.documents else "sides, training and test"
        logger.warning(
            "data set %r: %d entities are in two %s, where they count as different; the first is "
            "%r", name, len(apart), where, next(e for e in raw.entities if e in apart),
        )  # fmt: skip


def _hash(raw: RawMentions) -> str:
    digest = hashlib.sha256()
    rows = (raw.item_ids, raw.entities, raw.documents or (), [SIDES[side] for side in raw.test])
    for texts in rows:
        digest.update("\0".join([*texts, "\1"]).encode())
    for key, values in raw.columns.items():
        digest.update(f"{key}\0".encode())
        if isinstance(values, np.ndarray):
            digest.update(np.ascontiguousarray(values, dtype=np.float64))
        else:
            digest.update("\0".join([*values, "\1"]).encode())
    return digest.hexdigest()
