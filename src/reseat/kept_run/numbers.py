"""The kept run as a source of numbers: its tables, what their columns mean, its scoreboard."""

import os
import re
from functools import cached_property
from pathlib import Path

import pandas as pd

from reseat.errors import DataError, unforeseen
from reseat.kept_run.costs import MANIFEST, PACKED, read_manifest, restoring
from reseat.report.comparison import claim_views, disagreement, tally, verdict_counts
from reseat.report.numbers import count, number
from reseat.report.numbers import with_error as to_digits
from reseat.vocabulary import (
    CLAIM_VERDICTS,
    IN_MODES,
    NOT_COMPARABLE,
    NOT_CONVERGED,
    NOTE,
    NUMBER_VERDICTS,
    OBSTACLE,
    name_claim,
    split_claim,
)

# ---- The published run as a source of numbers for pages, which refer to them by name ---------

#: ``TABLE:KEY/KEY:COLUMN``; the column may be omitted.
REFERENCE = re.compile(r"([a-z]\w*):([^:]*)(?::(\w+|±))?")

#: Remarks on estimates from chains that disagree, with the mark of a number.
_MARKS = {NOT_CONVERGED: NOT_CONVERGED, IN_MODES: "different modes"}
#: Column of a reference that does not name one, by table.
USUAL = {"scoreboard": "agree", "comparison": "ours", "claims": "verdict"}


def parse_reference(reference: str) -> tuple[str, list[str], str]:
    """Split a reference into table, keys and column.

    `reference`: ``TABLE:KEY/KEY:COLUMN``. The column ``±`` stands for the mean with its error, and
        ``count`` for the number of rows. If there is none, it is ``agree`` for the scoreboard,
        ``ours`` for the comparison, ``verdict`` for claims and ``mean`` for all other tables.
    """
    found = REFERENCE.fullmatch(reference.strip())
    if found is None:
        raise DataError(
            f"{reference!r} does not refer to a number of the published run; the form is "
            "TABLE:KEY/KEY:COLUMN."
        )
    table, keys, column = found.groups()
    # A reading in brackets may contain a slash, as "theta = 15/d" does.
    keys = [key.strip() for key in re.split(r"/(?![^()]*\))", keys) if key.strip()]
    return table, keys, column or USUAL.get(table, "mean")


