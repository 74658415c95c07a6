"""Files that are either whole or not there, and how the cells of those of others are set apart."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["atomic_folder", "atomic_path", "remove_leftovers", "separator", "write_text"]

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
    handle, name = tempfile.mkstemp(
        prefix=f".{path.name}.", suffix="".join(path.suffixes[-2:]), dir=path.parent
    )
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def remove_leftovers(path: str | os.PathLike) -> None:
    """Remove what processes killed while writing `path` have left beside it.

    Only for paths that no other process is writing.
    """
    path = Path(path)
    for leftover in path.parent.glob(f".{path.name}.*"):
        if leftover.is_dir():
            shutil.rmtree(leftover, ignore_errors=True)
        else:
            leftover.unlink(missing_ok=True)


def write_text(path: str | os.PathLike, text: str) -> None:
    """Write `text` to `path` atomically, as UTF-8."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def separator(line: str) -> str:
    """What sets the cells of a table apart, by its first line: a comma, a semicolon or a tab.

    Spreadsheets write semicolons where the comma is the decimal sign.
    """
    bare = QUOTED.sub("", line)
    return max(",;\t", key=bare.count)


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

    An older folder at `path` is removed just before.

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
    temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    temporary.chmod(0o755)
    try:
        yield temporary
        if path.is_dir():
            shutil.rmtree(path)
        os.replace(temporary, path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
