"""Read a relation between two kinds of things: pairs with counts, or a matrix of counts."""

import re
from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import scipy.sparse as sp

from reseat.command.inputs.loaded import LoadedInput, names_of_rows
from reseat.command.portraits import typical_columns
from reseat.counts import canonical_counts
from reseat.errors import ConfigError, DataError
from reseat.files.texts import composed, is_number
from reseat.reading.matrices import TABLES, read_counts
from reseat.reading.rows import remarks_on_total
from reseat.reading.source import OBJECTS, Source
from reseat.reading.tables import column, rows_of
from reseat.reading.values import may_mean_missing
from reseat.reading.warnings_on_data import remarks_on_spelling

#: Names of a column of counts, in lower case.
COUNTS = ("count", "counts", "n", "number", "weight", "freq", "frequency")


def read_table(path: Source, arguments) -> LoadedInput:
    """Read pairs, one per line, perhaps with counts and trials; or a matrix of counts."""
    one_kind, trials = arguments.one_kind, None
    if path.ending in TABLES:
        idle = [name for name in ("header", "columns") if name in arguments.given]
        said = [f"--{name} ignored: the file is a matrix, which has no names." for name in idle]
        rows = columns = None
        counts = _checked(read_counts(path), path)
    else:
        lines, said, guess = _below_names(path, arguments)
        try:
            if not lines:
                raise DataError(f"{path} has no pairs below the line of column names.")
            counts, trials, rows, columns = _tally(lines, path, one_kind)
            counts = _checked(counts, path)
        except DataError as error:
            raise DataError(f"{str(error).rstrip('.')}; {guess}" if guess else error) from error
        n_repeated = len(lines) - counts.nnz
        if trials is None and n_repeated > 0 and counts.sum() > len(lines):
            said.append(
                f"lines of pairs that stand above, too: {n_repeated:,}; their counts are added up. "
                "If each line is one event, such as an order, leave the counts out, so that lines "
                "are counted."
            )
        names = pd.Series([*rows, *columns], dtype=object)
        for name in names[may_mean_missing(names)][:1]:
            said.append(
                f"{name!r} is read as the name of a row or column; delete its lines if it means a "
                "missing value."
            )
        if not one_kind:
            said += remarks_on_total(counts, rows) + remarks_on_total(counts.T.tocsr(), columns)
        said += remarks_on_spelling("rows", rows) + remarks_on_spelling("columns", columns)
        shared = len({*rows} & {*columns})
        if not one_kind and shared > len({*rows, *columns}) / 2:
            said.append(
                f"{shared:,} names are in both columns; if these are things of one kind, use "
                "--one-kind, which gives each of them one cluster."
            )
    n_rows, n_columns = counts.shape
    rows = rows or names_of_rows(n_rows)
    columns = columns or names_of_rows(n_columns)
    fit = {"X": counts} if trials is None else {"X": counts, "trials": trials}
    if one_kind and n_rows == n_columns:
        what = f"{n_rows:,} things, {counts.nnz:,} pairs"
        portray = partial(typical_columns, sp.csr_array(counts + counts.T), rows)
        return LoadedInput(what, fit, rows, portray, warnings=said)
    return LoadedInput(
        what=f"{n_rows:,} rows, {n_columns:,} columns, {counts.nnz:,} pairs",
        fit=fit,
        items=rows,
        portray=partial(typical_columns, counts, columns),
        columns=columns,
        portray_columns=partial(typical_columns, sp.csr_array(counts.T), rows),
        warnings=said,
    )


