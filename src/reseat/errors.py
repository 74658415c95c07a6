"""The exceptions that reseat raises on purpose: one clear sentence each."""

from collections.abc import Iterator
from contextlib import contextmanager


class ReseatError(Exception):
    """Base of every error that the user can fix; its text names what and how."""


class ConfigError(ReseatError, ValueError):
    """A configuration key or value cannot be used."""


class DataError(ReseatError, ValueError):
    """A data file or array is missing, damaged or not what the model expects."""


class CheckpointError(ReseatError):
    """A checkpoint belongs to another version, configuration or data set."""


@contextmanager
def unforeseen(what: str) -> Iterator[None]:
    """Make one sentence of whatever a reader did not foresee in a file of others.

    Parameters
    ----------
    what : str
        What could not be done, and with which file.

    Raises
    ------
    DataError
        Instead of any error that is not meant for the user; the cause is kept.
    """
    try:
        yield
    except ReseatError:
        raise
    except Exception as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())
        raise DataError(f"{what} ({said})") from error
