"""Surroundings of a batch job: its log, its record, and a request to stop."""

import errno
import logging
import os
import shutil
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stderr, redirect_stdout, suppress
from os import PathLike
from pathlib import Path

from reseat.errors import ReseatError
from reseat.files.atomic import remove_leftovers, write_text
from reseat.files.locking import file_lock, terminate_with_parent
from reseat.provenance import JobRecord, running_task
from reseat.provenance.closure import fingerprint, library
from reseat.provenance.records import home_of
from reseat.provenance.runs import record_path

#: What to do about a file that cannot be written, by the error.
REMEDIES = {
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "free some space",
    errno.EROFS: "make its folder writable",
}


@contextmanager
def job(log: str | PathLike, *, stoppable: bool = False) -> Iterator[threading.Event]:
    """Redirect what the block prints to `log`, record its outputs, and say why it failed.

    A request to stop (SIGTERM) ends it or, if it is `stoppable`, sets the event for it to check.
    """
    stop = threading.Event()

    def on_signal(number: int, _frame) -> None:
        stop.set()
        if not stoppable:
            raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, on_signal)
    task = running_task()
    # Snakemake deletes the log before a job, so the log cannot be the lock.  As the lock is beside
    # the record, a job whose record cannot be written fails before it starts to work.
    path, lock = None, nullcontext()
    if task is not None:
        terminate_with_parent()
        home = home_of(task)
        if scratch := task.params.get("scratch"):
            # Unfinished work lies beside the results; Snakemake changes only paths of its own.
            task.params.scratch = os.path.normpath(os.path.join(home, scratch))
        path = Path(home, record_path(os.path.relpath(task.log[0], home)))
        # One whose Snakemake was killed may run on for a moment, and write into the same files.
        lock = file_lock(path.with_suffix(".lock"))
    try:
        with lock, _logged(log):
            record = None
            if task is not None:
                for file in (*task.output, path):
                    remove_leftovers(file)  # of a job that was killed while writing
                # The outputs in the old record no longer exist, or are about to be overwritten.
                path.unlink(missing_ok=True)
                _forget_other_code(task, path)
                record = _begin_record(task)
            yield stop
            if record is not None:
                record.finish()
                path.with_suffix(".code").unlink(missing_ok=True)
    except ReseatError as error:
        _fail(log, f"{error}\n", str(error))
    except Exception as error:
        _fail(log, traceback.format_exc(), _sentence(error, log))


def resumable(task, stop):
    """Return the arguments of a function that runs chains in a stoppable job of Snakemake."""
    return {
        "output": task.output.chains,
        "scratch": task.params.scratch,
        "threads": task.threads,
        "checkpoint_seconds": task.params.checkpoint_seconds,
        "stop": stop,
    }


@contextmanager
def _logged(log):
    """Redirect to a log, in which names of files may contain bytes that are not UTF-8."""
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    with (
        open(log, "w", buffering=1, encoding="utf-8", errors="backslashreplace") as file,
        redirect_stdout(file),
        redirect_stderr(file),
    ):
        handler = logging.StreamHandler(file)
        logging.getLogger("reseat").addHandler(handler)
        try:
            yield
        finally:
            logging.getLogger("reseat").removeHandler(handler)


def _fail(log, details, sentence):
    """End the process with details in the log and a sentence on the console."""
    print(sentence, file=sys.stderr)
    with suppress(OSError), open(log, "a", encoding="utf-8", errors="backslashreplace") as file:
        file.write(details)  # unless the log is on the disk that is full
    raise SystemExit(1) from None


def _sentence(error, log):
    """Return what the console says about an error that is not one of this library."""
    if isinstance(error, OSError) and error.errno in REMEDIES:
        return (
            f"{error.filename or 'A result'} cannot be written ({error.strerror}); "
            f"{REMEDIES[error.errno]}, then re-run the command to resume."
        )
    return f"{type(error).__name__}: {error} (see the log {log})"


def _forget_other_code(task, record):
    """Remove the unfinished work of a job if it was begun by other code, even if that is kept."""
    scratch = task.params.get("scratch")
    if scratch is None or task.params.get("code") is None:
        return
    # With ``code: keep``, the parameter may be that of old results, so the code is looked up here.
    code = _running_code(task)
    # Beside the place of its record, a file notes the code of an unfinished job.
    scratch, mark = Path(scratch), record.with_suffix(".code")
    begun_by = mark.read_text(encoding="utf-8") if mark.is_file() else code
    if scratch.is_dir() and begun_by != code:
        print("The job starts again from the beginning: the code has changed since it stopped.")
        shutil.rmtree(scratch)
    if not scratch.is_dir():
        write_text(mark, code)


def _running_code(task):
    script = sys.modules["__main__"].__file__
    return fingerprint(library().closure(script, task.params.get("reaches", ())))


def _begin_record(task):
    return JobRecord(task, sys.modules["__main__"].__file__)
