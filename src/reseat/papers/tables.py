"""Tidy tables of numbers: the columns that all families share, and functions that fill them."""

from functools import wraps

import numpy as np
import pandas as pd

from reseat.errors import DataError
from reseat.vocabulary import FAITHFUL, OWN

#: Columns of every tidy table, in order. A family may add its own at the end.
COLUMNS = (
    *"artefact role dataset status comparable system summary metric".split(),
    *"mean se n_chains published difference z".split(),
)


def read_frames(paths, columns, what, words=(), flags=(), **options):
    """Read CSV files of one kind; `words` are columns of text, `flags` those of booleans."""
    frames = []
    for path in paths:
        frame = pd.read_csv(path, **options)
        missing = set(columns) - set(frame.columns)
        if missing:
            raise DataError(
                f"{path} lacks the column(s) {', '.join(sorted(missing))}; make the {what} again."
            )
        frames.append(frame)
    if not frames:
        raise DataError(f"there is no file of {what}; run the models first.")
    frame = pd.concat(frames, ignore_index=True)
    for column in frame.columns.intersection(list(words)):
        frame[column] = frame[column].astype(object).fillna("").astype(str)
    for column in frame.columns.intersection(list(flags)):
        known = frame[column].astype(str).map({"True": True, "False": False})
        if known.isna().any():
            value = frame.loc[known.isna(), column].iloc[0]
            raise DataError(
                f"the column {column} of the {what} has {value}, which is neither True nor False; "
                f"make the {what} again."
            )
        frame[column] = known.astype(bool)
    return frame


def mean_and_error(values):
    """Return the mean, standard error (NaN for a single value) and count of the finite values."""
    values = np.asarray(values, dtype=float)
    values = values[np.isfinite(values)]
    n = len(values)
    if n == 0:
        return np.nan, np.nan, 0
    mean = float(values.mean())
    error = float(values.std(ddof=1) / np.sqrt(n)) if n > 1 else np.nan
    if error <= 1e-12 * max(1.0, abs(mean)):
        error = 0.0  # the values are equal up to rounding
    return mean, error, n


def tidy(*extra):
    """Make a function that yields rows return them as a tidy table, with columns of its own."""

    def declared(rows):
        @wraps(rows)
        def table(*given, **named):
            return pd.DataFrame(rows(*given, **named), columns=[*COLUMNS, *extra])

        return table

    return declared


def tidy_row(identity, system, summary, metric, found, published=np.nan, combined=np.nan):
    """Return one row of a tidy table; `found` has mean, standard error and number of chains.

    `combined` is the standard error of the difference from `published`. There is no z on data that
    are not the paper's, and no published number on the user's own.
    """
    mean, error, n_chains = found
    comparable = identity["status"] == FAITHFUL
    if identity["status"] == OWN:
        published = np.nan
    difference = mean - published
    z = difference / combined if comparable and combined > 0 else np.nan
    known = (*(identity[name] for name in COLUMNS[:4]), comparable, system, summary, metric)
    values = (*known, mean, error, n_chains, published, difference, z)
    return dict(zip(COLUMNS, values, strict=True))


def by_dataset(frame, artefact, roles=None, order=()):
    """Yield a pair (identity, rows) for each data set in a frame, in the paper's order."""
    if roles is not None:
        frame = frame[frame["role"].isin(list(roles))]
    if len(frame) == 0:
        wanted = "" if roles is None else f" among {', '.join(roles)}"
        raise DataError(f"{artefact} has no data set{wanted}; run its models.")
    places = {role: place for place, role in enumerate(order)}
    place = frame["role"].map(lambda role: places.get(role, len(places)))
    frame = frame.loc[place.sort_values(kind="stable").index]
    for _name, rows in frame.groupby("dataset", sort=False):
        yield identity_of(rows, artefact), rows


def identity_of(rows, artefact):
    """Return the columns with which every row of a table on one data set begins."""
    first = rows.iloc[0]
    return {"artefact": artefact, **{key: first[key] for key in ("role", "dataset", "status")}}


def rows_of(frame, **wanted):
    """Return the rows whose columns have the given values."""
    for column, value in wanted.items():
        frame = frame[frame[column] == value]
    return frame
