"""The exceptions that reseat raises on purpose, each with a clear message of one sentence.

A message may name parameters, which the command line calls otherwise than Python does.  Therefore
an error keeps them apart from its text, and whoever shows it says what they are called.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

#: Control characters, except those that separate lines and cells.
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
#: Words of which a message shows only the beginning; paths are shorter.
LONG = re.compile(r"(\S{60})\S{940,}")
#: Digits of the longest number that is shown in a message.
MAX_DIGITS = 50

#: Called with the name of a parameter and "", or the value that it should have; returns both as the
#: user would write them.
Spelling = Callable[[str, str], str]


def printable(text: str) -> str:
    """Return a text with escapes in place of control characters, which a terminal would obey."""
    return CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def shown(text: str) -> str:
    """Return a printable text of which very long words are cut off."""
    return LONG.sub(r"\1…", printable(text))


def shown_value(value: Any) -> str:
    """Return a value as shown in messages; a string that looks like a number keeps its quotes."""
    # Python refuses to show the longest numbers.
    if isinstance(value, int) and abs(value) >= 10**MAX_DIGITS:
        return f"a number of more than {MAX_DIGITS} digits"
    text = repr(str(value)) if isinstance(value, str) else str(value)
    return text if len(text) <= 2 * MAX_DIGITS else f"{text[:MAX_DIGITS]}..."


def in_python(parameter: str, value: str = "") -> str:
    """Return a parameter, or the setting of it, as written in Python."""
    return f"{parameter}={value}" if value else parameter


class Message:
    """Mixin of errors and warnings whose text may depend on where it is shown.

    If `parameter` or other fields are given, the text is a template.  In it, ``{parameter}`` and
    ``{value}`` are the parameter at fault and its value, other fields stand for themselves, and
    every other name is that of a parameter, as ``{thin}`` or, to set one, ``{square:True}``.
    """

    def __init__(self, text="", *, parameter: str = "", value=None, source="", **fields):
        super().__init__(text)
        self.parameter, self.value, self.fields = parameter, value, fields
        #: What the message is about, such as a file or a `Place`, which is named before it.
        self.source = source

    def said(self, spelling: Spelling = in_python, **fields) -> str:
        """Return the message with parameters as `spelling` writes them, and some other fields."""
        text = str(self.args[0])
        if self.parameter or self.fields:
            value = shown_value(self.value)
            own = {"parameter": _Parameter(self.parameter, spelling), "value": value}
            text = text.format_map(_Fields(own | self.fields | fields))
        return shown(f"{self.source}: {text}" if self.source else text)

    def __str__(self) -> str:
        return self.said()


class _Parameter(NamedTuple):
    """A parameter in a template; its format is the value to set."""

    name: str
    spelling: Spelling

    def __format__(self, value: str) -> str:
        return self.spelling(self.name, value)


class _Fields(dict):
    """Values of the fields of a template, in which each unknown name is that of a parameter."""

    def __missing__(self, name: str) -> _Parameter:
        return _Parameter(name, self["parameter"].spelling)


class ReseatError(Message, Exception):
    """Base class of errors that the user can fix; the message names the fault and the remedy."""


class ConfigError(ReseatError, ValueError):
    """A configuration key or value cannot be used."""


class DataError(ReseatError, ValueError):
    """A data file or array is missing, damaged or not what the model expects."""


class CheckpointError(ReseatError):
    """A checkpoint belongs to another version, configuration or data set."""


class ReseatWarning(Message, UserWarning):
    """A remark that may concern the user of an estimator or of the command line."""


class ColumnWarning(ReseatWarning):
    """A remark on columns of data that readers of files make, too, with the names in the file."""


@contextmanager
def unforeseen(what: str, parameter: str = "") -> Iterator[None]:
    """Turn any other error than a `ReseatError` in doing `what` with a file into a DataError."""
    try:
        yield
    except ReseatError:
        raise
    except Exception as error:
        fault = " ".join(f"{type(error).__name__}: {error}".split())
        raise DataError("{what} ({fault})", parameter=parameter, what=what, fault=fault) from error
