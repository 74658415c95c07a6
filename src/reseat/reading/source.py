"""What a user gives: a file, a folder or the standard input, and what it holds by its name."""

from __future__ import annotations

import codecs
import csv
import io
import json
import os
import re
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO

from reseat.errors import ConfigError, DataError
from reseat.files.packed import UNREADABLE, Bounded, decompressed, is_compressed
from reseat.files.texts import read_text
from reseat.reading.archives import is_hidden

#: Endings of compressed files, whose names without them say what they hold.
PACKED = (".gz", ".bz2", ".xz", ".zip")
ARCHIVES = (".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz", ".7z", ".rar")
OBJECTS = (".jsonl", ".ndjson")  # endings of files with one JSON object per line
#: Endings of files that pandas reads, with the package that it needs for each.
FRAMES = {".parquet": "pyarrow", ".xlsx": "openpyxl"}
#: Formats that the standard input may have, as file endings.
ENDINGS = ("csv", "tsv", "txt", "jsonl", "npy", "npz", "mtx", "parquet", "xlsx")
ADDRESS = re.compile(r"[a-z][a-z0-9]+:/", re.IGNORECASE)  # a `Path` keeps one slash of a URL


@dataclass(frozen=True)
class Source:
    """A file, a folder or the standard input, called in messages as the user calls it."""

    path: Path
    inner: str  # name of what a compressed file holds, otherwise that of the file
    #: Bytes of the standard input, or of the only file in a zip archive.
    content: bytes | None = None

    @classmethod
    def of(cls, path: Path | Source) -> Source:
        """Return the source that is the file at a path."""
        if isinstance(path, Source):
            return path
        packed = path.suffix.lower() in PACKED
        return cls(path, path.stem if packed else path.name)

    def __str__(self) -> str:
        return "the standard input" if self.is_piped else str(self.path)

    @property
    def name(self) -> str:
        """Name without the folder."""
        return str(self) if self.is_piped else self.path.name

    @property
    def is_piped(self) -> bool:
        """Whether it is the standard input."""
        return str(self.path) == "-"

    @property
    def ending(self) -> str:
        """Ending of the name, which says what the content is, in lower case."""
        return Path(self.inner).suffix.lower()

    def is_dir(self) -> bool:
        """Return whether it is a folder."""
        return self.content is None and self.path.is_dir()

    def open(self, mode: str = "rb") -> IO[bytes]:
        """Open the bytes, compressed or not."""
        return self.path.open(mode) if self.content is None else io.BytesIO(self.content)

    def as_file(self) -> Path | io.BytesIO:
        """Return the path of an uncompressed file, otherwise the unpacked content."""
        if self.content is None and not is_compressed(self.path):
            return self.path
        with decompressed(self) as file:
            return io.BytesIO(file.read())


def open_input(
    path: Path, model: str, form: str | None = None, encoding: str | None = None
) -> Source:
    """Return what a model is to read, or refuse it; ``-`` is the standard input."""
    texts = model == "documents"
    if str(path) == "-":
        source = _from_standard_input(path, form or ("txt" if texts else "csv"))
    elif form is not None:
        raise ConfigError(
            f"--format is {form!r}; it applies only to the standard input (INPUT -); leave it out."
        )
    else:
        if ADDRESS.match(str(path)) and not path.exists():
            address = ADDRESS.sub(lambda found: f"{found[0]}/", str(path))
            raise DataError(
                f"{address} looks like a URL, which is not read; download the file first."
            )
        existing(path, folders=texts)
        if path.name.lower().endswith(ARCHIVES) and path.is_file():
            folder = " and name the folder" if texts else ""
            raise DataError(f"{path} is an archive of several files; unpack it{folder}.")
        zipped = path.suffix.lower() == ".zip" and path.is_file()
        source = _from_zip(path, texts) if zipped else Source.of(path)
    if encoding is not None and not source.is_dir():
        if source.ending in (".npy", ".npz", *FRAMES):
            raise ConfigError(
                f"{{parameter}} applies to texts, but {source} is none; leave it out.",
                parameter="encoding",
                value=encoding,
            )
        source = Source(source.path, source.inner, read_text(source, encoding).encode())
    refuse_formats(source, texts)
    return source


def existing(path: Path, folders: bool = False) -> Path:
    """Return the path of a file that is not empty, or a folder; pipes and devices are refused."""
    try:
        there = path.exists()
    except OSError as error:  # no permission to search its folder
        raise DataError(
            f"{path} cannot be read ({error.strerror}); check the permissions of its folder."
        ) from error
    if not there:
        raise DataError(f"{path} not found.")
    if not os.access(path, os.R_OK | (os.X_OK if path.is_dir() else 0)):
        raise DataError(f"{path} cannot be read; you lack the permission.")
    if path.is_dir():
        if not folders:
            raise DataError(f"{path} is a folder; specify a file.")
    elif not path.is_file():
        raise DataError(
            f"{path} is a pipe or a device, which can be read only once; write it to a file first, "
            "or give it as the standard input (INPUT -)."
        )
    elif path.stat().st_size == 0:
        raise DataError(f"{path} is empty.")
    return path


