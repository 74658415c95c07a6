"""Sequences in FASTA format, with the class in the title line, or in tables, one per line."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reseat.datasets.parsers.options import check_rule, file_of, group_pattern
from reseat.datasets.sequences import Sequences
from reseat.errors import ConfigError, DataError
from reseat.files.texts import lines_of, read_text
from reseat.reading.source import MAX_TEXT_LETTERS
from reseat.reading.tables import column, read_frame
from reseat.reading.values import missing_words, without_missing

KEYS = ("name", "sequence", "label", "group", "pattern", "keep")


def parse_sequence_fasta(
    paths: Mapping[str, Path], label: str | None = None, unlabelled: Sequence[str] = ()
) -> Sequences:
    """Read a FASTA file, plain or compressed.

    `label`: regular expression with one group, the class, in what follows the name in the title
        line; without it, a sequence has no class.
    `unlabelled`: class names that mean that there is no class.
    """
    path = file_of(paths, "fasta")
    pattern = group_pattern("label", label) if label is not None else None
    names, labels, pieces = [], [], []
    unlabelled = missing_words(unlabelled, "unlabelled")
    for number, line in enumerate(lines_of(read_text(path)), start=1):
        where = f"{path}, line {number}"
        if line.startswith(">"):
            name, rest = (*line[1:].split(maxsplit=1), "", "")[:2]
            if not name:
                raise DataError(f"{where}: the sequence has no name; add one")
            match = pattern.search(rest) if pattern else None
            text = (match[1] or "").strip() if match else ""
            names.append(name)
            labels.append("" if text in unlabelled else text)
            pieces.append([])
        elif line.strip():
            if not names:
                raise DataError(f"{where}: a title line that begins with > must come first")
            pieces[-1].append(line.strip().rstrip("*").upper())
    if not names:
        raise DataError(f"{path} contains no sequences")
    return Sequences(names, tuple(map("".join, pieces)), labels, groups=[""] * len(names))


def check_sequence_fasta(options: Mapping[str, Any]) -> None:
    """Raise a ConfigError that names the option if the pattern or the list cannot be used."""
    if options.get("label") is not None:
        group_pattern("label", options["label"])
    missing_words(options.get("unlabelled", ()), "unlabelled")


def parse_sequence_tables(
    paths: Mapping[str, Path], tables: Mapping[str, Mapping[str, Any]]
) -> Sequences:
    """Read one or more tables of sequences in turn.

    `paths`: a ``csv`` file for each role in `tables`; the role of the user's own file is ``user``.
    `tables`: for each role its columns ``name`` and ``sequence``, if they have other names,
        ``label``, the class, and ``group``, what is known of others; ``pattern``, a regular
        expression with one group, the part of these that counts; and ``keep``, which maps columns
        to the value of lines that are kept.
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
        group_pattern(f"tables.{role}.pattern", (rule or {}).get("pattern", "(.*)"))
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
    for key in ("label", "group"):
        said = [""] * len(table)
        if key in rule:
            said = without_missing(column(table, rule[key], path), path).fillna("")
            if "pattern" in rule:
                said = said.str.extract(rule["pattern"], expand=False).fillna("")
        found[f"{key}s"].extend(said)
