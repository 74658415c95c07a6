"""A relation in a Matlab file within an archive, the form in which C. Kemp published his data."""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from reseat.configuration import did_you_mean
from reseat.datasets.parsers.archives import read_members
from reseat.datasets.parsers.options import check_list, check_types
from reseat.datasets.parsers.roles import file_of
from reseat.datasets.relations import Relations
from reseat.errors import ConfigError, DataError
from reseat.files.packed import UNPACKED
from reseat.relation_tables import RelationTable

__all__ = ["parse_matlab_relation", "read_matlab"]


#: Largest number of entries that the arrays of a file together may have.
MOST_CELLS = 50_000_000


def parse_matlab_relation(
    paths: Mapping[str, Path],
    member: str,
    variable: str,
    relation: str,
    types: Sequence[str],
    names: Mapping[str, str] | None = None,
    classes: Mapping[str, str] | None = None,
) -> Relations:
    """Read an array of links, in which NaN marks a missing one.

    `paths`: ``archive``, or ``user`` for the user's own data, is a tar archive, compressed or not,
        or the folder that it unpacks to.
    `member`: name, without folders, of the Matlab file (version 5) in the archive.
    `variable`: name of the array in the file.
    `relation`: name to give to the relation.
    `types`: the type of entity on each axis of the array.
    `names`: for a type, the variable with the names of its entities; entities of the other types
        are numbered from 1.
    `classes`: for a type, the variable with the true classes of its entities.
    """
    path = file_of(paths, "archive")
    variables = _variables(path, member)
    values = _variable(variables, variable, path, member)
    types = tuple(types)
    if values.ndim != len(types) or values.dtype.kind not in "iufb":
        raise DataError(
            f"{path}, {member}: {variable} must be numbers on {len(types)} axes "
            f"({', '.join(types)}), but has the shape {values.shape}"
        )
    sizes: dict[str, int] = {}
    for kind, size in zip(types, values.shape, strict=True):
        if sizes.setdefault(kind, size) != size:
            raise DataError(f"{path}, {member}: {variable} has two different numbers of {kind!r}")

    def texts(kind: str, key: str) -> list[str]:
        if kind not in sizes:
            raise ConfigError(f"unknown type {kind!r}{did_you_mean(kind, sizes)}")
        found = [_text(item) for item in _variable(variables, key, path, member).ravel()]
        if len(found) != sizes[kind]:
            raise DataError(
                f"{path}, {member}: {key} has {len(found)} entries for {sizes[kind]} of {kind!r}"
            )
        return found

    named = {kind: texts(kind, key) for kind, key in (names or {}).items()}
    numbered = {kind: [f"{kind} {i + 1}" for i in range(size)] for kind, size in sizes.items()}
    unknown = np.isnan(values)
    cells = np.argwhere(np.where(unknown, 0, values) != 0)
    return Relations(
        entities={kind: named.get(kind, numbered[kind]) for kind in sizes},
        relations=(
            RelationTable(relation, types, cells, values[tuple(cells.T)], np.argwhere(unknown)),
        ),
        classes={kind: texts(kind, key) for kind, key in (classes or {}).items()},
    )


def _variables(path: Path, member: str) -> dict[str, np.ndarray | str]:
    seen = []
    for parts, content in read_members(path):
        seen.append(parts[-1])
        if parts[-1] == member:
            try:
                return read_matlab(content, UNPACKED, MOST_CELLS)
            except (ValueError, struct.error, zlib.error) as error:
                raise DataError(
                    f"{path}, {member}: not a complete Matlab file ({error})"
                ) from error
    raise ConfigError(
        f"{path} has no file {member!r}"
        + (did_you_mean(member, seen) or f"; it has {', '.join(seen)}")
    )


def _variable(variables: Mapping[str, np.ndarray | str], key: str, path: Path, member: str):
    found = {name: value for name, value in variables.items() if not name.startswith("__")}
    if key not in found:
        raise DataError(
            f"{path}, {member}: variable {key!r} not "
            f"found{did_you_mean(key, found) or '; there are ' + ', '.join(found)}"
        )
    if isinstance(found[key], str):
        raise DataError(
            f"{path}, {member}: {key} is {found[key]}; store it as a full array of real "
            "numbers, or as a cell array of texts"
        )
    return found[key]


def _text(item) -> str:
    """Return the text of a cell, which Matlab stores as an array of its own."""
    return str(np.ravel(item)[0]).strip() if np.size(item) else ""


def places_matlab_relation(options: Mapping[str, Any]) -> list[list[str]]:
    """Return the entity type of each place, for the only relation."""
    return [list(options["types"])]


def check_matlab_relation(options: Mapping[str, Any]) -> None:
    """Check that names and classes are given only for types that the array has."""
    check_list("types", options["types"])
    for key in ("names", "classes"):
        check_types(key, options.get(key), options["types"])


# ---- Reading of the arrays of numbers, texts and cells in a Matlab file (version 5) ----------
#
# `scipy.io.loadmat` trusts what it reads: one wrong byte can crash the process, and whatever
# length a file claims is allocated.

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