def _from_standard_input(path: Path, form: str) -> Source:
    if form.lstrip(".") not in ENDINGS:
        raise ConfigError(f"--format is {form!r}; it must be one of {', '.join(ENDINGS)}.")
    if sys.stdin is None:
        raise DataError("The standard input is closed; name a file, or pipe one into the command.")
    stream = Bounded(
        sys.stdin.buffer, "the standard input has", "write it to a file, and name this file."
    )
    try:
        return Source(path, f"input.{form.lstrip('.')}", stream.read())
    except OSError as error:
        raise DataError(f"the standard input cannot be read completely ({error}).") from error


def _from_zip(path: Path, texts: bool) -> Source:
    try:
        with zipfile.ZipFile(path) as archive:
            files = [member for member in archive.infolist() if not member.is_dir()]
            members = [file for file in files if not is_hidden(file.filename.split("/"))]
            if len(members) != 1:
                what = "the folder, or one of the files" if texts else "one of them"
                raise DataError(
                    f"{path} contains {len(members)} files; unpack it, and name {what}."
                )
            with Bounded(archive.open(members[0]), f"{path} unpacks to") as file:
                content = file.read()
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, *UNREADABLE) as error:
        raise DataError(f"{path} cannot be unpacked ({error}); unpack it yourself.") from error
    if not content:
        raise DataError(f"{path} is empty.")
    return Source(path, Source.of(Path(members[0].filename)).inner, content)


# ---- Files that are mistaken for texts or tables ---------------------------------------------

#: Files with one JSON object per line: their name, lines by which they are known, and their start.
JSON_LINES, FIRST, OBJECT = "a file of JSON lines", 20, re.compile(rb"\{\s*[\"}]")
#: Formats whose lines are neither documents nor rows, by file ending; `STARTS` has first bytes.
OTHER_FORMATS = {
    ".json": "a JSON file",
    **dict.fromkeys((".html", ".htm", ".xhtml"), "an HTML page"),
    ".xml": "an XML file",
    ".pdf": "a PDF file",
    ".xls": "an old spreadsheet",
    ".ods": "an OpenDocument spreadsheet",
    **dict.fromkeys((".doc", ".docx", ".odt", ".rtf"), "a file of a word processor"),
}
STARTS = (
    (re.compile(rb"\[\s*[{\"]"), "a JSON file"),
    (re.compile(rb"\{\s*\n\s*\""), "a JSON file"),
    (re.compile(rb"<!doctype html|<html", re.IGNORECASE), "an HTML page"),
    (re.compile(rb"<\?xml"), "an XML file"),
    (re.compile(rb"%PDF-"), "a PDF file"),
    (re.compile(rb"PK\x03\x04"), "a zip archive or a file of a word processor"),
    (re.compile(rb"\{\\rtf|\xd0\xcf\x11\xe0"), "a file of a word processor"),
)


def refuse_formats(path: Path | Source, texts: bool = False, in_folder: bool = False) -> None:
    """Raise a DataError for a file whose text is neither lines nor a table."""
    source = Source.of(path)
    kind = other_format(source)
    if kind is None:
        return
    if kind == JSON_LINES and not in_folder:
        remedy = "rename it so that its name ends in .jsonl"
        remedy = "add --format jsonl" if source.is_piped else remedy
        named = " and name the key of the texts with --text-column" if texts else ""
        raise DataError(f"{source} contains one JSON object per line; {remedy}{named}.")
    remedy = (
        "save its text as .txt, one document per line, or as .jsonl, one JSON object per line, "
        "with --text-column"
        if texts
        else "save the table as .csv, or as .jsonl, one JSON object per line"
    )
    raise DataError(f"{source} is {kind}, which cannot be read; {remedy}.")


def other_format(path: Path | Source) -> str | None:
    """Return the format of a file that is not plain text, judged by its ending and first bytes."""
    source = Source.of(path)
    if source.is_dir():
        return None
    if source.ending not in ("", ".txt", ".text", ".csv", ".tsv"):
        return OTHER_FORMATS.get(source.ending)
    try:
        with decompressed(source) as file:
            start = file.read(512).removeprefix(codecs.BOM_UTF8).lstrip()
    except UNREADABLE:  # whoever reads the file reports the error
        return None
    for begin, kind in STARTS:
        if begin.match(start):
            return kind
    if not OBJECT.match(start):
        return None
    try:
        with decompressed(source, lines=True) as file:
            lines = [line for line in islice(file, FIRST) if line.strip()]
        objects = [json.loads(line.decode("utf-8-sig")) for line in lines]
    except (ValueError, RecursionError):  # a DataError is a ValueError
        return None
    return JSON_LINES if all(isinstance(found, dict) for found in objects) else None


# ---- Bounds on cells -------------------------------------------------------------------------

#: Largest number of letters of a cell, as in spreadsheets: in an array of NumPy, all texts take as
#: much memory as the longest. And of a cell that may be the text of a book: a longer one is what
#: follows a quotation mark that is never closed.
MAX_CELL_LETTERS, MAX_TEXT_LETTERS = 2**15 - 1, 2**24


@contextmanager
def long_cells(longest: int) -> Iterator[None]:
    """Let the csv readers of the standard library accept cells of up to this many letters."""
    limit = csv.field_size_limit(longest)
    try:
        yield
    finally:
        csv.field_size_limit(limit)  # the limit is global
