"""Remarks on tables whose cells may mean something else than what they are read as."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from reseat.files.texts import first_twice, is_number
from reseat.reading.values import MISSING_CELLS, may_mean_missing

if TYPE_CHECKING:
    import pandas as pd

#: A number with a unit or a sign of its own, or with a minus sign or a blank that is none in ASCII.
ALMOST_NUMBER = re.compile(
    r"[^\w\s]?\s?[-+\N{MINUS SIGN}\N{EN DASH}]?\d+([.,\s]\d+)*\s?[^\W\d]{0,4}[^\w\s]?"
)
DIGITS = re.compile("[0-9]+")
UNKNOWN = ("-1", "-1.0", "?")  # labels that often mean an unknown entity


def remarks_on_spelling(what: str, values: Sequence) -> list[str]:
    """Return remarks on texts that differ only in capitals, or that are the same number."""
    texts = {value for value in values if isinstance(value, str)}
    said = []
    for how, spelt, meaning in (
        ("differ only in capitals", texts, str.casefold),
        ("are the same number", filter(is_number, texts), float),
    ):
        alike: dict[Any, list[str]] = {}
        for text in sorted(spelt):
            alike.setdefault(meaning(text), []).append(text)
        pairs = [found for found in alike.values() if len(found) > 1]
        if pairs:
            said.append(
                f"{what} that {how}: {len(pairs):,}, such as {pairs[0][0]!r} and {pairs[0][1]!r}; "
                "they count as different, so write them in one way if they are the same."
            )
    return said


def remarks_on_names(names: Sequence[str], remedy: str = "") -> list[str]:
    """Return remarks on names that are missing or shared; `remedy` is for the latter."""
    twice, empty = first_twice([name for name in names if name]), sum(not name for name in names)
    said = []
    if twice is not None:
        several = len(names) - len({*names}) - max(empty - 1, 0)
        said.append(
            f"names that an item above has, too: {several:,}, such as {twice!r}; these items "
            f"cannot be distinguished in the results{remedy}."
        )
    if empty:
        said.append(f"items without a name: {empty:,}; they cannot be told apart in the results.")
    return said


def remarks_on_cells(table: pd.DataFrame) -> list[str]:
    """Return remarks on a first line that may be data, and on words that may mean no value."""
    numbered = [name for name in table.columns if _is_numbering(table[name], named=bool(name))]
    said = [
        f"{f'the column {name!r}' if name else 'a column without a name'} numbers the rows, "
        "and is compared like any other; name the columns to compare without it."
        for name in numbered
    ]
    odd = [name for name in table.columns if name not in numbered and (not name or is_number(name))]
    repeated = [name for name in table.columns if name in set(table[name])]
    if odd or 2 * len(repeated) > len(table.columns):
        shown = (odd or repeated)[0]
        said.append(
            f"the first line is read as column names, and one of them is {shown!r}; if this line "
            "is data, add a line of column names above it."
        )
    name = table.columns[0] if table.shape[1] == 1 else ""
    n_words = len(name.split())
    if n_words > 1 and all(len((cell or "").split()) == n_words for cell in table[name]):
        said.append(
            f"the only column is called {name!r}, and all of its cells have {n_words} words, too; "
            "if these are columns separated by blanks, separate them by commas, semicolons or tabs."
        )
    for name in table.columns:
        doubtful = table[name][_is_doubtful(table[name])]
        said += _remark_on_words(name, doubtful, _treated_as("value"))
    return said


def _is_numbering(cells: pd.Series, named: bool) -> bool:
    """Return whether cells are different whole numbers, consecutive if the column has a name."""
    if not all(isinstance(cell, str) and DIGITS.fullmatch(cell) for cell in cells):
        return False
    numbers = {*map(int, cells)}
    consecutive = bool(numbers) and max(numbers) - min(numbers) < len(numbers)
    return len(numbers) == len(cells) > 1 and (consecutive or not named)


def remarks_on_labels(name: str, labels: Sequence[str], kind: str) -> list[str]:
    """Return remarks on words in a column of labels that may mean none, or the same."""
    import pandas as pd

    labels = pd.Series(labels, dtype=object)
    # A 0 may mean that there is none, but not beside a 1: then labels are numbered from 0.
    alone = (labels == "0") & ~(labels == "1").any()
    found = labels[_is_doubtful(labels) | alone | labels.isin(UNKNOWN)]
    spelt = remarks_on_spelling(f"labels in {name!r}", labels)
    return _remark_on_words(name, found, _treated_as(kind)) + spelt


def remarks_on_unknown(name: str, cells: pd.Series) -> list[str]:
    """Return a remark on cells of a column of entities that are read as if they were empty."""
    found = cells[~cells.isin(MISSING_CELLS)]
    rest = "read as an unknown entity; write another word if it is the name of one."
    return _remark_on_words(name, found, rest)


def remarks_on_lone(columns: Mapping[str, np.ndarray | tuple[str, ...]]) -> list[str]:
    """Return a remark on columns of numbered texts in which no two items have the same one."""
    alone = [
        name
        for name, values in columns.items()
        if not isinstance(values, np.ndarray)
        and len({*values}) == len(values)
        and all(map(DIGITS.search, values))
        and not any(map(ALMOST_NUMBER.fullmatch, values))
    ]
    said = (
        f"every item has a value of its own in {', '.join(alone)}, which is compared like any "
        "other; exclude such a column with --columns, or name it with --id-column."
    )
    return [said] if alone else []


def _is_doubtful(cells: pd.Series) -> pd.Series:
    """Return which cells are treated as values, although they may mean that there is none."""
    return may_mean_missing(cells) & ~cells.isin(MISSING_CELLS)


def _treated_as(kind: str) -> str:
    article = "an" if kind[0] in "aeiou" else "a"
    return f"treated as {article} {kind}; leave these cells empty if it means a missing {kind}."


def _remark_on_words(name: str, found: pd.Series, rest: str) -> list[str]:
    """Return a remark on the words that were found in a column; `rest` says what is done."""
    if found.empty:
        return []
    words = " or ".join(map(repr, found.unique()))
    return [f"{len(found):,} cells of the column {name!r} contain {words}, which is {rest}"]


def remarks_on_units(columns: Mapping[str, np.ndarray | tuple[str, ...]]) -> list[str]:
    """Return remarks on texts most of which are numbers to a reader, but not to a program."""
    said = []
    for name, values in columns.items():
        if isinstance(values, np.ndarray):
            continue
        known = [value for value in values if value]
        found = [value for value in known if ALMOST_NUMBER.fullmatch(value)]
        # Numbers have one unit, or none; codes such as 12, 12a and 14b end differently.
        units = {re.sub(r"[-+\N{MINUS SIGN}\N{EN DASH}\d.,\s]", "", value) for value in found}
        if 2 * len(found) > len(known) and len(units) == 1:
            said.append(
                f"the column {name!r} is compared as texts, by edit distance, although most of its "
                f"cells look like numbers, such as {found[0]!r}; write plain numbers if it "
                "contains any."
            )
    return said


def remarks_on_gaps(columns: Mapping[str, np.ndarray | tuple[str, ...]]) -> list[str]:
    """Return remarks on how the empty cells of each column are treated."""
    said = []
    for name, values in columns.items():
        if isinstance(values, np.ndarray):
            empty, meaning = int(np.isnan(values).sum()), "they take the mean"
        else:
            empty, meaning = sum(not value for value in values), "they are compared as texts"
        if empty:
            said.append(
                f"empty cells of the column {name!r}: {empty:,}; {meaning}, which can part these "
                "items from their entities; fill them, or leave the column out."
            )
    return said
