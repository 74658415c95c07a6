"""Ctrl-C and SIGTERM: noticed at once, and the process ends soon, whatever is being computed."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

__all__ = ["GRACE", "INTERRUPTED", "SENTENCE", "stopping"]

#: Seconds that work has to end by itself and to write checkpoints, before the process is ended.
#: Nothing is lost by that but what was made since the last checkpoint: files appear whole.  Who
#: presses Ctrl-C waits; a cluster that sends SIGTERM gives more time than this.
GRACE = {signal.SIGINT: 1.5, signal.SIGTERM: 15.0}
INTERRUPTED = 130
SENTENCE = "interrupted; re-run the command to resume."


@contextmanager
def stopping(grace: Mapping[int, float] = GRACE) -> Iterator[threading.Event]:
    """Context with an event that SIGINT or SIGTERM sets, after which the process has a short time.

    Python itself looks at signals between two of its instructions only, and one call of a
    numerical library may take minutes; so a thread listens to what the system writes
    into a pipe the moment a signal comes.

    Parameters
    ----------
    grace : mapping of int to float
        Seconds from each signal to the end of the process with `INTERRUPTED`, if the block has
        not ended by then.

    Yields
    ------
    threading.Event
    """
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop  # signals are of the main thread
        return
    ended = threading.Event()
    listening, wake = os.pipe()
    os.set_blocking(wake, False)

    def watch() -> None:
        number = os.read(listening, 1)[0]
        if ended.is_set():
            return
        stop.set()
        if not ended.wait(grace.get(number, 0)):
            print(f"\nnote: {SENTENCE}", file=sys.stderr, flush=True)
            os._exit(INTERRUPTED)

    def heard(number, _) -> None:
        stop.set()
        raise KeyboardInterrupt

    before = {number: signal.signal(number, heard) for number in grace}
    woken = signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield stop
    finally:
        ended.set()
        signal.set_wakeup_fd(woken)
        for number, handler in before.items():
            signal.signal(number, handler)
        os.write(wake, b"\0")
        thread.join()
        os.close(listening)
        os.close(wake)
