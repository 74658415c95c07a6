"""Readers of a matrix of dissimilarities, also in the forms that other programs write."""

import math
import os
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path

import numpy as np
import scipy

from reseat.errors import DataError
from reseat.files.packed import MEMORY_MAP_FROM, read_npy
from reseat.files.texts import composed, is_number, open_text
from reseat.reading.source import Source, long_cells
from reseat.reading.tables import beginning, csv_rows, missed_separator, separator

MAX_CELL_LETTERS = 2**17  # of a cell, which may be a line that other characters separate
ENDINGS = (".npy", ".csv", ".tsv", ".txt", ".phy", ".dist", ".meg")
Row = tuple[int, list[str]]  # number and cells of a line
DIFFERENT_NAMES = "different names for rows and columns; use the same names in the same order"
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
        raise DataError(f"{path} has {DIFFERENT_NAMES}")
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


def numbers_of(cells: Sequence[str], where: str, first: int) -> np.ndarray:
    """Return the cells of a row as numbers; `first` is the number of its first cell."""
    with suppress(ValueError):
        whole = "".join(cells)
        # Python would also read 1_0, and digits of other alphabets.
        if whole.isascii() and "_" not in whole:
            return np.array(list(map(float, cells)))
    column, cell = next(
        (column, cell)
        for column, cell in enumerate(cells, start=first)
        if not is_number(cell) or "_" in cell or not cell.isascii()
    )
    hint = "; write decimal points, not commas" if "," in cell else ""
    raise DataError(f"{where}, cell {column}: {said(cell)} is not a number{hint}")


def said(cell: str) -> str:
    """Return a cell as a message shows it."""
    return repr(cell.strip()) if cell.strip() else "an empty cell"


# ---- Triangles and lists of pairs -------------------------------------------------------------

ABOVE = ("", "NA")  # cells that may stand above the diagonal of a lower triangle


def is_triangle(rows: Sequence[Row]) -> bool:
    """Return whether each of the first rows, below names perhaps, has one cell more than before."""
    below = rows[_is_headed(rows) :][:3]
    return len(below) > 1 and bool((np.diff([len(_filled(row)) for _, row in below]) == 1).all())


def is_list(rows: Sequence[Row]) -> bool:
    """Return whether the first rows, below names perhaps, are two objects and a number."""
    below = [row for _, row in rows[1:]]
    if not below or any(len(row) != 3 or not is_number(row[2]) for row in below):
        return False
    named = not any(is_number(cell) for row in below for cell in row[:2])
    numbered = all(cell.strip().isdecimal() for row in below for cell in row[:2])
    # Three objects have a square matrix of three columns, too.
    return len(rows[0][1]) == 3 and (named or (numbered and len(below) > 3))


def _is_headed(rows: Sequence[Row]) -> bool:
    return not all(map(is_number, _filled(rows[0][1])[1:]))


def _filled(row: Sequence[str]) -> list[str]:
    """Return a row of a triangle without the cells above the diagonal."""
    row = list(row)
    while row and row[-1].strip() in ABOVE:
        row.pop()
    return row


def read_triangle(rows: Iterable[Row], path: Source) -> tuple[np.ndarray, list[str] | None]:
    """Read what is below the diagonal, perhaps with it, and with names above or to the left."""
    rows = [*rows]
    columns = [composed(cell.strip()) for cell in rows[0][1]] if _is_headed(rows) else None
    rows = [(line, _filled(row)) for line, row in rows[columns is not None :]]
    n_first = len(rows[0][1])
    named = not is_number(rows[0][1][0]) or (columns is not None and not columns[0])
    names, found = [], []
    for number, (line, row) in enumerate(rows):
        if len(row) != n_first + number:
            raise DataError(
                f"{path}, line {line}: {len(row)} cells, but the line above has "
                f"{n_first + number - 1}, and each line of a lower triangle has one more; fix the "
                "line"
            )
        names.append(composed(row[0].strip()))
        found.append(numbers_of(row[named:], f"{path}, line {line}", 1 + named))
    # Without names, the first row has one number in any case.
    ends = {row[-1] for row in found if row.size}
    with_diagonal = found[0].size == 1 and (named or len(ends) == 1)
    shift = 0 if named or with_diagonal else 1
    values = np.zeros((len(found) + shift,) * 2)
    for number, row in enumerate(found, start=shift):
        values[number, : row.size] = row
    if columns is not None:
        columns = columns[named:] if len(columns) > len(values) else columns
        if (named and columns != names) or len(columns) != len(values):
            raise DataError(f"{path} has {DIFFERENT_NAMES}")
    return _mirrored(values), names if named else columns


def _mirrored(values: np.ndarray) -> np.ndarray:
    """Return the symmetric matrix of a lower triangle."""
    return np.tril(values) + np.tril(values, -1).T


