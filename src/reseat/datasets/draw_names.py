"""Names of the cells of a recipe of records, one per concentration, and of their draws."""

from __future__ import annotations

import math
from numbers import Real

from reseat.errors import ConfigError

__all__ = ["cell_name", "draw_name", "recipe_of"]


def cell_name(recipe: str, delta: float) -> str:
    """Return the name of a recipe at one concentration: ``italy_d02`` for delta = 0.02.

    The concentration is a multiple of 0.01.
    """
    if isinstance(delta, bool) or not isinstance(delta, Real) or not 0 < delta < math.inf:
        raise ConfigError(f"delta is {delta!r}; a concentration must be a number above 0")
    hundredths = round(100 * delta)
    if hundredths < 1 or not math.isclose(100 * delta, hundredths, rel_tol=1e-9):
        raise ConfigError(
            f"delta is {delta}; it must be a multiple of 0.01, because the names of the draws show "
            "hundredths"
        )
    return f"{recipe}_d{hundredths:02d}"


def recipe_of(cell: str) -> str:
    """Return the name of the recipe of a cell, such as ``italy`` for ``italy_d02``."""
    return cell.rsplit("_d", 1)[0]


def draw_name(cell: str, number: int) -> str:
    """Return the name of a draw, such as ``italy_d02_0``; `number` counts from 0."""
    return f"{cell}_{number}"
