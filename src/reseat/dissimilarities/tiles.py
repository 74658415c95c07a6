"""Square pieces of a matrix, so that one as large as memory is processed without a copy."""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["tiles", "upper_tiles"]

SIDE = 1024


def tiles(n_items: int, side: int = SIDE) -> list[slice]:
    """Return slices that cover 0 to `n_items` - 1, each of at most `side` items."""
    return [slice(start, min(start + side, n_items)) for start in range(0, n_items, side)]


def upper_tiles(n_items: int, side: int = SIDE) -> Iterator[tuple[slice, slice]]:
    """Yield the slices of rows and columns of the tiles on and above the diagonal."""
    parts = tiles(n_items, side)
    for number, rows in enumerate(parts):
        for columns in parts[number:]:
            yield rows, columns
