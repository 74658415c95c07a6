"""Numbers of a run that texts refer to by name, and the sentences on what was learned."""

import re
from collections.abc import Callable, Iterator
from importlib import resources

import pandas as pd

from reseat.errors import DataError
from reseat.report.comparison import disagreement
from reseat.report.numbers import count, number
from reseat.report.numbers import with_error as to_digits
from reseat.vocabulary import (
    CLAIM_VERDICTS,
    IN_MODES,
    NOT_CONVERGED,
    NOTE,
    NUMBER_VERDICTS,
    name_claim,
    split_claim,
)

#: ``TABLE:KEY/KEY:COLUMN``; the column may be omitted, ``±`` (mean with error) or ``count``.
REFERENCE = re.compile(r"([a-z]\w*):([^:]*)(?::(\w+|±))?")

#: Remarks on estimates from chains that disagree, with the mark of a number.
_MARKS = {NOT_CONVERGED: NOT_CONVERGED, IN_MODES: "different modes"}
#: Column of a reference that does not name one, by table.
USUAL = {"scoreboard": "agree", "comparison": "ours", "claims": "verdict"}


def parse_reference(reference: str) -> tuple[str, list[str], str]:
    """Split a reference ``TABLE:KEY/KEY:COLUMN`` into table, keys and column."""
    found = REFERENCE.fullmatch(reference.strip())
    if found is None:
        raise DataError(
            f"{reference!r} does not refer to a number of a run; the form is TABLE:KEY/KEY:COLUMN."
        )
    table, keys, column = found.groups()
    # A reading in brackets may contain a slash, as "theta = 15/d" does.
    keys = [key.strip() for key in re.split(r"/(?![^()]*\))", keys) if key.strip()]
    return table, keys, column or USUAL.get(table, "mean")


#: Columns of estimates, mapped to the columns that may contain their errors.
ERRORS = {
    "mean": ("se", "mcse"),
    "ours": ("error",),
    "change": ("change_se",),
    "exponent": ("exponent_se",),
}
#: Columns in which the keys of a reference to a number are not searched for.
VALUES = {*NUMBER_VERDICTS, *CLAIM_VERDICTS} | set(
    """
    mean se mcse combined sd_between published difference z truth ours error combined_error
    errors_apart n_chains n_draws n_parts measured effect low high evidence
    """.split()
)


class Numbers:
    """The numbers of a run by reference; `table` returns a table by name with cells as text."""

    def __init__(self, table: Callable[[str], pd.DataFrame], place: str):
        self.table, self.place = table, place

    def rows(self, name: str, keys: list[str]) -> pd.DataFrame:
        """Return the rows of a table with every key, the text of a cell or ``COLUMN=CELL``."""
        table = self.table(name)
        if name == "claims":
            table = table.assign(
                key=[name_claim(*split_claim(claim)[:2]) for claim in table["claim"]]
            )
        named = [column for column in table if column not in VALUES]
        for key in keys:
            column, equals, cell = key.partition("=")
            if equals and column in table:
                table = table[table[column].eq(cell)]
            else:
                table = table[table[named].eq(key).any(axis=1)]
        return table

    def look_up(self, reference: str) -> str:
        """Return a number as a page prints it, to two digits of its error if it has one."""
        name, keys, column = parse_reference(reference)
        rows = self.rows(name, keys)
        if column == "count":
            return count(len(rows))
        if len(rows) != 1:
            raise DataError(
                f"The reference {reference!r} matches {len(rows)} rows of {name} in "
                f"{self.place}; it must match exactly one."
            )
        row = rows.iloc[0].to_dict()
        wanted = "mean" if column == "±" else column
        if wanted not in row:
            raise DataError(f"{name} has no column {wanted!r}; the reference is {reference!r}.")
        if row[wanted] == "":
            raise DataError(f"The cell that {reference!r} refers to is empty.")
        text = _shown(row, wanted, with_error=column == "±")
        mark = _mark(row, column)
        return f"{text} ({mark})" if mark else text


def _mark(row, column):
    """Return the mark of an estimate from chains that disagree; empty for every other number."""
    if column == "effect":
        evidence = row.get("evidence", "")
        return next((mark for said, mark in _MARKS.items() if said in evidence), "")
    if column == "ours":
        return NOT_CONVERGED if row.get("verdict") == NOT_CONVERGED else ""
    estimate = column in ("±", "mean") or column not in VALUES
    if not estimate or row.get("metric", "") == "R-hat" or column.startswith("rhat"):
        return ""
    if disagreement(row):
        return NOT_CONVERGED
    return _MARKS[IN_MODES] if str(row.get(NOTE, "")).startswith(IN_MODES) else ""


def _shown(row, column, with_error):
    try:
        value = float(row[column])
    except ValueError:
        return row[column]
    if column.startswith("published"):
        # At most five decimals, if it was calculated from others.
        decimals = min(len(row[column].partition(".")[2]), 5) if "e" not in row[column] else None
        return number(value, decimals)
    errors = [row.get(name, "") for name in ERRORS.get(column, ())]
    error = float(next(filter(None, errors), "nan"))
    if not error > 0:
        return number(value)
    text, said = to_digits(value, error)
    return f"{text} \N{PLUS-MINUS SIGN} {said}" if with_error and said else text


_NUMBER = re.compile(r"\{num\}`([^`]+)`")


def lessons(numbers: Numbers) -> Iterator[tuple[str, list[str]]]:
    """Yield what reproducing the papers taught, as far as the run has the numbers for it."""
    text = resources.files("reseat.report").joinpath("lessons.md").read_text(encoding="utf-8")
    for lesson in text.strip().split("\n\n"):
        title, *sentences = lesson.splitlines()
        found = []
        for sentence in sentences:
            try:
                found.append(_NUMBER.sub(lambda part: numbers.look_up(part[1]), sentence))
            except DataError:
                continue
        if found:
            yield title, found
