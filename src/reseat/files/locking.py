"""Locks for concurrent instances of Snakemake, and recovery after one that was killed.

The operating system releases its locks when a process ends; those of Snakemake are files that stay.
"""

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

LOOK = 0.5  # seconds between two checks of the parent process
SHELLS = ("bash", "dash", "sh", "zsh")  # by which Snakemake may start jobs
NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS)  # of file systems without locks
#: Files with locks of this instance, kept open until the process ends.
_open_locks: list[IO] = []


def clear_stale_locks(folder: str | os.PathLike) -> bool:
    """Remove Snakemake's locks if no instance is running in this folder, and register as one.

    After a power failure, Snakemake would otherwise not start in a folder, whose ``.snakemake``
    this is. Return whether there were locks of an instance that is no longer running.
    """
    folder = Path(folder)
    try:
        folder.mkdir(exist_ok=True)
        file = open(folder / "reseat-instances", "a", encoding="utf-8")
    except OSError:
        return False  # Snakemake itself says what is wrong with the folder
    _open_locks.append(file)
    forgotten = False
    if _lock(file, fcntl.LOCK_EX | fcntl.LOCK_NB):
        forgotten = any((folder / "locks").glob("*.lock"))
        shutil.rmtree(folder / "locks", ignore_errors=True)
    _lock(file, fcntl.LOCK_SH)
    return forgotten


@contextmanager
def file_lock(path: str | os.PathLike) -> Iterator[None]:
    """Hold a lock, the file at `path`, within the context, once no other process holds it."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    while True:
        file = open(path, "a", encoding="utf-8")
        _lock(file, fcntl.LOCK_EX)
        # If another process held the lock, it has removed the file.
        if _is_at(file, path):
            break
        file.close()
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        file.close()


def _is_at(file: IO, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


@contextmanager
def try_lock(folder: str | os.PathLike, shared: bool = False) -> Iterator[bool]:
    """Lock a folder, perhaps `shared` with others that are; yield whether that was granted."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
            alone = True
        except OSError as error:
            alone = error.errno in NO_LOCKS
        yield alone
    finally:
        os.close(handle)


def terminate_with_parent() -> None:
    """Send SIGTERM to this process when Snakemake, which waits for its results, has ended."""
    threading.Thread(target=_watch, args=(_starters(),), daemon=True).start()


def _watch(starters: tuple[int, ...]) -> None:
    while _starters() == starters:
        time.sleep(LOOK)
    os.kill(os.getpid(), signal.SIGTERM)


def _starters() -> tuple[int, ...]:
    """Return the parent of this process and, if this is a shell, the parent of the shell.

    Snakemake starts jobs by a shell, which in some versions of bash stays until the job ends.
    """
    parent = os.getppid()
    try:
        # "PID (NAME) STATE PARENT ..."
        line = Path(f"/proc/{parent}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:  # not on Linux, or the parent has just ended
        return (parent,)
    name, _, rest = line.partition(" (")[2].rpartition(") ")
    return (parent, int(rest.split()[1])) if name in SHELLS else (parent,)


def _lock(file: IO, how: int) -> bool:
    """Return whether the lock was granted; without locks in the file system, only if blocking."""
    try:
        fcntl.flock(file, how)
    except OSError as error:
        return error.errno in NO_LOCKS and not how & fcntl.LOCK_NB
    return True
