"""Tables of co-occurrence counts: of pairs or of triples, in one relation or several."""

import logging
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reseat.checks import check_whole
from reseat.configuration import did_you_mean
from reseat.datasets.parsers.options import check_rule, check_types
from reseat.datasets.relations import Relations, keep_frequent, keep_partnered
from reseat.errors import ConfigError, DataError
from reseat.reading.tables import read_tsv
from reseat.reading.values import may_mean_missing
from reseat.relation_tables import MAX_SUM, RelationTable, sum_repeated

logger = logging.getLogger(__name__)
KEYS = ("columns", "count", "summed_over")
MAX_DIGITS = 15  # digits of a count, at most


def parse_count_tables(
    paths: Mapping[str, Path],
    relations: Mapping[str, Mapping[str, Any]],
    keep: Mapping[str, int] | None = None,
    min_partners: int = 0,
) -> Relations:
    """Read one tab-separated table of counts for each relation.

    `paths`: a file, plain or compressed, for each relation in `relations`; ``user``, the user's own
        file, is read for a relation that has none of its name.
    `relations`: for each relation ``columns``, a mapping of the columns that hold its entities to
        their types; ``count``, the column of counts, if it has another name; and ``summed_over``,
        columns that the table has in addition to those of the relation: rows that differ only in
        these are summed.
    `keep`: number of entities of a type to keep, those with the highest counts.
    `min_partners`: entities that then take part in fewer cells than this are left out.
    """
    words: dict[str, dict[str, int]] = {}
    tables = tuple(_relation(name, rule, paths, words) for name, rule in relations.items())
    found = Relations.unchecked({kind: tuple(numbers) for kind, numbers in words.items()}, tables)
    return keep_partnered(keep_frequent(found, {**found.n_entities, **(keep or {})}), min_partners)


def places_count_tables(options: Mapping[str, Any]) -> list[list[str]]:
    """Return the entity type of each place, for each relation."""
    return [list(relation["columns"].values()) for relation in options["relations"].values()]


def check_count_tables(options: Mapping[str, Any]) -> None:
    """Check the rules of the relations, and the cuts to be made, before any file is read."""
    relations = options["relations"]
    if not isinstance(relations, Mapping):
        raise ConfigError("the option 'relations' must map the name of each relation to its rule")
    for name, rule in relations.items():
        check_rule(f"relations.{name}", rule, KEYS)
        columns = rule.get("columns")
        if not isinstance(columns, Mapping) or len(columns) < 2:
            raise ConfigError(
                f"the option 'relations.{name}.columns' must map two or more columns to the types "
                "of their entities"
            )
    types = dict.fromkeys(kind for rule in relations.values() for kind in rule["columns"].values())
    keep = options.get("keep")
    check_types("keep", keep, types)
    for kind, number in (keep or {}).items():
        check_whole(f"the option 'keep.{kind}'", number, 1)
    check_whole("the option 'min_partners'", options.get("min_partners", 0))


def _relation(name: str, rule: Mapping[str, Any], paths, words) -> RelationTable:
    columns = rule["columns"]
    path = paths.get(name, paths.get("user"))
    if path is None:
        raise ConfigError(
            f"the option 'relations.{name}' does not match any file; the roles are "
            f"{', '.join(paths)}"
        )
    count, summed_over = rule.get("count", "count"), list(rule.get("summed_over", ()))
    table = read_tsv(path)
    hint = ""
    if table.shape[1] == 1 and re.search("[,;]", table.columns[0]):
        hint = " (cells must be separated by tabs)"
    for wanted in (*columns, *summed_over, count):
        if wanted not in table.columns:
            raise DataError(
                f"{path}, line 1: there is no column {wanted!r}{hint}"
                f"{did_you_mean(wanted, table.columns) or ' but ' + ', '.join(table.columns)}; the "
                f"first line must name the columns {', '.join((*columns, *summed_over, count))}"
            )
    counts = _counts(table[count], path)
    coordinates = np.stack(
        [_numbers(table[column], words.setdefault(kind, {}), path)
         for column, kind in columns.items()], axis=1,
    )  # fmt: skip
    finer = [pd.factorize(table[column])[0] for column in summed_over]
    repeated = pd.DataFrame(np.column_stack([coordinates, *finer])).duplicated().to_numpy()
    if repeated.any():
        row = repeated.argmax()
        logger.warning(
            f"{path}: {repeated.sum()} lines repeat an earlier one and are summed; the first of "
            f"them is line {table.index[row]} ({', '.join(table[list(columns)].iloc[row])})"
        )
    coordinates, counts, _ = sum_repeated(coordinates, counts)
    return RelationTable(name, tuple(columns.values()), coordinates, counts)


def _numbers(cells: pd.Series, numbers: dict[str, int], path: Path) -> np.ndarray:
    """Return the numbers of the words in a column, giving new words the next free numbers."""
    codes, found = pd.factorize(cells)
    empty = np.flatnonzero(codes == np.flatnonzero(found == "")[0]) if "" in found else []
    if len(empty):
        raise DataError(
            f"{path}, line {cells.index[empty[0]]}: the cell of {cells.name!r} is empty; fill it in"
        )
    suspect = found[may_mean_missing(pd.Series(found, dtype=object))]
    if len(suspect):
        logger.warning(
            f"{path}: cells of the column {cells.name!r} containing "
            f"{', '.join(map(repr, suspect))} are read as names; delete their lines if they mean a "
            "missing value"
        )
    return np.array([numbers.setdefault(word, len(numbers)) for word in found.tolist()])[codes]


def _counts(cells: pd.Series, path: Path) -> np.ndarray:
    codes, found = pd.factorize(cells)
    for number, text in enumerate(found):
        if not (text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS):
            line = cells.index[(codes == number).argmax()]
            raise DataError(
                f"{path}, line {line}: the count {text!r} is not a whole number of at least 0 and "
                f"at most {MAX_DIGITS} digits; fix the line"
            )
    counts = found.astype(np.int64).to_numpy()[codes]
    # The sum is taken in floating point, because that of integers may overflow.
    if counts.sum(dtype=np.float64) >= MAX_SUM:
        raise DataError(
            f"{path}: the counts add up to {counts.sum(dtype=np.float64):.3g}; scale them "
            f"down so that the sum stays below {MAX_SUM:.0e}"
        )
    return counts
