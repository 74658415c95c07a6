"""What every plotting function asks of its data frame."""

from __future__ import annotations


def require_columns(frame, columns, what):
    """Raise ValueError unless `frame` has rows and every one of `columns`.

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


def title_of(name, titles, status="faithful"):
    """The title given for `name`, or the name itself; it says so if the data are not the paper's.

    Parameters
    ----------
    name : str
    titles : dict of str to str, optional
    status : str
        That of the data set.
    """
    title = (titles or {}).get(name, name)
    said = title.lower().startswith(status)
    return title if said else title + status_note(status)


def status_note(status):
    """What follows the name of data that are not the paper's."""
    return "" if status == "faithful" else f" ({status})"
