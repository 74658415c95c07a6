"""Readers of a matrix of dissimilarities, stored whole or as its upper triangle."""

from __future__ import annotations

import csv
import os
import zipfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import numpy as np
import scipy

from reseat.errors import DataError
from reseat.files.atomic import beginning, missed_separator, separator
from reseat.files.packed import check_npy
from reseat.files.texts import composed, is_number, open_text

__all__ = [
    "MEMORY_MAP_FROM",
    "from_condensed",
    "read_dissimilarities",
    "read_named_dissimilarities",
]

MEMORY_MAP_FROM = 4 * 2**30  # bytes
NOT_A_NUMBER = ("nan", "NaN", "NAN", "-nan")
ENDINGS = (".npy", ".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz")


def read_dissimilarities(
    path: str | os.PathLike, memory_map_from: int = MEMORY_MAP_FROM
) -> np.ndarray:
    """Read dissimilarities without the names of the objects.

    Parameters
    ----------
    path, memory_map_from
        As for `read_named_dissimilarities`, which also raises the same errors.

    Returns
    -------
    ndarray of float32 or float64, shape (n_objects, n_objects)
    """
    return read_named_dissimilarities(path, memory_map_from)[0]


def read_named_dissimilarities(
    path: str | os.PathLike, memory_map_from: int = MEMORY_MAP_FROM
) -> tuple[np.ndarray, list[str] | None]:
    """Read dissimilarities and, if the file has them, the names of the objects.

    Parameters
    ----------
    path : path-like
        A file ending in ``.npy``, or a text file ending in ``.csv``, ``.tsv`` or ``.txt``,
        possibly followed by ``.gz``, with cells separated by commas, semicolons or tabs.  A
        matrix is taken as it is; a vector (in a text file one line or one column) is scipy's
        condensed form: the entries above the diagonal, row by row.  A text file may begin
        with a line of names and may have the names again at the start of each line.
    memory_map_from : int
        Size in bytes from which a matrix in ``.npy`` stays on disk and is mapped
        into memory, read only.

    Returns
    -------
    values : ndarray of float32 or float64, shape (n_objects, n_objects)
        The condensed form is made square; nothing else is checked, see
        `reseat.dissimilarities.check_dissimilarities`.
    names : list of str, or None

    Raises
    ------
    DataError
        If the file is missing, damaged, of an unsupported kind or not as long as its header
        says, if it unpacks to too much, if an entry of a text file is not a number or blanks
        separate the entries, if rows and columns have different names, or if no number of
        objects has as many pairs as the condensed form has entries.
    """
    path = Path(path)
    if not path.name.lower().endswith(ENDINGS):
        raise DataError(f"{path} must have one of the endings {', '.join(ENDINGS)}")
    if not path.is_file():
        raise DataError(f"{path} not found")
    if path.suffix.lower() == ".npy":
        values, names = _read_npy(path, memory_map_from), None
    else:
        values, names = _read_csv(path)
    if values.dtype.kind not in "fiu":
        raise DataError(f"{path} contains values of type {values.dtype}, not numbers")
    if values.dtype not in (np.float32, np.float64):
        values = values.astype(np.float64)
    if values.ndim == 1:
        values = from_condensed(values, path)
    return values, names


def from_condensed(values: np.ndarray, where: str | Path) -> np.ndarray:
    """Return the matrix of a condensed form: the entries above the diagonal, row by row."""
    n_pairs = len(values)
    if not n_pairs:
        raise DataError(f"{where} contains no numbers")
    n_items = int(np.floor((1 + np.sqrt(1 + 8 * n_pairs)) / 2))
    if n_items * (n_items - 1) // 2 != n_pairs:
        raise DataError(
            f"{where} contains {n_pairs:,} numbers in condensed form, but {n_items:,} objects have "
            f"{n_items * (n_items - 1) // 2:,} pairs and {n_items + 1:,} have "
            f"{n_items * (n_items + 1) // 2:,}; list each pair once, row by row"
        )
    return scipy.spatial.distance.squareform(values, checks=False)


