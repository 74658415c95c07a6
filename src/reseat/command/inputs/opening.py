"""Turn compressed files, files of other programs and the standard input into readable files."""

from __future__ import annotations

import csv
import json
import math
import os
import re
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, time
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from reseat.configuration import did_you_mean
from reseat.datasets.marginals import first_twice
from reseat.datasets.parsers.archives import is_hidden
from reseat.datasets.parsers.cells import LONGEST_TEXT, column, csv_rows, long_cells, read_csv
from reseat.datasets.parsers.other_formats import JSON_LINES, other_format
from reseat.errors import ConfigError, DataError
from reseat.files.packed import UNREADABLE, Bounded, decompressed
from reseat.files.texts import composed

__all__ = [
    "ENDINGS",
    "KEYED",
    "OBJECTS",
    "TEXT_TABLES",
    "LoadedInput",
    "encodable",
    "existing",
    "has_objects",
    "names_of_rows",
    "opened",
    "read_objects",
    "read_texts",
    "refuse_formats",
    "refuse_unreadable",
]


PACKED = (".gz", ".bz2", ".xz")
#: Endings of files that pandas reads, with the package that it needs for each.
FRAMES = {".parquet": "pyarrow", ".xlsx": "openpyxl"}
#: Ending of a converted table whose first line has keys, and so cannot be data.
KEYED = ".keys.csv"
#: What pandas calls a column without a name.
UNNAMED = re.compile(r"Unnamed: [0-9]+")
#: Whole numbers below this are exact in double precision.
EXACT = 2**53
#: Beginning of a URL, of whose two slashes a `Path` keeps only one.
ADDRESS = re.compile(r"[a-z][a-z0-9]+:/", re.IGNORECASE)
#: Formats that the standard input may have, as file endings.
ENDINGS = ("csv", "tsv", "txt", "jsonl", "npy", "npz", "mtx", "parquet", "xlsx")
#: What to do about a longer standard input.
WRITE = "write it to a file, and name this file."
#: Longest name of a copy, in letters.
LONGEST_NAME = 50
#: Default format of the standard input, by model; ``csv`` for the others.
USUAL = {"documents": "txt"}


@contextmanager
def opened(path: Path, model: str, ending: str | None = None) -> Iterator[Path]:
    """Yield a file or folder that the readers can read; a temporary one is removed at the end.

    ``-`` is the standard input, in the format `ending`, one of `ENDINGS`. Errors that a reader
    raises in the context are changed to name the user's file.
    """
    piped = str(path) == "-"
    if ending is not None and not piped:
        raise ConfigError(
            f"--format is {ending!r}; it applies only to the standard input (INPUT -); leave it "
            "out."
        )
    if ending is not None and ending.lstrip(".") not in ENDINGS:
        raise ConfigError(f"--format is {ending!r}; it must be one of {', '.join(ENDINGS)}.")
    # The reader of documents takes JSON lines as they are; the others need a table.
    objects = model != "documents"
    _refuse_address(path)
    refuse_unreadable(path)
    lines = "add --format jsonl" if piped else "rename it so that its name ends in .jsonl"
    refuse_formats(path, model, lines)
    foreign = _is_foreign(path) or (objects and has_objects(path))
    if not piped and (path.is_dir() or not path.exists() or not foreign):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="reseat-") as folder:
        table, places = path, []
        try:
            found = (
                _piped(Path(folder), ending or USUAL.get(model, "csv"))
                if piped
                else _unpacked(path, Path(folder), model)
            )
            refuse_formats(found, model, lines)
            table, places = _as_table(found, objects)
            yield table
        except DataError as error:
            name = "the standard input" if piped else str(path)
            said = str(error)
            if places:
                said = _in_places(said, table, places)
            for place in sorted(Path(folder).iterdir(), reverse=True):
                said = said.replace(str(place), name)
                said = said.replace(f"{place.name!r}", repr(name if piped else path.name))
            raise DataError(said) from error


def _refuse_address(path: Path) -> None:
    if ADDRESS.match(str(path)) and not path.exists():
        # `Path` makes one slash of two.
        address = ADDRESS.sub(lambda found: f"{found[0]}/", str(path))
        raise DataError(f"{address} looks like a URL, which is not read; download the file first.")


