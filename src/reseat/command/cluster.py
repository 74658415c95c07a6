"""`reseat cluster`: fit a model to your own data, and write tables, a picture and a page."""

from __future__ import annotations

import argparse
import errno
import logging
import os
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from reseat.command.console import INTERRUPTED, LOST, SENTENCE, stopping
from reseat.command.options import EPILOG, HELP, check_options, configure
from reseat.command.options import with_model_first as translate
from reseat.errors import ConfigError, DataError, unforeseen
from reseat.files.atomic import stored_json

__all__ = ["EPILOG", "HELP", "configure", "run", "translate", "writing"]


def run(arguments: argparse.Namespace) -> int:
    """Check the options, read the data, fit the model and write the results.

    Errors in the options or the input are raised before any work.
    """
    check_options(arguments)
    _check_input_apart(arguments)
    # Slow to import, so only once the options have been checked.
    from reseat.chains import Interrupted
    from reseat.command.console import Console
    from reseat.threads import Stopped

    console = Console(arguments.quiet)
    # Relations are clustered by variational inference unless another method is chosen.
    chains = arguments.model != "relational" or getattr(arguments, "inference", None) == "gibbs"
    sentence = SENTENCE if chains else LOST
    with stopping(sentence=sentence) as stop, warnings.catch_warnings():
        # Other libraries warn programmers of things that a user cannot change.
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        # Notes with the options of the command say these.
        warnings.filterwarnings("ignore", "The chains do not agree")
        warnings.filterwarnings("ignore", "Chains of .* too short to tell")
        # The readers of files have already said these, with the names of the columns.
        warnings.filterwarnings("ignore", "Nearly every record has its own value")
        warnings.filterwarnings("ignore", ".* are not numbers, such as ")
        warnings.filterwarnings("ignore", ".* have commas between digits, such as ")
        warnings.filterwarnings("ignore", "Columns that do not vary among the training items")
        warnings.filterwarnings(
            "ignore", ".* entries of (column .* of X|y) are .* which is treated as a value; use"
        )
        warnings.showwarning = partial(_show_warning, console)
        try:
            return _run(arguments, console, stop)
        except (Interrupted, Stopped, KeyboardInterrupt):
            console.close()
            console.warn(sentence)
            return INTERRUPTED


def _name(given: Path) -> str:
    """Return the name by which the user knows the input."""
    return "the standard input" if str(given) == "-" else str(given)


@contextmanager
def _notes_of_readers(console) -> Iterator[None]:
    """Print what readers of data sets log as notes."""
    handler, log = logging.Handler(logging.WARNING), logging.getLogger("reseat")
    handler.emit = lambda record: console.warn(record.getMessage())
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)


def _show_warning(console, message, category, *_, **__) -> None:
    """Show warnings of this library; those of others have more specific categories."""
    if category is UserWarning:
        console.warn(_in_options(str(message)))


def _in_options(sentence: str) -> str:
    from reseat.command.folder import in_options

    return in_options(sentence)


def _run(arguments: argparse.Namespace, console, stop) -> int:
    from reseat.command.folder import check_settings, make_estimator, output_folder
    from reseat.command.inputs import READERS, open_input
    from reseat.files.locking import try_lock

    check_settings(arguments)
    unreadable = unforeseen(f"{_name(arguments.input)} cannot be read")
    with ExitStack() as held:
        with unreadable, _notes_of_readers(console):
            source = open_input(arguments.input, arguments.model, arguments.format)
            material = READERS[arguments.model](source, arguments)
        estimator = make_estimator(arguments, material)
        _check_size(arguments, material)
        with writing(arguments.output):
            arguments.output.mkdir(parents=True, exist_ok=True)
            if not held.enter_context(try_lock(arguments.output)):
                raise ConfigError(
                    f"another command is already running in {arguments.output}; wait for it to "
                    "finish, or choose another OUT."
                )
            folder = held.enter_context(output_folder(arguments, estimator, material))
        try:
            _fit(arguments, console, stop, material, estimator, folder)
        except ConfigError as error:
            raise ConfigError(_in_options(str(error))) from error
    return 0


