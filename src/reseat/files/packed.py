"""Bounds on what a file may unpack to, and arrays that stay in their files."""

import bz2
import gzip
import io
import lzma
import math
import os
import zipfile
import zlib
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import IO

import numpy as np

from reseat.errors import DataError

# ---- Protection against files that claim, or unpack to, more than a machine can hold ---------

#: Largest number of bytes of a line, of the standard input, and of what a file unpacks to.
UNPACKED = 2**29
UNPACK = "if this is intended, unpack it and use the unpacked file"
CHUNK = 2**20
#: Errors of damaged or truncated compressed files.
UNREADABLE = (OSError, EOFError, lzma.LZMAError, zlib.error)
OPENERS = ((b"\xfd7zXZ\x00", lzma.open), (b"\x1f\x8b", gzip.open), (b"BZh", bz2.open))


class Bounded(io.BufferedIOBase):
    """A stream that raises a DataError once more than `UNPACKED` bytes have been read from it."""

    def __init__(
        self, stream: IO[bytes], what: str, remedy: str = UNPACK, beneath: IO[bytes] | None = None
    ):
        self._stream, self._beneath, self._left = stream, beneath, UNPACKED
        self._said = f"{what} more than {UNPACKED:,} bytes; {remedy}"

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        return self._counted(self._stream.read(self._wanted(size)))

    def readline(self, size: int | None = -1) -> bytes:
        # The base class would read one byte at a time.
        return self._counted(self._stream.readline(self._wanted(size)))

    def _wanted(self, size: int | None) -> int:
        return self._left + 1 if size is None or size < 0 else min(size, self._left + 1)

    def _counted(self, content: bytes) -> bytes:
        self._left -= len(content)
        if self._left < 0:
            raise DataError(self._said)
        return content

    read1 = read

    def close(self) -> None:
        self._stream.close()
        if self._beneath is not None:
            self._beneath.close()
        super().close()


class BoundedLines(Bounded):
    """A stream that raises a DataError if a line has more than `UNPACKED` bytes."""

    def read(self, size: int | None = -1) -> bytes:
        if size is not None and size >= 0:
            return super().read(size)
        return b"".join(iter(self.read1, b""))

    def read1(self, size: int = -1) -> bytes:
        return super().read(CHUNK if size < 0 else size)

    def _counted(self, content: bytes) -> bytes:
        ended = max(content.rfind(b"\n"), content.rfind(b"\r")) + 1  # some old files have only \r
        if ended:
            self._left = UNPACKED
        super()._counted(content[ended:])
        return content


def decompressed(path: Path, lines: bool = False) -> IO[bytes]:
    """Open a file, decompressed if its first bytes say so; a truncated one is an error."""
    file = path.open("rb")
    opener = _opener(file)
    if opener is not None:
        return Bounded(opener(file), f"{path} unpacks to", beneath=file)
    return BoundedLines(file, f"{path} has a line of", "is it a text?") if lines else file


def is_compressed(path: Path) -> bool:
    """Return whether the first bytes of a file say that it is compressed."""
    with path.open("rb") as file:
        return _opener(file) is not None


def _opener(file: IO[bytes]) -> Callable | None:
    """Return what decompresses a file, or None, with the file at its beginning again."""
    start = file.read(6)
    file.seek(0)
    return next((opener for magic, opener in OPENERS if start.startswith(magic)), None)


# ---- Arrays in files, as long as they say ----------------------------------------------------

MEMORY_MAP_FROM = 4 * 2**30  # bytes of a matrix of dissimilarities that is mapped into memory
SPARE = 1_000_000  # by which the rows or columns of a sparse matrix may exceed its entries
HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


def size_of(file: Path | io.BytesIO) -> int:
    """Return the number of bytes of a file, or of its content."""
    return file.stat().st_size if isinstance(file, Path) else len(file.getbuffer())


def read_npy(file: Path | io.BytesIO, path: Path, memory_map_from: float = math.inf) -> np.ndarray:
    """Read an array that messages call `path`; map one of at least so many bytes into memory."""
    try:
        if zipfile.is_zipfile(file):
            raise DataError(f"{path} contains several arrays; it must contain only the matrix")
        mapped = isinstance(file, Path) and size_of(file) >= memory_map_from
        with open(file, "rb") if isinstance(file, Path) else nullcontext(file) as stream:
            stream.seek(0)
            _check_length(stream, size_of(file), path)
            stream.seek(0)
            return np.load(file, mmap_mode="r" if mapped else None, allow_pickle=False)
    except DataError:
        raise
    except (OSError, EOFError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise DataError(f"{path} cannot be read ({error.strerror})") from error
        # numpy's message about a file of another kind advises running what is in it.
        raise DataError(
            f"{path} is not a complete npy file of numbers; write it again with numpy.save"
        ) from error


def _check_length(file: IO[bytes], n_bytes: int, path: Path) -> None:
    """Refuse objects, and an array not as long as its header says, which numpy would allocate."""
    version = np.lib.format.read_magic(file)
    if version not in HEADERS:
        raise ValueError("the header has an unknown version")
    shape, _, dtype = HEADERS[version](file)
    if dtype.hasobject:
        raise DataError(
            f"{path} contains Python objects, not numbers; convert the array, such as with "
            "astype(float), and write it again with numpy.save"
        )
    claimed, held = math.prod(shape) * dtype.itemsize, n_bytes - file.tell()
    if claimed != held:
        raise DataError(
            f"{path} is not a complete npy file of numbers: its header announces {claimed:,} "
            f"bytes, but it holds {held:,}; write it again with numpy.save"
        )


def check_npz(file: Path | io.BytesIO, path: Path) -> None:
    """Check the lengths of the arrays of an ``npz`` file, and the size that it unpacks to."""
    with zipfile.ZipFile(file) as archive:
        entries = archive.infolist()
        packed = [entry for entry in entries if entry.compress_type != zipfile.ZIP_STORED]
        if sum(entry.file_size for entry in packed) > UNPACKED:
            raise DataError(
                f"{path} unpacks to more than {UNPACKED:,} bytes; if this is intended, save it "
                "again uncompressed"
            )
        for entry in entries:
            with archive.open(entry) as stream:
                _check_length(stream, entry.file_size, path)


def check_shape(shape: tuple[int, ...], n_entries: int, path: Path) -> None:
    """Check that the size of a sparse matrix is plausible for its number of entries."""
    if max(shape, default=0) > SPARE + n_entries:
        raise DataError(
            f"{path} claims {' x '.join(f'{size:,}' for size in shape)} rows and columns for "
            f"{n_entries:,} entries; correct these sizes, or number rows and columns without gaps."
        )


# ---- Arrays in files that are mapped into memory ---------------------------------------------


def is_whole_file(array: np.ndarray) -> bool:
    """Return whether an array maps all the data in a file, in their order and as they are there."""
    return (
        isinstance(array, np.memmap)
        and array.mode != "c"  # copy-on-write: it may have been changed since it was opened
        and array.filename is not None
        and array.flags.c_contiguous
        and array.offset + array.nbytes == os.path.getsize(array.filename)
    )
