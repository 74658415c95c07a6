"""Tables as text: separated values, JSON lines, ARFF, and tables of other programs."""

import csv
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path

import numpy as np
import pandas as pd

from reseat.configuration import did_you_mean
from reseat.errors import DataError
from reseat.files.texts import composed, first_twice, open_text
from reseat.reading.foreign import rows_of_frame, rows_of_objects
from reseat.reading.source import (
    FRAMES,
    MAX_CELL_LETTERS,
    MAX_TEXT_LETTERS,
    OBJECTS,
    Source,
    long_cells,
    refuse_formats,
)

OTHERS = {";": "semicolon", "\t": "tab", "|": "vertical bar"}
IN_QUOTES = re.compile(r'"[^"]*"')
MAX_LINES = 100  # line breaks in the names of columns, at most
TOO_LONG = re.compile(r"Expected (\d+) fields in line (\d+), saw (\d+)")
# An attribute of an ARFF file: its name, which may be quoted, followed by the type of its values.
ATTRIBUTE = re.compile(
    r"""\s*@attribute\s+('[^']*'|"[^"]*"|[^\s{]+)(?=\s+\S|\s*\{)""", re.IGNORECASE
)
# A cell of an ARFF row, which may be quoted, and the separator from the next one.
CELL = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,]*))\s*(,|$)""")
QUOTED = re.compile('"(?:[^"]|"")*"')  # a cell that is quoted as a whole
INDEX = re.compile("[0-9]{1,9}")
ESCAPED = re.compile(r"\\(.)")


def read_frame(path: Path | Source, longest: int | None = None) -> pd.DataFrame:
    """Read a table with a line of column names: text, a spreadsheet, parquet or JSON lines."""
    rows = _checked(rows_of(path, longest), path)
    names = next(rows, None)
    if names is None:
        raise DataError(f"{path} is empty; a line of column names is needed")
    table = _frame(names, rows, path)
    marks = missed_separator(table.iloc[:, 0]) if table.shape[1] == 1 else ""
    if marks:  # the cells are whole lines
        raise DataError(
            f"{path} has a single column {table.columns[0]!r}, and each of its cells contains "
            f"{marks}; remove the lines above the column names, and separate cells by commas, "
            "semicolons or tabs"
        )
    if table.empty:
        raise DataError(f"{path} has no lines below the column names")
    return table


def rows_of(path: Path | Source, longest: int | None = None) -> Iterator[tuple[str, list[str]]]:
    """Yield the place (``line 3``) and the cells of each row, the names of columns first."""
    source, longest = Source.of(path), longest or MAX_CELL_LETTERS
    if source is not path:  # `open_input` has looked at others
        refuse_formats(source)
    if source.ending in OBJECTS or source.ending in FRAMES:
        read = rows_of_objects if source.ending in OBJECTS else rows_of_frame
        for place, cells in read(source):
            if max(map(len, cells), default=0) > longest:
                raise DataError(
                    f"{source}, {place}: a cell has more than {longest:,} letters; fix the line"
                )
            yield place, cells
        return
    with open_text(source) as lines, long_cells(longest):
        start, first = beginning(lines)
        delimiter = separator(first, source)
        for number, cells in csv_rows(chain(start, lines), delimiter, source):
            yield f"line {number}", cells


def read_tsv(path: Path) -> pd.DataFrame:
    """Read a large table of tab-separated values, indexed by line number; lines may be short."""
    refuse_formats(path)
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
    cells.columns = _different(cells.iloc[0].tolist(), path)
    cells = cells.iloc[1:]
    suspect = cells[cells.iloc[:, 0] == ""]
    cells = cells.drop(suspect.index[(suspect == "").all(axis=1)])
    if cells.empty:
        raise DataError(f"{path} has no lines below the column names")
    return cells


def read_arff(path: Path) -> pd.DataFrame:
    """Read a dense ARFF file, with all values as text without their quotation marks."""
    with _arff(path) as (names, lines, above):
        return _frame(names, _checked(_arff_rows(lines, above, path), path), path)


def read_sparse_arff(path: Path) -> tuple[list[str], list[list[int]]]:
    """Return the names of attributes of a sparse ARFF file, and which are 1 in each row."""
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
        hint = did_you_mean(name, table.columns) or f"; it has {', '.join(table.columns)}"
        raise DataError(f"{path} has no column {name!r}{hint}")
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
                below = ("" if line.startswith("%") else line for line in lines)
                yield _different(names, path), below, number
                return
            elif line.strip() and not line.lower().startswith(("%", "@relation")):
                break
    raise DataError(f"{path} is not an ARFF file with attributes and data")


def csv_rows(lines: Iterator[str], delimiter: str, path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield number and cells of each line or quoted group of lines, within `long_cells`."""
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
            number, longest = begin, csv.field_size_limit()
            what = (
                f"a cell has more than {longest:,} letters (a quotation mark that is not closed?)"
            )
        elif "end of data" in str(error):
            number, what = begin, "a quotation mark is opened here and never closed"
        raise DataError(f"{path}, line {number}: {what}; fix the line") from error


