"""Atomic writing of files and folders."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reseat.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

SETTINGS = "settings.json"  # file of those on which unfinished work depends
#: Mark between the content of a sealed file and the SHA-256 of this content, and their length.
SEAL = b"\nSHA-256 of all above: "
SEALED = len(SEAL) + 64
CHUNK = 1 << 20
RANDOM = 8  # bytes in the name of a temporary file
#: First characters by which spreadsheets tell a formula, some of them only in full width.
FORMULA = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")


@contextmanager
def atomic_path(path: str | os.PathLike) -> Iterator[Path]:
    """Yield a temporary path that becomes `path` only if the block succeeds.

    It is beside `path`, whose missing folders are created, and has the same suffixes.
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
    # The rename itself must survive a power cut, but some file systems refuse to write folders out.
    with suppress(OSError):
        handle = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def new_file_beside(path: Path, ending: str = "") -> Path:
    """Create an empty file in the same folder, with a name that `remove_leftovers` recognizes."""
    made = _beside(path, ending)
    # Those that `tempfile` creates are readable by their owner only, whatever the umask.
    open(made, "xb").close()
    return made


def _beside(path: Path, ending: str = "") -> Path:
    return path.with_name(f".{path.name}.{secrets.token_hex(RANDOM)}{ending}")


def remove_leftovers(path: str | os.PathLike) -> None:
    """Remove what processes killed while writing `path` left; no other may be writing it now."""
    path = Path(path)
    for found in path.parent.glob(f".{escape(path.name)}.*"):
        if is_leftover(found, path.name):
            _remove(found)


def is_leftover(found: Path, name: str) -> bool:
    """Return whether `found` was left by a process killed while writing the file `name`."""
    written = rf"\.{re.escape(name)}\.[0-9a-f]{{{2 * RANDOM}}}(\..+)?"
    return re.fullmatch(written, found.name, re.S) is not None


def _remove(path: Path) -> None:
    """Remove a file, a folder, or a symbolic link but not its target."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def write_text(path: str | os.PathLike, text: str) -> None:
    """Write `text` to `path` atomically, as UTF-8, with escapes for bytes of no character."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8", errors="backslashreplace")


def as_cell(value: Any) -> Any:
    """Return a value as a cell of a table: a text that would be a formula gets an apostrophe."""
    if isinstance(value, str) and value.startswith(FORMULA) and not NUMBER.fullmatch(value):
        return f"'{value}"
    return value


def write_table(frame: pd.DataFrame, path: str | os.PathLike, digits: int = 12) -> None:
    """Write a frame to `path` atomically, as CSV with so many significant digits, by `as_cell`."""
    frame = frame.rename(columns=as_cell)
    for place, (_, column) in enumerate(frame.items()):
        texts = column if column.dtype.kind == "O" else ()
        if any(isinstance(text, str) and text.startswith(FORMULA) for text in texts):
            frame.isetitem(place, column.map(as_cell))
    with atomic_path(path) as temporary:
        frame.to_csv(temporary, index=False, float_format=f"%.{digits}g", lineterminator="\n")


def write_arrays(arrays: Mapping[str, np.ndarray], path: str | os.PathLike) -> None:
    """Write arrays to `path` atomically, as a ``.npz`` file that stores each under its name."""
    import numpy as np  # imported here, because writing texts does not need it

    with atomic_path(path) as temporary:
        np.savez_compressed(temporary, **arrays)


def sha256_of(path: str | os.PathLike) -> str:
    """Return the SHA-256 of a file as 64 hexadecimal digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def seal(path: str | os.PathLike) -> None:
    """Append a checksum of its content to a file; readers of HDF5 and of zip files ignore it."""
    digest = sha256_of(path)
    with open(path, "ab") as file:
        file.write(SEAL + digest.encode())


def seal_fault(path: str | os.PathLike) -> str:
    """Return why the content of a file is not that with which it was sealed; empty if it is."""
    path = Path(path)
    if not path.is_file():  # a pipe would be waited for
        return "it is no file"
    with open(path, "rb") as file:
        digest, left = hashlib.sha256(), path.stat().st_size - SEALED
        while left > 0 and (read := file.read(min(left, CHUNK))):
            digest.update(read)
            left -= len(read)
        whole = left == 0 and file.read() == SEAL + digest.hexdigest().encode()
    return "" if whole else "it was changed, is damaged or was written by an earlier version"


def stored_json(path: str | os.PathLike) -> dict[str, Any]:
    """Return the object in a JSON file; empty if there is none, or something else or damaged."""
    path = Path(path)
    try:
        # A pipe would be waited for.
        found = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


@contextmanager
def atomic_folder(path: str | os.PathLike) -> Iterator[Path]:
    """Yield a temporary folder that replaces `path` only if the block succeeds."""
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
    """Rename a folder to `path`, and then remove the older folder, or link, that it replaces."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    older = _beside(path)
    try:
        if path.is_dir() or path.is_symlink():
            os.replace(path, older)
        os.replace(source, path)
    except BaseException:  # an interruption between the two renames must not lose `path`
        if os.path.lexists(older) and not os.path.lexists(path):
            os.replace(older, path)
        raise
    _remove(older)


def keep_if_same(folder: str | os.PathLike, settings: Mapping[str, Any]) -> None:
    """Keep the unfinished work of an earlier run with the same settings, and remove any other.

    A folder with content but without :data:`SETTINGS`, where they are stored as JSON, is refused.
    """
    text = json.dumps(settings, sort_keys=True)
    folder = Path(folder)
    path = folder / SETTINGS
    remove_leftovers(folder)
    remove_leftovers(path)
    if path.is_file():
        if path.read_bytes() == text.encode():
            return
        # Renamed first: a run killed during the removal must not leave a folder without settings.
        older = _beside(folder)
        os.replace(folder, older)
        _remove(older)
    elif folder.is_dir() and any(folder.iterdir()):
        raise ConfigError(
            f"{folder} holds {min(entry.name for entry in folder.iterdir())}, which no earlier run "
            "has left; give unfinished work a folder of its own."
        )
    write_text(path, text)
