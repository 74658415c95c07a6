"""Sequences in tables, one per line, such as a table of labelled and one of unlabelled ones."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reseat.datasets.parsers.options import check_rule
from reseat.datasets.sequences import Sequences
from reseat.errors import ConfigError, DataError
from reseat.reading.source import MAX_TEXT_LETTERS
from reseat.reading.tables import column, read_frame
from reseat.reading.values import without_missing

KEYS = ("name", "sequence", "label", "group", "keep")


def parse_sequence_tables(
    paths: Mapping[str, Path], tables: Mapping[str, Mapping[str, Any]]
) -> Sequences:
    """Read one or more tables of sequences in turn.

    `paths`: a ``csv`` file for each role in `tables`; the role of the user's own file is ``user``.
    `tables`: for each role in turn its columns: ``name`` and ``sequence``, which may be omitted if
        the columns have these names; ``label``, the class, and ``group``, what is known of
        sequences without a class, both of which are optional; and ``keep``, a mapping of columns to
        the value that a line must have to be kept.
    """
    found: dict[str, list[str]] = {key: [] for key in ("names", "sequences", "labels", "groups")}
    for role, rule in tables.items():
        if role not in paths:
            raise ConfigError(
                f"the option 'tables.{role}' does not match any file; the roles are "
                f"{', '.join(paths)}"
            )
        _append(found, paths[role], rule or {})
    return Sequences(**found)


def check_sequence_tables(options: Mapping[str, Any]) -> None:
    """Check the rules of the tables, before any file is read."""
    tables = options["tables"]
    if not (isinstance(tables, Mapping) and tables):
        raise ConfigError("the option 'tables' must map the role of each file to its columns")
    for role, rule in tables.items():
        check_rule(f"tables.{role}", rule or {}, KEYS)
        if not isinstance((rule or {}).get("keep", {}), Mapping):
            raise ConfigError(f"the option 'tables.{role}.keep' must map columns to values")


def _append(found: dict[str, list[str]], path: Path, rule: Mapping[str, Any]) -> None:
    table = read_frame(path, MAX_TEXT_LETTERS)
    for name, value in rule.get("keep", {}).items():
        table = table[column(table, name, path) == str(value)]
    if table.empty:
        raise DataError(f"{path}: no sequences are left; check the option 'keep'")
    found["names"].extend(column(table, rule.get("name", "name"), path))
    found["sequences"].extend(column(table, rule.get("sequence", "sequence"), path))
    for key, texts in (("label", found["labels"]), ("group", found["groups"])):
        if key in rule:
            texts.extend(without_missing(column(table, rule[key], path), path).fillna(""))
        else:
            texts.extend([""] * len(table))