def _arff_rows(lines: Iterator[str], above: int, path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield place and cells of each data line; `above` is the number of lines above the data."""
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
                    f"than {MAX_TEXT_LETTERS:,} letters; fix the line"
                )
            yield f"line {number}", cells


def _arff_cells(line: str) -> list[str] | None:
    """Return the cells of a row, or None if a quoted cell is not closed or a cell is too long."""
    cells, end, more = [], 0, ","
    while more:
        found = CELL.match(line, end)
        single, double, bare, more = found.groups()
        quoted = double if single is None else single
        if len(found[0]) > MAX_TEXT_LETTERS or (quoted is None and bare.startswith(("'", '"'))):
            return None
        cells.append(bare if quoted is None else ESCAPED.sub(r"\1", quoted))
        end = found.end()
    return cells


def _checked(rows: Iterator[tuple[str, list[str]]], path: Path | Source) -> Iterator[list[str]]:
    """Yield the rows, checked to be of one width, without the blanks around cells."""
    width = None
    for place, row in rows:
        width = width or len(row)
        whole = "".join(row)
        if len(row) != width:
            raise DataError(
                f"{path}, {place}: {len(row)} cells, but the first line has {width}; fix the line"
            )
        if "\0" in whole:
            raise DataError(
                f"{path}, {place}: a zero byte, which text files do not contain (is the file "
                "UTF-16?); convert it first"
            )
        # Most lines are ASCII and need no Unicode normalization.
        yield [cell.strip() if whole.isascii() else composed(cell.strip()) for cell in row]


def _cleaned(cells: pd.Series, path: Path) -> pd.Series:
    """Return a column of `read_tsv` without blanks around cells, cleaning each word only once."""
    codes, found = pd.factorize(cells)
    words = []
    for word in map(str.strip, found):
        if QUOTED.fullmatch(word):
            word = word[1:-1].replace('""', '"').strip()
        words.append(composed(word))
    wrong = next((n for n, w in enumerate(words) if "\0" in w or len(w) > MAX_TEXT_LETTERS), None)
    if wrong is not None:
        what = f"a cell of more than {MAX_TEXT_LETTERS:,} letters"
        if "\0" in words[wrong]:
            what = "a zero byte, which text files do not contain"
        line = cells.index[(codes == wrong).argmax()]
        raise DataError(f"{path}, line {line}: {what}; fix the line")
    # The cells that a short line lacks have the code -1.
    return pd.Series(np.array([*words, ""], dtype=object)[codes], cells.index)


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


def _frame(names: list[str], rows: Iterator[list[str]], path: Path) -> pd.DataFrame:
    _different(names, path)
    cells = list(rows)
    if cells and len(cells[0]) != len(names):
        raise DataError(
            f"{path}: {len(cells[0])} cells in a line, but {len(names)} columns; fix the file"
        )
    return pd.DataFrame(cells, columns=names, dtype=str)


def separator(line: str, path: Path | Source) -> str:
    """Return the separator of a table, judged by its first line: comma, semicolon or tab."""
    if line.lower().startswith("sep="):
        raise DataError(
            f"{path}: the first line names the separator; remove it, since the first one must have "
            "the names of the columns."
        )
    bare = IN_QUOTES.sub("", line)
    if "\t" in bare and Source.of(path).ending == ".tsv":
        return "\t"
    # Of two that are equally frequent, the comma is the likelier to be part of a text.
    most = max("\t;,", key=bare.count)
    return most if most in bare else ","


def beginning(lines: Iterator[str], quoted: bool = True) -> tuple[list[str], str]:
    """Return the lines up to the first that is not blank, and that, with what it quotes."""
    read = []
    for line in lines:
        if line.strip():
            break
        read.append("\n")
    else:
        return read, ""
    cell = [line]
    if quoted and line.count('"') % 2:
        for more in islice(lines, MAX_LINES):
            cell.append(more)
            if more.count('"') % 2:
                return [*read, *cell], "".join(cell)
    return [*read, *cell], line


def missed_separator(cells: Iterable[str]) -> str:
    """Return what is in all cells equally often, such as ``2 semicolons``: the real separator."""
    cells = list(cells)
    for mark, name in OTHERS.items():
        times = {cell.count(mark) for cell in cells}
        if len(times) == 1 and 0 not in times:
            (n,) = times
            return f"1 {name}" if n == 1 else f"{n} {name}s"
    return ""