def _is_foreign(path: Path) -> bool:
    # The readers of tables and matrices unpack these themselves.
    known = (".csv.gz", ".mtx.gz", ".tsv.gz", ".jsonl.gz", ".ndjson.gz")
    ending = path.suffix.lower()
    return ending in (".zip", *PACKED, *FRAMES) and not path.name.lower().endswith(known)


def _in_places(said: str, table: Path, places: Sequence[str]) -> str:
    """Return an error message on a converted table with the places in the original file."""
    return re.sub(
        rf"{re.escape(str(table))}, line ([0-9]+)",
        lambda found: f"{table}, {places[min(_row_at(table, int(found[1])), len(places) - 1)]}",
        said,
    )


def _row_at(table: Path, line: int) -> int:
    """Return the number, from 0, of the table row that a line belongs to."""
    number = 0
    with open(table, encoding="utf-8", newline="") as file, long_cells(LONGEST_TEXT):
        with suppress(DataError):
            for end, _ in csv_rows(file, ",", table):
                if end >= line:
                    break
                number += 1
    return number


def _piped(folder: Path, ending: str) -> Path:
    if sys.stdin is None:
        raise DataError("The standard input is closed; name a file, or pipe one into the command.")
    target = folder / f"input.{ending.lstrip('.')}"
    try:
        with open(target, "wb") as file:
            shutil.copyfileobj(Bounded(sys.stdin.buffer, f"{target} has", WRITE), file)
    except OSError as error:
        raise DataError(f"{target} cannot be read completely ({error}).") from error
    return target


def _unpacked(path: Path, folder: Path, model: str) -> Path:
    ending = path.suffix.lower()
    if ending in FRAMES or ending in OBJECTS:
        return _copy(lambda: open(path, "rb"), folder / _short(path.name), path)
    if ending != ".zip":
        return _copy(lambda: decompressed(path), folder / _short(path.stem), path)
    try:
        with zipfile.ZipFile(path) as archive:
            files = [member for member in archive.infolist() if not member.is_dir()]
            members = [file for file in files if not is_hidden(file.filename.split("/"))]
            if len(members) != 1:
                what = "the folder, or one of the files" if model == "documents" else "one of them"
                raise DataError(
                    f"{path} contains {len(members)} files; unpack it, and name {what}."
                )
            target = folder / _short(members[0].filename)
            return _copy(
                lambda: Bounded(archive.open(members[0]), f"{path} unpacks to"), target, path
            )
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError) as error:
        raise DataError(f"{path} cannot be unpacked ({error}); unpack it yourself.") from error


def _short(name: str) -> str:
    """Return the end of the name of a file, at which readers look, as the name of a copy."""
    return Path(name).name[-LONGEST_NAME:].lstrip(".") or "input"


def _copy(opener: Callable[[], IO[bytes]], target: Path, path: Path) -> Path:
    try:
        with opener() as source, open(target, "wb") as file:
            shutil.copyfileobj(source, file)
    except UNREADABLE as error:
        raise DataError(f"{path} cannot be unpacked completely ({error}).") from error
    if target.stat().st_size == 0:
        raise DataError(f"{path} is empty.")
    return target


def _as_table(path: Path, objects: bool) -> tuple[Path, list[str]]:
    """Convert a spreadsheet, a parquet file or, if `objects` is true, JSON objects to csv.

    The list has the place in the original file of each row of the table, the row of names first; it
    is empty if the file is returned as it is.
    """
    import pandas as pd

    if objects and has_objects(path):
        rows = read_objects(path)
        cells = [
            {key: _cell(value, f"{path}, line {number}, key {key!r}") for key, value in row.items()}
            for number, row in rows
        ]
        places = [f"line {number}" for number, _ in rows]
        return _written(pd.DataFrame(cells, dtype=object), path, KEYED), places[:1] + places
    if path.suffix.lower() not in FRAMES:
        return path, []

    needed = FRAMES[path.suffix.lower()]
    try:
        return _read_sheet(path) if needed == "openpyxl" else _read_parquet(path)
    except ImportError as error:
        raise DataError(
            f"{path} can be read only if {needed} is installed; install it, or convert the file "
            "to csv."
        ) from error
    except DataError:
        raise
    except Exception as error:  # each engine has errors of its own
        raise DataError(f"{path} cannot be read as {path.suffix[1:]} ({error}).") from error


