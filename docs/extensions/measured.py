"""Tables of results in ``benchmarks``, whose README says how each was written."""

import csv
import itertools
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def table(page, before, name):
    """Return ``benchmarks/NAME.csv`` as a table, or one for each set if sets have descriptions."""
    path = ROOT / "benchmarks" / f"{name}.csv"
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    parts = []
    for about, part in itertools.groupby(rows, key=lambda row: row.get("about", "")):
        part = list(part)
        columns = [column for column in part[0] if column not in ("about", "set")]
        if about:
            parts += [f"**{part[0]['set'].capitalize()}**: {about}.", ""]
        parts += [_line(columns), _line(":--" if k == 0 else "--:" for k in range(len(columns)))]
        parts += [*(_line(row[column] for column in columns) for row in part), ""]
    return "\n".join(parts), [path]


def _line(cells):
    return "| " + " | ".join(cells) + " |"
