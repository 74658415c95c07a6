"""Read the files of a tar archive in one pass, or of the folder it would unpack to."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from pathlib import Path

from reseat.errors import DataError

__all__ = ["natural_key", "read_members"]


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
        with tarfile.open(path, "r|*") as archive:
            for member in archive:
                if member.isfile():
                    yield tuple(member.name.split("/")), archive.extractfile(member).read()
    except (tarfile.TarError, EOFError, OSError) as error:
        raise DataError(f"{path} is not a whole tar archive ({error})") from error
    except Exception as error:
        if type(error).__name__ in {"LZMAError", "error"}:  # lzma and zlib
            raise DataError(f"{path} is not a whole tar archive ({error})") from error
        raise


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