def _below_names(path: Source, arguments) -> tuple[list[tuple[str, list[str]]], list[str], str]:
    """Return the pairs, remarks on them, and what was guessed about the first line."""
    chosen = arguments.columns
    lines, said, guess = _read_pairs(path, chosen), [], ""
    if chosen:
        return lines, said, guess
    keyed = path.ending in (*OBJECTS, ".parquet")  # which have names of columns
    unsure = arguments.header == "auto" and not keyed
    headed = _headed(lines) if unsure else keyed or arguments.header == "yes"
    cells = lines[0][1]
    if headed:
        if unsure:
            guess = (
                f"the first line ({', '.join(cells)}) is read as column names; use --header no if "
                "it is a pair."
            )
            if len(cells) == 2 or any(map(str.isdigit, "".join(cells))):
                said.append(guess)
        lines, about = _with_counts_last(lines)
        return lines, said + about, guess
    if arguments.header == "auto" and len(cells) > 2 and not is_number(cells[2]):
        raise DataError(
            f"{path}, {lines[0][0]}: the count {cells[2]!r} is not a whole number; "
            "correct it, or use --header yes if the line has column names."
        )
    # All cells are whole numbers, as in a matrix of counts.
    if all(cell.isascii() and cell.isdecimal() for _, row in lines for cell in row):
        what = ("row", "column", "count", "trials")[: len(cells)]
        said.append(
            f"every line is read as {', '.join(what)}; if the file is a matrix of counts, "
            "save it as .npy, .npz or .mtx."
        )
    elif arguments.header == "auto" and len(lines) > 1 and not any(_recurring(lines)):
        guess = (
            f"the first line ({', '.join(cells)}) is read as a pair, although its names "
            "are in no other line; use --header yes if it has column names."
        )
        said.append(guess)
    return lines, said, guess


def _with_counts_last(lines) -> tuple[list[tuple[str, list[str]]], list[str]]:
    """Return the lines below the names with the counts in the last column, and a remark on that."""
    names, lines = lines[0][1], lines[1:]
    if len(names) == 4:
        of = zip(names, ("row", "column", "count", "number of trials"), strict=True)
        read = ", ".join(f"{name!r} is read as the {what}" for name, what in of)
        return lines, [f"{read}; leave that column out if it has none."]
    if len(names) != 3:
        return lines, []
    found = [place for place, name in enumerate(names) if name.casefold() in COUNTS]
    last = found[0] if len(found) == 1 else 2
    order = [place for place in range(3) if place != last] + [last]
    row, column, count = (names[place] for place in order)
    remedy = "." if found else "; leave that column out if it has none."
    said = f"{row!r} is read as the row, {column!r} as the column, {count!r} as the count{remedy}"
    moved = [(where, [cells[place] for place in order]) for where, cells in lines]
    return moved, [said] if last != 2 or not found else []


def _checked(counts, path: Source) -> sp.csr_array:
    """Return the counts in canonical form; raise a DataError if there is nothing to cluster."""
    counts = canonical_counts(counts, f"{path}: ", "row {}".format, first=1)
    n_rows, n_columns = counts.shape
    if min(counts.shape) < 2:
        raise DataError(
            f"{path} has {n_rows} rows and {n_columns} columns; clustering needs at least two of "
            "each."
        )
    if not counts.nnz:
        raise DataError(f"{path}: every count is 0.")
    return counts


def _read_pairs(path: Source, columns: Sequence[str] | None = None) -> list[tuple[str, list[str]]]:
    """Return place and cells of each line that is not empty, only of the columns if named."""
    lines = [(place, [composed(cell.strip()) for cell in row]) for place, row in rows_of(path)]
    if not lines:
        raise DataError(f"{path} is empty.")
    if columns:
        lines = _chosen(lines, columns, path)
    width = len(lines[0][1]) if lines else 2
    # Of four cells, the last two are numbers below any names.
    has_trials = width == 4 and all(map(is_number, lines[-1][1][2:]))
    if width not in (2, 3) and not has_trials:
        raise DataError(
            f"{path}, {lines[0][0]}: {'1 cell' if width == 1 else f'{width} cells'}; each "
            "line must have a row, a column and, if it is not 1, a count, perhaps with a number of "
            "trials, separated by commas, semicolons or tabs; name these columns of a larger table "
            "with --columns, remove lines above, such as a title, and save a matrix of counts as "
            ".npy, .npz or .mtx."
        )
    for place, cells in lines:
        if len(cells) != width:
            raise DataError(
                f"{path}, {place}: {len(cells)} cells, but the first line has {width}; fix "
                "the line."
            )
        if "" in cells:
            raise DataError(f"{path}, {place}: empty cell; fill it in.")
    return lines


