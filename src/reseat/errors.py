"""The exceptions that reseat raises on purpose, each with a clear message of one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager


class ReseatError(Exception):
    """Base class of errors that the user can fix; the message names the fault and the remedy."""


class ConfigError(ReseatError, ValueError):
    """A configuration key or value cannot be used."""


class DataError(ReseatError, ValueError):
    """A data file or array is missing, damaged or not what the model expects."""


class CheckpointError(ReseatError):
    """A checkpoint belongs to another version, configuration or data set."""


@contextmanager
def unforeseen(what: str) -> Iterator[None]:
    """Turn an unforeseen error in reading a file from elsewhere into a DataError.

    It is any that is not a `ReseatError`, and is kept as the cause. `what` says what could not be
    done, and with which file.
    """
    try:
        yield
    except ReseatError:
        raise
    except Exception as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())
        raise DataError(f"{what} ({said})") from error
