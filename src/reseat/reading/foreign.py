"""Tables of other programs: spreadsheets, parquet files and JSON lines, as rows of text."""

import csv
import io
import json
import math
import re
from collections.abc import Iterator
from datetime import datetime, time

import numpy as np
import pandas as pd

from reseat.configuration import did_you_mean
from reseat.errors import DataError
from reseat.files.packed import UNREADABLE, decompressed
from reseat.files.texts import composed, first_twice
from reseat.reading.source import FRAMES, MAX_TEXT_LETTERS, Source, long_cells

UNNAMED = re.compile(r"Unnamed: [0-9]+")  # what pandas calls a column without a name
EXACT = 2**53  # whole numbers below this are exact in double precision


def rows_of_frame(source: Source) -> list[tuple[str, list[str]]]:
    """Return place and cells of each row of a spreadsheet or a parquet file."""
    needed = FRAMES[source.ending]
    try:
        table, places = (_read_sheet if needed == "openpyxl" else _read_parquet)(source)
    except ImportError as error:
        raise DataError(
            f"{source} can be read only if {needed} is installed; install it, or convert the file "
            "to csv."
        ) from error
    except DataError:
        raise
    except Exception as error:  # each engine has errors of its own
        raise DataError(f"{source} cannot be read as {source.ending[1:]} ({error}).") from error
    # pandas knows best how each of its types is written.
    text = io.StringIO(table.to_csv(index=False, quoting=csv.QUOTE_ALL), newline="")
    with long_cells(MAX_TEXT_LETTERS):
        return list(zip(places, csv.reader(text), strict=True))


def _read_parquet(source: Source) -> tuple[pd.DataFrame, list[str]]:
    frame = pd.read_parquet(source.as_file())
    named = [name for name in frame.index.names if name is not None]
    if named:  # pandas stores such an index beside the columns
        frame = frame.reset_index(level=named)
    for name in frame.select_dtypes(["object", "string"]):
        nested = frame[name].map(lambda cell: isinstance(cell, dict | list | np.ndarray | bytes))
        if nested.any():
            raise DataError(
                f"{source}, row {int(nested.to_numpy().argmax()) + 1}: the cell of the column "
                f"{name!r} is neither text nor a number; write it as text, or in further columns."
            )
    places = ["names of the columns", *(f"row {row}" for row in range(1, len(frame) + 1))]
    return pd.DataFrame({name: _plain(frame[name]) for name in frame}), places


def _read_sheet(source: Source) -> tuple[pd.DataFrame, list[str]]:
    """Convert the only sheet that has cells, keeping the cells as they were typed."""
    # Column names are read as cells, because pandas would number empty or repeated ones.
    as_typed = {"dtype": object, "keep_default_na": False, "na_values": [""]}
    sheets = pd.read_excel(source.as_file(), sheet_name=None, header=None, **as_typed)
    filled = {}
    for name, sheet in sheets.items():
        sheet = sheet.dropna(how="all").dropna(how="all", axis=1)
        if sheet.size:
            filled[name] = sheet
    if not filled:
        raise DataError(f"{source} is empty.")
    if len(filled) > 1:
        raise DataError(
            f"{source} has {len(filled)} sheets with cells ({', '.join(map(repr, filled))}), but "
            "only one can be read; save the sheet as csv and use that file."
        )
    (sheet,) = filled.values()
    names = [_name(cell) for cell in sheet.iloc[0]]
    rows = pd.DataFrame({name: _plain(sheet[name].iloc[1:]) for name in sheet})
    places = [f"line {row + 1}" for row in sheet.index]
    return rows.set_axis(names, axis=1), places


def _name(cell) -> str:
    """Return the name of a column, empty instead of one that pandas has made up."""
    empty = (isinstance(cell, float) and math.isnan(cell)) or UNNAMED.fullmatch(str(cell))
    return "" if empty else str(_plain_cell(cell))


def _plain(column: pd.Series) -> pd.Series:
    """Return cells as a person types them: whole numbers without a point, dates without a time."""
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


def _cell(value, where: str) -> str:
    """Return a JSON value as the cell of a table."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, dict | list):
        raise _neither(value, where, "as text, or in keys of its own")
    value = _plain_cell(value)  # 1.0 is the number 1
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return _encodable(text, where)


# ---- JSON objects, one per line --------------------------------------------------------------


def rows_of_objects(source: Source) -> Iterator[tuple[str, list[str]]]:
    """Yield place and cells of each object; the keys of all are the names of the columns."""
    rows = _read_objects(source)
    keys = list(dict.fromkeys(key for _, row in rows for key in row))
    if rows:
        yield rows[0][0], keys
    for place, row in rows:
        yield place, [_cell(row.get(key), f"{source}, {place}, key {key!r}") for key in keys]


def _read_objects(path: Source) -> list[tuple[str, dict]]:
    """Return the places of JSON objects, and these with keys normalised like column names."""
    found, number = [], 0
    try:
        # Decoded line by line, so that an error has the number of its line.
        with decompressed(path, lines=True) as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    text = line.decode("utf-8-sig")
                    found.append((number, json.loads(text, object_pairs_hook=distinct_keys)))
    except RepeatedKeyError as error:
        raise DataError(f"{path}, line {number}: {error}; remove or rename one of them.") from None
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
    return [(f"line {number}", _named(row, f"{path}, line {number}")) for number, row in found]


class RepeatedKeyError(ValueError):
    """A key that occurs twice in a JSON object, of which Python would keep the last value."""


def distinct_keys(pairs: list[tuple[str, object]]) -> dict:
    """Return the JSON object of some keys and values, which must not have a key twice."""
    if (twice := first_twice([key for key, _ in pairs])) is not None:
        raise RepeatedKeyError(f"the key {twice!r} occurs twice")
    return dict(pairs)


def _named(row: dict, where: str) -> dict:
    """Return an object with its keys normalised like column names."""
    named = {composed(_encodable(key, where).strip()): value for key, value in row.items()}
    if len(named) < len(row):
        raise DataError(f"{where}: two keys are the same name of a column; rename one of them.")
    return named


def texts_of_objects(path: Source, *keys: str) -> list[list[str]]:
    """Return the texts under some keys, which every object must have."""
    rows, found = _read_objects(path), []
    for key in keys:
        for place, row in rows:
            if key not in row:
                known = ", ".join(map(str, row)) or "none"
                hint = did_you_mean(key, row) or f"; its keys are {known}."
                raise DataError(f"{path}, {place}: key {key!r} not found{hint}")
        found.append([_text(row[key], f"{path}, {place}, key {key!r}") for place, row in rows])
    return found


def _text(value: object, where: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool | dict | list):
        raise _neither(value, where, "as text")
    return composed(_encodable(str(value), where))


def _neither(value: object, where: str, how: str) -> DataError:
    shown = json.dumps(value, ensure_ascii=False)
    return DataError(f"{where}: {shown} is neither text nor a number; write it {how}.")


def _encodable(text: str, where: str) -> str:
    """Return a text from JSON if it can be encoded; it may contain half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise DataError(
            f"{where}: {text[error.start : error.end]!r} is half of a character; remove it."
        ) from None
    return text
