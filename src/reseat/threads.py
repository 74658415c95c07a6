"""Work divided among threads, whose time-consuming parts release the interpreter's lock."""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Stopped(Exception):
    """Raised by work that was asked to stop, by the user or because other work failed."""


def in_threads(
    work: Callable[[Item], Result],
    items: Iterable[Item],
    threads: int = 1,
    stop: threading.Event | None = None,
) -> list[Result]:
    """Return the results of ``work(item)``, in the order of the items.

    `stop` is set when an item fails or the caller is interrupted, so that other work can raise
    `Stopped`; the first other error is raised in the end.
    """
    if threads <= 1 and stop is None:
        return [work(item) for item in items]
    stop = threading.Event() if stop is None else stop

    def guarded(item: Item) -> Result:
        try:
            return work(item)
        except BaseException:
            stop.set()
            raise

    with ThreadPoolExecutor(max(1, int(threads))) as pool:
        futures = [pool.submit(guarded, item) for item in items]
        try:
            errors = [future.exception() for future in futures]
        except BaseException:
            stop.set()
            raise
    failures = [error for error in errors if error is not None]
    if failures:
        # The other workers stop because one failed; report the error of the one that failed.
        raise min(failures, key=lambda error: isinstance(error, Stopped))
    return [future.result() for future in futures]
