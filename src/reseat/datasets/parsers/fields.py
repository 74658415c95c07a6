"""Rules that derive categorical fields from columns of text."""

import logging
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from reseat.datasets.parsers.options import check_list, check_rule, group_pattern
from reseat.errors import ConfigError
from reseat.reading.tables import column
from reseat.reading.values import MISSING_CELLS, is_code, missing_words, without_missing

logger = logging.getLogger(__name__)
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
    check_rule(f"fields.{name}", rule, KEYS)
    if "pattern" in rule:
        group_pattern(f"fields.{name}.pattern", rule["pattern"])


def _derive(table, name, rule, path, missing) -> pd.Series:
    cells = column(table, rule.get("column", name), path)
    if tuple(missing) == MISSING_CELLS and is_code(cells.name, table):
        missing = [word for word in missing if word != "NA"]
        logger.warning(
            "%s: NA in the column %r is read as a code like the others there; leave cells empty if "
            "it means a missing value",
            path,
            cells.name,
        )
    cells = without_missing(cells, path, missing)
    if rule.get("plain", False):
        cells = cells.str.lower().str.replace(NOT_PLAIN, " ", regex=True).str.strip()
    if "pattern" in rule:
        pattern = group_pattern(f"fields.{name}.pattern", rule["pattern"])
        cells = cells.str.extract(pattern, expand=False)
    return cells.mask(cells == "")
