"""Several instances of Snakemake at once, and what is left of one that was killed.

The locks of the operating system end with the process that holds them, however it ends; the locks
that Snakemake writes into files do not.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

__all__ = ["alone_in", "clear_stale_locks", "exclusive_log", "terminate_with_parent"]

#: Seconds between two looks at the parent.
LOOK = 0.5
#: File systems without locks say one of these.
NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS)
#: Locks of instances that live; the process keeps them to its end.
_held: list[IO] = []


def clear_stale_locks(folder: str | os.PathLike) -> bool:
    """Remove Snakemake's locks if no instance in this folder is alive, and be one from now on.

    After a power cut Snakemake would refuse to start until somebody unlocks the folder by hand,
    since it cannot tell whether the instance that locked it still runs.

    Parameters
    ----------
    folder : path-like
        The ``.snakemake`` of a working directory.

    Returns
    -------
    bool
        Whether there were locks of the dead.
    """
    folder = Path(folder)
    try:
        folder.mkdir(exist_ok=True)
        file = open(folder / "reseat-instances", "a")
    except OSError:
        return False  # Snakemake itself says what is wrong with the folder
    _held.append(file)
    forgotten = False
    if _lock(file, fcntl.LOCK_EX | fcntl.LOCK_NB):
        forgotten = any((folder / "locks").glob("*.lock"))
        shutil.rmtree(folder / "locks", ignore_errors=True)
    _lock(file, fcntl.LOCK_SH)
    return forgotten


@contextmanager
def exclusive_log(path: str | os.PathLike) -> Iterator[IO]:
    """Open a text file to be written anew, once no other process has it open in this way.

    A job whose Snakemake was killed may live on for a moment, and must not write what the job that
    takes its place is writing.

    Parameters
    ----------
    path : path-like
        Missing folders are made.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Names of files may have letters that no text can.
    with open(path, "a", buffering=1, encoding="utf-8", errors="backslashreplace") as file:
        _lock(file, fcntl.LOCK_EX)
        file.truncate(0)
        yield file


@contextmanager
def alone_in(folder: str | os.PathLike) -> Iterator[bool]:
    """Context in which no other process that asks so is at work in a folder.

    Parameters
    ----------
    folder : path-like

    Yields
    ------
    bool
        Whether that is so; if not, another process is at work there.

    Raises
    ------
    OSError
        If there is no such folder.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            alone = True
        except OSError as error:
            alone = error.errno in NO_LOCKS
        yield alone
    finally:
        os.close(handle)


def terminate_with_parent() -> None:
    """Send SIGTERM to this process when the one that started it, Snakemake, is no more.

    Nobody waits for what it does any longer; chains write a checkpoint and end.
    """
    threading.Thread(target=_watch, args=(os.getppid(),), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK)
    os.kill(os.getpid(), signal.SIGTERM)


def _lock(file: IO, how: int) -> bool:
    """Whether the lock was given; a file system that has none is taken to give those
    that would be waited for."""
    try:
        fcntl.flock(file, how)
    except OSError as error:
        return error.errno in NO_LOCKS and not how & fcntl.LOCK_NB
    return True
