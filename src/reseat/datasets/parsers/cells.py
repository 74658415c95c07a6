"""Reading of tables as text: comma- or tab-separated values, plain or compressed, and ARFF."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd

from reseat.configuration import did_you_mean
from reseat.datasets.marginals import first_twice
from reseat.datasets.parsers.other_formats import other_format
from reseat.errors import DataError
from reseat.files.atomic import beginning, missed_separator, separator
from reseat.files.texts import composed, open_text

__all__ = ["column", "read_arff", "read_csv", "read_tsv"]

TOO_LONG = re.compile(r"Expected (\d+) fields in line (\d+), saw (\d+)")
#: Largest number of letters of a cell, as in spreadsheets: in an array of NumPy, all texts take as
#: much memory as the longest.
LONGEST_CELL = 2**15 - 1
#: The same where a cell may be the text of a book.  A longer one is what follows a quotation mark
#: that is never closed.
LONGEST_TEXT = 2**24
# An attribute of an ARFF file: its name, which may be quoted, followed by the type of its values.
ATTRIBUTE = re.compile(
    r"""\s*@attribute\s+('[^']*'|"[^"]*"|[^\s{]+)(?=\s+\S|\s*\{)""", re.IGNORECASE
)
# A cell of an ARFF row, which may be quoted, and the separator from the next one.
CELL = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,]*))\s*(,|$)""")
# A cell of a tab-separated table that is quoted as a whole, as other programs write it.
QUOTED = re.compile('"(?:[^"]|"")*"')
INDEX = re.compile("[0-9]{1,9}")
ESCAPED = re.compile(r"\\(.)")


def read_csv(path: Path, longest: int | None = None) -> pd.DataFrame:
    """Read values separated by commas, semicolons or tabs, with a line of column names.

    The standard library reads the lines, and their cells are counted, because pandas pads short
    lines, such as the last line of a truncated file. Cells are without the blanks around them, and
    empty lines are left out.
    """
    refuse_other_format(path)
    with open_text(path) as lines, long_cells(longest or LONGEST_CELL):
        start, first = beginning(lines)
        delimiter = separator(first, path)
        rows = _checked(csv_rows(chain(start, lines), delimiter, path), path)
        names = next(rows, None)
        if names is None:
            raise DataError(f"{path} is empty; a line of column names is needed")
        return _filled(_split(_frame(names, rows, path), path), path)


def refuse_other_format(path: Path) -> None:
    """Raise a DataError for a file that is not a table but, for example, a page or a document."""
    kind = other_format(path)
    if kind is not None:
        raise DataError(f"{path} is {kind}, which cannot be read; save the table as .csv")


def read_tsv(path: Path) -> pd.DataFrame:
    """Read a large table of tab-separated values with a line of column names.

    Blanks around a cell, and quotation marks around a whole cell, are not part of it; other
    quotation marks are, because a text may have them as words. The cells that a short line lacks
    are empty: callers check the columns that they use for empty cells. Rows are indexed by line
    number, and empty lines are left out, also above the column names.
    """
    refuse_other_format(path)
    with open_text(path) as lines:
        start, first = beginning(lines, quoted=False)
    separator(first, path)
    above = max(len(start) - 1, 0)
    with open_text(path) as lines:
        try:
            cells = pd.read_csv(
                lines, sep="\t", header=None, dtype=str, keep_default_na=False,
                quoting=csv.QUOTE_NONE, skip_blank_lines=False, skiprows=above,
            )  # fmt: skip
        except pd.errors.EmptyDataError:
            raise DataError(f"{path} is empty; a line of column names is needed") from None
        except pd.errors.ParserError as error:
            wide = TOO_LONG.search(str(error))
            if wide is None:
                said = " ".join(str(error).split())
                raise DataError(f"{path} cannot be read as a table ({said})") from error
            raise DataError(
                f"{path}, line {wide[2]}: {wide[3]} cells, but the first line has {wide[1]}; fix "
                "the line"
            ) from error
    cells.index = cells.index + 1 + above
    cells = cells.apply(_cleaned, path=path)
    names = _different(cells.iloc[0].tolist(), path)
    cells.columns = names
    cells = cells.iloc[1:]
    suspect = cells[cells.iloc[:, 0] == ""]
    return _filled(cells.drop(suspect.index[(suspect == "").all(axis=1)]), path)


def read_arff(path: Path) -> pd.DataFrame:
    """Read a dense ARFF file, with all values as text without their quotation marks."""
    with _arff(path) as (names, lines, above):
        return _frame(names, _checked(_arff_rows(lines, above, path), path), path)


def read_sparse_arff(path: Path) -> tuple[list[str], list[list[int]]]:
    """Read a sparse ARFF file of zeros and ones: the attributes, and those that are 1 in each row.

    Attributes are returned by name, and then, for each row, by number from 0.
    """
    with _arff(path) as (names, lines, above):
        numbered = enumerate(map(str.strip, lines), start=above + 1)
        return names, [_ones(line, len(names), path, number) for number, line in numbered if line]


def _ones(line: str, n_attributes: int, path: Path, number: int) -> list[int]:
    if not (line.startswith("{") and line.endswith("}")):
        raise DataError(f"{path}, line {number}: a sparse row must be enclosed in braces")
    found, seen = [], set()
    for cell in filter(None, (cell.strip() for cell in line[1:-1].split(","))):
        index, _, value = cell.partition(" ")
        if not INDEX.fullmatch(index) or value.strip() not in ("0", "1"):
            raise DataError(f"{path}, line {number}: {cell!r} is not an index and a 0 or 1")
        if int(index) >= n_attributes:
            raise DataError(f"{path}, line {number}: unknown attribute {index}")
        if int(index) in seen:
            raise DataError(f"{path}, line {number}: the attribute {index} occurs twice")
        seen.add(int(index))
        if value.strip() == "1":
            found.append(int(index))
    return found


def column(table: pd.DataFrame, name: str, path: Path) -> pd.Series:
    """Return a column of a table that was read from `path`."""
    if name not in table.columns:
        raise DataError(
            f"{path} has no column {name!r}"
            f"{did_you_mean(name, table.columns) or '; it has ' + ', '.join(table.columns)}"
        )
    return table[name]


@contextmanager
def _arff(path: Path) -> Iterator[tuple[list[str], Iterator[str], int]]:
    """Yield the attribute names, the data lines, and the number of lines above the data."""
    names = []
    with open_text(path) as lines:
        for number, line in enumerate(lines, start=1):
            attribute = ATTRIBUTE.match(line)
            if attribute:
                names.append(composed(attribute[1].strip("'\"")))
            elif line.lower().split()[:1] == ["@attribute"]:
                raise DataError(f"{path}, line {number}: an attribute needs a name and a type")
            elif line.lower().split() == ["@data"] and names:
                # A comment becomes an empty line, so that line numbers stay right.
                yield (
                    _different(names, path),
                    ("" if line.startswith("%") else line for line in lines),
                    number,
                )
                return
            elif line.strip() and not line.lower().startswith(("%", "@relation")):
                break
    raise DataError(f"{path} is not an ARFF file with attributes and data")


@contextmanager
def long_cells(longest: int) -> Iterator[None]:
    """Let the csv readers of the standard library accept cells of up to this many letters."""
    limit = csv.field_size_limit(longest)
    try:
        yield
    finally:
        csv.field_size_limit(limit)  # the limit is global


def csv_rows(lines: Iterator[str], delimiter: str, path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield number and cells of each line, or group of lines that a quoted cell spans.

    Use it within `long_cells`.
    """
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
    begin = 1  # line at which the current row begins
    try:
        for row in reader:
            begin = reader.line_num + 1
            if row:
                yield reader.line_num, row
    except csv.Error as error:
        number, what = reader.line_num, error
        if "field limit" in str(error):
            number = begin
            what = (
                f"a cell has more than {csv.field_size_limit():,} letters (a quotation mark that "
                "is not closed?)"
            )
        elif "end of data" in str(error):
            number, what = begin, "a quotation mark is opened here and never closed"
        raise DataError(f"{path}, line {number}: {what}; fix the line") from error


