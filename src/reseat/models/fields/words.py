"""Descriptions of how fields are compared, for people to read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd

from reseat.models.fields.columns import Columns, is_missing

__all__ = ["fields_in_words", "remarks_on_numbers"]

#: Share of a field's values that must be numbers for a remark on the other values.
MOSTLY_NUMBERS = 0.8
#: A decimal comma, or one between thousands.
COMMA = re.compile(r"\s*[-+]?\d+(?:,\d+)+\s*", re.ASCII)


def fields_in_words(names: Sequence[str], columns: Sequence[Sequence]) -> str:
    """Return how the fields are compared, in words."""
    columns = Columns.of(columns)
    kinds = columns.kinds
    said = {
        "category": "equal or not",
        "code": "up to one wrong letter",
        "name": "up to two wrong letters",
        "phrase": "by words in any order",
        "number": "by differences",
    }
    parts = []
    for name, words in said.items():
        fields = [str(field) for field, kind in zip(names, kinds, strict=True) if kind.name == name]
        if fields:
            parts.append(f"{', '.join(fields)} ({words})")
    for field, leaders in columns.followed.items():
        given = " and ".join(str(names[leader]) for leader in leaders)
        parts.append(f"{names[field]} follows {given} and counts only without")
    return "; ".join(parts)


def remarks_on_numbers(names: Sequence[str], cells: np.ndarray) -> list[str]:
    """Return a sentence about each field that is compared as text because of a few values."""
    said = []
    for name, column in zip(names, cells.T, strict=True):
        times = Counter(value for value in column.tolist() if not is_missing(value))
        found = pd.to_numeric(pd.Series([*times], dtype=object), errors="coerce").to_numpy(float)
        numbers, n_times = np.isfinite(found), np.array([*times.values()])
        commas = np.array([COMMA.fullmatch(str(value)) is not None for value in times])
        if commas.any() and n_times[numbers | commas].sum() >= MOSTLY_NUMBERS * n_times.sum():
            said.append(
                f"{n_times[commas].sum():,} of {n_times.sum():,} values of {name!r} have commas "
                f"between digits, such as {str([*times][int(np.argmax(commas))])!r}, and are "
                "compared as text; write decimals with a point, and thousands without any mark."
            )
            continue
        fractions = numbers & (found != np.round(found))
        if numbers.all() or not fractions.any():
            continue
        others = n_times[~numbers].sum()
        if others <= (1 - MOSTLY_NUMBERS) * n_times.sum():
            odd = [*times][int(np.argmin(numbers))]
            said.append(
                f"{others:,} of {n_times.sum():,} values of {name!r} are not numbers, such as "
                f"{str(odd)!r}, so that it is compared as text; correct these values or leave them "
                "empty, and it is compared by differences."
            )
    return said
