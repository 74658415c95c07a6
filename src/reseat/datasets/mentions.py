"""Mentions of entities: training items with a known entity, and test items to be clustered."""

import logging
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reseat.checks import MAX_COUNT
from reseat.configuration import did_you_mean
from reseat.datasets.identity import UNNAMED, DatasetIdentity
from reseat.datasets.name_parts import without_accents
from reseat.datasets.raw import SIDES, RawMentions, number_entities
from reseat.datasets.stored import Stored, TestedItems, counted

logger = logging.getLogger(__name__)
# Kind of items -> role of such data in the paper, or the role items for kinds not in the paper.
KINDS = {
    "digits": "digits",
    "identity": "identity",
    "names": "coref",
    "citations": "refmatch",
    "items": "items",
    "pairs": "items",
}
NEEDED = {
    "digits": ("pixels",),
    "identity": ("first_name", "last_name"),
    "names": ("name", "head"),
    "citations": ("title",),
}


@dataclass(frozen=True, eq=False)
class Mentions(TestedItems, Stored):
    """Items before any distance is computed; the entities of the training items are known.

    Attributes
    ----------
    kind : {"digits", "identity", "names", "citations", "items", "pairs"}
        Kind of the items, which determines how they are compared; see
        `reseat.datasets.pair_features`.
    columns : dict of str to tuple of str or ndarray of float64
        Texts, empty where missing; numbers, shape (n_items,), NaN where missing; the ``pixels``
        of digits, shape (n_items, n_pixels); for the kind ``pairs``, each column is a distance
        matrix, shape (n_items, n_items).
    entities : ndarray of int32, shape (n_items,)
        True entity of each item, numbered in order of first appearance.
    test : ndarray of bool, shape (n_items,)
    groups : ndarray of int32, shape (n_items,)
        Document, or else side, of each item.  Entities do not span groups.
    group_names, item_ids : tuple of str
    identity : DatasetIdentity

    Examples
    --------
    >>> from reseat.datasets import Mentions
    >>> names, sides = {"name": ("Ann", "Anne", "Bob", "Ann")}, ("training", "test")
    >>> test, groups = [False, False, False, True], [0, 0, 0, 1]
    >>> people = Mentions("items", names, [0, 0, 1, 2], test, groups, sides, tuple("abcd"))
    >>> people.n_items, people.n_test
    (4, 1)
    """

    KIND = "mentions"

    kind: str
    columns: dict[str, tuple[str, ...] | np.ndarray]
    entities: np.ndarray
    test: np.ndarray
    groups: np.ndarray
    group_names: tuple[str, ...]
    item_ids: tuple[str, ...]
    identity: DatasetIdentity = UNNAMED

    n_items = counted("item_ids", "items")
    n_groups = counted("group_names", "groups")

    def __post_init__(self):
        super().__post_init__()
        if self.kind not in KINDS:
            hint = did_you_mean(self.kind, KINDS) or f"; the kinds are {', '.join(KINDS)}"
            raise self._fault(f"there is no kind {self.kind!r}{hint}")
        self._set_texts("group_names", "item_ids")
        self._set(
            entities=number_entities(self._whole("entities")),
            test=np.ascontiguousarray(self.test, dtype=np.bool_),
            groups=self._whole("groups", -MAX_COUNT),
        )
        self._check_lengths(self.n_items, "items", "entities", "test", "groups")
        self._set(columns={str(key): self._checked_column(key) for key in self.columns})
        for key in NEEDED.get(self.kind, ()):
            if key not in self.columns:
                raise self._fault(f"items of the kind {self.kind!r} need the column {key!r}")
        if not self.columns:
            raise self._fault("there are no columns by which to compare the items")
        self._check_distinct("items", self.item_ids)
        self._check_sides()

    def _checked_column(self, key: str) -> tuple[str, ...] | np.ndarray:
        values, said = self.columns[key], f"the column {key!r}"
        if len(values) != self.n_items:
            raise self._fault(f"{said} has {len(values)} entries for {self.n_items} items")
        if not isinstance(values, np.ndarray):
            return tuple(str(text) for text in values)
        values = np.ascontiguousarray(values, dtype=np.float64)
        if np.isinf(values).any() or (values.ndim > 1 and np.isnan(values).any()):
            row = np.flatnonzero(~np.isfinite(values.reshape(len(values), -1)).all(axis=1))[0]
            raise self._fault(
                f"{said} of item {self.item_ids[row]!r} contains a value that is not a finite "
                "number"
            )
        return values

    def _check_sides(self) -> None:
        if not self.test.any():
            raise self._fault(f"no item is marked {SIDES[1]}, so there is nothing to cluster")
        if self.n_train_entities < 2:
            one = "the training items all belong to one entity"
            held = one if self.n_train_entities else "there are no training items"
            raise self._fault(
                f"{held}; at least two are needed to learn what distinguishes entities"
            )
        n_groups = len(self.group_names)
        if self.groups.min() < 0 or self.groups.max() >= n_groups:
            raise self._fault(f"groups must be numbered from 0 to {n_groups - 1}")
        n_test = np.bincount(self.groups, self.test, n_groups)
        mixed = np.flatnonzero((n_test > 0) & (n_test < np.bincount(self.groups, None, n_groups)))
        if mixed.size:
            raise self._fault(
                f"{self.group_names[mixed[0]]!r} contains both training and test "
                "items; assign all of it to one side"
            )

    @property
    def role(self) -> str:
        """Role of such data in the paper: digits, identity, coref or refmatch; otherwise items."""
        return KINDS[self.kind]

    def rules(self) -> dict[str, np.ndarray]:
        """Return the clusterings of simple rules, by rule, as labels of shape (n_items,).

        ``NameMatch`` (kind ``identity``) joins items with the same last name and first initial,
        ``SameHead`` (kind ``names``) those with the same last word within a document (Daumé & Marcu
        2005, sections 7.3.2 and 7.3.3); case is ignored.
        """
        if self.kind == "identity":
            first, last = self.columns["first_name"], self.columns["last_name"]
            keys = [(b.casefold(), a.casefold()[:1]) for a, b in zip(first, last, strict=True)]
            return {"NameMatch": number_entities(keys)}
        if self.kind == "names":
            heads = map(str.casefold, self.columns["head"])
            keys = zip(self.groups.tolist(), heads, strict=True)
            return {"SameHead": number_entities(keys)}
        return {}

    def summary(self) -> dict[str, Any]:
        found = size_statistics(self.entities[self.test])
        return {
            "items": self.n_items,
            "train": self.n_items - self.n_test,
            "test": self.n_test,
            "entities": self.n_entities,
            "train_entities": self.n_train_entities,
            "test_entities": int(found["entities"]),
            "groups": self.n_groups,
            "pair_share": found["pair_share"],
            "entropy": found["entropy"],
            "largest": int(found["largest"]),
        }


