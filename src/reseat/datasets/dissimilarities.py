"""Dissimilarities between objects, some of which have a known class."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from reseat.datasets.identity import UNNAMED, DatasetIdentity
from reseat.datasets.stored import Stored, counted
from reseat.dissimilarities import check_dissimilarities
from reseat.errors import DataError
from reseat.files.atomic import atomic_path
from reseat.files.packed import MEMORY_MAP_FROM, read_npy

MATRIX = ".values.npy"
UNLABELLED = -1
#: Bounds on the largest entry.  In single precision, squares of larger entries overflow, and small
#: fractions of smaller ones lose precision.
SMALLEST, LARGEST = 1e-18, 1e18


@dataclass(frozen=True, eq=False)
class Dissimilarities(Stored):
    """A symmetric matrix of squared distances, with the labels of its objects.

    Attributes
    ----------
    values : ndarray of float32, shape (n_items, n_items)
        May be memory-mapped, and is then read-only.
    item_ids, class_names : tuple of str
    classes : ndarray of int32, shape (n_items,)
        Index into `class_names`; -1 if the object is unlabelled.
    groups : tuple of str, or None
        True classes of the unlabelled objects where they are known, empty elsewhere.
    identity : DatasetIdentity
    lengths : ndarray of int32, shape (n_items,), or None
        Lengths of the sequences, if the objects are sequences.

    Raises
    ------
    DataError
        As for `reseat.dissimilarities.check_dissimilarities` and `check_scale`, or if an id or
        a class name is used twice, a class is out of range or empty, or lengths disagree.

    Examples
    --------
    >>> from reseat.datasets import Dissimilarities
    >>> values = [[0, 1, 9], [1, 0, 4], [9, 4, 0]]
    >>> objects = Dissimilarities(values, ("a", "b", "c"), [0, 0, -1], class_names=("near",))
    >>> objects.n_items, objects.n_classes
    (3, 1)
    """

    KIND = "dissimilarities"
    _APART = ("values",)

    values: np.ndarray
    item_ids: tuple[str, ...]
    classes: np.ndarray
    class_names: tuple[str, ...]
    groups: tuple[str, ...] | None = None
    identity: DatasetIdentity = UNNAMED
    lengths: np.ndarray | None = None

    n_items = counted("values", "objects")
    n_classes = counted("class_names", "classes among the labelled objects")

    def __post_init__(self):
        super().__post_init__()
        check_dissimilarities(self.values, self._where)
        check_scale(self.values, self._where)
        if not (isinstance(self.values, np.ndarray) and self.values.dtype == np.float32):
            self._set(values=np.asarray(self.values, dtype=np.float32))
        self._set_texts("item_ids", "class_names", *([] if self.groups is None else ["groups"]))
        self._check_lengths(self.n_items, "objects", "item_ids", "groups", "classes", "lengths")
        self._check_distinct("objects", self.item_ids)
        self._check_distinct("classes", self.class_names)
        n_classes = len(self.class_names)
        self._set(classes=self._whole("classes", UNLABELLED, n_classes - 1))
        if self.lengths is not None:
            self._set(lengths=self._whole("lengths"))
        empty = np.flatnonzero(np.bincount(self.classes + 1, minlength=n_classes + 1)[1:] == 0)
        if empty.size:
            raise self._fault(f"no object belongs to the class {self.class_names[empty[0]]!r}")

    def replace_values(self, values: np.ndarray, **preprocessing: Any) -> Dissimilarities:
        """Return the same objects with other dissimilarities, such as corrected ones.

        Parameters
        ----------
        values : ndarray, shape (n_items, n_items)
        **preprocessing
            What was done, added to the preprocessing of the identity.
        """
        given = {key: value for key, value in preprocessing.items() if key != "computed"}
        identity = self.identity.computed_from(self.source()["content"], given)
        steps = {**identity.preprocessing, **preprocessing}
        return replace(self, values=values, identity=replace(identity, preprocessing=steps))

    def summary(self) -> dict[str, Any]:
        return {
            "items": self.n_items,
            "labelled": int(np.count_nonzero(self.classes != UNLABELLED)),
            "classes": self.n_classes,
            "groups": len(set(self.groups or ()) - {""}),
            "largest": float(self.values.max()),
        }

    def save(self, path: str | os.PathLike) -> None:
        """Write the objects to `path` (``.npz``) and the matrix beside it (``.values.npy``).

        Both are written atomically, and equal data give equal bytes.  Only a file of its own can
        be mapped into memory.
        """
        with atomic_path(Path(path).with_suffix(MATRIX)) as temporary:
            np.save(temporary, self.values, allow_pickle=False)
        super().save(path)

    @classmethod
    def load(
        cls, path: str | os.PathLike, memory_map_from: int = MEMORY_MAP_FROM
    ) -> Dissimilarities:
        """Read dissimilarities that `save` wrote.

        Parameters
        ----------
        path : path-like
            The ``.npz`` file.
        memory_map_from : int
            As for `reseat.dissimilarities.read_dissimilarities`.

        Raises
        ------
        DataError
            If a file is absent or truncated, or does not hold dissimilarities in this format.
        """
        matrix = Path(path).with_suffix(MATRIX)
        if not matrix.is_file():
            raise DataError(f"{matrix} not found")
        return super().load(path, values=read_npy(matrix, matrix, memory_map_from))


def check_scale(values: np.ndarray, where: str) -> None:
    """Raise an error unless single precision can handle the scale of the dissimilarities."""
    largest = float(np.max(values))
    if not SMALLEST <= largest <= LARGEST:
        raise DataError(
            f"{where}: the largest entry is {largest:g}, but it must be between {SMALLEST:g} and "
            f"{LARGEST:g}; multiply the whole matrix by a constant, which does not change the "
            "clustering"
        )


def number_classes(labels) -> tuple[np.ndarray, tuple[str, ...]]:
    """Number the classes in alphabetical order; an empty one is -1."""
    names, numbers = np.unique(["", *labels], return_inverse=True)
    return (numbers - 1)[1:].astype(np.int32), tuple(names[1:].tolist())
