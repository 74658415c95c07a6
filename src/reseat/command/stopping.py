"""Notice Ctrl-C and SIGTERM at once, and end the process soon, whatever is being computed."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

__all__ = ["GRACE", "INTERRUPTED", "LOST", "SENTENCE", "stopping"]

#: Seconds for the work to write checkpoints and end by itself, before the process is ended.  Only
#: what was computed since the last checkpoint is lost, because files are written atomically.  A
#: user who presses Ctrl-C is waiting; a cluster that sends SIGTERM allows more time than this.
GRACE = {signal.SIGINT: 1.5, signal.SIGTERM: 15.0}
INTERRUPTED = 130
SENTENCE = "interrupted; re-run the command to resume."
#: For work that has no chains, and so no checkpoints.
LOST = "interrupted before anything was stored; re-run the command to start over."


@contextmanager
def stopping(
    grace: Mapping[int, float] = GRACE, sentence: str = SENTENCE
) -> Iterator[threading.Event]:
    """Yield an event that SIGINT or SIGTERM sets, and end the process if the block goes on.

    Python handles signals only between two bytecode instructions, and a single call of a numerical
    library may take minutes; therefore a thread listens to the wakeup pipe, to which a byte is
    written as soon as a signal arrives. `grace` gives the seconds from each signal until the
    process ends with the exit code `INTERRUPTED`, unless the block has ended by then.
    """
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop  # only the main thread can handle signals
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
            print(f"\nnote: {sentence}", file=sys.stderr, flush=True)
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