def _fit(arguments, console, stop, material, estimator, folder) -> None:
    from reseat.command.folder import FILES_OF_CHAINS, SETTINGS, remarks
    from reseat.command.results import results_of
    from reseat.command.writing import write_results
    from reseat.estimators.sampling import following

    console.say(f"{_name(arguments.input)}: {material.what}")
    for sentence in (*material.warnings, *remarks(arguments, estimator)):
        console.warn(sentence)
    data = stored_json(folder / SETTINGS)["data"]
    with writing(folder), following(console.progress, stop, console.say, data):
        if getattr(estimator, "inference", "gibbs") != "variational":
            estimator.set_params(folder=folder / FILES_OF_CHAINS)
        try:
            estimator.fit(**material.fit)
        except DataError as error:
            said = _in_options(str(error))
            # An error in a file of the chains has nothing to do with the input.
            of_chains = str(folder / FILES_OF_CHAINS) in said
            raise DataError(said if of_chains else f"{_name(arguments.input)}: {said}") from error
        results = results_of(estimator, material, arguments.model)
        write_results(folder, results, estimator, material, console.notes, arguments.overwrite)
    console.report(results, estimator, folder)


def _check_size(arguments: argparse.Namespace, material) -> None:
    sides = [len(side) for side in (material.items, material.columns) if side is not None]
    if arguments.max_clusters is not None and arguments.max_clusters > min(sides):
        raise ConfigError(
            f"--max-clusters is {arguments.max_clusters}, but there are only {min(sides)} items; "
            "lower it."
        )


def _check_input_apart(arguments: argparse.Namespace) -> None:
    if not str(arguments.output).strip():
        raise ConfigError("-o is empty; name a folder for the results.")
    try:
        given = arguments.input.resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise DataError(f"{str(arguments.input)[:80]} cannot be read ({error}).") from error
    try:
        out = arguments.output.resolve()
        out.exists()
    except (OSError, ValueError, RuntimeError) as error:
        raise DataError(
            f"{str(arguments.output)[:80]} cannot be used as the name of a folder "
            f"({getattr(error, 'strerror', None) or error}); choose another one for -o."
        ) from error
    if str(arguments.input) == "-":  # the standard input
        given = None
    if given is not None and (given == out or out in given.parents):
        raise ConfigError(f"{arguments.input} is inside {arguments.output}; choose another OUT.")
    if given is not None and given in out.parents and given.is_dir():
        raise ConfigError(
            f"{arguments.output} is inside {arguments.input}, so that its files would be read as "
            "input the next time; choose another OUT."
        )
    if out.exists() and not out.is_dir():
        raise DataError(f"{arguments.output} is a file; OUT must be a folder.")


@contextmanager
def writing(place: Path, other: str = "another folder for -o"):
    """Raise a DataError, in one sentence, if the disk is full or a place cannot be written to."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        remedy = "free some space, then re-run the command to resume" if full else f"choose {other}"
        reason = error.strerror or error
        if _is_elsewhere(error.filename, place):
            raise DataError(
                f"{error.filename} cannot be used ({reason}), while {place} was being made; "
                "re-run the command when it can be."
            ) from error
        raise DataError(f"{place} cannot be written to ({reason}); {remedy}.") from error


def _is_elsewhere(name: str | bytes | int | None, place: Path) -> bool:
    """Return whether the file of an error is neither the place written to, nor above or below."""
    if not isinstance(name, str | bytes) or not name:
        return False
    path, place = Path(os.fsdecode(name)).absolute(), place.absolute()
    unfinished = path.parent == place.parent and path.name.startswith(f".{place.name}.")
    return not (unfinished or path in (place, *place.parents) or place in path.parents)
