"""Reading of text files from other sources: decoding, Unicode normalization and line ends."""

import codecs
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import IO

from reseat.errors import ConfigError, DataError
from reseat.files.packed import UNREADABLE, decompressed

UTF8 = "utf-8"
OTHERWISE = (
    "convert it first, or name its encoding (--encoding of reseat cluster, or the option "
    "'encoding' that some parsers of a registry have)"
)
#: Line ends.  `str.splitlines` splits at others too, such as form feeds, which occur in texts.
ENDS = re.compile("\r\n|\n|\r")
#: The code points among which all marks lie; a search of the others would only take longer.
MARKED = (range(0x300, 0x20000), range(0xE0000, 0xE1000))


def composed(text: str) -> str:
    """Return a text in normal form C (NFC), in which accented letters are single characters."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def lines_of(text: str) -> list[str]:
    """Split a text at its line ends; a line end at the very end does not begin another line."""
    lines = ENDS.split(text)
    return lines if lines[-1] else lines[:-1]


def first_twice(names: Sequence[str]) -> str | None:
    """Return the first name that occurs more than once, or None if there is none."""
    return next((name for name, times in Counter(names).items() if times > 1), None)


@lru_cache
def marks() -> str:
    """Return all combining marks as ranges for use within the brackets of a pattern.

    Vowels of Hindi, Thai and Arabic are marks, as is the dot of a lower-cased İ; `re` does not
    count them as characters of words, and does not support Unicode classes.
    """
    ranges: list[list[int]] = []
    for number in chain.from_iterable(MARKED):
        if unicodedata.category(chr(number)).startswith("M"):
            if ranges and ranges[-1][1] == number - 1:
                ranges[-1][1] = number
            else:
                ranges.append([number, number])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


def is_number(text: str) -> bool:
    """Return whether a text can be read as a number; NaN and infinity count as numbers."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def decoded(content: bytes, where: str | Path, encoding: str = UTF8) -> str:
    """Return the text that bytes stand for.

    It is in normal form C; UTF-8 text may begin with a byte order mark, but has no zero bytes.
    """
    try:
        if codecs.lookup(encoding).name != UTF8:
            return composed(content.decode(encoding))
        text = content.decode("utf-8-sig")
    except (LookupError, TypeError):
        raise ConfigError(
            "{parameter} is {given}; it must be an encoding known to Python, such as utf-8, "
            "latin-1, cp1252 or utf-16",
            parameter="encoding",
            value=encoding,
            given=repr(encoding),
        ) from None
    except UnicodeDecodeError as error:
        # A byte order mark is not part of what the error counts from.
        line = error.object.count(b"\n", 0, error.start) + 1
        said = f"line {line}: {error.reason}"
        if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            said = "it is UTF-16"  # which spreadsheets call "Unicode text"
        raise DataError(f"{where} is not {encoding.upper()} text ({said}); {OTHERWISE}") from error
    if "\0" in text:
        raise DataError(f"{where} is not text: it contains zero bytes (is it UTF-16?)")
    return composed(text)


def read_text(path: Path, encoding: str = UTF8) -> str:
    """Return the text of a file, plain or compressed."""
    return decoded(read_content(path), path, encoding)


def read_content(path: Path) -> bytes:
    """Return the bytes of a text file, plain or compressed."""
    with _opened(path) as stream:
        return stream.read()


@contextmanager
def open_text(path: Path) -> Iterator[io.TextIOWrapper]:
    """Open a UTF-8 text file, plain or compressed, without translating its line ends."""
    try:
        with _opened(path) as stream:
            yield io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
    except UnicodeDecodeError:
        decoded(read_content(path), path)  # which says where the file is not UTF-8
        raise


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    try:
        with decompressed(path, lines=True) as stream:
            yield stream
    except FileNotFoundError:
        raise DataError(f"{path} not found") from None
    except UNREADABLE as error:
        raise DataError(f"{path} cannot be read completely ({error})") from error
