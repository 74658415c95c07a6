"""`reseat cluster`: one model on one's own data, from a file to tables and a picture."""

from __future__ import annotations

import argparse
import errno
import signal
import threading
from contextlib import contextmanager
from pathlib import Path

from reseat.command.options import EPILOG, HELP, check_options, configure
from reseat.errors import ConfigError, DataError, unforeseen

__all__ = ["EPILOG", "HELP", "configure", "run"]


def run(arguments: argparse.Namespace) -> int:
    """Read, check, sample and write.

    Raises
    ------
    ConfigError, DataError
        Before any work, in one sentence.
    """
    check_options(arguments)
    _check_input_apart(arguments)
    # Only now what is slow to import.
    from reseat.command.console import Console
    from reseat.command.inputs import READERS
    from reseat.command.results import results_of
    from reseat.command.settings import check_settings, claim, make_estimator
    from reseat.command.writing import write_results
    from reseat.estimators.sampling import following

    console = Console(arguments.quiet)
    check_settings(arguments)
    with unforeseen(f"{arguments.input} cannot be read"):
        material = READERS[arguments.model](arguments.input, arguments)
    estimator = make_estimator(arguments, material)
    _check_size(arguments, material)
    with _writing(arguments.output):
        folder = claim(arguments, estimator, material)
    console.say(f"{arguments.input}: {material.what}")
    for sentence in material.warnings:
        console.warn(sentence)
    with _writing(folder), _stopping() as stop, following(console.progress, stop):
        try:
            estimator.set_params(folder=folder / "chains").fit(**material.fit)
        except BaseException as error:
            from reseat.chains import Interrupted

            if not isinstance(error, (Interrupted, KeyboardInterrupt)):
                raise
            console.close()
            console.warn("interrupted; the same command goes on from here.")
            return 130
    results = results_of(estimator, material, arguments.model)
    with _writing(folder):
        write_results(folder, results, estimator, material)
    console.report(results, estimator, folder)
    return 0


def _check_size(arguments: argparse.Namespace, material) -> None:
    sides = [len(side) for side in (material.items, material.columns) if side is not None]
    if arguments.max_clusters is not None and arguments.max_clusters > min(sides):
        raise ConfigError(
            f"--max-clusters is {arguments.max_clusters}, but there are only {min(sides)} items; "
            "lower it."
        )


def _check_input_apart(arguments: argparse.Namespace) -> None:
    given, out = arguments.input.resolve(), arguments.output.resolve()
    if given == out or out in given.parents:
        raise ConfigError(f"{arguments.input} lies in {arguments.output}; choose another OUT.")
    if out.exists() and not out.is_dir():
        raise DataError(f"{arguments.output} is a file; OUT is a folder.")


@contextmanager
def _writing(folder: Path):
    """Say in one sentence that a disk is full, or a folder not to be written to."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        remedy = (
            "make room, and the same command goes on from what is there"
            if full
            else "choose another folder for -o"
        )
        reason = error.strerror or error
        raise DataError(f"{folder} cannot be written to ({reason}); {remedy}.") from error


@contextmanager
def _stopping():
    """An event that SIGTERM sets, so that chains write a checkpoint first."""
    stop = threading.Event()
    main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, lambda *_: stop.set()) if main else None
    try:
        yield stop
    finally:
        if main:
            signal.signal(signal.SIGTERM, before)
