"""Digests of the tables of a run, measured times left out."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

import pandas as pd
from digest_files import FOLDER
from run_results import TIMED, untimed

DIGESTS = FOLDER / "tables.json"

#: Digits of a number that count: the last ones are those of the processor and its libraries.
DIGITS = 9
#: Numbers below are differences of equal ones, and nothing but rounding.
NOTHING = 1e-9
DECIMAL = re.compile(r"-?\d*\.\d+(?:e[-+]?\d+)?|-?\d+e[-+]?\d+", re.IGNORECASE)


def report_folder(folder: Path) -> Path:
    """Where a run in a folder leaves its report."""
    return Path(folder) / "reports"


def digests(folder: Path) -> dict[str, str]:
    """Digest of each CSV of a run by its path below the report."""
    reports = report_folder(folder)
    return {
        path.relative_to(reports).as_posix(): digest(path)
        for path in sorted(reports.rglob("*.csv"))
        if path.stem not in TIMED
    }


def digest(path: Path) -> str:
    """Of the text of a table, in which every decimal number has `DIGITS` significant digits."""
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    rest = untimed(table)
    text = (table if rest is None else rest).to_csv(index=False, lineterminator="\n")
    return hashlib.sha256(DECIMAL.sub(_rounded, text).encode()).hexdigest()[:32]


def _rounded(number: re.Match) -> str:
    value = float(number[0])
    return "0" if abs(value) < NOTHING else f"{value:.{DIGITS}g}"


def differing(stored: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    """One line for each table that is not what is stored."""
    lines = [f"{name}: no longer made" for name in stored.keys() - found.keys()]
    lines += [f"{name}: not stored yet" for name in found.keys() - stored.keys()]
    lines += [f"{name}: changed" for name in stored.keys() & found if stored[name] != found[name]]
    return sorted(lines)
