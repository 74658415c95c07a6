"""Decisions of people whether two items belong together, which a fit takes as given."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from reseat.checks import check_choice
from reseat.errors import DataError
from reseat.models.fields.matches import components

SAME, DIFFERENT, UNSURE = ANSWERS = ("same", "different", "unsure")


def settle(
    decisions,
    n_items: int,
    what: str = "item",
    names: Sequence[str] | None = None,
    place: np.ndarray | None = None,
) -> dict[str, Any] | None:
    """Return the units and those that stay apart (`DecidedModel`), or None if nothing is decided.

    Raise a DataError for decisions that are none, or that contradict each other; it calls items by
    their numbers or by `names`. `place` has the item of the model that each one is a copy of.
    """
    names = names if names is not None else range(n_items)
    place = place if place is not None else np.arange(n_items)
    if decisions is None:
        return None
    rows = pd.DataFrame(decisions).to_numpy(dtype=object)
    if len(rows) and rows.shape[1] != 3:
        raise DataError(
            f"The decisions have {rows.shape[1]} columns; give two {what}s and one of "
            f"{', '.join(ANSWERS)} in each row."
        )
    pairs = {answer: [] for answer in ANSWERS}
    for row in rows:
        one, other = (place_of(item, n_items, what) for item in row[:2])
        check_choice("decisions", row[2], ANSWERS)
        if one == other:
            raise DataError(f"A decision is about {what} {names[one]} alone; give two {what}s.")
        pairs[row[2]].append((one, other))
    if not pairs[SAME] and not pairs[DIFFERENT]:
        return None
    same, different = (np.array(pairs[a], dtype=int).reshape(-1, 2) for a in (SAME, DIFFERENT))
    units = pd.factorize(components(place[same], int(place.max()) + 1))[0]
    apart = units[place[different]]
    broken = apart[:, 0] == apart[:, 1]
    if broken.any():
        one, other = different[broken.argmax()]
        raise DataError(
            f"The {what}s {names[one]} and {names[other]} are decided to be different, but are "
            "the same as copies or by other decisions; remove a decision."
        )
    return {"units": units, "apart": np.unique(np.sort(apart, axis=1), axis=0)}


def place_of(item, n_items: int, what: str = "item") -> int:
    """Return the number of an item, or raise a DataError if it is none."""
    try:
        place = int(item)
    except (TypeError, ValueError, OverflowError):
        place = -1
    if not 0 <= place < n_items or place != item:
        raise DataError(f"There is no {what} {item!r}; they are numbered from 0 to {n_items - 1}.")
    return place
