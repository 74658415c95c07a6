"""Digests of the tables of a run, without measured times."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.linalg  # noqa: F401  (so that its library is among those asked)
from digest_files import FOLDER
from run_results import TIMED, untimed
from threadpoolctl import threadpool_info

DIGESTS = FOLDER / "tables.json"

#: Significant digits that count; the last ones depend on the processor and its libraries.
DIGITS = 9
#: Smaller numbers are differences of equal ones and nothing but rounding errors.
NOTHING = 1e-9
DECIMAL = re.compile(r"-?\d*\.\d+(?:e[-+]?\d+)?|-?\d+e[-+]?\d+", re.IGNORECASE)


def _without_ties(table: pd.DataFrame) -> pd.DataFrame:
    return table[table["dataset"] != "demo_identity"]


#: Tables that depend on the kernels of linear algebra and of elementary functions, each with a
#: function that returns the part that does not.  Rounding decides which of several equally distant
#: points are nearest neighbours, whose merges are proposed, and where the search for a maximum
#: ends; and values that are equal but for rounding have different ranks in ESS and R-hat.
UNSETTLED = {
    "claims": lambda table: table[~table["evidence"].str.contains("demo_identity")],
    "comparison": _without_ties,
    "diagnostics": lambda table: _without_ties(table).drop(
        columns=["ess", "rhat"], errors="ignore"
    ),
    "scdp_posterior": _without_ties,
    "scdp_readings": _without_ties,
    "scdp_table2": _without_ties,
    "scdp_table5": _without_ties,
    "scdp_full": lambda table: table[table["system"].isin(["K-Means", "Binary"])],
    "scdp_held_out": lambda table: table[table["coordinates"] == "small"],
    "scdp_fig3": lambda table: table.drop(columns=table.filter(regex="^pyp_").columns),
}
#: Ending of the names of the digests of these parts, and the name of the entry of the kernels.
ANYWHERE, KERNELS = ", anywhere", "kernels"


def report_folder(folder: Path) -> Path:
    """Return the folder in which a run leaves its report."""
    return Path(folder) / "reports" / "demo"


def digests(folder: Path) -> dict[str, str]:
    """Return the digest of each CSV of a run by its path below the report, and the kernels."""
    reports = report_folder(folder)
    found = {}
    for path in sorted(reports.rglob("*.csv")):
        if path.stem not in TIMED:
            table = pd.read_csv(path, dtype=str, keep_default_na=False)
            rest = untimed(table)
            table = table if rest is None else rest
            name = path.relative_to(reports).as_posix()
            found[name] = _digest(table)
            if path.stem in UNSETTLED:
                found[name + ANYWHERE] = _digest(UNSETTLED[path.stem](table))
    return found | {KERNELS: kernels()} if found else found


def kernels() -> str:
    """Return the kernels that numpy and the libraries of linear algebra use on this processor."""
    chosen = {
        f"{library['internal_api']} {library.get('architecture', '')}".strip()
        for library in threadpool_info()
        if library["user_api"] == "blas"
    }
    simd = np.show_config(mode="dicts")["SIMD Extensions"]["found"]
    return ", ".join([*sorted(chosen), " ".join(["numpy", *simd])])


def _digest(table: pd.DataFrame) -> str:
    """Return the digest of a table whose decimal numbers are rounded to `DIGITS` digits."""
    text = table.to_csv(index=False, lineterminator="\n")
    return hashlib.sha256(DECIMAL.sub(_rounded, text).encode()).hexdigest()[:32]


def _rounded(number: re.Match) -> str:
    value = float(number[0])
    return "0" if abs(value) < NOTHING else f"{value:.{DIGITS}g}"


def differing(stored: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    """Return a line for each table that differs from the stored one.

    If the digests were stored with other kernels, tables are compared without the parts that
    depend on the kernels.
    """
    left_out = {KERNELS}
    if stored.get(KERNELS) != found.get(KERNELS):
        left_out |= {name.removesuffix(ANYWHERE) for name in found if name.endswith(ANYWHERE)}
    stored, found = (
        {name: digest for name, digest in given.items() if name not in left_out}
        for given in (stored, found)
    )
    lines = [f"{name}: no longer made" for name in stored.keys() - found.keys()]
    lines += [f"{name}: not stored yet" for name in found.keys() - stored.keys()]
    lines += [f"{name}: changed" for name in stored.keys() & found if stored[name] != found[name]]
    return sorted(lines)
