"""Digests of the tables and draws of a run, without measured times."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from digest_files import FOLDER
from run_results import ELSEWHERE, TIMED, read_arrays, untimed

DIGESTS = FOLDER / "tables.json"

#: Numbers below this are differences of equal ones and nothing but rounding errors.
NOTHING = 1e-9
#: The sum of a table changes by at least half of this if one of its numbers changes by twice this
#: share of itself; the last digits depend on the processor and its libraries.
TOLERANCE = 1e-6
DECIMAL = re.compile(r"-?\d*\.\d+(?:e[-+]?\d+)?|-?\d+e[-+]?\d+", re.IGNORECASE)


def report_folder(folder: Path) -> Path:
    """Return the folder in which a run leaves its report."""
    return Path(folder) / "reports" / "demo"


def digests(folder: Path) -> dict[str, list]:
    """Return the digest of each CSV of a run, and one of all partitions that a paper's jobs found.

    Tables of the report are named by their path below the report, results by the whole path.
    """
    reports, results = report_folder(folder), Path(folder, "results", "demo")
    paths = {path.relative_to(reports).as_posix(): path for path in reports.rglob("*.csv")}
    paths |= {path.relative_to(folder).as_posix(): path for path in results.rglob("*.csv")}
    found = {}
    for name, path in sorted(paths.items()):
        if path.stem not in TIMED and not ELSEWHERE.match(name):
            table = pd.read_csv(path, dtype=str, keep_default_na=False)
            rest = untimed(table)
            found[name] = _digest(table if rest is None else rest)
    for path in results.glob("*"):
        if not ELSEWHERE.match(name := f"results/demo/{path.name}/"):
            found[name] = [_digest_of_labels(path), 0.0]
    return found


def _digest_of_labels(folder: Path) -> str:
    """Return a digest of all whole numbers in the chains and archives in a folder."""
    digest = hashlib.sha256()
    for path in sorted([*folder.rglob("*.nc"), *folder.rglob("*.npz")]):
        digest.update(path.relative_to(folder).as_posix().encode())
        for name, array in read_arrays(path)[0]:
            if array.dtype.kind in "iub":
                digest.update(f"{name} {array.shape}".encode())
                digest.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
    return digest.hexdigest()[:32]


def _digest(table: pd.DataFrame) -> list:
    """Return a digest of all but the decimal numbers, and a weighted sum of their logarithms."""
    text = table.to_csv(index=False, lineterminator="\n")
    # A difference that one processor finds to be zero may be a rounding error on another.
    text = DECIMAL.sub(lambda number: "0" if abs(float(number[0])) < NOTHING else number[0], text)
    numbers = np.array([float(number) for number in DECIMAL.findall(text)])
    # Weights in no simple relation, so that exchanged numbers change the sum too.
    weights = 0.5 + np.modf(np.arange(1, numbers.size + 1) * math.sqrt(2))[0]
    total = float(weights @ np.arcsinh(numbers / NOTHING))
    return [hashlib.sha256(DECIMAL.sub("#", text).encode()).hexdigest()[:32], round(total, 9)]


def differing(stored: Mapping[str, list], found: Mapping[str, list]) -> list[str]:
    """Return a line for each table that differs from the stored one."""
    lines = [f"{name}: no longer made" for name in stored.keys() - found.keys()]
    lines += [f"{name}: not stored yet" for name in found.keys() - stored.keys()]
    for name in stored.keys() & found:
        (then, old), (now, new) = stored[name], found[name]
        if then != now or abs(old - new) > TOLERANCE:
            lines.append(f"{name}: changed")
    return sorted(lines)
