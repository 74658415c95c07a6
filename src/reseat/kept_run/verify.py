"""Comparison of the numbers of one's own run with those of the published run."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from reseat.errors import DataError
from reseat.kept_run.numbers import NO_RESULT, TEXTS, as_numbers, row_keys
from reseat.metrics import untimed
from reseat.report import comparison
from reseat.report.comparison import DOUBTFUL, NO_ERROR
from reseat.report.lookup import ERRORS

SAME, AGREES, DIFFERS = "same", "agrees", "differs"
NOT_JUDGED, ONLY_PUBLISHED = NO_ERROR, "not in this run"
VERDICTS = (SAME, AGREES, DOUBTFUL, DIFFERS, NOT_JUDGED, ONLY_PUBLISHED)

#: Columns of the comparison of two tables.
COLUMNS = ["row", "column", "published", "own", "error", "p", "verdict"]


def verify_table(
    published: pd.DataFrame, own: pd.DataFrame, name: str = "The table"
) -> pd.DataFrame:
    """Compare the numbers in two versions of a table, without measured times.

    The `error` is that of the difference, `p` the probability that chance alone sets the two that
    far apart, and the `verdict` empty if `judge` has to decide by `p`.
    """
    published = untimed(published)
    if published.empty:
        return pd.DataFrame(columns=COLUMNS)
    keys = row_keys(published)
    _check_keys(name, keys, published, own)
    others = [column for column in published if column not in {*keys, *TEXTS}]
    values = [column for column in others if not NO_RESULT.fullmatch(column)]
    theirs, ours = (
        # The counter tells apart rows that share their keys.
        table.set_index([*keys, table.groupby(keys, sort=False).cumcount()])
        for table in (published, own)
    )
    ours = ours.reindex(theirs.index)
    # The keys in words, without repetitions.
    theirs["row"] = [", ".join(dict.fromkeys(filter(None, row))) for row in published[keys].values]
    once = theirs  # an average over draws of the data, which is repeated for each, is compared once
    if "draw" in keys and "n_draws" in theirs:
        others = [key for key in keys if key != "draw"]
        once = theirs[~theirs.index.to_frame(index=False).duplicated(others).to_numpy()]
    found = [_column(name, once if name in ("mean", "median") else theirs, ours) for name in values]
    table = pd.concat(found) if found else pd.DataFrame(columns=COLUMNS)
    return table[COLUMNS].reset_index(drop=True)


def judge(tables: Iterable[pd.DataFrame]) -> list[pd.DataFrame]:
    """Decide by `p`, at a level that accounts for how many numbers are judged in all tables."""
    tables = list(tables)
    n_judged = sum(int(table["verdict"].eq("").sum()) for table in tables)
    judged = []
    for table in tables:
        found = comparison.decide(table["p"], n_judged, (AGREES, DIFFERS))
        judged.append(table.assign(verdict=table["verdict"].mask(table["verdict"].eq(""), found)))
    return judged


def _check_keys(name, keys, published, own):
    """Raise a DataError if the rows of two tables could be paired only by their order."""
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


def _column(name, theirs, ours):
    own = ours[name] if name in ours else np.nan
    given = {"row": theirs["row"], "published": theirs[name], "own": own, "column": name}
    found = pd.DataFrame(given, index=theirs.index)
    found = found[found["published"].ne("")]
    theirs, ours = theirs.loc[found.index], ours.loc[found.index]
    one, other = as_numbers(found["published"]), as_numbers(found["own"])
    errors = [_error(name, table) for table in (theirs, ours)]
    p = comparison.by_chance(one - other, errors, map(comparison.n_parts, (theirs, ours)))
    same = found["published"].eq(found["own"]) | comparison.equal_but_for_rounding(one, other)
    lacking = found["own"].isna() | found["own"].eq("")
    cases = {ONLY_PUBLISHED: lacking, SAME: same, NOT_JUDGED: ~np.isfinite(p)}
    verdict = np.select(list(cases.values()), list(cases), default="")
    p = np.where(verdict == "", p, np.nan)
    return found.assign(error=np.hypot(*errors), p=p, verdict=verdict)


def _error(name, table):
    """Return the standard error of each number, NaN if it is unknown."""
    error = pd.Series(np.nan, table.index)
    for column in ERRORS.get(name, ()):
        if column in table:
            error = error.fillna(as_numbers(table[column]))
    return comparison.known_error(error)
