"""Tables of text cells: values separated by commas or tabs, plain or packed, and ARFF."""

from __future__ import annotations

import csv
import io
import lzma
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

import pandas as pd

from reseat.configuration import nearest
from reseat.datasets.marginals import first_twice
from reseat.datasets.parsers.archives import decompressed
from reseat.errors import DataError
from reseat.io import separator

__all__ = ["column", "read_arff", "read_csv", "read_tsv"]

TOO_LONG = re.compile(r"Expected (\d+) fields in line (\d+), saw (\d+)")


# An attribute of an ARFF file: its name, which may be quoted, and something about its values.
ATTRIBUTE = re.compile(r"""\s*@attribute\s+('[^']*'|"[^"]*"|[^\s{]+)\s*\S""", re.IGNORECASE)


def read_csv(path: Path) -> pd.DataFrame:
    """Read values separated by commas, semicolons or tabs, with a line of column names.

    pandas fills up short lines, which are what a file cut short ends in; so
    the lines are read, and counted, by the standard library.

    Parameters
    ----------
    path : Path
        UTF-8, plain or packed.

    Returns
    -------
    pandas.DataFrame of str
        Cells without the blanks around them; empty lines are left out.

    Raises
    ------
    DataError
        If the file cannot be read, or a line has too many cells or too few.
    """
    with _lines(path) as lines:
        first = next(lines, "")
        rows = _rows(chain([first], lines), path, delimiter=separator(first))
        names = next(rows, None)
        if names is None:
            raise DataError(f"{path} is empty; a line of column names is needed")
        return _frame(names, rows, path)


def read_tsv(path: Path) -> pd.DataFrame:
    """Read a large table of tab-separated values with a line of column names.

    No cell is quoted.  Cells that a short line lacks are empty: whoever takes a column
    looks for empty cells in it.

    Parameters
    ----------
    path : Path
        UTF-8, plain or packed.

    Returns
    -------
    pandas.DataFrame of str
        Its index is the number of the line, from 2; empty lines are left out.

    Raises
    ------
    DataError
        If the file cannot be read, or a line has too many cells.
    """
    with _lines(path) as lines:
        try:
            cells = pd.read_csv(
                lines, sep="\t", header=None, dtype=str, keep_default_na=False,
                quoting=csv.QUOTE_NONE, skip_blank_lines=False,
            )  # fmt: skip
        except pd.errors.EmptyDataError:
            raise DataError(f"{path} is empty; a line of column names is needed") from None
        except pd.errors.ParserError as error:
            wide = TOO_LONG.search(str(error))
            if wide is None:
                raise DataError(f"{path} cannot be read as a table ({error})") from error
            raise DataError(
                f"{path}, line {wide[2]}: {wide[3]} cells where the first line has {wide[1]}; mend "
                "the line"
            ) from error
    names = cells.iloc[0].tolist()
    twice = first_twice(names)
    if twice is not None:
        raise DataError(f"{path} has two columns {twice!r}; rename one of them")
    cells.columns, cells.index = names, cells.index + 1
    cells = cells.iloc[1:]
    suspect = cells[cells.iloc[:, 0] == ""]
    return cells.drop(suspect.index[(suspect == "").all(axis=1)])


def read_arff(path: Path) -> pd.DataFrame:
    """Read a dense ARFF file of texts and names.

    Parameters
    ----------
    path : Path
        UTF-8, plain or packed.

    Returns
    -------
    pandas.DataFrame of str
        One column an attribute; cells without their quotation marks.

    Raises
    ------
    DataError
        As for `read_csv`, or if the file has no attributes or no data.
    """
    with _arff(path) as (names, lines, above):
        frame = _frame(names, _rows(lines, path, above), path)
    return frame.apply(lambda cells: cells.str.strip("'"))


