"""What a batch job does around its work: a log, and a wish to stop."""

from __future__ import annotations

import logging
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

from reseat.errors import ReseatError

__all__ = ["job"]


@contextmanager
def job(log: str | PathLike) -> Iterator[threading.Event]:
    """Send what the block prints to `log`, and say in one sentence why it failed.

    A user's error ends the job with its sentence, in the log and on the
    console; any other error with its traceback in the log.

    Parameters
    ----------
    log : path
        Written anew.

    Yields
    ------
    threading.Event
        Set when the job is asked to stop (SIGTERM): there is time to write a
        checkpoint.

    Raises
    ------
    SystemExit
        If the block fails.
    """
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    stdout, stderr = sys.stdout, sys.stderr
    with open(log, "w", buffering=1, encoding="utf-8") as file:
        sys.stdout = sys.stderr = file
        handler = logging.StreamHandler(file)
        logging.getLogger("reseat").addHandler(handler)
        try:
            yield stop
        except ReseatError as error:
            print(error, file=file)
            print(error, file=stderr)
            raise SystemExit(1) from None
        except Exception as error:
            traceback.print_exc(file=file)
            print(f"{type(error).__name__}: {error} (the log {log} has more)", file=stderr)
            raise SystemExit(1) from None
        finally:
            sys.stdout, sys.stderr = stdout, stderr
            logging.getLogger("reseat").removeHandler(handler)
