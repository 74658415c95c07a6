"""A matrix of dissimilarities or similarities, with an optional table of classes."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from reseat.datasets.dissimilarities import Dissimilarities, check_scale, number_classes
from reseat.datasets.parsers.items import check_headed, check_known, check_once
from reseat.datasets.parsers.options import beside
from reseat.dissimilarities import (
    check_dissimilarities,
    from_similarities,
    read_named_dissimilarities,
    warn_if_not_euclidean,
)
from reseat.dissimilarities.checks import ROUNDING, check_symmetry
from reseat.dissimilarities.reading import ENDINGS
from reseat.errors import ConfigError, DataError
from reseat.files.packed import MEMORY_MAP_FROM
from reseat.reading.tables import column, read_frame
from reseat.reading.values import MISSING_CELLS, missing_words, without_missing

MATRIX, LABELS = "dissimilarities", "labels.csv"


def parse_dissimilarity_matrix(
    paths: Mapping[str, Path],
    similarities: bool = False,
    item: str | None = None,
    label: str | None = None,
    missing: Sequence[str] = MISSING_CELLS,
    memory_map_from: int = MEMORY_MAP_FROM,
) -> Dissimilarities:
    """Read a matrix and, if known, the classes of its objects.

    `paths`: ``matrix`` is a file that `reseat.dissimilarities.read_named_dissimilarities` can read;
        ``labels``, which is optional, is a ``csv`` table of objects and classes. ``user`` is the
        matrix, or a folder with ``dissimilarities.*`` and, if known, ``labels.csv``.
    `similarities`: whether the matrix holds similarities instead (`from_similarities`).
    `item`, `label`: columns of the labels, by default the first and the second; objects without
        names in the matrix are numbered from 1.
    `missing`: class names that mean that there is no class; an empty one always does.
    """
    path, labels = _files(paths)
    values, names = read_named_dissimilarities(path, memory_map_from)
    if similarities:
        if values.ndim != 2 or values.shape[0] != values.shape[1]:
            shape = " x ".join(map(str, values.shape))
            raise DataError(f"{path}: the matrix is {shape}, not square")
        wrong = np.argwhere(~np.isfinite(values))
        if len(wrong):
            row, column = wrong[0]
            raise DataError(
                f"{path}: the similarity in row {row + 1}, column {column + 1} is "
                f"{values[row, column]}; fill it in, or remove the object"
            )
        check_symmetry(values, ROUNDING * float(np.abs(values).max(initial=0)), str(path))
        values = from_similarities(values)
    check_dissimilarities(values, str(path))
    check_scale(values, str(path))
    if not isinstance(values, np.memmap):
        values = (values + values.T) / 2
        np.fill_diagonal(values, 0)
    names = names or [str(number) for number in range(1, len(values) + 1)]
    found = [""] * len(names)
    if labels is not None:
        found = _labels(names, path, labels, item, label, missing)
    classes, class_names = number_classes(found)
    made = Dissimilarities(values, names, classes, class_names)
    warn_if_not_euclidean(made.values, str(path))
    return made


def _files(paths: Mapping[str, Path]) -> tuple[Path, Path | None]:
    user = paths.get("user")
    if user is None:
        return paths["matrix"], paths.get("labels")
    if not user.is_dir():
        return user, None
    matrix = [user / f"{MATRIX}{ending}{packed}" for ending in ENDINGS for packed in ("", ".gz")]
    found = next((path for path in matrix if path.is_file()), matrix[0])
    return found, beside(user, LABELS).get(LABELS)


def _labels(names, path: Path, labels: Path, item, label, missing) -> list[str]:
    table = read_frame(labels)
    if table.shape[1] < 2:
        raise DataError(f"{labels} has one column; it must have two, object and class")
    check_headed(table, labels, names)
    named = column(table, item or table.columns[0], labels).tolist()
    given = column(table, label or table.columns[1], labels)
    classes = without_missing(given, labels, missing).fillna("").tolist()
    check_once(labels, named, "object")
    check_known(labels, named, path, names, "object")
    class_of = dict(zip(named, classes, strict=True))
    return [class_of.get(name, "") for name in names]


def check_dissimilarity_matrix(options: Mapping[str, Any]) -> None:
    """Check the options `similarities` and `missing`, before any file is read."""
    given = options.get("similarities", False)
    if not isinstance(given, bool):
        raise ConfigError(f"the option 'similarities' is {given!r}; it must be true or false")
    missing_words(options.get("missing", MISSING_CELLS))