def _read_npy(path: Path, memory_map_from: int) -> np.ndarray:
    if zipfile.is_zipfile(path):
        raise DataError(f"{path} contains several arrays; it must contain only the matrix")
    mode = "r" if path.stat().st_size >= memory_map_from else None
    try:
        with open(path, "rb") as file:
            check_npy(file, path.stat().st_size, path)
        values = np.load(path, mmap_mode=mode, allow_pickle=False)
    except DataError:
        raise
    except (OSError, EOFError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise DataError(f"{path} cannot be read ({error.strerror})") from error
        # numpy's message about a file of another kind advises running what is in it.
        raise DataError(
            f"{path} is not a complete npy file of numbers; write it again with numpy.save"
        ) from error
    return values


def _read_csv(path: Path) -> tuple[np.ndarray, list[str] | None]:
    with open_text(path) as file:
        lines, start = beginning(file)
        delimiter = separator(start, path)
        decimal_commas = delimiter != "\t" and _has_decimal_commas(start)
        rows = _rows(chain(lines, file), delimiter, path)
        above, first = next(rows, (0, None))
        below, second = next(rows, (0, None))
    if first is None:
        raise DataError(f"{path} is empty")
    if decimal_commas:
        raise DataError(
            f"{path}, line {above}: semicolons separate cells and commas decimals; write decimal "
            "points"
        )
    if _has_blanks(second or first):
        raise DataError(
            f"{path}: blanks separate the numbers; separate them by commas, semicolons or tabs"
        )
    marks = missed_separator(second or first) if len(second or first) == 1 else ""
    if marks:
        raise DataError(
            f"{path}, line {below}: the line has only one cell, which contains {marks}; remove the "
            "lines above the matrix and its names, and separate numbers by commas, semicolons or "
            "tabs"
        )
    corner = len(first) > 1 and not first[0].strip()  # above and to the left of names
    headed = corner or not all(map(is_number, first[1:] or first))
    start = second if headed and second else first
    named = corner or not is_number(start[0])
    if len(start) != len(first):
        raise DataError(
            f"{path}: the line of names has {len(first)} cells, but the next one {len(start)}; if "
            "the rows also have names to the left of the numbers, the line must begin with an "
            "empty cell"
        )
    # A first row with an entry that is not a number looks like a line of names, and by symmetry the
    # first column then looks like the names of the rows.
    suspect = headed and not corner and is_number(first[0])
    if headed and second is None or suspect and named:
        raise _misread(path, above, first)
    import pandas as pd  # slow to import, and chains do not read such files

    numbers = range(named, len(start))
    with open_text(path) as file:
        try:
            table = pd.read_csv(
                file,
                sep=delimiter,
                header=None,
                skiprows=above if headed else 0,
                skipinitialspace=True,
                keep_default_na=False,  # NA may be a name
                na_values=dict.fromkeys(numbers, NOT_A_NUMBER),
                dtype=dict.fromkeys(numbers, np.float64),
                converters={0: _name} if named else None,
            )
            rows = table.pop(table.columns[0]).tolist() if named else None
            values = table.to_numpy(dtype=np.float64)
        except (ValueError, pd.errors.ParserError) as error:
            if isinstance(error, DataError):
                raise
            said = _fault(path, delimiter, headed, named)
            raise DataError(said or f"{path}: {' '.join(str(error).split())}") from error
    if named and not headed and rows[1:] == [_name(name) for name in first[1:]]:
        # The names are numbers after a word, so that their line looked like a row of numbers.
        headed, rows, values = True, rows[1:], values[1:]
    if not headed and not named and _numbers_columns(values):
        headed, values = True, values[1:]
    columns = [_name(name) for name in first[named:]] if headed else None
    if rows is not None and columns is not None and rows != columns:
        raise DataError(
            f"{path} has different names for rows and columns; use the same names in the same order"
        )
    if 1 in values.shape:
        return values.reshape(-1), None
    if suspect and values.shape[0] < values.shape[1]:
        raise _misread(path, above, first)
    return values, rows or columns


def _numbers_columns(values: np.ndarray) -> bool:
    """Return whether the first row numbers the columns of the dissimilarities below it."""
    (first, *_), rest, n_columns = values, values[1:], values.shape[1]
    if n_columns < 2 or rest.shape != (n_columns, n_columns) or np.diag(rest).any():
        return False
    numbered = np.array_equal(first, np.arange(n_columns) + first[0]) and first[0] in (0, 1)
    return numbered and np.array_equal(rest, rest.T)


def _rows(lines: Iterator[str], delimiter: str, path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each line that is not empty."""
    reader = csv.reader(lines, delimiter=delimiter)
    try:
        for row in reader:
            if any(row):
                yield reader.line_num, row
    except csv.Error as error:
        raise DataError(
            f"{path}, line {reader.line_num}: a cell has more than {csv.field_size_limit():,} "
            "letters; separate the numbers by commas, semicolons or tabs"
        ) from error


def _misread(path: Path, line: int, first: list[str]) -> DataError:
    """Return the error for a first line that mixes numbers and other entries."""
    cell, found = next((n, cell) for n, cell in enumerate(first, 1) if not is_number(cell))
    return DataError(
        f"{path}, line {line}, cell {cell}: {_said(found)} is not a number; correct it or, if the "
        "line has the names of the objects, let it begin with an empty cell"
    )


def _said(cell: str) -> str:
    return repr(cell) if cell.strip() else "an empty cell"


def _has_decimal_commas(line: str) -> bool:
    """Return whether semicolons separate the numbers of a line, whose commas are decimal."""
    cells = [cell.strip() for cell in line.split(";")]
    numbers = cells if "," in cells[0] else cells[1:]  # the first may be a name
    written = "," in line and len(cells) > 1
    return written and all(is_number(cell.replace(",", ".")) for cell in numbers)


def _has_blanks(row: list[str]) -> bool:
    """Return whether the only cell of a line has several numbers, or a name and numbers."""
    words = row[0].split() if len(row) == 1 else []
    return len(words) > 1 and all(map(is_number, words[1:]))


def _fault(path: Path, delimiter: str, headed: bool, named: bool) -> str:
    """Return a message on the first entry that is no number or line of another length, if any."""
    with open_text(path) as file:
        rows = _rows(file, delimiter, path)
        if headed:
            next(rows)
        width = None
        for number, row in rows:
            width = width or len(row)
            if len(row) != width:
                return (
                    f"{path}, line {number}: {len(row)} cells, but the lines above have {width}; "
                    "fix the line"
                )
            for column, cell in enumerate(row[named:], start=1 + named):
                # Python reads 1_0 and digits of other alphabets as numbers, but pandas does not.
                if not is_number(cell) or "_" in cell or not cell.isascii():
                    hint = "; write decimal points, not commas" if "," in cell else ""
                    return (
                        f"{path}, line {number}, cell {column}: {_said(cell)} is not a number{hint}"
                    )
    return ""


def _name(cell: str) -> str:
    return composed(cell.strip())
