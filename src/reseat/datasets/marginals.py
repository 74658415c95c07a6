"""Checks of fields, their levels and the distributions over them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from reseat.errors import DataError

__all__ = ["check_marginals", "check_names", "first_twice"]

# The sum of ten thousand rounded probabilities may be off by this much.
TOLERANCE = 1e-8


def first_twice(names: Sequence[str]) -> str | None:
    """Return the first name that occurs more than once, or None if there is none."""
    return next((name for name, times in Counter(names).items() if times > 1), None)


def check_names(where: str, fields: Sequence[str], levels: Sequence[Sequence[str]]) -> None:
    """Raise an error unless there are fields, each with a list of levels, and names are unique.

    The message begins with `where`, such as ``records 'italy'``.
    """
    if len(fields) == 0:
        raise DataError(f"{where}: there are no fields; at least one is needed")
    if len(levels) != len(fields):
        raise DataError(
            f"{where}: there are {len(levels)} lists of levels for {len(fields)} fields"
        )
    twice = first_twice(fields)
    if twice is not None:
        raise DataError(f"{where}: two fields are called {twice!r}; rename one of them")
    for field, names in zip(fields, levels, strict=True):
        twice = first_twice(names)
        if twice is not None:
            raise DataError(f"{where}: field {field!r} has the level {twice!r} twice")


def check_marginals(
    where: str,
    fields: Sequence[str],
    levels: Sequence[Sequence[str]],
    marginals: Sequence[np.ndarray],
) -> tuple[np.ndarray, ...]:
    """Return the marginals as arrays, one distribution over the levels of each field."""
    if len(marginals) != len(fields):
        raise DataError(f"{where}: there are {len(marginals)} marginals for {len(fields)} fields")
    checked = []
    for field, names, given in zip(fields, levels, marginals, strict=True):
        try:
            values = np.array(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise DataError(
                f"{where}: the marginal of field {field!r} must consist of numbers"
            ) from None
        if values.shape != (len(names),):
            raise DataError(
                f"{where}: the marginal of field {field!r} has the shape {values.shape} for "
                f"{len(names)} levels; there must be one probability per level"
            )
        wrong = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
        if wrong.size:
            raise DataError(
                f"{where}: level {names[wrong[0]]!r} of field {field!r} has the probability "
                f"{values[wrong[0]]}; it must be a number of at least 0"
            )
        total = values.sum()
        if abs(total - 1) > TOLERANCE:
            raise DataError(
                f"{where}: the marginal of field {field!r} adds up to {total:.6g}, not to 1; "
                "divide it by its sum"
            )
        checked.append(values)
    return tuple(checked)
