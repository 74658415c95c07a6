"""The user's own files and folders: whether they exist, and the hashes of their content."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from reseat.configuration import MERGED, Place, did_you_mean
from reseat.datasets.features import OWN_STOP_LIST
from reseat.datasets.parsers.topic_mail import TABLE
from reseat.datasets.registry import DataSettings
from reseat.errors import ConfigError, DataError
from reseat.files.atomic import sha256_of, stored_json, write_text
from reseat.reading.archives import files_below


def check_paths(settings: DataSettings, known: Mapping[str, Any]) -> None:
    """Check that names and paths in ``data.paths`` exist, and that no mirror is a file.

    Parameters
    ----------
    settings : DataSettings
    known : mapping of str to `reseat.datasets.Dataset`
        The data sets in the registry, by name.

    Raises
    ------
    ConfigError
        If a name is unknown, a path does not exist or has no effect, or a mirror is not a folder.
    """
    for mirror in settings.mirrors:
        if mirror.exists() and not mirror.is_dir():
            said = f"{mirror} is not a folder; name its folder."
            raise ConfigError(said, source=Place(MERGED, ("data", "mirrors")))
    for name, path in settings.paths.items():
        said = ""
        if name not in known:
            said = (
                "there is no such data set in config/datasets.yaml or under datasets in your "
                f"configuration file{did_you_mean(name, known)}"
            )
        elif not path.exists():
            where = "" if path.is_absolute() else f" in {Path.cwd()}"
            said = f"{path} does not exist{where}{_nearest_path(path)}"
        elif not path.is_file() and not path.is_dir():
            said = f"{path} is a pipe or a device; write it to a file, and name this file."
        elif not (known[name].files or known[name].user_path):
            said = (
                "this has no effect, since the data set is generated and reads no files; remove it."
            )
        if said:
            raise ConfigError(said, source=Place(MERGED, ("data", "paths", name)))


def _nearest_path(path: Path) -> str:
    """Return ``"; did you mean …?"`` with the closest name in the deepest existing folder."""
    missing = path
    while not missing.parent.exists():
        missing = missing.parent
    try:
        there = os.listdir(missing.parent)
    except OSError:
        return ""
    close = difflib.get_close_matches(missing.name, there, n=1)
    return f"; did you mean {missing.parent / close[0]}?" if close else ""


def own_data(
    name: str,
    settings: DataSettings,
    record: HashRecord | None = None,
    registered: Collection[str] = (),
) -> dict[str, str]:
    """Return the name and hash of what ``data.paths`` gives for a data set.

    Parameters
    ----------
    name : str
    settings : DataSettings
    record : HashRecord, optional
        Remembers the hashes of unchanged files; by default the record of the raw folder.
    registered : collection of str
        Hashes of the files in the registry, since it does not matter where a copy of one is.

    Returns
    -------
    dict
        ``name``, the last part of the path, whose suffix may determine how it is read, and
        ``sha256`` of the content; empty for no path, or a copy of a registered file.

    Raises
    ------
    DataError
        If a file cannot be read.
    """
    path = settings.paths.get(name)
    if path is None:
        return {}
    try:
        content = own_content(path, record or HashRecord(settings.raw))
    except OSError as error:
        raise DataError(
            f"data.paths.{name}: {error.filename or path} cannot be read ({error.strerror})"
        ) from None
    return {} if content in registered else {"name": path.resolve().name, "sha256": content}


def own_content(path: str | os.PathLike, record: HashRecord) -> str:
    """Return the hash of a file, or of the names and hashes of all files read from a folder.

    The path of a table that names files in its folder stands for the folder.  A stop list beside
    a file, such as an archive of texts, is hashed together with the file.

    Parameters
    ----------
    path : path-like
    record : HashRecord
        Record of the hashes of files that have been read before.

    Returns
    -------
    str
        64 hexadecimal digits.

    Raises
    ------
    OSError, DataError
        If `path` does not exist or cannot be read.
    """
    path = Path(path)
    if path.name == TABLE and path.is_file():
        path = path.parent
    if path.is_dir():
        # A table may name hidden files; without one, hidden files are not read.
        folder = path
        files = files_below(path, hidden=(path / TABLE).is_file(), warn=False)
    elif (stop_list := path.parent / OWN_STOP_LIST).is_file() and stop_list != path:
        folder, files = path.parent, [path, stop_list]
    else:
        return record.hashes_of([path])[0]
    listing = "".join(
        f"{value}  {file.relative_to(folder).as_posix()}\n"
        for file, value in zip(files, record.hashes_of(files), strict=True)
    )
    return hashlib.sha256(listing.encode()).hexdigest()


class HashRecord:
    """Hashes already computed, kept in ``verified.json`` in the raw folder.

    A hash is stored with size, timestamps and inode number of the file, so that a large file is
    read once. If the record cannot be written, hashes are kept in memory only.
    """

    def __init__(self, folder: str | os.PathLike | None = None):
        self._file = None if folder is None else Path(folder) / "verified.json"
        self._known = self._read()

    def _read(self) -> dict[str, list]:
        return {} if self._file is None else stored_json(self._file)

    def hashes_of(self, paths: Iterable[str | os.PathLike]) -> list[str]:
        """Return hashes, from the record for files that have not changed; it is written once."""
        values, new = [], {}
        for path in map(Path, paths):
            key, status = str(path.resolve()), path.stat()
            # Programs that copy or restore files may set mtime freely, but neither ctime nor inode.
            stamp = [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]
            entry = self._known.get(key)
            if not (isinstance(entry, list) and len(entry) == 5 and entry[:4] == stamp):
                new[key] = entry = [*stamp, sha256_of(path)]
            values.append(entry[4])
        if new:
            # Another job may have written the record in the meantime; its entries are kept.
            self._known = {**self._known, **self._read(), **new}
        if new and self._file is not None:
            with suppress(OSError):
                write_text(self._file, json.dumps(self._known, indent=1, sort_keys=True) + "\n")
        return values