def _read_parquet(path: Path) -> tuple[Path, list[str]]:
    import pandas as pd

    frame = pd.read_parquet(path)
    named = [name for name in frame.index.names if name is not None]
    if named:  # pandas stores such an index beside the columns
        frame = frame.reset_index(level=named)
    for name in frame.select_dtypes(["object", "string"]):
        nested = frame[name].map(lambda cell: isinstance(cell, dict | list | np.ndarray | bytes))
        if nested.any():
            raise DataError(
                f"{path}, row {int(nested.to_numpy().argmax()) + 1}: the cell of the column "
                f"{name!r} is neither text nor a number; write it as text, or in further columns."
            )
    places = ["names of the columns", *(f"row {row}" for row in range(1, len(frame) + 1))]
    table = pd.DataFrame({name: _plain(frame[name]) for name in frame})
    return _written(table, path, KEYED), places


def _read_sheet(path: Path) -> tuple[Path, list[str]]:
    """Convert the only sheet that has cells, keeping the cells as they were typed."""
    import pandas as pd

    # Column names are read as cells, because pandas would number empty or repeated ones.
    sheets = pd.read_excel(
        path, sheet_name=None, header=None, dtype=object, keep_default_na=False, na_values=[""]
    )
    sheets = {
        name: sheet.dropna(how="all").dropna(how="all", axis=1) for name, sheet in sheets.items()
    }
    filled = {name: sheet for name, sheet in sheets.items() if sheet.size}
    if not filled:
        raise DataError(f"{path} is empty.")
    if len(filled) > 1:
        raise DataError(
            f"{path} has {len(filled)} sheets with cells ({', '.join(map(repr, filled))}), but "
            "only one can be read; save the sheet as csv and use that file."
        )
    (sheet,) = filled.values()
    names = [_name(cell) for cell in sheet.iloc[0]]
    rows = pd.DataFrame({name: _plain(sheet[name].iloc[1:]) for name in sheet})
    places = [f"line {row + 1}" for row in sheet.index]
    return _written(rows.set_axis(names, axis=1), path), places


def _name(cell) -> str:
    """Return the name of a column, empty instead of one that pandas has made up."""
    empty = (isinstance(cell, float) and math.isnan(cell)) or UNNAMED.fullmatch(str(cell))
    return "" if empty else str(_plain_cell(cell))


def _plain(column: pd.Series) -> pd.Series:
    """Return cells as a person types them: whole numbers without a point, dates without a time.

    In pandas, a column of whole numbers becomes one of floats if a cell is empty.
    """
    if column.dtype == object:
        # Not by `map`, which would convert whole numbers to floats again.
        return type(column)([_plain_cell(cell) for cell in column], column.index, dtype=object)
    if column.dtype.kind != "f":
        return column
    known = column.dropna()
    whole = (known % 1 == 0).all() and (known.abs() < EXACT).all()
    return column.astype("float64").astype("Int64") if whole else column


def _plain_cell(value):
    if isinstance(value, float) and value.is_integer() and abs(value) < EXACT:
        return int(value)
    if isinstance(value, datetime) and value == value and value.time() == time():
        return value.date()
    return value


def _written(frame: pd.DataFrame, path: Path, ending: str = ".csv") -> Path:
    target = path.with_suffix(ending)
    # In quotation marks, so that the separator is not guessed from characters inside names.
    frame.to_csv(target, index=False, quoting=csv.QUOTE_ALL)
    return target


