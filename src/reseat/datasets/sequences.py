"""Sequences, such as proteins, some of which have a known class."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from reseat.datasets.identity import UNNAMED, DatasetIdentity
from reseat.datasets.stored import Stored, counted

LETTERS = re.compile(r"[A-Z]+")


@dataclass(frozen=True, eq=False)
class Sequences(Stored):
    """Sequences of amino acids.

    Attributes
    ----------
    names, sequences : tuple of str
        The sequences are in capital letters.
    labels, groups : tuple of str
        Class of each sequence, empty if unlabelled, and true class of the unlabelled, if known.
    identity : DatasetIdentity

    Raises
    ------
    DataError
        If there are fewer than three sequences, if a name is used twice, if a sequence is
        empty or has characters other than letters, or if lengths disagree.

    Examples
    --------
    >>> from reseat.datasets import Sequences
    >>> classes, groups = ("alpha", "beta", ""), ("", "", "alpha")
    >>> globins = Sequences(("a", "b", "c"), ("MVLS", "MVHL", "MGLS"), classes, groups)
    >>> globins.n_items
    3
    """

    KIND = "sequences"

    names: tuple[str, ...]
    sequences: tuple[str, ...]
    labels: tuple[str, ...]
    groups: tuple[str, ...]
    identity: DatasetIdentity = UNNAMED

    n_items = counted("names", "sequences")

    def __post_init__(self):
        super().__post_init__()
        self._set_texts("names", "sequences", "labels", "groups")
        self._check_lengths(self.n_items, "sequences", "sequences", "labels", "groups")
        if self.n_items < 3:
            raise self._fault(f"there are {self.n_items} sequences; at least three are needed")
        self._check_distinct("sequences", self.names)
        capitals = tuple(text.upper() for text in self.sequences)
        for name, text in zip(self.names, capitals, strict=True):
            if not LETTERS.fullmatch(text):
                what = "is empty" if not text else "contains characters other than letters"
                raise self._fault(f"the sequence {name!r} {what}; fix it or remove it")
        self._set(sequences=capitals)

    @property
    def lengths(self) -> np.ndarray:
        """Number of letters of each sequence, int32, shape (n_items,)."""
        return np.array([len(text) for text in self.sequences], dtype=np.int32)

    @property
    def class_names(self) -> tuple[str, ...]:
        """Names of the classes, in alphabetical order."""
        return tuple(sorted(set(self.labels) - {""}))

    def summary(self) -> dict[str, Any]:
        lengths = self.lengths
        return {
            "items": self.n_items,
            "labelled": sum(label != "" for label in self.labels),
            "classes": len(self.class_names),
            "groups": len(set(self.groups) - {""}),
            "shortest": int(lengths.min()),
            "median_length": float(np.median(lengths)),
            "longest": int(lengths.max()),
        }
