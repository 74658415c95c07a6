"""Files and folders of the user's own: whether they are there, and what is in them."""

from __future__ import annotations

import difflib
import hashlib
import os
from collections.abc import Collection
from pathlib import Path

from reseat.configuration import did_you_mean
from reseat.datasets.hashes import HashRecord
from reseat.datasets.parsers.archives import files_below
from reseat.datasets.parsers.topic_mail import TABLE
from reseat.datasets.settings import DataSettings
from reseat.datasets.stoplists import OWN_STOP_LIST
from reseat.errors import ConfigError, DataError

__all__ = ["check_paths", "own_content", "own_data"]


def check_paths(settings: DataSettings, known: Collection[str]) -> None:
    """Refuse names and paths in ``data.paths``, and mirrors, that stand for nothing.

    Parameters
    ----------
    settings : DataSettings
    known : collection of str
        Names in the registry.

    Raises
    ------
    ConfigError
        One sentence that names the key and the nearest name or path that there is.
    """
    for mirror in settings.mirrors:
        if mirror.exists() and not mirror.is_dir():
            raise ConfigError(
                f"data.mirrors names {mirror}, which is not a folder; name its folder."
            )
    for name, path in settings.paths.items():
        if name not in known:
            raise ConfigError(
                f"data.paths names {name!r}, which is neither in config/datasets.yaml nor under "
                "datasets in your configuration file" + did_you_mean(name, known)
            )
        if not path.exists():
            raise ConfigError(
                f"data.paths.{name} is {path}, which does not exist{_nearest_path(path)}"
            )


def _nearest_path(path: Path) -> str:
    """``"; did you mean …?"`` for the closest name in the deepest folder that there is."""
    missing = path
    while not missing.parent.exists():
        missing = missing.parent
    try:
        there = os.listdir(missing.parent)
    except OSError:
        return ""
    close = difflib.get_close_matches(missing.name, there, n=1)
    return f"; did you mean {missing.parent / close[0]}?" if close else ""


def own_data(name: str, settings: DataSettings, record: HashRecord | None = None) -> dict[str, str]:
    """What lies behind ``data.paths`` for a data set.

    Parameters
    ----------
    name : str
        Of the data set.
    settings : DataSettings
    record : HashRecord, optional
        Remembers the hashes of files that have not changed; by default that of the raw folder.

    Returns
    -------
    dict
        `name`, the last part of the path, whose ending may tell what is in it, and `sha256` of the
        content; empty if the user has named no path.

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
    return {"name": path.resolve().name, "sha256": content}


def own_content(path: str | os.PathLike, record: HashRecord) -> str:
    """Hash of a file, or of the names and hashes of all files of a folder that are read.

    A table that names files in its folder stands for the folder.  A stop list beside a file, such
    as an archive of texts, belongs to it.

    Parameters
    ----------
    path : path-like
    record : HashRecord
        Hashes of files that have been read before.

    Returns
    -------
    str
        64 hexadecimal digits.

    Raises
    ------
    OSError, DataError
        If it is not there or cannot be read.
    """
    path = Path(path)
    if path.name == TABLE and path.is_file():
        path = path.parent
    if path.is_dir():
        # A table may name hidden files; of folders of texts, none are read.
        folder = path
        files = files_below(path, hidden=(path / TABLE).is_file(), warn=False)
    elif (stop_list := path.parent / OWN_STOP_LIST).is_file() and stop_list != path:
        folder, files = path.parent, [path, stop_list]
    else:
        return record.sha256(path)
    listing = "".join(
        f"{value}  {file.relative_to(folder).as_posix()}\n"
        for file, value in zip(files, record.sha256_of_all(files), strict=True)
    )
    return hashlib.sha256(listing.encode()).hexdigest()
