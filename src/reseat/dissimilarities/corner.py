"""Whether what stands above and left of a matrix can be names."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence

from reseat.errors import DataError
from reseat.io import beginning, separator
from reseat.texts import is_number, open_text

__all__ = ["check_corner"]


def check_corner(path: str | os.PathLike, names: Sequence[str] | None) -> None:
    """Raise a DataError if a line of names begins with a number.

    Where an entry of the first row is no number, this line and, by symmetry, the first column look
    like the names of the other objects, and the first object would be lost.

    Parameters
    ----------
    path : path-like
        As for `reseat.dissimilarities.read_named_dissimilarities`.
    names : sequence of str, or None
        What that has read from it.
    """
    if names is None:
        return
    with open_text(path) as file:
        lines = beginning(file)
        reader = csv.reader(lines, delimiter=separator("".join(lines[-1:])))
        first = next(filter(any, reader), [])
    wrong = next((n for n, cell in enumerate(first, 1) if not is_number(cell)), None)
    if len(first) > len(names) and is_number(first[0]) and wrong is not None:
        what = repr(first[wrong - 1]) if first[wrong - 1].strip() else "an empty cell"
        raise DataError(
            f"{path}, line {reader.line_num}, cell {wrong}: {what} is not a number; correct it "
            "or, if the line has the names of the objects, let it begin with an empty cell"
        )
