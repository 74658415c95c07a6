"""The exceptions that reseat raises on purpose, each with a clear message of one sentence."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

#: Control characters, except those that separate lines and cells.
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
#: Words of which a message shows only the beginning; paths are shorter.
LONG = re.compile(r"(\S{60})\S{940,}")


def printable(text: str) -> str:
    """Return a text with escapes in place of control characters, which a terminal would obey."""
    return CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def shown(text: str) -> str:
    """Return a printable text of which very long words are cut off."""
    return LONG.sub(r"\1…", printable(text))


class ReseatError(Exception):
    """Base class of errors that the user can fix; the message names the fault and the remedy."""

    def __str__(self) -> str:
        return shown(super().__str__())


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