class PublishedRun:
    """The contents of ``reports/published``.

    `manifest`: from `reseat.kept_run.writing.facts_of`.
    """

    def __init__(self, folder: str | os.PathLike):
        self.folder = Path(folder)
        self._tables: dict[str, pd.DataFrame] = {}
        path = self.folder / MANIFEST
        if not path.is_file():
            raise DataError(
                f"No run is published in {self.folder}; specify the folder of the project with "
                "--directory, or see `reseat publish --help`."
            )
        self.manifest = read_manifest(path)

    @cached_property
    def scoreboard(self) -> pd.DataFrame:
        """Table from `reseat.kept_run.scoreboard.scoreboard`."""
        return scoreboard(*(self._read(f"{name}.csv") for name in ("comparison", "claims")))

    def names(self) -> list[str]:
        """Return the names of the tables of artefacts."""
        paths = [*self.folder.glob("tables/*.csv"), *self.folder.glob(f"tables/*.csv{PACKED}")]
        return sorted(path.name.partition(".")[0] for path in paths)

    def table(self, name: str) -> pd.DataFrame:
        """Return a table with all of its cells as text."""
        if name not in self._tables:
            if name == "scoreboard":
                self._tables[name] = self.scoreboard.astype(str)
            else:
                place = "." if name in {"claims", "comparison", "diagnostics"} else "tables"
                path = f"{place}/{name}.csv"
                if not self._place(path).is_file():
                    raise DataError(f"{self.folder} has no table {name!r}.")
                self._tables[name] = self._read(path, dtype=str, keep_default_na=False)
        return self._tables[name]

    def _place(self, name):
        """Return the path of a table, which is compressed if it is large."""
        packed = self.folder / f"{name}{PACKED}"
        return packed if packed.is_file() else self.folder / name

    def _read(self, name, **options):
        path = self._place(name)
        with unforeseen(f"{path} cannot be read; restore it {restoring(self.folder)}."):
            return pd.read_csv(path, **options)

    def rows(self, name: str, keys: list[str]) -> pd.DataFrame:
        """Return the rows of a table that contain every one of some keys.

        `keys`: each is the text of a cell outside the columns of values, or ``COLUMN=CELL``. The
            identifier of a claim is enough.
        """
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
        """Return a number as a page prints it.

        If it has an error, it has as many decimals as the error rounded to two significant digits.
        A remark follows an estimate whose chains disagree.
        """
        name, keys, column = parse_reference(reference)
        rows = self.rows(name, keys)
        if column == "count":
            return count(len(rows))
        if len(rows) != 1:
            raise DataError(
                f"The reference {reference!r} matches {len(rows)} rows of {name} in "
                f"{self.folder}; it must match exactly one."
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
    """Return the mark of an estimate from chains that disagree; empty for every other number.

    For a claim, its evidence says so, and in the comparison its verdict. R-hats, counts and
    printed numbers are not estimates.
    """
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
        return number(value, _printed_decimals(row[column]))
    errors = [row.get(name, "") for name in ERRORS.get(column, ())]
    error = float(next(filter(None, errors), "nan"))
    if not error > 0:
        return number(value)
    text, said = to_digits(value, error)
    return f"{text} \N{PLUS-MINUS SIGN} {said}" if with_error and said else text


def _printed_decimals(text):
    """Return the decimals of a published number, at most five if it was calculated from others."""
    return min(len(text.partition(".")[2]), 5) if "e" not in text else None


# ---- Scoreboard: verdicts on the numbers and claims of each paper, as a table and as Markdown ----

#: Columns of the scoreboard after `paper`: verdicts on numbers, then verdicts on claims.
COLUMNS = (*NUMBER_VERDICTS, *CLAIM_VERDICTS)

#: How the chains of a scale compare with those of the papers.
_LENGTHS = {
    "demo": " Its data are generated, and its chains are short.",
    "standard": " Depending on the table, its chains match those of the paper in number and "
    "length, or are fewer or shorter.",
}


def scoreboard(comparison: pd.DataFrame, claims: pd.DataFrame) -> pd.DataFrame:
    """Count the verdicts, with each published number and each claim counted once."""
    views = claim_views(claims)
    papers = dict.fromkeys([*comparison["paper"], *claims["paper"]])
    rows = [
        {
            "paper": paper,
            **tally(comparison[comparison["paper"].eq(paper)]),
            **verdict_counts(views.get(paper, [])),
        }
        for paper in papers
    ]
    table = pd.DataFrame(rows, columns=["paper", *COLUMNS])
    total = {"paper": "all", **table[list(COLUMNS)].sum().to_dict()}
    return pd.concat([table, pd.DataFrame([total])], ignore_index=True)


def findings(run) -> list[str]:
    """Return the findings as lines of Markdown: what was run, and the scoreboard."""
    facts, table = run.manifest, run.scoreboard
    chains = sum(entry["chains"] for entry in facts["chains"])
    made, known = facts["artefacts"]["made"], facts["artefacts"]["known"]
    lines = [
        f"The published run is of the **{facts['scale']} scale**: {chains:,} chains, {made} of "
        f"{known} tables and figures.{_LENGTHS.get(facts['scale'], '')}",
        "",
        f"| paper | numbers: {' | '.join(NUMBER_VERDICTS)} "
        f"| claims: {' | '.join(CLAIM_VERDICTS)} |",
        "|---|" + "--:|" * len(COLUMNS),
    ]
    for row in table.to_dict("records"):
        cells = " | ".join(f"{row[name]:,}" for name in COLUMNS)
        lines.append(f"| {row['paper']} | {cells} |")
    return [*lines, "", _reasons(run.table("comparison"))]


def _reasons(numbers: pd.DataFrame) -> str:
    """Return why numbers are not comparable, the most frequent reasons first."""
    left = numbers["counted"].eq("True") & numbers["verdict"].eq(NOT_COMPARABLE)
    reasons = numbers.loc[left, "why"].value_counts(sort=True)
    return f"Not comparable: {'; '.join(f'{n:,} ({why})' for why, n in reasons.items())}."


# ---- What the columns of published tables mean: which identify rows, and which hold estimates ----

#: Columns of estimates, mapped to the columns that may contain their errors.
ERRORS = {
    "mean": ("se", "mcse"),
    "ours": ("error",),
    "change": ("change_se",),
    "exponent": ("exponent_se",),
}
#: Columns of numbers that identify rows of a table.
INDICES = set(
    """
    axis beta chain cluster column_cluster delta delta_true draw few h i j n n_groups
    n_items n_labelled n_unlabelled partition rank row_cluster run sam_class sample size
    sweep directions log_concentration nugget power sigma
    """.split()
)
#: Columns of numbers that identify rows in one table, but are results in others.
INDICES_OF = {"tiwd_scaling": {"n_clusters"}}
#: Columns that are no results: they state the length of a run, repeat a published number or follow
#: from other columns.
NO_RESULT = re.compile(
    r"n_(chains|draws|parts|sweeps|fitted|observed)|burn_in|published.*|difference|z|combined|.*_?se|mcse"
)
#: Columns of text that do not identify rows: results, and what is constant within a data set.
TEXTS = {NOTE, OBSTACLE} | set(
    """
    agrees all_nearest evidence groups row_words column_words words artefact comparable
    question role setting status summary
    """.split()
)
#: Columns in which the keys of a reference to a number are not searched for.
VALUES = {*COLUMNS} | set(
    """
    mean se mcse combined sd_between published difference z truth ours error combined_error
    errors_apart n_chains n_draws n_parts measured effect low high evidence
    """.split()
)


def row_keys(table: pd.DataFrame) -> list[str]:
    """Return the columns that identify the rows of a table."""
    named = table["artefact"].iloc[:1] if "artefact" in table else ()
    indices = INDICES.union(*(INDICES_OF.get(name, ()) for name in named))
    return [
        name for name in table if name in indices or (name not in TEXTS and _has_texts(table[name]))
    ]


def _has_texts(column):
    return bool((as_numbers(column).isna() & column.ne("")).any())


def as_numbers(column: pd.Series) -> pd.Series:
    """Return a column of texts as numbers, NaN where a text is none."""
    return pd.to_numeric(column, errors="coerce")
