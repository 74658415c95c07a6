"""Recipes in two files: the count of every level, and the number of entities of every size."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from reseat.configuration import did_you_mean
from reseat.datasets.parsers.options import beside
from reseat.datasets.recipes import RecordRecipe
from reseat.errors import DataError
from reseat.files.texts import read_text
from reseat.reading.foreign import distinct_keys
from reseat.reading.tables import column, read_frame

MAX_RECORDS = 10_000_000  # of a draw
MARGINALS, SIZES = "marginals.csv", "sizes.json"
COUNT = "[0-9]{1,15}"  # which a floating-point number represents exactly
SIZE = re.compile("[1-9][0-9]{0,17}")


def parse_record_recipe(paths: Mapping[str, Path], dataset: str) -> RecordRecipe:
    """Read the counts of levels and the sizes of entities.

    `paths`: ``marginals`` is a table with the columns field, level and count; ``sizes`` is a JSON
        file that has, for each `dataset`, ``clusters_by_size`` and, if known, the numbers ``N`` of
        records and ``K`` of entities. ``user`` is a folder that contains both.
    """
    user = paths.get("user")
    if user is None:
        marginals, sizes = paths["marginals"], paths["sizes"]
    else:
        if not user.is_dir():
            raise DataError(f"{user} must be a folder with the files {MARGINALS} and {SIZES}")
        beside(user, MARGINALS, SIZES)
        marginals, sizes = user / MARGINALS, user / SIZES
    fields, levels, weights = _marginals(marginals)
    return RecordRecipe.from_counts(fields, levels, weights, _sizes(sizes, dataset))


def _marginals(path: Path):
    table = read_frame(path)
    counts = column(table, "count", path)
    wrong = counts.index[~counts.str.fullmatch(COUNT)]
    if len(wrong):
        raise DataError(
            f"{path}: the count {counts[wrong[0]]!r} of the level "
            f"{column(table, 'level', path)[wrong[0]]!r} is not a whole number of at most 15 digits"
        )
    of_field, names = (column(table, name, path) for name in ("field", "level"))
    fields = tuple(of_field.unique())
    levels = tuple(tuple(names[of_field == field]) for field in fields)
    weights = tuple(counts[of_field == field].astype(float).to_numpy() for field in fields)
    return fields, levels, weights


def _sizes(path: Path, dataset: str) -> np.ndarray:
    text = read_text(path)
    try:
        document = json.loads(text, object_pairs_hook=distinct_keys)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is not valid JSON ({error})") from error
    document = document if isinstance(document, dict) else {}
    if dataset not in document:
        raise DataError(f"{path} has no data set {dataset!r}{did_you_mean(dataset, document)}")
    entry = document[dataset]
    by_size = _by_size(entry, f"{path}, {dataset}")
    n_records = sum(size * n for size, n in by_size.items())
    if max(n_records, *by_size) > MAX_RECORDS:
        raise DataError(
            f"{path}, {dataset}: the sizes add up to {n_records:,} records of entities of up to "
            f"{max(by_size):,}; at most {MAX_RECORDS:,} are allowed"
        )
    sizes = np.zeros(max(by_size), dtype=np.int64)
    sizes[np.array(list(by_size)) - 1] = list(by_size.values())
    n_entities = sum(by_size.values())
    totals = entry.get("N", n_records), entry.get("K", n_entities)
    if totals != (n_records, n_entities):
        raise DataError(
            f"{path}, {dataset}: the sizes add up to {n_records} records of {n_entities} entities, "
            f"but N is {totals[0]} and K is {totals[1]}; correct one of them"
        )
    return sizes


def _by_size(entry: Any, where: str) -> dict[int, int]:
    """Return the number of entities by size, both as whole numbers."""
    given = entry.get("clusters_by_size") if isinstance(entry, dict) else None
    given = given if isinstance(given, dict) else {}
    for size, number in given.items():
        fine = SIZE.fullmatch(size) and isinstance(number, int) and not isinstance(number, bool)
        if not fine or number < 0:
            raise DataError(
                f"{where}: clusters_by_size says that there are {number!r} entities of size "
                f"{size!r}; sizes must be whole numbers of at least 1, and their frequencies "
                "whole numbers of at least 0"
            )
    if not given:
        raise DataError(
            f"{where}: clusters_by_size must map sizes of at least 1 to numbers of entities"
        )
    return {int(size): number for size, number in given.items()}
