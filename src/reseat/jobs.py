"""Surroundings of a batch job: its log, its record, and a request to stop."""

from __future__ import annotations

import errno
import logging
import shutil
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from os import PathLike
from pathlib import Path

from reseat.errors import ReseatError
from reseat.io import remove_leftovers, write_text
from reseat.locking import held, terminate_with_parent
from reseat.provenance import JobRecord, running_task
from reseat.provenance.closure import fingerprint, library
from reseat.runs import record_path

__all__ = ["job"]

#: Errors of a full disk, or of a quota that is used up.
FULL = (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def job(log: str | PathLike, *, stoppable: bool = False) -> Iterator[threading.Event]:
    """Redirect what the block prints to `log`, and say in one sentence why it failed.

    A `ReseatError` ends the job with its message, in the log and on the console; any other error
    ends it with a traceback in the log. A job that Snakemake started and that succeeds leaves a
    record of the origin of its outputs (`reseat.provenance`). Unfinished work of such a job is
    removed first if it was begun by other code. The job first waits until no other process is
    running it: one whose Snakemake was killed may run on for a moment, and must not write into the
    files of the job that replaces it. If the block is `stoppable`, it must check the event, which
    is set when the job is asked to stop (SIGTERM), in time to write a checkpoint; if not, it ends
    at once, and starts from the beginning the next time.
    """
    stop = threading.Event()

    def heed(number: int, _frame) -> None:
        stop.set()
        if not stoppable:
            raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, heed)
    task = running_task()
    if task is not None:
        terminate_with_parent()
    stdout, stderr = sys.stdout, sys.stderr
    # Snakemake deletes the log before a job, so the log cannot be the lock.
    alone = nullcontext() if task is None else held(record_path(log).with_suffix(".lock"))
    with alone, _open(log) as file:
        sys.stdout = sys.stderr = file
        handler = logging.StreamHandler(file)
        logging.getLogger("reseat").addHandler(handler)
        try:
            if task is not None:
                for path in (*task.output, record_path(log)):
                    remove_leftovers(path)  # of a job that was killed while writing
                # The outputs in the old record no longer exist, or are about to be overwritten.
                with suppress(OSError):
                    record_path(log).unlink()
                _forget_other_code(task, log)
            record = _attempt(_begin_record)
            yield stop
            if record is not None:
                _attempt(record.finish)
                _attempt(lambda: _code_of(log).unlink(missing_ok=True))
        except ReseatError as error:
            print(error, file=file)
            print(error, file=stderr)
            raise SystemExit(1) from None
        except Exception as error:
            said = f"{type(error).__name__}: {error} (see the log {log})"
            if isinstance(error, OSError) and error.errno in FULL:
                said = (
                    f"No space is left for {error.filename or 'the results'} ({error.strerror}); "
                    "free some, then re-run the command to resume."
                )
            print(said, file=stderr)
            with suppress(OSError):  # the log may be on the same disk
                traceback.print_exc(file=file)
            raise SystemExit(1) from None
        finally:
            sys.stdout, sys.stderr = stdout, stderr
            logging.getLogger("reseat").removeHandler(handler)


def _open(log):
    """Open and truncate a log, in which names of files may contain bytes that are not UTF-8."""
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    return open(log, "w", buffering=1, encoding="utf-8", errors="backslashreplace")


def _code_of(log):
    """Return the file that notes the code of an unfinished job, beside the place of its record."""
    return record_path(log).with_suffix(".code")


def _forget_other_code(task, log):
    """Remove the unfinished work of a job if it was begun by other code.

    A job that continues would otherwise mix results of both versions. This is also done with
    ``code: keep``, which keeps only finished results.
    """
    scratch = task.params.get("scratch")
    if scratch is None or task.params.get("code") is None:
        return
    # With ``code: keep``, the parameter may be that of old results, so the code is looked up here.
    code = _running_code(task)
    scratch, mark = Path(scratch), _code_of(log)
    begun_by = mark.read_text(encoding="utf-8") if mark.is_file() else code
    if scratch.is_dir() and begun_by != code:
        print("The job starts again from the beginning: the code has changed since it stopped.")
        shutil.rmtree(scratch)
    if not scratch.is_dir():
        _attempt(lambda: write_text(mark, code))


def _running_code(task):
    script = sys.modules["__main__"].__file__
    return fingerprint(library().closure(script, task.params.get("reaches", ())))


def _begin_record():
    task = running_task()
    return None if task is None else JobRecord(task, sys.modules["__main__"].__file__)


def _attempt(step):
    """Run a step of the recording; if it fails, hours of chains must not be lost."""
    try:
        return step()
    except Exception as error:
        print(f"This job could not be recorded: {type(error).__name__}: {error}")
        return None
