"""Readers of a matrix of dissimilarities, stored whole or as its upper triangle."""

import math
import os
from itertools import chain, islice
from pathlib import Path

import numpy as np
import scipy

from reseat.dissimilarities.forms import (
    is_list,
    is_phylip,
    is_triangle,
    numbers_of,
    read_list,
    read_mega,
    read_phylip,
    read_triangle,
    said,
)
from reseat.errors import DataError
from reseat.files.packed import MEMORY_MAP_FROM, read_npy
from reseat.files.texts import composed, is_number, open_text
from reseat.reading.source import Source, long_cells
from reseat.reading.tables import beginning, csv_rows, missed_separator, separator

MAX_CELL_LETTERS = 2**17  # of a cell, which may be a line that other characters separate
ENDINGS = (".npy", ".csv", ".tsv", ".txt", ".phy", ".dist", ".meg")
FIRST = 5  # rows by which a triangle or a list of pairs is recognised


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
        A file ending in ``.npy``, or text, possibly compressed, ending in ``.csv``, ``.tsv`` or
        ``.txt``: a matrix, perhaps with names, a lower triangle, scipy's condensed form, or a list
        of two names and their distance; or PHYLIP (``.phy``, ``.dist``) or MEGA (``.meg``).
    memory_map_from : int
        Size in bytes from which a matrix in ``.npy`` is mapped into memory, read only.

    Returns
    -------
    values : ndarray of float32 or float64, shape (n_objects, n_objects)
        The condensed form is made square; for other faults, see `check_dissimilarities`.
    names : list of str, or None

    Raises
    ------
    DataError
        If the file is missing, damaged, of another kind or too large when unpacked, an entry is not
        a number, rows and columns have different names, or the condensed form is not of all pairs.
    """
    path = path if isinstance(path, Source) else Source.of(Path(path))
    if path.ending not in ENDINGS:
        raise DataError(f"{path} must have one of the endings {', '.join(ENDINGS)}")
    if path.content is None and not path.path.is_file():
        raise DataError(f"{path} not found")
    if path.ending == ".npy":
        values, names = read_npy(path.as_file(), path, memory_map_from), None
    else:
        values, names = _read_text(path)
    if values.dtype.kind not in "fiu":
        raise DataError(f"{path} contains values of type {values.dtype}, not numbers")
    if values.dtype not in (np.float32, np.float64):
        values = values.astype(np.float64)
    if values.ndim == 1:
        values = from_condensed(values, path)
    return values, names


def from_condensed(values: np.ndarray, where: str | Source) -> np.ndarray:
    """Return the matrix of a condensed form: the entries above the diagonal, row by row."""
    n_pairs = len(values)
    if not n_pairs:
        raise DataError(f"{where} contains no numbers")
    n_items = int(np.floor((1 + np.sqrt(1 + 8 * n_pairs)) / 2))
    if math.comb(n_items, 2) != n_pairs:
        raise DataError(
            f"{where} contains {n_pairs:,} numbers in condensed form, but {n_items:,} objects have "
            f"{math.comb(n_items, 2):,} pairs and {n_items + 1:,} have "
            f"{math.comb(n_items + 1, 2):,}; list each pair once, row by row"
        )
    return scipy.spatial.distance.squareform(values, checks=False)


def _read_text(path: Source) -> tuple[np.ndarray, list[str] | None]:
    with open_text(path) as file, long_cells(MAX_CELL_LETTERS):
        lines, start = beginning(file)
        if start.lower().startswith("#mega"):
            return read_mega("".join(chain(lines, file)), path)
        if start.strip().isdecimal():
            file = [*file]
            if is_phylip([start, *file]):
                return read_phylip([start, *file], path)
        delimiter = separator(start, path)
        rows = csv_rows(chain(lines, file), delimiter, path)
        rows = ((line, row) for line, row in rows if any(row))
        begun = [*islice(rows, FIRST)]
        if not begun:
            raise DataError(f"{path} is empty")
        for is_form, read in (is_triangle, read_triangle), (is_list, read_list):
            if is_form(begun):
                return read(chain(begun, rows), path)
        above, first = begun[0]
        below, second = begun[1] if len(begun) > 1 else (0, None)
        first = [cell.strip() for cell in first]
        if delimiter != "\t" and _has_decimal_commas(start):
            raise DataError(
                f"{path}, line {above}: semicolons separate cells and commas decimals; write "
                "decimal points"
            )
        _check_separated(second or first, below, path)
        corner = len(first) > 1 and not first[0]  # above and to the left of names
        headed = corner or not all(map(is_number, first[1:] or first))
        top = second if headed and second else first
        named = corner or not is_number(top[0])
        if len(top) != len(first):
            raise DataError(
                f"{path}: the line of names has {len(first)} cells, but the next one {len(top)}; "
                "if the rows also have names to the left of the numbers, the line must begin with "
                "an empty cell"
            )
        # A first row with an entry that is not a number looks like a line of names, and by symmetry
        # the first column then looks like the names of the rows.
        suspect = headed and not corner and is_number(first[0])
        if headed and second is None or suspect and named:
            raise _misread(path, above, first)
        names, numbers = [], []
        for line, row in chain(begun[headed:], rows):
            if len(row) != len(first):
                raise DataError(
                    f"{path}, line {line}: {len(row)} cells, but the lines above have "
                    f"{len(first)}; fix the line"
                )
            names.append(composed(row[0].strip()))
            numbers.append(numbers_of(row[named:], f"{path}, line {line}", 1 + named))
    values = np.array(numbers)
    if named and not headed and names[1:] == [composed(name) for name in first[1:]]:
        # The names are numbers after a word, so that their line looked like a row of numbers.
        headed, names, values = True, names[1:], values[1:]
    if not headed and not named and _numbers_columns(values):
        headed, values = True, values[1:]
    columns = [composed(name) for name in first[named:]] if headed else None
    if named and columns is not None and names != columns:
        raise DataError(
            f"{path} has different names for rows and columns; use the same names in the same order"
        )
    if 1 in values.shape:
        return values.reshape(-1), None
    if suspect and values.shape[0] < values.shape[1]:
        raise _misread(path, above, first)
    return values, names if named else columns


def _check_separated(row: list[str], line: int, path: Source) -> None:
    """Raise a DataError if the only cell of a line is a whole line, with another separator."""
    if len(row) > 1:
        return
    words, marks = row[0].split(), missed_separator(row)
    if len(words) > 1 and all(map(is_number, words[1:])):  # the first may be a name
        raise DataError(
            f"{path}: blanks separate the numbers; separate them by commas, semicolons or tabs"
        )
    if marks:
        raise DataError(
            f"{path}, line {line}: the line has only one cell, which contains {marks}; remove the "
            "lines above the matrix and its names, and separate numbers by commas, semicolons or "
            "tabs"
        )


def _numbers_columns(values: np.ndarray) -> bool:
    """Return whether the first row numbers the columns of the dissimilarities below it."""
    (first, *_), rest, n_columns = values, values[1:], values.shape[1]
    if n_columns < 2 or rest.shape != (n_columns, n_columns) or np.diag(rest).any():
        return False
    numbered = np.array_equal(first, np.arange(n_columns) + first[0]) and first[0] in (0, 1)
    return numbered and np.array_equal(rest, rest.T)


def _misread(path: Source, line: int, first: list[str]) -> DataError:
    """Return the error for a first line that mixes numbers and other entries."""
    cell, found = next((n, cell) for n, cell in enumerate(first, 1) if not is_number(cell))
    return DataError(
        f"{path}, line {line}, cell {cell}: {said(found)} is not a number; correct it or, if the "
        "line has the names of the objects, let it begin with an empty cell"
    )


def _has_decimal_commas(line: str) -> bool:
    cells = line.split(";")
    numbers = cells if "," in cells[0] else cells[1:]  # the first may be a name
    written = "," in line and len(cells) > 1
    return written and all(is_number(cell.replace(",", ".")) for cell in numbers)
