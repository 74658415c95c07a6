"""Numbering of entities and groups, the last step in building a set of mentions."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from reseat.datasets.identity import UNNAMED
from reseat.datasets.mentions import Mentions, number_entities
from reseat.datasets.raw import SIDES, RawMentions

__all__ = ["number_mentions"]

logger = logging.getLogger(__name__)


def number_mentions(raw: RawMentions) -> Mentions:
    """Number the entities and groups of mentions; groups are the documents or the two sides."""
    sides = [SIDES[side] for side in raw.test]
    made = Mentions(
        kind=raw.kind,
        columns=dict(raw.columns),
        # An entity of two groups counts as two, because no item is joined to another group's.
        entities=number_entities([*zip(raw.documents or sides, raw.entities, strict=True)]),
        test=np.asarray(raw.test, dtype=bool),
        groups=number_entities(raw.documents) if raw.documents else np.array(raw.test, np.int32),
        group_names=tuple(dict.fromkeys(raw.documents)) if raw.documents else SIDES,
        item_ids=tuple(raw.item_ids),
        identity=replace(UNNAMED, preprocessing=dict(raw.notes)),
    )
    _warn_of_entities_apart(raw, raw.documents or sides)
    return made


def _warn_of_entities_apart(raw: RawMentions, groups: Sequence[str]) -> None:
    """Warn of entities in two groups, whose items no system can join."""
    seen = {}
    apart = {e for e, g in zip(raw.entities, groups, strict=True) if seen.setdefault(e, g) != g}
    if apart:
        where = "documents" if raw.documents else "sides, training and test"
        logger.warning(
            "%d entities are in two %s, where they count as different; the first is %r",
            *(len(apart), where, next(e for e in raw.entities if e in apart)),
        )