def _chosen(lines, columns: Sequence[str], path: Source) -> list[tuple[str, list[str]]]:
    """Return the cells of two or three columns, below the line with their names."""
    if len(columns) not in (2, 3):
        raise ConfigError(
            "{parameter} names {n}; name the column of rows, that of columns and, if there is one, "
            "that of counts.",
            parameter="columns",
            value=columns,
            n="1 column" if len(columns) == 1 else f"{len(columns)} columns",
        )
    names = lines[0][1]
    for name in columns:
        column(pd.DataFrame(columns=names), name, path)  # which refuses one that is not there
    places = [*map(names.index, columns)]
    for where, cells in lines:
        if len(cells) != len(names):
            raise DataError(
                f"{path}, {where}: {len(cells)} cells, but the first line has {len(names)}; fix "
                "the line."
            )
    return [(where, [cells[place] for place in places]) for where, cells in lines[1:]]


def _headed(lines) -> bool:
    first, rest = lines[0][1], lines[1:]
    # The names that programs give to columns without names.
    if [*first] == [str(place) for place in range(len(first))]:
        return any(not is_number(cell) for _, cells in rest for cell in cells[:2])
    if any(map(is_number, first)):  # no column is called by a number
        return False
    # Things occur in several pairs, but column names only once.  A third cell that is not a number
    # may name the counts; it is taken for a mistyped count only if both other cells recur.
    recurring = _recurring(lines)
    return not (all(recurring) if len(first) > 2 else any(recurring))


def _recurring(lines) -> list[bool]:
    """Return whether the first line's row, and its column, also occur in another line."""
    first, rest = lines[0][1], lines[1:]
    return [first[place] in {cells[place] for _, cells in rest} for place in (0, 1)]


def _tally(lines, path: Source, one_kind=False) -> tuple:
    """Return counts, trials if there are any, and the names of the rows and of the columns."""
    rows: dict[str, int] = {}
    columns: dict[str, int] = rows if one_kind else {}
    places = np.empty((2, len(lines)), dtype=np.int64)
    numbers = np.ones((2, len(lines)), dtype=np.int64)
    for place, (where, cells) in enumerate(lines):
        places[0, place] = rows.setdefault(cells[0], len(rows))
        places[1, place] = columns.setdefault(cells[1], len(columns))
        for number, cell in enumerate(cells[2:]):
            what = ("count", "number of trials")[number]
            # Programs write whole numbers with a point if a column had empty cells.
            whole = re.fullmatch(r"([0-9]{1,15})(\.0+)?", cell)
            if whole is not None and whole[2] == ".000":
                raise DataError(
                    f"{path}, {where}: the {what} {cell!r} may be {whole[1]} or "
                    f"{whole[1]}000; write whole numbers without a point."
                )
            if whole is None:
                raise DataError(
                    f"{path}, {where}: the {what} {cell!r} is not a whole number of at least 0."
                )
            numbers[number, place] = int(whole[1])
        if len(cells) == 4 and numbers[0, place] > numbers[1, place]:
            raise DataError(
                f"{path}, {where}: {cells[2]} of {cells[3]} trials; the fourth cell is the number "
                "of trials, which is at least the count."
            )
    shape = len(rows), len(columns)
    tables = [sp.coo_array((given, tuple(places)), shape=shape) for given in numbers]
    if len(lines[0][1]) < 4:
        return tables[0], None, list(rows), list(columns)
    trials = canonical_counts(tables[1], f"{path}: ", "row {}".format, first=1)
    return tables[0], trials, list(rows), list(columns)