def size_statistics(entities: np.ndarray) -> dict[str, float]:
    """Return the number, share of pairs, entropy in nats and largest size of entities."""
    sizes = np.unique(entities, return_counts=True)[1].astype(float)
    n, shares = sizes.sum(), sizes / sizes.sum()
    return {
        "entities": float(sizes.size),
        "pair_share": float((sizes * (sizes - 1)).sum() / (n * (n - 1))) if n > 1 else 0.0,
        "entropy": float(-(shares * np.log(shares)).sum()),
        "largest": float(sizes.max()),
    }


def fold(text: str) -> str:
    """Return a text in lower case, without accents, extra blanks, or punctuation at either end."""
    plain = " ".join(without_accents(text).split())
    ends = [number for number, letter in enumerate(plain) if letter.isalnum()]
    return plain[ends[0] : ends[-1] + 1] if ends else ""


def number_mentions(raw: RawMentions) -> Mentions:
    """Number the entities and groups of mentions; groups are the documents or the two sides.

    An entity of two groups counts as two, because no item is joined to another group's.
    """
    groups = raw.documents or [SIDES[side] for side in raw.test]
    made = Mentions(
        kind=raw.kind,
        columns=dict(raw.columns),
        entities=number_entities(zip(groups, raw.entities, strict=True)),
        test=np.asarray(raw.test, dtype=bool),
        groups=number_entities(raw.documents) if raw.documents else np.array(raw.test, np.int32),
        group_names=tuple(dict.fromkeys(raw.documents)) if raw.documents else SIDES,
        item_ids=tuple(raw.item_ids),
        identity=replace(UNNAMED, preprocessing=dict(raw.notes)),
    )
    seen = {}
    apart = {e for e, g in zip(raw.entities, groups, strict=True) if seen.setdefault(e, g) != g}
    if apart:
        where = "documents" if raw.documents else "sides, training and test"
        first = next(entity for entity in raw.entities if entity in apart)
        logger.warning(
            f"{len(apart)} entities are in two {where}, where they count as different; the first "
            f"is {first!r}"
        )
    return made
