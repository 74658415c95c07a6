"""Arrays in files that are mapped into memory."""

from __future__ import annotations

import os

import numpy as np

__all__ = ["is_whole_file", "rows_of"]


def is_whole_file(array: np.ndarray) -> bool:
    """Return whether an array is the memory map of all the data in a file, in their order.

    A copy-on-write map does not count, because it may have been changed since it was opened, and
    neither does a reversed or transposed view, which is as large as the file.
    """
    return (
        isinstance(array, np.memmap)
        and array.mode != "c"
        and array.filename is not None
        and array.flags.c_contiguous
        and array.offset + array.nbytes == os.path.getsize(array.filename)
    )


def rows_of(matrix: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return some rows of a matrix.

    The rows of a memory-mapped matrix are read from its file instead, because whatever is accessed
    through the map, with some megabytes around it, counts as memory of the process.
    """
    if not is_whole_file(matrix):
        return np.asarray(matrix)[rows]
    found = np.empty((len(rows), matrix.shape[1]), dtype=matrix.dtype)
    with open(matrix.filename, "rb") as file:
        for place, row in enumerate(rows):
            file.seek(matrix.offset + int(row) * found.itemsize * found.shape[1])
            file.readinto(found[place].data)
    return found
