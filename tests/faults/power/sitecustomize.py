"""Imported by Python at start: all processes of a run count their writes, and one of them strikes.

RESEAT_WRITES is a file that grows by a byte with every result written below the folder
RESEAT_BELOW.  RESEAT_CUT may hold the number of a write and one of `half`, `whole` and `renamed`:
at that write, the whole process group is killed, with the file half written, complete, or under its
final name.  RESEAT_HOLD may hold a part of a path: the first process that writes such a file stops
itself before it renames the file, and leaves its number in RESEAT_WRITES with the ending `.held`.
"""

import os
import signal

_rename = os.replace
_number, _moment = os.environ.get("RESEAT_CUT", "0 never").split()
_held = os.environ.get("RESEAT_HOLD", "")


def _counts(target):
    """Return whether this is a result: what Snakemake caches differs from one start to the next."""
    path = os.path.abspath(target)
    below = os.environ["RESEAT_BELOW"] + os.sep
    return path.startswith(below) and not path.startswith(below + ".snakemake")


def _count():
    handle = os.open(os.environ["RESEAT_WRITES"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(handle, b".")
        return os.lseek(handle, 0, os.SEEK_CUR)
    finally:
        os.close(handle)


def _hold():
    try:
        mark = open(os.environ["RESEAT_WRITES"] + ".held", "x", encoding="utf-8")
    except FileExistsError:
        return
    with mark:
        mark.write(f"{os.getpid()}\n")
    os.kill(os.getpid(), signal.SIGSTOP)


def _counted(source, target, **options):
    if not _counts(target):
        _rename(source, target, **options)
        return
    if _held and _held in str(target):
        _hold()
    struck = _count() == int(_number)
    if struck and _moment == "half" and os.path.isfile(source):
        os.truncate(source, os.stat(source).st_size // 2)
    if not struck or _moment == "renamed":
        _rename(source, target, **options)
    if struck:
        os.killpg(0, signal.SIGKILL)


if os.replace.__name__ != _counted.__name__:  # a fork of a process that has imported this
    os.replace = _counted
