"""Reading of the arrays of numbers, texts and cells in a Matlab file (version 5).

`scipy.io.loadmat` trusts what it reads: one wrong byte can crash the process, and whatever length
a file claims is allocated.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator

import numpy as np

__all__ = ["read_matlab"]

HEADER = 128
ORDERS = {b"IM": "<", b"MI": ">"}
FLAGS, SIZES, NAME, MATRIX, COMPRESSED = 6, 5, 1, 14, 15
#: NumPy names of the data types that are numbers.
NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8",
           13: "u8"}  # fmt: skip
#: Encodings of the data types that are characters, without the byte order.
LETTERS = {1: "latin-1", 2: "latin-1", 4: "utf-16", 16: "utf-8", 17: "utf-16"}
CELLS, TEXT = 1, 4
#: Classes of arrays that are not read.
OTHERS = {2: "a structure", 3: "an object", 5: "sparse", 16: "a function", 17: "an object",
          18: "an object"}  # fmt: skip
COMPLEX = 0x800


def read_matlab(content: bytes, largest: int, most_cells: int) -> dict[str, np.ndarray | str]:
    """Return the arrays of a Matlab file by name.

    Numbers have the type and shape in which they are stored; texts are an array with one str per
    row, and cells an array of such arrays. Anything else is represented by a word that says what it
    is. `largest` is the largest number of bytes that the compressed arrays together may unpack to.
    """
    order = ORDERS.get(content[HEADER - 2 : HEADER])
    if order is None or struct.unpack(f"{order}H", content[HEADER - 4 : HEADER - 2]) != (0x100,):
        raise ValueError("it is not a version 5 file")
    reader = _Reader(order, most_cells)
    found = {}
    for kind, data in reader.elements(content[HEADER:]):
        if kind == COMPRESSED:
            unpacking = zlib.decompressobj()
            data = unpacking.decompress(data, largest + 1)
            largest -= len(data)
            if largest < 0 or not unpacking.eof:
                raise ValueError("a compressed array is truncated or too large when unpacked")
            ((kind, data),) = reader.elements(data)
        if kind != MATRIX:
            raise ValueError(f"found an element of type {kind} where an array was expected")
        name, values = reader.array(data)
        if name in found:
            raise ValueError(f"there are two arrays {name!r}")
        found[name] = values
    return found


class _Reader:
    """Reader of elements in one byte order, which counts the entries that it may still read."""

    def __init__(self, order: str, most_cells: int):
        self.order, self.left = order, most_cells

    def elements(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield the type and the content of each element in turn."""
        place = 0
        while place < len(data):
            kind, size = struct.unpack(f"{self.order}II", data[place : place + 8].ljust(8, b"\xff"))
            start = place + 8
            if kind >> 16:  # a small element, with its data in place of the size
                kind, size, start, end = kind & 0xFFFF, kind >> 16, place + 4, place + 8
            else:
                end = start + size + (0 if kind == COMPRESSED else -size % 8)
            if start + size > min(end, len(data)):
                raise ValueError("an element is longer than the one that contains it")
            yield kind, data[start : start + size]
            place = end

    def array(self, data: bytes) -> tuple[str, np.ndarray | str]:
        """Return the name and the values of an array."""
        elements = list(self.elements(data))
        if tuple(kind for kind, _ in elements[:3]) != (FLAGS, SIZES, NAME):
            raise ValueError("an array does not begin with flags, sizes and name")
        (_, flags), (_, sizes), (_, name), *parts = elements
        flags = struct.unpack(f"{self.order}II", flags)[0]
        shape = tuple(self._numbers(SIZES, sizes).tolist())
        name, held = name.decode("latin-1"), flags & 0xFF
        if held in OTHERS:
            return name, OTHERS[held]
        if flags & COMPLEX:
            return name, "complex"
        self.left -= math.prod(shape)
        if len(shape) < 2 or min(shape) < 0 or self.left < 0:
            raise ValueError(f"the array {name!r} claims the shape {shape}")
        if held == CELLS:
            return name, self._cells(parts, shape)
        if len(parts) != 1:
            raise ValueError(f"the array {name!r} has {len(parts)} parts")
        ((kind, content),) = parts
        if held == TEXT:
            return name, self._texts(kind, content, shape)
        return name, self._numbers(kind, content).reshape(shape, order="F")

    def _numbers(self, kind: int, content: bytes) -> np.ndarray:
        if kind not in NUMBERS:
            raise ValueError(f"{kind} is not a known type of numbers")
        return np.frombuffer(content, f"{self.order}{NUMBERS[kind]}")

    def _texts(self, kind: int, content: bytes, shape: tuple[int, ...]) -> np.ndarray:
        if kind not in LETTERS:
            raise ValueError(f"{kind} is not a known type of characters")
        encoding = LETTERS[kind]
        if encoding == "utf-16":
            encoding += "-le" if self.order == "<" else "-be"
        letters = np.array(list(content.decode(encoding)), dtype="U1").reshape(shape, order="F")
        rows = letters.reshape(shape[0], -1) if letters.size else np.empty((shape[0], 0), "U1")
        return np.array(["".join(row) for row in rows.tolist()])

    def _cells(self, parts: list[tuple[int, bytes]], shape: tuple[int, ...]) -> np.ndarray:
        if len(parts) != math.prod(shape) or any(kind != MATRIX for kind, _ in parts):
            raise ValueError(f"there are {len(parts)} cells for the shape {shape}")
        values = np.empty(len(parts), dtype=object)
        for place, (_, content) in enumerate(parts):
            values[place] = self.array(content)[1] if content else np.empty((0, 0))
        return values.reshape(shape, order="F")
