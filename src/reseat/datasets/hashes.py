"""Hashes of raw files, which are computed once and remembered; bad files are set aside."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from reseat.files.atomic import sha256_of, stored_json, write_text

__all__ = ["HashRecord", "is_web_page", "keep_aside"]

PAGE = (b"<!doctype html", b"<html")


class HashRecord:
    """Hashes already computed, kept in ``verified.json`` in the raw folder.

    A hash is stored under the file's path with its size, timestamps and inode number, so that a
    large file is read once rather than at every start. Without a folder, no earlier hashes are
    known, so every file is read; if it cannot be written to, hashes are kept in memory only.
    """

    def __init__(self, folder: str | os.PathLike | None = None):
        self._file = None if folder is None else Path(folder) / "verified.json"
        self._known = self._read()

    def _read(self) -> dict[str, list]:
        return {} if self._file is None else stored_json(self._file)

    def sha256(self, path: str | os.PathLike) -> str:
        """Return the hash of `path`, from the record if the file has not changed."""
        return self.sha256_of_all([path])[0]

    def sha256_of_all(self, paths: Iterable[str | os.PathLike]) -> list[str]:
        """Return the hashes of several files; the record is written at most once."""
        values, new = [], {}
        for path in map(Path, paths):
            key, stamp = str(path.resolve()), _stamp(path)
            entry = self._known.get(key)
            if not (isinstance(entry, list) and len(entry) == 5 and entry[:4] == stamp):
                new[key] = entry = [*stamp, sha256_of(path)]
            values.append(entry[4])
        if new:
            # Another job may have written the record in the meantime; its entries are kept.
            self._known = {**self._known, **self._read(), **new}
        if new and self._file is not None:
            try:
                write_text(self._file, json.dumps(self._known, indent=1, sort_keys=True) + "\n")
            except OSError:
                pass
        return values


def _stamp(path: Path) -> list[int]:
    """Return file metadata that change whenever the content does.

    Programs that copy, unpack or restore files may set the modification time (mtime) freely, but
    not the change time (ctime) or the inode number, which the file system sets.
    """
    status = path.stat()
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]


def is_web_page(path: Path) -> bool:
    """Return whether a file begins like an HTML page, as hosts may send for a missing file."""
    with open(path, "rb") as file:
        return file.read(1000).removeprefix(b"\xef\xbb\xbf").lstrip().lower().startswith(PAGE)


def keep_aside(path: Path, sha256: str, meant: Path | None = None) -> Path:
    """Rename a refused file to ``NAME.corrupt-<first 8 digits of its hash>``.

    `meant` is the path that it was intended for, by default its own.
    """
    meant = meant or path
    aside = meant.with_name(f"{meant.name}.corrupt-{sha256[:8]}")
    os.replace(path, aside)
    return aside