def _arff_rows(lines: Iterator[str], above: int, path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield number and cells of each data line; `above` is the number of lines above the data."""
    for number, line in enumerate(map(str.strip, lines), start=above + 1):
        if line.startswith("{"):
            raise DataError(
                f"{path}, line {number}: the row is sparse (in braces); write the file with all "
                "values of every row"
            )
        if line:
            cells = _arff_cells(line)
            if cells is None:
                raise DataError(
                    f"{path}, line {number}: a quotation mark is not closed, or a cell has more "
                    f"than {LONGEST_TEXT:,} letters; fix the line"
                )
            yield number, cells


def _arff_cells(line: str) -> list[str] | None:
    """Return the cells of a row, or None if a quoted cell is not closed or a cell is too long."""
    cells, end, more = [], 0, ","
    while more:
        found = CELL.match(line, end)
        single, double, bare, more = found.groups()
        quoted = double if single is None else single
        if len(found[0]) > LONGEST_TEXT or (quoted is None and bare.startswith(("'", '"'))):
            return None
        cells.append(bare if quoted is None else ESCAPED.sub(r"\1", quoted))
        end = found.end()
    return cells


def _checked(rows: Iterator[tuple[int, list[str]]], path: Path) -> Iterator[list[str]]:
    """Yield the rows, checked to be of one width, without the blanks around cells."""
    width = None
    for number, row in rows:
        width = width or len(row)
        what, whole = "", "".join(row)
        if len(row) != width:
            what = f"{len(row)} cells, but the first line has {width}; fix the line"
        elif "\0" in whole:
            what = (
                "a zero byte, which text files do not contain (is the file UTF-16?); convert it "
                "first"
            )
        if what:
            raise DataError(f"{path}, line {number}: {what}")
        # Most lines are ASCII and need no Unicode normalization.
        yield [cell.strip() if whole.isascii() else composed(cell.strip()) for cell in row]


def _cleaned(cells: pd.Series, path: Path) -> pd.Series:
    """Return a column of `read_tsv` without blanks around cells, cleaning each word only once."""
    codes, found = pd.factorize(cells)
    words = [composed(_unquoted(word.strip())) for word in found]
    wrong = next((n for n, w in enumerate(words) if "\0" in w or len(w) > LONGEST_TEXT), None)
    if wrong is not None:
        what = (
            "a zero byte, which text files do not contain"
            if "\0" in words[wrong]
            else (f"a cell of more than {LONGEST_TEXT:,} letters")
        )
        raise DataError(
            f"{path}, line {cells.index[(codes == wrong).argmax()]}: {what}; fix the line"
        )
    # The cells that a short line lacks have the code -1.
    return pd.Series(np.array([*words, ""], dtype=object)[codes], cells.index)


def _unquoted(cell: str) -> str:
    return cell[1:-1].replace('""', '"').strip() if QUOTED.fullmatch(cell) else cell


def _different(names: list[str], path: Path) -> list[str]:
    """Return the column names, checked to be distinct."""
    twice = first_twice(names)
    if twice == "":
        raise DataError(
            f"{path} has {names.count('')} columns without a name; name them, and remove lines "
            "above the column names, such as a title"
        )
    if twice is not None:
        raise DataError(f"{path} has two columns {twice!r}; rename one of them")
    return names


def _filled(table: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Return the table, checked to have rows."""
    if table.empty:
        raise DataError(f"{path} has no lines below the column names")
    return table


def _split(table: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Return the table, checked not to have whole lines as cells of a single column."""
    marks = missed_separator(table.iloc[:, 0]) if table.shape[1] == 1 else ""
    if marks:
        raise DataError(
            f"{path} has a single column {table.columns[0]!r}, and each of its cells contains "
            f"{marks}; remove the lines above the column names, and separate cells by commas, "
            "semicolons or tabs"
        )
    return table


def _frame(names: list[str], rows: Iterator[list[str]], path: Path) -> pd.DataFrame:
    _different(names, path)
    cells = list(rows)
    if cells and len(cells[0]) != len(names):
        raise DataError(
            f"{path}: {len(cells[0])} cells in a line, but {len(names)} columns; fix the file"
        )
    return pd.DataFrame(cells, columns=names, dtype=str)
