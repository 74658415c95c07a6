"""Hashes of raw files: computed once, remembered, and files that fail set aside."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from reseat.io import sha256_of, write_text

__all__ = ["HashRecord", "keep_aside"]


class HashRecord:
    """Hashes already computed, kept in ``verified.json`` of the raw folder.

    A hash is remembered under path, size and time of last change, so that a
    large file is read once and not at every start.

    Parameters
    ----------
    folder : path-like
        Raw folder.  If it cannot be written, hashes are only kept in memory.
    """

    def __init__(self, folder: str | os.PathLike):
        self._file = Path(folder) / "verified.json"
        self._known: dict[str, list] = self._read()

    def _read(self) -> dict[str, list]:
        try:
            known = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return known if isinstance(known, dict) else {}

    def sha256(self, path: str | os.PathLike) -> str:
        """Return the hash of `path`, from the record if the file has not changed.

        Raises
        ------
        OSError
            If the file cannot be read.
        """
        return self.sha256_of_all([path])[0]

    def sha256_of_all(self, paths: Iterable[str | os.PathLike]) -> list[str]:
        """Return the hashes of several files; the record is written at most once.

        Raises
        ------
        OSError
            If a file cannot be read.
        """
        values, new = [], {}
        for path in map(Path, paths):
            status = path.stat()
            key, stamp = str(path.resolve()), [status.st_size, status.st_mtime_ns]
            entry = self._known.get(key)
            if not (isinstance(entry, list) and len(entry) == 3 and entry[:2] == stamp):
                new[key] = entry = [*stamp, sha256_of(path)]
            values.append(entry[2])
        if new:
            # Another job may have written meanwhile: its entries are kept.
            self._known = {**self._known, **self._read(), **new}
            try:
                write_text(self._file, json.dumps(self._known, indent=1, sort_keys=True) + "\n")
            except OSError:
                pass
        return values


def keep_aside(path: Path, sha256: str, meant: Path | None = None) -> Path:
    """Rename a refused file to ``NAME.corrupt-<first 8 digits of its hash>``.

    Parameters
    ----------
    path : Path
    sha256 : str
    meant : Path, optional
        Where it should have come to stand; by default it stands there.

    Returns
    -------
    Path
        Where the file now lies.
    """
    meant = meant or path
    aside = meant.with_name(f"{meant.name}.corrupt-{sha256[:8]}")
    os.replace(path, aside)
    return aside