def read_sparse_arff(path: Path) -> tuple[list[str], list[list[int]]]:
    """Read a sparse ARFF file of zeros and ones.

    Parameters
    ----------
    path : Path
        UTF-8, plain or packed.

    Returns
    -------
    names : list of str
        Of the attributes.
    rows : list of list of int
        Numbers of the attributes that are 1, from 0.

    Raises
    ------
    DataError
        If the file cannot be read, has no attributes or no data, or a row is not of this form.
    """
    with _arff(path) as (names, lines, above):
        numbered = enumerate(map(str.strip, lines), start=above + 1)
        return names, [_ones(line, len(names), path, number) for number, line in numbered if line]


def _ones(line: str, n_attributes: int, path: Path, number: int) -> list[int]:
    if not (line.startswith("{") and line.endswith("}")):
        raise DataError(f"{path}, line {number}: a sparse row stands between braces")
    found = []
    for cell in filter(None, (cell.strip() for cell in line[1:-1].split(","))):
        index, _, value = cell.partition(" ")
        if not index.isdecimal() or value.strip() not in ("0", "1"):
            raise DataError(f"{path}, line {number}: {cell!r} is not an index and a 0 or 1")
        if int(index) >= n_attributes:
            raise DataError(f"{path}, line {number}: there is no attribute {index}")
        if value.strip() == "1":
            found.append(int(index))
    return found


def column(table: pd.DataFrame, name: str, path: Path) -> pd.Series:
    """Return a column of a table that was read from `path`.

    Raises
    ------
    DataError
        If there is no such column.
    """
    if name not in table.columns:
        raise DataError(
            f"{path} has no column {name!r}"
            f"{nearest(name, table.columns) or '; it has ' + ', '.join(table.columns)}"
        )
    return table[name]


@contextmanager
def _lines(path: Path) -> Iterator[io.TextIOWrapper]:
    try:
        with decompressed(path) as stream:
            yield io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
    except FileNotFoundError:
        raise DataError(f"{path} does not exist") from None
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path} is not UTF-8 text (line {_undecodable(path)}: {error}); convert it first"
        ) from error
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise DataError(f"{path} cannot be read to its end ({error})") from error


@contextmanager
def _arff(path: Path) -> Iterator[tuple[list[str], Iterator[str], int]]:
    """Names of the attributes, the lines of the data, and how many lines stand above these."""
    names = []
    with _lines(path) as lines:
        for number, line in enumerate(lines, start=1):
            attribute = ATTRIBUTE.match(line)
            if attribute:
                names.append(attribute[1].strip("'\""))
            elif line.lower().split()[:1] == ["@data"] and names:
                # A comment becomes an empty line, so that lines are counted as they are.
                yield names, ("" if line.startswith("%") else line for line in lines), number
                return
    raise DataError(f"{path} is not an ARFF file with attributes and data")


def _undecodable(path: Path) -> int:
    """Number of the first line that is not UTF-8."""
    with decompressed(path) as stream:
        for number, line in enumerate(stream, start=1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return number
    return number  # a character cut short at the end of the file


def _rows(
    lines: Iterator[str], path: Path, above: int = 0, delimiter: str = ","
) -> Iterator[list[str]]:
    """Yield the cells of each line; `above` is how many lines have been read before."""
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)

    def fault(what) -> DataError:
        return DataError(f"{path}, line {above + reader.line_num}: {what}; mend the line")

    width = None
    try:
        for row in filter(None, reader):
            width = width or len(row)
            if len(row) != width:
                raise fault(f"{len(row)} cells where the first line has {width}")
            yield [cell.strip() for cell in row]
    except csv.Error as error:
        raise fault(error) from error


def _frame(names: list[str], rows: Iterator[list[str]], path: Path) -> pd.DataFrame:
    twice = first_twice(names)
    if twice is not None:
        raise DataError(f"{path} has two columns {twice!r}; rename one of them")
    cells = list(rows)
    if cells and len(cells[0]) != len(names):
        raise DataError(
            f"{path}: {len(cells[0])} cells in a line for {len(names)} columns; mend the file"
        )
    return pd.DataFrame(cells, columns=names, dtype=str)
