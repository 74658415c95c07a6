"""Checks of data frames and titles that the plotting functions share."""

from __future__ import annotations

import pandas as pd

from reseat.vocabulary import FAITHFUL


def require_columns(frame, columns, what):
    """Raise a ValueError unless `frame` has rows and all of `columns`."""
    missing = [column for column in columns if column not in frame.columns]
    if missing:
        raise ValueError(f"{what} lacks the column(s) {', '.join(missing)}; add them.")
    if len(frame) == 0:
        raise ValueError(f"{what} has no rows, so there is nothing to draw.")


def noted(table):
    """Return which rows of a table have a note, as they do if chains disagree.

    An empty text or NaN is no note.
    """
    notes = table["note"] if "note" in table else pd.Series("", index=table.index)
    return notes.fillna("").ne("")


def title_of(name, titles, status=FAITHFUL):
    """Return the title of `name`, with the status of the data if they are not the paper's.

    A title that begins with the status does not repeat it.
    """
    title = (titles or {}).get(name, name)
    said = title.lower().startswith(status)
    return title if said else title + status_note(status)


def status_note(status):
    """Return what follows the name of data that are not the paper's: their status in brackets."""
    return "" if status == FAITHFUL else f" ({status})"
