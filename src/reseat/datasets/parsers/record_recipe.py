"""Recipes as two files: counts of every level, and numbers of entities of every size."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from reseat.configuration import nearest
from reseat.datasets.parsers.cells import column, read_csv
from reseat.datasets.recipes import RecordRecipe
from reseat.errors import DataError

__all__ = ["parse_record_recipe"]


def parse_record_recipe(paths: Mapping[str, Path], dataset: str) -> RecordRecipe:
    """Read counts of levels and sizes of entities.

    Parameters
    ----------
    paths : mapping
        ``marginals`` is a table with the columns field, level and count;
        ``sizes`` a JSON file with, for each data set, ``clusters_by_size``
        (number of entities by size) and, if known, the totals ``N`` of records
        and ``K`` of entities.
    dataset : str
        Key in the file of sizes.

    Raises
    ------
    DataError
        If a file is damaged, if there is no such data set, or if its sizes do
        not add up to its totals.
    """
    fields, levels, weights = _marginals(paths["marginals"])
    return RecordRecipe.from_counts(fields, levels, weights, _sizes(paths["sizes"], dataset))


def _marginals(path: Path):
    table = read_csv(path)
    counts = column(table, "count", path)
    wrong = (~counts.str.fullmatch("[0-9]+")).to_numpy().nonzero()[0]
    if wrong.size:
        raise DataError(
            f"{path}, line {wrong[0] + 2}: the count {counts[wrong[0]]!r} is no whole number"
        )
    of_field = column(table, "field", path)
    names = column(table, "level", path)
    fields = tuple(of_field.unique())
    levels = tuple(tuple(names[of_field == field]) for field in fields)
    weights = tuple(counts[of_field == field].astype(float).to_numpy() for field in fields)
    return fields, levels, weights


def _sizes(path: Path, dataset: str) -> np.ndarray:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{path} is not JSON that can be read ({error})") from error
    if not isinstance(document, dict) or dataset not in document:
        raise DataError(f"{path} has no data set {dataset!r}{nearest(dataset, document)}")
    try:
        entry = document[dataset]
        by_size = {int(size): int(n) for size, n in entry["clusters_by_size"].items()}
        if min(by_size) < 1 or min(by_size.values()) < 0:
            raise ValueError("a size or a number of entities is too small")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"{path}, {dataset}: clusters_by_size must map sizes from 1 to numbers of entities "
            f"({error!r})"
        ) from error
    sizes = np.zeros(max(by_size), dtype=np.int64)
    sizes[np.array(list(by_size)) - 1] = list(by_size.values())
    n_records, n_entities = int(sizes @ np.arange(1, len(sizes) + 1)), int(sizes.sum())
    totals = entry.get("N", n_records), entry.get("K", n_entities)
    if totals != (n_records, n_entities):
        raise DataError(
            f"{path}, {dataset}: the sizes add up to {n_records} records of {n_entities} entities, "
            f"but N is {totals[0]} and K is {totals[1]}; mend one of them"
        )
    return sizes
