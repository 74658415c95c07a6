"""Files that are either whole or not there, and how the cells of those of others are set apart."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reseat.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

__all__ = [
    "SETTINGS",
    "atomic_folder",
    "atomic_path",
    "beginning",
    "is_leftover",
    "keep_if_same",
    "new_file_beside",
    "remove_leftovers",
    "replace_folder",
    "separator",
    "sha256_of",
    "unsplit",
    "write_arrays",
    "write_table",
    "write_text",
]

#: The file of a folder of unfinished work that says what it depends on.
SETTINGS = "settings.json"

#: Marks that may set cells apart where a comma was looked for.
OTHERS = {";": "semicolon", "\t": "tab", "|": "vertical bar"}
#: Random bytes in the name of a temporary file.
RANDOM = 8

QUOTED = re.compile(r'"[^"]*"')


@contextmanager
def atomic_path(path: str | os.PathLike) -> Iterator[Path]:
    """Yield a temporary path that becomes `path` only if the block succeeds.

    The temporary file lies in the folder of `path`, so that the final rename
    is atomic; its bytes are on the disk before the rename.  If the block
    fails, or the disk is full, the temporary file is removed and whatever
    stood at `path` before still stands.

    Parameters
    ----------
    path : path-like
        Where the finished file shall stand.  Missing folders are made.

    Yields
    ------
    pathlib.Path
        A path to write to, with the same ending as `path`.

    Raises
    ------
    OSError
        Whatever the file system says, after the temporary file is gone.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = new_file_beside(path, "".join(path.suffixes[-2:]))
    try:
        yield temporary
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def new_file_beside(path: Path, ending: str = "") -> Path:
    """Make an empty file in the same folder, which `remove_leftovers` would remove.

    Who may read it is for the umask of the user to say; what the module tempfile makes, nobody
    else may.
    """
    made = _beside(path, ending)
    open(made, "xb").close()
    return made


def _beside(path: Path, ending: str = "") -> Path:
    return path.with_name(f".{path.name}.{secrets.token_hex(RANDOM)}{ending}")


def remove_leftovers(path: str | os.PathLike) -> None:
    """Remove what processes killed while writing `path` have left beside it, and nothing else.

    Only for paths that no other process is writing.
    """
    path = Path(path)
    for found in path.parent.glob(f".{escape(path.name)}.*"):
        if is_leftover(found, path.name):
            _remove(found)


def is_leftover(found: Path, name: str) -> bool:
    """Whether a process killed while writing the file `name` has left this beside it."""
    written = rf"\.{re.escape(name)}\.[0-9a-f]{{{2 * RANDOM}}}(\..+)?"
    return re.fullmatch(written, found.name, re.S) is not None


def _remove(path: Path) -> None:
    """Remove a file, a folder, or a symbolic link and not what it leads to."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def write_text(path: str | os.PathLike, text: str) -> None:
    """Write `text` to `path` atomically, as UTF-8.

    Names of files may have bytes that no character stands for; these are escaped.
    """
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8", errors="backslashreplace")


def write_table(frame: pd.DataFrame, path: str | os.PathLike) -> None:
    """Write a frame to `path` atomically, as CSV with twelve significant digits."""
    with atomic_path(path) as temporary:
        frame.to_csv(temporary, index=False, float_format="%.12g", lineterminator="\n")


def write_arrays(arrays: Mapping[str, np.ndarray], path: str | os.PathLike) -> None:
    """Write arrays to `path` atomically, a ``.npz`` in which each has its name."""
    import numpy as np  # not needed by those that write texts

    with atomic_path(path) as temporary:
        np.savez_compressed(temporary, **arrays)


def sha256_of(path: str | os.PathLike) -> str:
    """SHA-256 of a file as 64 hexadecimal digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def separator(line: str) -> str:
    """What sets the cells of a table apart, by its first line: a comma, a semicolon or a tab.

    Spreadsheets write semicolons where the comma is the decimal sign.
    """
    bare = QUOTED.sub("", line)
    return max(",;\t", key=bare.count)


def beginning(lines: Iterator[str]) -> list[str]:
    """Lines up to the first that is not blank, by which `separator` judges; the others as empty."""
    found = []
    for line in lines:
        if line.strip():
            return [*found, line]
        found.append("\n")
    return found


def unsplit(cells: Iterable[str]) -> str:
    """Say which mark all cells of a single column hold equally often: it sets cells apart.

    A title above the names of columns hides what is between these.

    Returns
    -------
    str
        Such as ``2 semicolons``; empty if there is none.
    """
    cells = list(cells)
    for mark, name in OTHERS.items():
        times = {cell.count(mark) for cell in cells}
        if len(times) == 1 and 0 not in times:
            (n,) = times
            return f"{n} {name}{'s' * (n > 1)}"
    return ""


def _sync_folder(folder: Path) -> None:
    # The rename itself must survive a power cut; some file systems refuse to
    # open a folder, and then there is nothing more to be done.
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)


@contextmanager
def atomic_folder(path: str | os.PathLike) -> Iterator[Path]:
    """Yield a temporary folder that becomes `path` only if the block succeeds.

    An older folder at `path` is replaced.

    Parameters
    ----------
    path : path-like
        Where the finished folder shall stand.  Missing parents are made.

    Yields
    ------
    pathlib.Path
        An empty folder to write to.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = _beside(path)
    temporary.mkdir()
    try:
        yield temporary
        replace_folder(temporary, path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def replace_folder(source: str | os.PathLike, path: str | os.PathLike) -> None:
    """Rename a folder to `path`, where an older one is removed once the new one is there.

    A symbolic link gives way to the folder; what it led to is left alone.

    Parameters
    ----------
    source : path-like
        A folder on the same file system.
    path : path-like
        Missing parents are made.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    older = _beside(path)
    try:
        if path.is_dir() or path.is_symlink():
            os.replace(path, older)
        os.replace(source, path)
    except BaseException:  # an interruption between the two must not leave nothing at `path`
        if os.path.lexists(older) and not os.path.lexists(path):
            os.replace(older, path)
        raise
    _remove(older)


def keep_if_same(folder: str | os.PathLike, settings: Mapping[str, Any]) -> None:
    """Keep what an earlier run with the same settings has left in a folder, and nothing else.

    Parameters
    ----------
    folder : path-like
        Of unfinished work.  It is made if it is missing.
    settings : mapping
        All that its content depends on, JSON types only; it is kept there as :data:`SETTINGS`.

    Raises
    ------
    ConfigError
        If the folder holds something and no such file: it is not of an earlier run.
    """
    text = json.dumps(settings, sort_keys=True)
    folder = Path(folder)
    path = folder / SETTINGS
    remove_leftovers(folder)
    remove_leftovers(path)
    if path.is_file():
        if path.read_text(encoding="utf-8") == text:
            return
        # Killed while it removes the folder, a run must not leave one without its settings.
        older = _beside(folder)
        os.replace(folder, older)
        _remove(older)
    elif folder.is_dir() and any(folder.iterdir()):
        raise ConfigError(
            f"{folder} holds {min(entry.name for entry in folder.iterdir())}, which no earlier run "
            "has left; give unfinished work a folder of its own."
        )
    write_text(path, text)