def read_list(rows: Iterable[Row], path: Source) -> tuple[np.ndarray, list[str]]:
    """Read two objects and their distance from each row; every pair must be there."""
    places: dict[str, int] = {}
    given: dict[tuple[int, int], float] = {}
    for number, (line, row) in enumerate(rows):
        if len(row) != 3:
            raise DataError(
                f"{path}, line {line}: {len(row)} cells, but the lines above have two objects and "
                "their distance; fix the line"
            )
        if not number and not is_number(row[2]):
            continue  # names of the columns
        names = [composed(cell.strip()) for cell in row[:2]]
        one, other = sorted(places.setdefault(name, len(places)) for name in names)
        value = numbers_of(row[2:], f"{path}, line {line}", 3).item()
        if given.setdefault((one, other), value) != value:
            raise DataError(
                f"{path}, line {line}: {names[0]!r} and {names[1]!r} have another distance above; "
                "keep one of them"
            )
    names, n_objects = [*places], len(places)
    pairs = ((one, other) for other in range(n_objects) for one in range(other))
    lacking = next((pair for pair in pairs if pair not in given), None)
    if lacking is not None:
        n_given = sum(one != other for one, other in given)
        raise DataError(
            f"{path} lists {n_given:,} of the {math.comb(n_objects, 2):,} pairs of {n_objects:,} "
            f"objects; that of {names[lacking[0]]!r} and {names[lacking[1]]!r} is missing, for "
            "example. List every pair; distances to nearest neighbours are not enough"
        )
    values = np.zeros((n_objects, n_objects))
    for (one, other), value in given.items():
        values[other, one] = value
    return _mirrored(values), names


# ---- PHYLIP and MEGA ---------------------------------------------------------------------------

MAX_DIGITS = 15  # of a number of objects that are shown
#: Comments in files of MEGA, such as the numbers of the objects; commands; and names of objects.
COMMENT, COMMAND = re.compile(r"\[[^\]]*\]"), re.compile(r"^\s*!.*?;", re.DOTALL | re.MULTILINE)
NAME = re.compile(r"^\s*#(\S+).*$", re.MULTILINE)


def is_phylip(lines: Sequence[str]) -> bool:
    """Return whether the line after the first, which is a number, begins with a name."""
    words = lines[1].split() if len(lines) > 1 else []
    if not words or not is_number(re.split("[,;]", words[0])[0]):
        return bool(words)
    # The names are numbers.
    n_rows = sum(bool(line.strip()) and not line[0].isspace() for line in lines[1:])
    return len(words) > 1 and lines[0].strip() == str(n_rows)


def read_phylip(lines: Sequence[str], path: Source) -> tuple[np.ndarray, list[str]]:
    """Read a square matrix or a lower triangle; lines that begin with a blank continue a row."""
    rows: list[list[str]] = []
    for line in lines[1:]:
        if rows and line[:1].isspace():
            rows[-1] += line.split()
        elif line.strip():
            rows.append(line.split())
    n_objects, announced = len(rows), lines[0].strip()
    if announced != str(n_objects):
        raise DataError(
            f"{path} has {n_objects:,} objects, but its first line says {announced[:MAX_DIGITS]}; "
            "the file may be truncated"
        )
    # Names may have blanks, so that numbers are counted from the end.
    for first, more in ((n_objects, 0), (1, 1), (0, 1)):
        lengths = [first + more * number for number in range(n_objects)]
        if all(map(_has_numbers, rows, lengths)):
            break
    else:
        raise DataError(
            f"{path} is neither a square matrix nor a lower triangle in the format of PHYLIP, in "
            f"which each of the {n_objects:,} objects has a name and its distances to all, or to "
            "those above it"
        )
    names, values = [], np.zeros((n_objects, n_objects))
    for number, (row, length) in enumerate(zip(rows, lengths, strict=True)):
        names.append(composed(" ".join(row[: len(row) - length])))
        cells = row[len(row) - length :]
        values[number, :length] = numbers_of(cells, f"{path}, object {names[-1]!r}", 1)
    return _mirrored(values) if more else values, names


def _has_numbers(row: list[str], length: int) -> bool:
    """Return whether a row may be a name, of several words perhaps, and so many numbers."""
    name, numbers = row[1 : len(row) - length], row[len(row) - length :][:1]
    return len(row) > length and all(map(is_number, numbers)) and not any(map(is_number, name))


def read_mega(text: str, path: Source) -> tuple[np.ndarray, list[str]]:
    """Read the lower left, or the upper right, triangle of a MEGA file."""
    bare = COMMENT.sub(" ", text)
    commands = " ".join(COMMAND.findall(bare)).lower()
    bare = COMMAND.sub("", bare)
    names = [composed(name) for name in NAME.findall(bare)[1:]]  # the first is #mega
    values = numbers_of(NAME.sub("", bare).split(), str(path), 1)
    n_objects = len(names)
    if not n_objects or values.size != math.comb(n_objects, 2):
        raise DataError(
            f"{path} names {n_objects:,} objects and has {values.size:,} distances, but there must "
            f"be one for each pair, {math.comb(n_objects, 2):,}; the file may be truncated"
        )
    found = np.zeros((n_objects, n_objects))
    upper = "upperright" in commands.replace(" ", "")
    found[np.triu_indices(n_objects, 1) if upper else np.tril_indices(n_objects, -1)] = values
    return found + found.T, names
