"""Dissimilarities as other programs write them: PHYLIP, MEGA, lower triangles, lists of pairs."""

import math
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress

import numpy as np

from reseat.errors import DataError
from reseat.files.texts import composed, is_number
from reseat.reading.source import Source

MAX_DIGITS = 15  # of a number of objects that are shown
Row = tuple[int, list[str]]  # number and cells of a line
ABOVE = ("", "NA")  # cells that may stand above the diagonal of a lower triangle
#: Comments in files of MEGA, such as the numbers of the objects; commands; and names of objects.
COMMENT, COMMAND = re.compile(r"\[[^\]]*\]"), re.compile(r"^\s*!.*?;", re.DOTALL | re.MULTILINE)
NAME = re.compile(r"^\s*#(\S+).*$", re.MULTILINE)


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
            raise DataError(
                f"{path} has different names for rows and columns; use the same names in the same "
                "order"
            )
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


def is_phylip(lines: Sequence[str]) -> bool:
    """Return whether the first line is a number of objects, and the next one begins with a name."""
    words = lines[1].split() if len(lines) > 1 and lines[0].strip().isdecimal() else []
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
