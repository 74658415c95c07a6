"""Hashes of the contents of files and folders."""

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
    """State of a file or folder at some time."""

    #: 64 hexadecimal digits. For a folder, the hash of the lines ``HASH NAME`` of its files, as
    #: ``sha256sum`` prints them, ordered by name.
    sha256: str
    #: Size in bytes; for a folder, of all files together.
    size: int
    #: Time of the last change, in nanoseconds; for a folder, of the latest change of a file.
    modified: int
    #: Hashes of the files of a folder, by path below it; empty for a file.
    files: dict[str, str] = field(default_factory=dict)


def list_files(folder: str | os.PathLike) -> list[Path]:
    """Return the files below a folder ordered by name, without hidden ones.

    Hidden files are time stamps of Snakemake, and files that are still being written.
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
    """Return the current state of a file or folder.

    A hash in `known` is used if size and time are still the same, instead of reading the path.
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
