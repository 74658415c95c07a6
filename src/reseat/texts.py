"""Texts as others wrote them: which letters their bytes stand for."""

from __future__ import annotations

import codecs
import io
import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reseat.errors import ConfigError, DataError
from reseat.packed import UNREADABLE, decompressed

__all__ = ["composed", "decoded", "is_number", "lines_of", "open_text", "read_text"]

#: The encoding of texts unless an entry names another.
UTF8 = "utf-8"
#: Ends of lines.  `str.splitlines` knows others, such as form feeds, which occur within texts.
ENDS = re.compile("\r\n|\n|\r")


def composed(text: str) -> str:
    """Return a text whose accented letters are one sign each, however they were written (NFC)."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def lines_of(text: str) -> list[str]:
    """Split a text at the ends of its lines; one at the very end begins no further line."""
    lines = ENDS.split(text)
    return lines if lines[-1] else lines[:-1]


def is_number(text: str) -> bool:
    """Whether a text can be read as a number; not-a-number and infinity can."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def decoded(content: bytes, where: str | Path, encoding: str = UTF8) -> str:
    """Return the text that bytes stand for.

    Parameters
    ----------
    content : bytes
    where : str or Path
        Of the text, for the sentence.
    encoding : str
        One that Python knows; UTF-8 may begin with a byte order mark.

    Returns
    -------
    str
        With composed letters.

    Raises
    ------
    ConfigError
        If there is no such encoding.
    DataError
        If the bytes are not of this encoding, or there are zeros among UTF-8.
    """
    try:
        if codecs.lookup(encoding).name != UTF8:
            return composed(content.decode(encoding))
        text = content.decode("utf-8-sig")
    except (LookupError, TypeError):
        raise ConfigError(
            f"the option 'encoding' is {encoding!r}; it must be an encoding known to Python, such "
            "as utf-8, latin-1, cp1252 or utf-16"
        ) from None
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{where} is not {encoding.upper()} text (line {line}: {error.reason}); convert it "
            "first, or specify its encoding if there is an option for it"
        ) from error
    if "\0" in text:
        raise DataError(f"{where} is not text: it contains zero bytes (is it UTF-16?)")
    return composed(text)


def read_text(path: Path, encoding: str = UTF8) -> str:
    """Return the text of a file, plain or packed.

    Raises
    ------
    ConfigError, DataError
        As for `decoded`, or if the file cannot be read.
    """
    try:
        with decompressed(path) as stream:
            content = stream.read()
    except FileNotFoundError:
        raise DataError(f"{path} not found") from None
    except UNREADABLE as error:
        raise DataError(f"{path} cannot be read completely ({error})") from error
    return decoded(content, path, encoding)


@contextmanager
def open_text(path: Path) -> Iterator[io.TextIOWrapper]:
    """Open UTF-8 text, plain or packed, whose ends of lines are kept as they are.

    Raises
    ------
    DataError
        If the file does not exist, cannot be read to its end or is not UTF-8.
    """
    try:
        with decompressed(path) as stream:
            yield io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
    except FileNotFoundError:
        raise DataError(f"{path} not found") from None
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path} is not UTF-8 text (line {_undecodable(path)}: {error}); convert it first"
        ) from error
    except UNREADABLE as error:
        raise DataError(f"{path} cannot be read completely ({error})") from error


def _undecodable(path: Path) -> int:
    """Number of the first line that is not UTF-8."""
    with decompressed(path) as stream:
        content = stream.read()
    try:
        end = len(content.decode())
    except UnicodeDecodeError as error:
        end = error.start
    return content.count(b"\n", 0, end) + 1
