"""Checks of data frames and titles that the plotting functions share."""

from __future__ import annotations

import pandas as pd

from reseat.vocabulary import FAITHFUL


def require_columns(frame, columns, what):
    """Raise a ValueError unless `frame` has rows and all of `columns`.

    Parameters
    ----------
    frame : pandas.DataFrame
    columns : sequence of str
    what : str
        Name of the frame in the message.
    """
    missing = [column for column in columns if column not in frame.columns]
    if missing:
        raise ValueError(f"{what} lacks the column(s) {', '.join(missing)}; add them.")
    if len(frame) == 0:
        raise ValueError(f"{what} has no rows, so there is nothing to draw.")


def noted(table):
    """Return which rows of a table have a note, as they do if chains disagree.

    Parameters
    ----------
    table : pandas.DataFrame
        The column `note` has an empty text or NaN where there is none, and may be missing.

    Returns
    -------
    pandas.Series of bool
    """
    notes = table["note"] if "note" in table else pd.Series("", index=table.index)
    return notes.fillna("").ne("")


def title_of(name, titles, status=FAITHFUL):
    """Return the title of `name`, with the status of the data if they are not the paper's.

    Parameters
    ----------
    name : str
    titles : dict of str to str, optional
        Title of each name; a name without one is its own title.
    status : str
        Status of the data set; it is not repeated in a title that begins with it.
    """
    title = (titles or {}).get(name, name)
    said = title.lower().startswith(status)
    return title if said else title + status_note(status)


def status_note(status):
    """Return what follows the name of data that are not the paper's: their status in brackets."""
    return "" if status == FAITHFUL else f" ({status})"
