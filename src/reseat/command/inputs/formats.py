"""Files that people take for texts and tables, and that are neither."""

from __future__ import annotations

import codecs
import os
import re
from pathlib import Path

from reseat.errors import DataError

__all__ = ["refuse_formats", "refuse_unreadable"]

#: Files of texts whose lines are neither documents nor rows, by their endings and first bytes.
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


def refuse_unreadable(path: Path) -> None:
    """Raise a DataError for what the user may not read, and for a pipe or a device.

    These have no size and can be read only once.
    """
    try:
        there = path.exists()
    except OSError as error:  # the folder that it is in may not be searched
        raise DataError(
            f"{path} cannot be read ({error.strerror}); check the permissions of its folder."
        ) from error
    if not there:
        return
    if not os.access(path, os.R_OK | (os.X_OK if path.is_dir() else 0)):
        raise DataError(f"{path} cannot be read; you lack the permission.")
    if not path.is_file() and not path.is_dir():
        raise DataError(
            f"{path} is a pipe or a device, which can be read only once; write it to a file first, "
            "or give it as the standard input (INPUT -)."
        )


def refuse_formats(path: Path, model: str) -> None:
    """Raise a DataError for files of text that is neither lines nor a table.

    Parameters
    ----------
    path : Path
        Files by their endings and first bytes; a folder, and what does not exist, is let pass.
    model : str
    """
    kind = OTHER_FORMATS.get(path.suffix.lower()) or _format_by_start(path)
    if kind is None or path.is_dir() or not path.exists():
        return
    remedy = (
        "save its text as .txt, one document per line, or as .jsonl, one JSON object per line, "
        "with --text-column"
        if model == "documents"
        else "save the table as .csv, or as .jsonl, one JSON object per line"
    )
    raise DataError(f"{path} is {kind}, which cannot be read; {remedy}.")


def _format_by_start(path: Path) -> str | None:
    """What a file is by its first bytes, if it is called a text."""
    if path.suffix.lower() not in ("", ".txt", ".text", ".csv", ".tsv") or not path.is_file():
        return None
    try:
        with open(path, "rb") as file:
            start = file.read(512).removeprefix(codecs.BOM_UTF8).lstrip()
    except OSError:  # the reader says so
        return None
    return next((kind for begin, kind in STARTS if begin.match(start)), None)
