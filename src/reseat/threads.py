"""Work shared out among threads: what takes long in it runs without the interpreter's lock."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["Stopped", "in_threads"]

Item = TypeVar("Item")
Result = TypeVar("Result")


class Stopped(Exception):
    """Ends work that was asked to stop, by the user or because other work failed."""


def in_threads(
    work: Callable[[Item], Result],
    items: Iterable[Item],
    threads: int = 1,
    stop: threading.Event | None = None,
) -> list[Result]:
    """Results of ``work(item)``, in the order of the items.

    Parameters
    ----------
    work : callable
    items : iterable
    threads : int
        Items at a time.
    stop : threading.Event, optional
        Set when an item fails or the caller is interrupted; the others may heed it and raise
        `Stopped`.  Without it, a single thread is the caller's own.

    Raises
    ------
    BaseException
        The first error, in the order of the items, that is no `Stopped`, or else the first of
        these, when all threads have ended.
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
    # Whoever stopped is a consequence; the error that caused it says more.
    failures.sort(key=lambda error: isinstance(error, Stopped))
    if failures:
        raise failures[0]
    return [future.result() for future in futures]
