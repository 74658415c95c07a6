"""Contents of files and folders, as hashes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from reseat.io import sha256_of

__all__ = ["FileState", "list_files", "state_of"]


@dataclass(frozen=True)
class FileState:
    """What a file or a folder held at some time.

    Attributes
    ----------
    sha256 : str
        64 hexadecimal digits. Of a folder: of the lines ``HASH  NAME`` of its files, as
        ``sha256sum`` prints them, in the order of their names.
    size : int
        Bytes, of all files of a folder.
    modified : int
        Nanoseconds of the last change, the latest of a folder.
    files : dict of str to str
        Hashes of the files of a folder, by their path below it; empty for a file.
    """

    sha256: str
    size: int
    modified: int
    files: dict[str, str] = field(default_factory=dict)


def list_files(folder: str | os.PathLike) -> list[Path]:
    """Files below a folder in the order of their names, without hidden ones.

    Those are Snakemake's stamps and what is being written.
    """
    folder = Path(folder)
    found = [
        path
        for path in folder.rglob("*")
        if path.is_file() and not any(p.startswith(".") for p in path.relative_to(folder).parts)
    ]
    return sorted(found, key=lambda path: path.relative_to(folder).as_posix())


def state_of(
    path: str | os.PathLike, known: Mapping[tuple[int, int], str] | None = None
) -> FileState:
    """What a file or folder holds now.

    Parameters
    ----------
    path : path-like
    known : mapping of (size, modified) to str, optional
        Hashes of this path that were taken before; one of the same size and time is believed.

    Raises
    ------
    OSError
        If it is not there or cannot be read.
    """
    path = Path(path)
    files = list_files(path) if path.is_dir() else [path]
    stats = [file.stat() for file in files]
    size = sum(stat.st_size for stat in stats)
    modified = max((stat.st_mtime_ns for stat in stats), default=0)
    if known and (size, modified) in known:
        return FileState(known[size, modified], size, modified)
    if not path.is_dir():
        return FileState(sha256_of(path), size, modified)
    hashes = {file.relative_to(path).as_posix(): sha256_of(file) for file in files}
    listing = "".join(f"{value}  {name}\n" for name, value in hashes.items())
    total = hashlib.sha256(listing.encode()).hexdigest()
    return FileState(total, size, modified, hashes)
