"""Tables of measurements that stay: rows of another run replace those of the same things."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd

from reseat.io import atomic_path

__all__ = ["add_rows"]


def add_rows(
    path: Path, rows: Sequence[dict], keys: Sequence[str], place: Callable[[dict], tuple]
) -> None:
    """Add rows to a table, in place of those with the same keys.

    Parameters
    ----------
    path : path
        Of a ``csv``, which need not be there.
    rows : sequence of dict
    keys : sequence of str
        Columns by which a row is known.
    place : callable
        Called with a row as a dict of texts; rows are sorted by what it returns.
    """
    frame = pd.DataFrame(rows, dtype=object).astype(dict.fromkeys(keys, str))  # as they are read
    if path.exists():
        before = pd.read_csv(path, dtype=str, keep_default_na=False)
        frame = pd.concat([before, frame]).drop_duplicates(list(keys), keep="last")
    found = sorted(frame.astype(object).to_dict("records"), key=place)
    with atomic_path(path) as temporary:
        pd.DataFrame(found, columns=list(frame.columns), dtype=object).to_csv(
            temporary, index=False
        )
