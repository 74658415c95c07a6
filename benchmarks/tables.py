"""Tables of measurements, in which rows of a new run replace those with the same keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd

from reseat.files.atomic import atomic_path

__all__ = ["add_rows"]


def add_rows(
    path: Path, rows: Sequence[dict], keys: Sequence[str], place: Callable[[dict], tuple]
) -> None:
    """Add rows to a table, replacing those with the same keys.

    `place` takes a row of strings and returns the key by which rows are sorted.
    """
    frame = pd.DataFrame(rows, dtype=object).astype(dict.fromkeys(keys, str))  # as read from a file
    if path.exists():
        before = pd.read_csv(path, dtype=str, keep_default_na=False)
        frame = pd.concat([before, frame]).drop_duplicates(list(keys), keep="last")
    found = sorted(frame.astype(object).to_dict("records"), key=place)
    with atomic_path(path) as temporary:
        pd.DataFrame(found, columns=list(frame.columns), dtype=object).to_csv(
            temporary, index=False
        )
