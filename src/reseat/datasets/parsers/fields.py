"""Rules that derive categorical fields from columns of text."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import pandas as pd

from reseat.configuration import did_you_mean
from reseat.datasets.parsers.cells import column
from reseat.datasets.parsers.options import check_list, group_pattern
from reseat.errors import ConfigError
from reseat.files.texts import composed, is_number

__all__ = [
    "MISSING_CELLS",
    "check_fields",
    "derive_fields",
    "may_mean_missing",
    "missing_words",
    "without_missing",
]

logger = logging.getLogger(__name__)
#: Cells that mean a missing value unless an entry lists others: those that R, pandas, spreadsheets
#: and databases write.
MISSING_CELLS = (
    *("", "NA", "N/A", "n/a", "<NA>", "#N/A", "#NA", "NaN", "nan", "-NaN", "-nan"),
    *("NULL", "null", "None"),
)
#: Words that may mean a missing value, in lower case.
SUSPECT = frozenset(
    {*("missing", "unknown", "nil", "nat", "n.a.", "n.d.", "k.a.", "tbd", "not available"),
     *("?", "-", "--", ".", r"\n", "(null)", "#div/0!", "#value!", "#ref!", "#name?", "#num!"),
     *(word.lower() for word in MISSING_CELLS if word)}
)  # fmt: skip
#: Cells that are treated as missing without a warning in the log.
PLAIN = ("", "NA")
KEYS = ("column", "plain", "pattern")
NOT_PLAIN = re.compile(r"[\W_]+")


def derive_fields(
    table: pd.DataFrame,
    fields: Sequence[str] | Mapping[str, Mapping[str, Any] | None],
    path: Path,
    missing: Sequence[str] = MISSING_CELLS,
) -> pd.DataFrame:
    """Derive the fields of records from the columns of a table.

    `fields`: columns that are used as they are; or the name of each field with its rule,
    a mapping with any of the keys

    ``column``
        the column of the cells, by default the one with the name of the field;
    ``plain``
        if true, letters are made lower case, and every run of characters other
        than letters and digits is replaced by one blank;
    ``pattern``
        a regular expression with one group, which is the category: the
        year of a date is ``^(\\d{4})``, the first three letters of a name
        are ``^(.{3})``.  A cell in which it is not found is missing.
    """
    _check_names(fields)
    rules = fields if isinstance(fields, Mapping) else dict.fromkeys(fields)
    made = {name: _derive(table, name, rule or {}, path, missing) for name, rule in rules.items()}
    return pd.DataFrame(made, index=table.index)


def check_fields(options: Mapping[str, Any]) -> None:
    """Check the options of parsers that derive fields, before any file is read."""
    missing_words(options.get("missing", MISSING_CELLS))
    fields = options.get("fields")
    if isinstance(fields, Mapping):
        for name, rule in fields.items():
            _check_rule(name, rule or {})
    else:
        check_list("fields", fields)
        _check_names(fields or ())
    if fields is not None and not fields:
        raise ConfigError("the option 'fields' is empty; name at least one field")


def _check_names(fields: Sequence[str] | Mapping[str, Any]) -> None:
    twice = next((name for name in fields if [*fields].count(name) > 1), None)
    if twice is not None:
        raise ConfigError(
            f"the option 'fields' names a column twice, {twice!r}; remove one of them"
        )


def _check_rule(name: str, rule: Any) -> None:
    if not isinstance(rule, Mapping):
        raise ConfigError(
            f"the option 'fields.{name}' must be a mapping with the keys {', '.join(KEYS)}"
        )
    for key in rule:
        if key not in KEYS:
            raise ConfigError(
                f"the option 'fields.{name}' has the unknown key {key!r}"
                f"{did_you_mean(key, KEYS) or '; the keys are ' + ', '.join(KEYS)}"
            )
    if "pattern" in rule:
        group_pattern(f"fields.{name}.pattern", rule["pattern"])


def _derive(table, name, rule, path, missing) -> pd.Series:
    _check_rule(name, rule)
    cells = column(table, rule.get("column", name), path)
    cells = without_missing(cells, path, missing)
    if rule.get("plain", False):
        cells = cells.str.lower().str.replace(NOT_PLAIN, " ", regex=True).str.strip()
    if "pattern" in rule:
        pattern = group_pattern(f"fields.{name}.pattern", rule["pattern"])
        cells = cells.str.extract(pattern, expand=False)
    return cells.mask(cells == "")


def missing_words(given: Sequence[str | float], name: str = "missing") -> tuple[str, ...]:
    """Return the option ``missing``, or a similar one, as texts; the empty text is always one.

    A value that YAML makes of an unquoted word, such as ``null`` or ``no``, is refused.
    """
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise ConfigError(f"the option {name!r} is {given!r}; it must be a list of cell values")
    wrong = [
        word for word in given if isinstance(word, bool) or not isinstance(word, (str, int, float))
    ]
    if wrong:
        raise ConfigError(
            f"the option {name!r} lists {wrong[0]!r}, which is not text; write words such as "
            "'null', '~', 'no' and 'off' in quotation marks"
        )
    return tuple(dict.fromkeys(["", *(composed(str(word).strip()) for word in given)]))


def may_mean_missing(values: pd.Series) -> pd.Series:
    """Return whether each entry is a text that may mean a missing value, in upper or lower case."""
    lowered = values.map(lambda value: value.lower() if isinstance(value, str) else None)
    return lowered.isin(SUSPECT)


def without_missing(
    cells: pd.Series, path: Path, missing: Sequence[str | float] = MISSING_CELLS
) -> pd.Series:
    """Return a column with NA where a cell means a missing value.

    Words other than ``NA`` are named in the log, because they might be values.
    """
    words = missing_words(missing)
    absent = cells.isin(list(words))
    numbers = [number for word in words if is_number(word) and isfinite(number := float(word))]
    if numbers:  # which may be written in several ways, such as -9 and -9.0
        absent |= pd.to_numeric(cells, errors="coerce").isin(numbers)
    said = cells[absent & ~cells.isin(PLAIN)].unique().tolist()
    if said:
        logger.warning(
            "%s: cells of the column %r containing %s are treated as missing; replace "
            "them if they are values",
            *(path, cells.name, ", ".join(map(repr, said))),
        )
    return cells.mask(absent)
