"""Recognition of files that people take for plain texts although they are not."""

from __future__ import annotations

import codecs
import json
import re
from itertools import islice
from pathlib import Path

from reseat.files.packed import decompressed

__all__ = ["JSON_LINES", "other_format"]

#: Name for files with one JSON object per line.
JSON_LINES = "a file of JSON lines"
#: Number of lines by which such files are recognized.
FIRST = 20
#: Start of such a file.
OBJECT = re.compile(rb"\{\s*[\"}]")
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


def other_format(path: Path) -> str | None:
    """Return the format of a file that is not plain text, judged by its ending and first bytes."""
    if not path.is_file():
        return None
    return OTHER_FORMATS.get(path.suffix.lower()) or _by_start(path)


def _by_start(path: Path) -> str | None:
    """Return the format by the first bytes of a file whose ending is that of a text or table."""
    if path.suffix.lower() not in ("", ".txt", ".text", ".csv", ".tsv"):
        return None
    try:
        with open(path, "rb") as file:
            start = file.read(512).removeprefix(codecs.BOM_UTF8).lstrip()
    except OSError:  # whoever reads the file reports the error
        return None
    kind = next((kind for begin, kind in STARTS if begin.match(start)), None)
    if kind is None and OBJECT.match(start) and _has_objects(path):
        return JSON_LINES
    return kind


def _has_objects(path: Path) -> bool:
    """Return whether all nonblank lines among the first ones are JSON objects."""
    try:
        with decompressed(path, lines=True) as file:
            lines = [line for line in islice(file, FIRST) if line.strip()]
        return all(isinstance(json.loads(line.decode("utf-8-sig")), dict) for line in lines)
    except (ValueError, RecursionError):  # a DataError is a ValueError
        return False
