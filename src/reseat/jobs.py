"""What a batch job does around its work: a log, and a wish to stop."""

from __future__ import annotations

import logging
import shutil
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path

from reseat.errors import ReseatError
from reseat.io import remove_leftovers, write_text
from reseat.locking import exclusive_log, terminate_with_parent
from reseat.provenance import JobRecord, running_task
from reseat.provenance.closure import fingerprint, library
from reseat.runs import record_path

__all__ = ["job"]


@contextmanager
def job(log: str | PathLike, *, stoppable: bool = False) -> Iterator[threading.Event]:
    """Send what the block prints to `log`, and say in one sentence why it failed.

    A user's error ends the job with its sentence, in the log and on the
    console; any other error with its traceback in the log.  A job that
    Snakemake started and that succeeds leaves a record of where its outputs
    came from (`reseat.provenance`).  What such a job left unfinished is
    removed first if other code has begun it.

    Parameters
    ----------
    log : path
        Written anew, when no other process is at this job any more.
    stoppable : bool
        Whether the block looks at the event. Any other ends at once when it
        is asked to stop (SIGTERM), and begins anew the next time.

    Yields
    ------
    threading.Event
        Set when the job is asked to stop: there is time to write a
        checkpoint.

    Raises
    ------
    SystemExit
        If the block fails.
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
    with exclusive_log(log) as file:
        sys.stdout = sys.stderr = file
        handler = logging.StreamHandler(file)
        logging.getLogger("reseat").addHandler(handler)
        try:
            if task is not None:
                for path in (*task.output, record_path(log)):
                    remove_leftovers(path)  # of a job that was killed in the middle of them
                # What the record tells of is no longer there, or is about to be written anew.
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
            traceback.print_exc(file=file)
            print(f"{type(error).__name__}: {error} (see the log {log})", file=stderr)
            raise SystemExit(1) from None
        finally:
            sys.stdout, sys.stderr = stdout, stderr
            logging.getLogger("reseat").removeHandler(handler)


def _code_of(log):
    """Where the code of an unfinished job is noted: in the place of its record."""
    return record_path(log).with_suffix(".code")


def _forget_other_code(task, log):
    """Remove what a job has not finished if other code has begun it.

    A job that goes on would otherwise be partly of the one and partly of the other, with ``code:
    keep`` as well, which keeps finished results only.
    """
    scratch = task.params.get("scratch")
    if scratch is None or task.params.get("code") is None:
        return
    # With ``code: keep`` the parameter is that of the result that the job replaces.
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
    """Do something for the record; hours of chains are not lost because it fails."""
    try:
        return step()
    except Exception as error:
        print(f"This job could not be recorded: {type(error).__name__}: {error}")
        return None
