"""Read the files of a tar archive in one pass, or of the folder it would unpack to."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from reseat.errors import DataError

__all__ = ["decompressed", "natural_key", "read_members"]


def read_members(path: Path) -> Iterator[tuple[tuple[str, ...], bytes]]:
    """Yield the parts of the name and the bytes of every regular file.

    Parameters
    ----------
    path : Path
        A tar archive, compressed or not, or a folder, whose own name is then
        the first part.

    Raises
    ------
    DataError
        If the archive is damaged or cut short, or a file cannot be read.
    """
    if path.is_dir():
        yield from _read_folder(path)
        return
    try:
        with decompressed(path) as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
            for member in archive:
                if member.isfile():
                    yield tuple(member.name.split("/")), archive.extractfile(member).read()
    except (tarfile.TarError, EOFError, OSError, lzma.LZMAError, zlib.error) as error:
        raise DataError(f"{path} is not a whole tar archive ({error})") from error


def decompressed(path: Path) -> IO[bytes]:
    """Open by the first bytes of the file; unlike tarfile's own streams these notice a cut."""
    with open(path, "rb") as file:
        start = file.read(6)
    for magic, opener in (
        (b"\xfd7zXZ\x00", lzma.open),
        (b"\x1f\x8b", gzip.open),
        (b"BZh", bz2.open),
    ):
        if start.startswith(magic):
            return opener(path, "rb")
    return open(path, "rb")


def _read_folder(folder: Path) -> Iterator[tuple[tuple[str, ...], bytes]]:
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            try:
                yield (folder.name, *file.relative_to(folder).parts), file.read_bytes()
            except OSError as error:
                raise DataError(f"{file} cannot be read ({error.strerror})") from error


def natural_key(name: str) -> tuple[int, int, str]:
    """Sort key that puts ``"9"`` before ``"10"``, and other names after numbers."""
    return (0, int(name), name) if name.isdecimal() else (1, 0, name)
