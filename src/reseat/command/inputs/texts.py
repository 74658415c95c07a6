"""Read texts from a column of a table or from JSON lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from reseat.configuration import did_you_mean
from reseat.datasets.marginals import first_twice
from reseat.datasets.parsers.cells import LONGEST_TEXT, column, read_csv
from reseat.errors import DataError
from reseat.packed import UNREADABLE, decompressed
from reseat.texts import composed

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["OBJECTS", "TEXT_TABLES", "encodable", "has_objects", "read_objects", "read_texts"]

#: Endings of files with one JSON object per line.
OBJECTS = (".jsonl", ".ndjson")
TEXT_TABLES = (".csv", ".tsv", *OBJECTS)


def read_texts(
    path: Path, text: str, name: str | None
) -> tuple[list[str] | None, list[str], pd.DataFrame | None]:
    """Return the names of documents, their texts, and the other columns of a table.

    The file is a table with a line of column names, or has one JSON object per line; plain or
    compressed by gzip. Without a column of names, the first is None.
    """
    if has_objects(path):
        rows = read_objects(path)
        return _values(rows, name, path) if name else None, _values(rows, text, path), None
    table = read_csv(path, LONGEST_TEXT)
    names = column(table, name, path).tolist() if name else None
    texts = column(table, text, path).tolist()
    return names, texts, table.drop(columns=text)


def has_objects(path: Path) -> bool:
    """Return whether a file has one JSON object per line, compressed or not, by its name."""
    return path.name.lower().removesuffix(".gz").endswith(OBJECTS)


def read_objects(path: Path) -> list[tuple[int, dict]]:
    """Return JSON objects, one per line, with their line numbers; empty lines are left out.

    Keys are normalised like column names: composed letters, and no blanks around them.
    """
    found, number = [], 0
    try:
        # Decoded line by line, so that an error has the number of its line.
        with decompressed(path, lines=True) as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    text = line.decode("utf-8-sig")
                    found.append((number, json.loads(text, object_pairs_hook=_different)))
    except RepeatedKeyError as error:
        raise DataError(
            f"{path}, line {number}: the key {str(error)!r} occurs twice; remove or rename one of "
            "them."
        ) from None
    except DataError:  # a ValueError too
        raise
    except (ValueError, RecursionError) as error:  # not JSON, or not UTF-8
        raise DataError(
            f"{path}, line {number}: not a JSON object in UTF-8 ({error}); each line must "
            "be one JSON object."
        ) from error
    except UNREADABLE as error:
        raise DataError(f"{path} cannot be read completely ({error}).") from error
    for number, row in found:
        if not isinstance(row, dict):
            raise DataError(
                f"{path}, line {number}: not a JSON object; each line must be one JSON object."
            )
    return [(number, _named(row, f"{path}, line {number}")) for number, row in found]


class RepeatedKeyError(Exception):
    """A key that occurs twice in a JSON object, of which Python would keep the last value."""


def _different(pairs: list[tuple[str, object]]) -> dict:
    keys = [key for key, _ in pairs]
    twice = first_twice(keys)
    if twice is not None:
        raise RepeatedKeyError(twice)
    return dict(pairs)


def _named(row: dict, where: str) -> dict:
    """Return an object with its keys normalised like column names."""
    named = {composed(encodable(key, where).strip()): value for key, value in row.items()}
    if len(named) < len(row):
        raise DataError(f"{where}: two keys are the same name of a column; rename one of them.")
    return named


def _values(rows: list[tuple[int, dict]], key: str, path: Path) -> list[str]:
    for number, row in rows:
        if key not in row:
            known = ", ".join(map(str, row)) or "none"
            hint = did_you_mean(key, row) or f"; its keys are {known}."
            raise DataError(f"{path}, line {number}: key {key!r} not found{hint}")
    return [_text(row[key], f"{path}, line {number}, key {key!r}") for number, row in rows]


def _text(value: object, where: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise DataError(
            f"{where}: {json.dumps(value, ensure_ascii=False)} is neither text nor a number; write "
            "it as text."
        )
    return composed(encodable(str(value), where))


def encodable(text: str, where: str) -> str:
    """Return a text from JSON if it can be encoded; it may contain half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise DataError(
            f"{where}: {text[error.start : error.end]!r} is half of a character; remove it."
        ) from None
    return text
