"""Numbers of one's own run beside those of the published one.

A number is *the same* if it is so to the last byte of the table. It *agrees* if chance alone, as
the Monte Carlo errors of both tell it, explains the difference; it *differs* if it does not. The
errors are standard errors over a few chains, so that their ratio is held against Student's
distribution; and since thousands of numbers are looked at, the level is that of all of them
together: runs of the same model have some number that differs in :data:`LEVEL` of all cases. With
two chains a number would have to be hundreds of errors away to reach that level. A number that does
not, but is so far away that chance sets it there in less than :data:`LEVEL` of all cases if it is
looked at alone, does not agree either: it is *doubtful*. A number that has no error, such as the
number of chains at which something happened, *cannot be judged* unless it is the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
import pandas as pd

from reseat.errors import DataError
from reseat.metrics import untimed
from reseat.report.chance import LEVEL, by_chance, known_error, level_of_one, n_parts

__all__ = [
    "AGREES",
    "DIFFERS",
    "DOUBTFUL",
    "LEVEL",
    "NOT_JUDGED",
    "ONLY_PUBLISHED",
    "SAME",
    "VERDICTS",
    "judge",
    "row_keys",
    "verify_table",
]

SAME, AGREES, DOUBTFUL, DIFFERS = "same", "agrees", "doubtful", "differs"
NOT_JUDGED, ONLY_PUBLISHED = "no error known", "not in this run"
VERDICTS = (SAME, AGREES, DOUBTFUL, DIFFERS, NOT_JUDGED, ONLY_PUBLISHED)

#: Differences of rounding, on another processor, relative to the number.
ROUNDING = 1e-9

#: Columns of errors by the column that they belong to.
ERRORS = {"mean": ("se", "mcse"), "change": ("change_se",), "exponent": ("exponent_se",)}
#: What tells the rows of a table apart although it is a number.
INDICES = {
    *("axis", "beta", "chain", "cluster", "column_cluster", "delta", "delta_true", "draw", "few"),
    *("h", "i", "j", "n", "n_groups", "n_items", "n_labelled", "n_unlabelled", "partition", "rank"),
    *("row_cluster", "run", "sam_class", "sample", "size", "sweep"),
    *("directions", "log_concentration", "nugget", "power", "sigma"),
}
#: The same in one table, where it is a result in others.
INDICES_OF = {"tiwd_scaling": {"n_clusters"}}
#: What says how long a run was, repeats a published number or follows from other columns.
NO_RESULT = re.compile(
    r"n_(chains|draws|parts|sweeps|fitted|observed)|burn_in|published.*|difference|z|combined|.*_?se|mcse"
)
#: Texts that tell no rows apart: results, and what is the same all over a data set.
TEXTS = {
    *("agrees", "all_nearest", "evidence", "groups", "row_words", "column_words", "words"),
    *("artefact", "comparable", "note", "question", "role", "status"),
}


def verify_table(
    published: pd.DataFrame, own: pd.DataFrame, name: str = "The table"
) -> pd.DataFrame:
    """Set the numbers of two versions of a table side by side.

    Parameters
    ----------
    published, own : pandas.DataFrame
        All cells as text, empty where nothing is known.
    name : str
        What the table is called in a sentence about it.

    Returns
    -------
    pandas.DataFrame
        One row a number of the published table, measured times left out: `row` (what tells it
        apart), `column`, `published`, `own`, `error` (of their difference, NaN if none is known),
        `p` (how often chance alone sets them that far apart; NaN where nothing is decided by it),
        and `verdict`: :data:`SAME`, :data:`AGREES` to the rounding, :data:`NOT_JUDGED`,
        :data:`ONLY_PUBLISHED`, or empty where `judge` has to decide by `p`.

    Raises
    ------
    DataError
        If nothing tells the rows of the published table apart, or the other table lacks a column
        that does.
    """
    columns = ["row", "column", "published", "own", "error", "p", "verdict"]
    published = untimed(published)
    if published.empty:
        return pd.DataFrame(columns=columns)
    keys = row_keys(published)
    _check_keys(name, keys, published, own)
    values = [
        column
        for column in published
        if column not in {*keys, *TEXTS} and not NO_RESULT.fullmatch(column)
    ]
    theirs, ours = (_keyed(table, keys) for table in (published, own))
    ours = ours.reindex(theirs.index)
    theirs["row"] = _in_words(published[keys]).to_numpy()
    found = [_column(column, theirs, ours) for column in values]
    table = pd.concat(found) if found else pd.DataFrame(columns=columns)
    return table[columns].reset_index(drop=True)


def row_keys(table: pd.DataFrame) -> list[str]:
    """Columns of a table that tell its rows apart.

    Parameters
    ----------
    table : pandas.DataFrame
        All cells as text.
    """
    named = table["artefact"].iloc[:1] if "artefact" in table else ()
    indices = INDICES.union(*(INDICES_OF.get(name, ()) for name in named))
    return [
        name for name in table if name in indices or (name not in TEXTS and _has_texts(table[name]))
    ]


def judge(tables: Iterable[pd.DataFrame]) -> list[pd.DataFrame]:
    """Decide by `p`, at the level that belongs to as many numbers as were judged.

    Parameters
    ----------
    tables : iterable of pandas.DataFrame
        From `verify_table`.

    Returns
    -------
    list of pandas.DataFrame
        The same, every verdict filled in.
    """
    tables = list(tables)
    n_judged = sum(int(table["verdict"].eq("").sum()) for table in tables)
    level = level_of_one(n_judged)
    return [
        table.assign(
            verdict=table["verdict"].mask(
                table["verdict"].eq(""),
                np.select([table["p"] >= LEVEL, table["p"] >= level], [AGREES, DOUBTFUL], DIFFERS),
            )
        )
        for table in tables
    ]


def _check_keys(name, keys, published, own):
    """Refuse tables whose rows could be paired by nothing but their order."""
    if not keys:
        raise DataError(
            f"{name} of the published run has no column that tells its rows apart; its columns are "
            f"{', '.join(published)}."
        )
    lacking = [key for key in keys if key not in own]
    if lacking:
        raise DataError(
            f"{name} of your run has no column {' and no column '.join(map(repr, lacking))}, by "
            "which the published one tells its rows apart; run the workflow again with the version "
            "of reseat that made the published run."
        )


def _has_texts(column):
    return bool((_numbers(column).isna() & column.ne("")).any())


def _keyed(table, keys):
    """The table by its keys, and a number where several rows share them."""
    order = table.groupby(keys, sort=False).cumcount()
    return table.set_index([*keys, order])


def _in_words(keys):
    """What tells each row apart, in words that are said once."""
    return keys.agg(lambda row: ", ".join(dict.fromkeys(filter(None, row))), axis=1)


def _column(name, theirs, ours):
    given = {
        "row": theirs["row"],
        "published": theirs[name],
        "own": ours[name] if name in ours else np.nan,
    }
    found = pd.DataFrame(given, index=theirs.index).assign(column=name)
    found = found[found["published"].ne("")]
    theirs, ours = theirs.loc[found.index], ours.loc[found.index]
    one, other = _numbers(found["published"]), _numbers(found["own"])
    errors = [_error(name, table) for table in (theirs, ours)]
    p = by_chance(one - other, errors, [n_parts(table) for table in (theirs, ours)])
    rounding = np.isclose(one, other, rtol=ROUNDING, atol=ROUNDING)
    verdict = np.select(
        [
            found["own"].isna() | found["own"].eq(""),
            found["published"].eq(found["own"]),
            rounding,
            ~np.isfinite(p),
        ],
        [ONLY_PUBLISHED, SAME, AGREES, NOT_JUDGED],
        default="",
    )
    p = np.where(verdict == "", p, np.nan)
    return found.assign(error=np.hypot(*errors), p=p, verdict=verdict)


def _error(name, table):
    """Standard error of each number, NaN if none is known."""
    error = pd.Series(np.nan, table.index)
    for column in ERRORS.get(name, ()):
        if column in table:
            error = error.fillna(_numbers(table[column]))
    return known_error(error)


def _numbers(column):
    return pd.to_numeric(column, errors="coerce")
