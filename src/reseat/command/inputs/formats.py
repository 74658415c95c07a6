"""Refuse files that are mistaken for texts or tables."""

from __future__ import annotations

import os
from pathlib import Path

from reseat.datasets.parsers.other_formats import JSON_LINES, other_format
from reseat.errors import DataError

__all__ = ["refuse_formats", "refuse_unreadable"]

#: Endings of archives, which are read from folders only.
ARCHIVES = (".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz", ".7z", ".rar")


def refuse_unreadable(path: Path) -> None:
    """Raise a DataError for a path that the user may not read, and for a pipe or a device.

    Pipes and devices have no size and can be read only once.
    """
    try:
        there = path.exists()
    except OSError as error:  # no permission to search its folder
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


def refuse_formats(path: Path, model: str, lines: str | None = None) -> None:
    """Raise a DataError for a file whose text is neither lines nor a table."""
    if path.name.lower().endswith(ARCHIVES) and path.is_file():
        folder = " and name the folder" * (model == "documents")
        raise DataError(f"{path} is an archive of several files; unpack it{folder}.")
    kind = other_format(path)
    if kind is None:
        return
    if kind == JSON_LINES and lines is not None:
        named = " and name the key of the texts with --text-column" * (model == "documents")
        raise DataError(f"{path} contains one JSON object per line; {lines}{named}.")
    remedy = (
        "save its text as .txt, one document per line, or as .jsonl, one JSON object per line, "
        "with --text-column"
        if model == "documents"
        else "save the table as .csv, or as .jsonl, one JSON object per line"
    )
    raise DataError(f"{path} is {kind}, which cannot be read; {remedy}.")
