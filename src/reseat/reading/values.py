"""Cells of a column: missing values, numbers and texts."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from reseat.errors import ConfigError, DataError
from reseat.files.texts import composed, is_number

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)
#: Cells that mean a missing value unless an entry lists others, as other programs write them.
MISSING_CELLS = ("", *"NA N/A n/a <NA> #N/A #NA NaN nan -NaN -nan NULL null None".split())
SUSPECT = frozenset(
    [
        "not available",
        *"missing unknown nil nat n.a. n.d. k.a. tbd ? - -- . \\n (null)".split(),
        *"#div/0! #value! #ref! #name? #num!".split(),
        *[word.lower() for word in MISSING_CELLS if word],
    ]
)
PLAIN = ("", "NA")  # which are treated as missing without a warning in the log
MIN_CODES = 3  # different two-letter codes beside which ``NA`` is one
MAX_LISTED = 5  # cells that the error message about a column names
DECIMAL_COMMA = r"\s*[-+]?\d+,\d+\s*"


def missing_words(given: Sequence[str | float], name: str = "missing") -> tuple[str, ...]:
    """Return the option ``missing`` with the empty text; refuse what YAML makes of ``no``."""
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise ConfigError(f"the option {name!r} is {given!r}; it must be a list of cell values")
    wrong = [
        word for word in given if isinstance(word, bool) or not isinstance(word, (str, int, float))
    ]
    if wrong:
        raise ConfigError(
            f"the option {name!r} lists {wrong[0]!r}, which is not text; write words such as "
            "'null', '~', 'no' and 'off' in quotation marks"
        )
    return tuple(dict.fromkeys(["", *(composed(str(word).strip()) for word in given)]))


def is_code(name: str, table: pd.DataFrame) -> bool:
    """Return whether ``NA`` is a two-letter code, and not a missing value elsewhere."""
    cells = table[name]
    codes = cells[~cells.isin(MISSING_CELLS)]
    if not (cells == "NA").any() or codes.nunique() < MIN_CODES:
        return False
    others = table.drop(columns=name)
    return bool(codes.str.fullmatch("[A-Z]{2}").all()) and not (others == "NA").any(axis=None)


def may_mean_missing(values: pd.Series) -> pd.Series:
    """Return whether each entry is a text that may mean a missing value, in upper or lower case."""
    lowered = values.map(lambda value: value.lower() if isinstance(value, str) else None)
    return lowered.isin(SUSPECT)


def without_missing(
    cells: pd.Series, path: Path, missing: Sequence[str | float] = MISSING_CELLS
) -> pd.Series:
    """Return a column with NA for missing values; log words for one, which might be values."""
    words = missing_words(missing)
    absent = cells.isin(list(words))
    numbers = [number for word in words if is_number(word) and isfinite(number := float(word))]
    if numbers:  # which may be written in several ways, such as -9 and -9.0
        absent |= _as_numbers(cells).isin(numbers)
    said = cells[absent & ~cells.isin(PLAIN)].unique().tolist()
    if said:
        logger.warning(
            f"{path}: cells of the column {cells.name!r} containing {', '.join(map(repr, said))} "
            "are treated as missing; replace them if they are values"
        )
    return cells.mask(absent)


def numbers_or_texts(
    cells: pd.Series,
    ids: Sequence[str],
    path: Path,
    remedy: str,
    missing: Sequence[str | float] = MISSING_CELLS,
) -> np.ndarray | list[str]:
    """Return a column as numbers if all cells are; as texts if half are not; else refuse it."""
    given = without_missing(cells, path, missing)
    values = _as_numbers(given)
    strays = np.flatnonzero(given.notna() & values.isna())
    n_given = int(given.notna().sum())
    if n_given and not len(strays):
        return values.to_numpy(dtype=np.float64)
    if 2 * len(strays) >= n_given:
        if len(strays) and given.iloc[strays].str.fullmatch(DECIMAL_COMMA).all():
            raise DataError(
                f"{path}: the column {cells.name!r} has numbers with decimal commas, such as "
                f"{cells.iloc[strays[0]]!r} ({ids[strays[0]]}); write decimal points (or, if they "
                f"separate thousands, leave the commas out), or {remedy}"
            )
        return given.fillna("").tolist()
    named = ", ".join(f"{cells.iloc[place]!r} ({ids[place]})" for place in strays[:MAX_LISTED])
    more = f" and {len(strays) - MAX_LISTED} more" if len(strays) > MAX_LISTED else ""
    comma = " with a decimal point" if cells.iloc[strays].str.contains(",").any() else ""
    raise DataError(
        f"{path}: most cells of the column {cells.name!r} are numbers, but not {named}{more}; "
        f"fix them{comma}, or {remedy}"
    )


def numbers(cells: pd.Series, path: Path) -> np.ndarray:
    """Return a column as numbers, with NaN for missing values."""
    absent = cells.isin(MISSING_CELLS)
    values = _as_numbers(cells.mask(absent))
    wrong = np.flatnonzero(values.isna() & ~absent)
    if wrong.size:
        raise DataError(
            f"{path}: {cells.iloc[wrong[0]]!r} in the column {cells.name!r} is not a number"
        )
    return values.to_numpy(dtype=np.float64)


def _as_numbers(cells: pd.Series) -> pd.Series:
    """Return a column as numbers, with NaN for cells that are none."""
    import pandas as pd

    return pd.to_numeric(cells, errors="coerce")