def _cell(value, where: str) -> str:
    """Return a JSON value as the cell of a table."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, dict | list):
        raise DataError(
            f"{where}: {json.dumps(value, ensure_ascii=False)} is neither text nor a number; write "
            "it as text, or in keys of its own."
        )
    if isinstance(value, float):
        value = _plain_cell(value)  # 1.0 is the number 1
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return encodable(text, where)


# ---- Refuse files that are mistaken for texts or tables --------------------------------------

#: Endings of archives, which are read from folders only.
ARCHIVES = (".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz", ".7z", ".rar")


def refuse_unreadable(path: Path) -> None:
    """Raise a DataError for a path that the user may not read, and for a pipe or a device.

    Pipes and devices have no size and can be read only once.
    """
    try:
        there = path.exists()
    except OSError as error:  # no permission to search its folder
        raise DataError(
            f"{path} cannot be read ({error.strerror}); check the permissions of its folder."
        ) from error
    if not there:
        return
    if not os.access(path, os.R_OK | (os.X_OK if path.is_dir() else 0)):
        raise DataError(f"{path} cannot be read; you lack the permission.")
    if not path.is_file() and not path.is_dir():
        raise DataError(
            f"{path} is a pipe or a device, which can be read only once; write it to a file first, "
            "or give it as the standard input (INPUT -)."
        )


def refuse_formats(path: Path, model: str, lines: str | None = None) -> None:
    """Raise a DataError for a file whose text is neither lines nor a table."""
    if path.name.lower().endswith(ARCHIVES) and path.is_file():
        folder = " and name the folder" * (model == "documents")
        raise DataError(f"{path} is an archive of several files; unpack it{folder}.")
    kind = other_format(path)
    if kind is None:
        return
    if kind == JSON_LINES and lines is not None:
        named = " and name the key of the texts with --text-column" * (model == "documents")
        raise DataError(f"{path} contains one JSON object per line; {lines}{named}.")
    remedy = (
        "save its text as .txt, one document per line, or as .jsonl, one JSON object per line, "
        "with --text-column"
        if model == "documents"
        else "save the table as .csv, or as .jsonl, one JSON object per line"
    )
    raise DataError(f"{path} is {kind}, which cannot be read; {remedy}.")


# ---- Data that were read for an estimator, with names for its results ------------------------


@dataclass(frozen=True)
class LoadedInput:
    """Data for an estimator.

    `columns`, `portray_columns`: the counterparts of `items` and `portray` for the columns, if
        these are clustered too.
    """

    #: Sizes in words, such as "120 documents, 60 words".
    what: str
    #: Arguments of the estimator's `fit`.
    fit: Mapping[str, Any]
    #: Names of the rows.
    items: Sequence[str]
    #: Called with the labels of the rows; returns one text per cluster that characterises it.
    portray: Callable[[np.ndarray], list[str]]
    #: Parameters of the estimator that depend on the data.
    settings: Mapping[str, Any] = field(default_factory=dict)
    columns: Sequence[str] | None = None
    portray_columns: Callable[[np.ndarray], list[str]] | None = None
    #: Number of the true cluster of each row, for comparison; -1 where it is unknown. Shape
    #: (n_rows,).
    truth: np.ndarray | None = None
    warnings: Sequence[str] = ()
    #: Columns of the input, one row per item, to be shown beside the labels.
    frame: pd.DataFrame | None = None
    #: Names of the fields and cells, an ndarray of object of shape (n_rows, n_fields), of records
    #: among which duplicates are sought.
    table: tuple[Sequence[str], np.ndarray] | None = None
    #: What `fit` was computed from, if the last bits of its numbers depend on the processor.
    source: Sequence[np.ndarray] | None = None


def existing(path: Path, folders: bool = False) -> Path:
    """Return the path if it is a file that is not empty, or a folder if `folders` is true."""
    refuse_unreadable(path)
    if not path.exists():
        raise DataError(f"{path} not found.")
    if path.is_dir():
        if not folders:
            raise DataError(f"{path} is a folder; specify a file.")
    elif path.stat().st_size == 0:
        raise DataError(f"{path} is empty.")
    return path


def names_of_rows(n: int) -> list[str]:
    """Return numbers from 1 as the names of rows that have none."""
    return [str(number) for number in range(1, n + 1)]


# ---- Read texts from a column of a table or from JSON lines ----------------------------------

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
